"""New rows of the rare class, made from the patterns of a Hellinger forest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from imblearn.over_sampling.base import BaseOverSampler
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rarewood._core import CriterionSpec, Dataset, ForestPlan, grow_forests
from rarewood._progress import progress
from rarewood._rules import Origin, Patterns, PatternTable, find_patterns, strength
from rarewood._tables import Columns, take_rows
from rarewood._tables.made_rows import remember_made
from rarewood._validation import NONE, SEED, Choice, Constraint, Integer, Labels, rarest_class
from rarewood._warnings import warn
from rarewood.ensemble.base import check_flag, thread_count
from rarewood.sampling._base import SamplerInput, TableSampler
from rarewood.sampling._containers import NewColumn, append_rows
from rarewood.sampling._generation import RowMaker, Scale, TrainingTable, scales_of
from rarewood.sampling._sieve import Harvest, Rounds, Sieve, make_once, make_until_enough
from rarewood.tree.base import TREE_PARAMETERS, draw_seed, resolve_max_features


class PatternOversampler(TableSampler, BaseOverSampler):
    r"""Oversampling by patterns: each new row follows a rule that holds for the rare class.

    **Try a threshold first.** Oversampling moves decisions at 0.5 towards the rare class, and hardly changes the ranking. A
    threshold chosen on unseen rows (:func:`rarewood.ensemble.fit_threshold`, or
    :class:`~rarewood.RareClassifier`, which chooses its own) does the same without new rows. With one, no sampler of our
    comparison was significantly better than none: neither this one, nor SMOTE, nor repeating rows (docs/oversampling.md).
    Oversample for learners that cannot be given a threshold, or to look at the rows that rules describe.

    A HeDEx forest is grown. Each of its leaves in which the class outnumbers all others together is a pattern: one interval or
    set of categories per column that the path to the leaf asks about. Each new row follows one pattern, drawn with a
    probability proportional to its strength; its other cells follow the rows of the class. A Hellinger tree then tries to tell
    the new rows from the original rows of the class. Those it can tell apart are discarded and, by default, not replaced: the
    class gets fewer rows than asked for, and where patterns describe it badly, far fewer.

    No neighbours or distances are used, so numbers and categories are treated alike, and missing values stay missing.

    Parameters
    ----------
    sampling_strategy : float, str, dict or callable, default="auto"
        How many rows each class should have afterwards, if every new row passes. "auto" raises every class to the size of the
        largest; a float is the wanted ratio of the smaller to the larger of two classes; a dictionary gives the number of rows
        per class; imbalanced-learn's other words ("minority", "not minority", "not majority", "all") and functions of `y` work,
        too.
    n_estimators : int, default=100
        Number of trees to take patterns from.
    n_cuts : int, default=10
        Random cuts per column and node of these trees.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Columns tried in each node of these trees, drawn at random from those that are not constant there. An int is
        their number, a float their share of all columns; "sqrt" and "log2" take the square root or logarithm of the
        number of columns, rounded down. None tries all.
    validate : bool, default=True
        Whether to discard new rows that a Hellinger tree can tell from the original ones.
    min_samples_leaf : int, default=10
        Minimum number of rows in a leaf of that tree. With 1 it tells all rows apart and accepts none.
    until_balanced : bool, default=False
        Whether to replace discarded rows until the class has as many as asked for. This costs decisions and ranking where few
        rows pass, because those that do are much alike.
    values_of : {"class", "all"}, default="class"
        Which training rows say how far numbers reach, which categories occur, and how cells that the pattern does not restrict
        are distributed: those of the class, or all.
    free_values : {"histogram", "observed"}, default="histogram"
        How numbers that the pattern does not restrict are drawn. "histogram": from a histogram of their column with `n_bins`
        bins of equal width, uniformly within a bin; "observed": by repeating values of the column. Categories keep their
        frequencies either way.
    n_bins : int, default=10
        Number of bins of the histograms.
    max_rounds : int or None, default=None
        Maximum number of rounds, each of which makes and screens as many rows as the class has, but at least twice
        `min_samples_leaf`. None makes every row that is asked for once; with `until_balanced` it allows ten times the
        rounds of that.
    categorical_features : "from_dtype", list of str or int, boolean mask or None, default="from_dtype"
        Which columns are nominal. "from_dtype" takes columns of categories, text and booleans; numbers, dates and times
        stay ordered.
    n_jobs : int or None, default=None
        Number of threads: None means 1, -1 all processors. The result does not depend on it.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    sampling_strategy_ : dict
        How many new rows each class should get.
    n_made_ : dict
        How many rows were made for each class.
    n_passed_ : dict
        How many of them passed the screening tree. These are the new rows, unless `until_balanced` leaves a surplus.
    patterns_ : Patterns
        The patterns that rows were made from, class by class and the strongest first; duplicates are kept, so that a rule
        found by many trees is drawn more often.
    pattern_of_row_ : ndarray of int of shape (n_resampled,)
        Position in `patterns_` of the pattern that each row was made from; -1 for original rows, which come first.
    acceptance_rate_ : float
        Share of the rows made that passed the screening tree; 1.0 with ``validate=False``, NaN if none were made.
    n_features_in_, feature_names_in_ :
        Number and, for a data frame, names of the columns.

    See Also
    --------
    rarewood.inspection.extract_patterns : The patterns themselves, to read.
    rarewood.BiasedForestCleaner : Removes misleading rows of the other classes.
    imblearn.over_sampling.SMOTENC : New rows between neighbours.

    Notes
    -----
    A pattern with :math:`s_+` rows of the class and :math:`s_-` others has the strength :math:`s_+^2 / (s_+ + s_-)`. A number
    is drawn uniformly above its lower and up to its upper bound, within the extremes of the rows that `values_of` names. A
    category is drawn uniformly among the admitted ones that occur in these rows. Columns without fractions get whole numbers,
    and a column with at most `n_bins` values gets no others: anything between them would give a new row away.

    Missing cells: a condition that admits missing values is met by one as often as the column has them in these rows; one that
    does not admit them is never met by one; free cells are missing as often as in their column. Nothing is imputed.

    With more than two classes, each class that gets new rows is set against all others together, with its own forest. The
    recipes ``"...+patterns"`` raise the smallest class only, as the paper seems to.

    The screening tree is grown anew in every round, between the original rows of the class and as many new ones; a new row is
    accepted if its leaf also holds an original one. If a class has no patterns, or no row passes, a
    :class:`~rarewood.exceptions.RarewoodWarning` says so. With `until_balanced`, rounds end when there are enough rows (a surplus
    is dropped at random), when `max_rounds` are over, or when five in a row accept nothing; if rows are missing then, a warning
    says how many.

    The paper leaves several of these points open; docs/decisions/0003-patterns-and-oversampling.md says which, and which
    reading explains its printed figures.

    References
    ----------
    S. Kang and K. Ramamohanarao, "A Robust Classifier for Imbalanced Datasets", PAKDD 2014.

    Examples
    --------
    >>> from collections import Counter
    >>> from rarewood import PatternOversampler
    >>> from rarewood.datasets import make_planted_rules
    >>> payments = make_planted_rules(2000, random_state=0)
    >>> sampler = PatternOversampler(random_state=0)
    >>> X, y = sampler.fit_resample(payments.X, payments.y)
    >>> Counter(y.tolist())
    Counter({0: 1960, 1: 1563})
    >>> sampler.n_made_, sampler.n_passed_
    ({1: 1920}, {1: 1523})
    >>> X.dtypes.equals(payments.X.dtypes)
    True

    The rule that each new row was made from is recorded, and holds for the row:

    >>> number = sampler.pattern_of_row_[-1]
    >>> rule = sampler.patterns_[number].rule
    >>> bool(sampler.patterns_[number : number + 1].covers(X[-1:])[0, 0])
    True

    In a pipeline, rows are added in training only:

    >>> import rarewood as rw
    >>> rw.make("hedex+patterns", random_state=0)
    Pipeline(steps=[('patterns',
                     PatternOversampler(random_state=0,
                                        sampling_strategy='minority')),
                    ('model', HeDExClassifier(random_state=0))])
    """

    _accepted: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "n_estimators": (Integer(1),),
        **{name: TREE_PARAMETERS[name] for name in ("n_cuts", "max_features", "min_samples_leaf")},
        "values_of": (Choice(("class", "all")),),
        "free_values": (Choice(("histogram", "observed")),),
        "n_bins": (Integer(1),),
        "max_rounds": (NONE, Integer(1)),
        "n_jobs": (NONE, Integer(-(2**31))),
        "verbose": (Integer(0),),
        "random_state": SEED,
    }

    def __init__(
        self,
        sampling_strategy: Any = "auto",
        *,
        n_estimators: int = 100,
        n_cuts: int = 10,
        max_features: int | float | str | None = "sqrt",
        validate: bool = True,
        min_samples_leaf: int = 10,
        until_balanced: bool = False,
        values_of: str = "class",
        free_values: str = "histogram",
        n_bins: int = 10,
        max_rounds: int | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        super().__init__(sampling_strategy=sampling_strategy)
        self.n_estimators = n_estimators
        self.n_cuts = n_cuts
        self.max_features = max_features
        self.validate = validate
        self.min_samples_leaf = min_samples_leaf
        self.until_balanced = until_balanced
        self.values_of = values_of
        self.free_values = free_values
        self.n_bins = n_bins
        self.max_rounds = max_rounds
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _fit_resample(self, given: SamplerInput) -> tuple[Any, Any]:
        check_flag("validate", self.validate)
        check_flag("until_balanced", self.until_balanced)
        training = self._prepare(given)
        random_state = check_random_state(self.random_state)
        results = []
        for label, n_wanted in self.sampling_strategy_.items():
            if n_wanted > 0:
                number = int(np.flatnonzero(given.labels.classes == label)[0])
                results += self._raise_class(training, number, int(n_wanted), random_state)
        self._keep(results, given, training.columns)
        return _resampled(given, training, results)

    def _prepare(self, given: SamplerInput) -> _Training:
        n_threads = thread_count(self.n_jobs)
        names = getattr(self, "feature_names_in_", None)
        columns, matrix = Columns.learn(given.table, self.categorical_features, names)
        return _Training(
            matrix,
            given.labels,
            columns,
            Dataset(matrix, columns.n_categories, given.labels.codes, given.labels.n_classes),
            scales_of(given.table.columns, matrix, columns.nominal, self.n_bins),
            n_threads,
        )

    def _raise_class(self, training: _Training, number: int, n_wanted: int, random_state: Any) -> list[_NewRows]:
        """New rows of one class, unless it has no patterns."""
        name = str(training.labels.classes[number])
        found = self._find_patterns(training, number, draw_seed(random_state))
        rng = np.random.default_rng(draw_seed(random_state))
        if len(found.label) == 0:
            _warn_without_patterns(name)
            return []
        rounds = self._rounds(training, number, found)
        make = make_until_enough if self.until_balanced else make_once
        with progress(n_wanted, f"making rows of class {name}", self.verbose) as report:
            harvest = make(rounds, n_wanted, self.max_rounds, rng, report)
        _warn_if_short(name, n_wanted, harvest)
        return [_NewRows(number, found, harvest)]

    def _rounds(self, training: _Training, number: int, found: PatternTable) -> Rounds:
        """Rounds that make rows of one class."""
        columns = training.columns
        originals = training.matrix[training.labels.codes == number]
        values = originals if self.values_of == "class" else training.matrix
        table = TrainingTable(values, training.scales, columns.nominal, self.n_bins, self.free_values == "histogram")
        return Rounds(
            RowMaker(table, found.conditions, strength(found.rare, found.rest), columns.nominal),
            Sieve(originals, columns.n_categories, self.min_samples_leaf) if self.validate else None,
            len(originals),
            training.n_threads,
        )

    def _find_patterns(self, training: _Training, number: int, seed: int) -> PatternTable:
        """The patterns of one class in a HeDEx forest that sets it against all others."""
        dataset, n_threads = training.dataset, training.n_threads
        plan = ForestPlan(
            [CriterionSpec("hellinger")],
            n_trees=self.n_estimators,
            seed=seed,
            class_map=[int(each == number) for each in range(dataset.n_classes)],
            splitter="random",
            n_cuts=self.n_cuts,
            max_features=resolve_max_features(self.max_features, dataset.n_features),
        )
        with progress(self.n_estimators, "growing trees", self.verbose) as report:
            forest = grow_forests(dataset, [plan], n_threads=n_threads, progress=report)[0]
        trees = [forest[i] for i in range(len(forest))]
        found = find_patterns(trees, training.columns, 1, n_threads=n_threads).ranked()
        return replace(found, label=np.full_like(found.label, number))

    def _keep(self, results: list[_NewRows], given: SamplerInput, columns: Columns) -> None:
        found = PatternTable.joined([result.found for result in results]) if results else PatternTable.none()
        starts = np.cumsum([0, *(len(result.found.label) for result in results)])
        made_by = [result.harvest.pattern + start for result, start in zip(results, starts)]
        classes = given.labels.classes.tolist()
        self.n_made_ = {classes[result.number]: result.harvest.n_made for result in results}
        self.n_passed_ = {classes[result.number]: result.harvest.n_passed for result in results}
        n_made = sum(self.n_made_.values())
        sizes = np.bincount(given.labels.codes)
        self.patterns_ = Patterns(found, Origin(columns, given.labels.classes, rarest_class(sizes), given.backend))
        self.pattern_of_row_ = np.concatenate([np.full(len(given.labels.codes), -1), *made_by]).astype(np.int64)
        self.acceptance_rate_ = sum(self.n_passed_.values()) / n_made if n_made else float("nan")


@dataclass(frozen=True)
class _Training:
    """The caller's rows in every form that is needed."""

    matrix: NDArray[Any]
    labels: Labels
    columns: Columns
    dataset: Dataset
    scales: Mapping[int, Scale]
    n_threads: int


@dataclass(frozen=True)
class _NewRows:
    """The rows made for one class, and where they come from."""

    number: int
    found: PatternTable
    harvest: Harvest


def _resampled(given: SamplerInput, training: _Training, results: list[_NewRows]) -> tuple[Any, Any]:
    """The caller's rows followed by the new ones; a label is that of some original row of its class."""
    first_row = np.unique(training.labels.codes, return_index=True)[1]
    originals = np.arange(len(training.matrix))
    copied = [np.full(len(result.harvest.rows), first_row[result.number]) for result in results]
    y = take_rows(given.y, np.concatenate([originals, *copied]).astype(np.intp))
    if not sum(map(len, copied)):
        return take_rows(given.X, originals), y
    rows = np.concatenate([result.harvest.rows for result in results])
    nominal = training.columns.nominal
    columns = [_new_column(rows[:, j], training.matrix[:, j], bool(nominal[j])) for j in range(rows.shape[1])]
    rows = append_rows(given.X, columns)
    remember_made(rows, given.table.shape[0])
    return rows, y


def _new_column(cells: NDArray[np.float64], training: NDArray[Any], nominal: bool) -> NewColumn:
    """Categories and missing values are copied from a training row that has them, numbers are written."""
    values, first_row = np.unique(training, return_index=True)  # NaN is the last, and one
    row = np.full(len(cells), -1, dtype=np.intp)
    copied = np.ones(len(cells), dtype=bool) if nominal else np.isnan(cells)
    row[copied] = first_row[np.searchsorted(values, cells[copied])]
    return NewColumn(row, cells[~copied])


def _warn_without_patterns(name: str) -> None:
    warn(
        f"Class {name} has no patterns, because it outnumbers the other classes in no leaf, so it gets no new rows. "
        "More trees (n_estimators) or more columns per node (max_features) may find some.",
    )


def _warn_if_short(name: str, n_wanted: int, harvest: Harvest) -> None:
    """Rows are missing at the end of several passes, or none has passed; fewer than asked for is what one pass means."""
    if not harvest.end and harvest.n_passed:
        return
    n_got = len(harvest.rows)
    got = f"but got {n_got}, {n_wanted - n_got} too few: {harvest.end}" if harvest.end else "but gets none"
    more = "Raise max_rounds or min_samples_leaf" if harvest.end else "Raise min_samples_leaf"
    warn(
        f"Class {name} should get {n_wanted} new rows {got}. A Hellinger tree could tell "
        f"{harvest.n_made - harvest.n_passed} of {harvest.n_made} generated rows from the original ones. {more}, or "
        "keep all rows with validate=False.",
    )
