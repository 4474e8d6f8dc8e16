"""Cleaning by forests that lean towards the majority."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from imblearn.under_sampling.base import BaseCleaningSampler
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rarewood._core import Dataset
from rarewood._progress import progress
from rarewood._tables import Columns, take_rows
from rarewood._validation import Constraint, Integer, Number
from rarewood._warnings import warn
from rarewood.ensemble.base import check_flag, thread_count
from rarewood.ensemble.bias import (
    BIASED_PARAMETERS,
    BiasedGrower,
    CleaningRules,
    judge_negatives,
    keep_some,
    positive_class,
)
from rarewood.sampling._base import SamplerInput, TableSampler
from rarewood.tree.base import draw_seed


class BiasedForestCleaner(TableSampler, BaseCleaningSampler):
    r"""Remove majority rows that look like the rare class even to a forest biased against it.

    The majority is split into `n_subsets` random parts. Each part is judged by a forest grown on the other parts: every tree
    sees half of the rare rows and `ratio` times as many of the majority, so it calls hardly anything rare. A row that more
    than a share `threshold` of the trees still call rare is *dangerous*: it lies among the rare rows and teaches a
    classifier to miss them. Such rows are removed; rare rows never are.

    Parameters
    ----------
    sampling_strategy : str, list or callable, default="auto"
        The classes that may lose rows: "auto" for all but the positive class, imbalanced-learn's other words
        ("majority", "not minority", "not majority", "all"), a list of labels, or a function of `y`. The positive class
        never loses rows.
    n_subsets : int, default=10
        Number of parts that the majority is split into, at most one per row.
    n_estimators : int, default=50
        Number of trees that judge each part.
    ratio : float, default=5.0
        Majority rows for each rare row that a tree sees, above 1.
    threshold : float, default=0.5
        Share of the trees, above 0 and at most 1. A row is removed if **more** than this share call it rare; a row with
        exactly this share stays, and with 1.0 every row stays.
    sequential : bool, default=False
        Whether rows found dangerous in one part are also withheld from the forests of later parts. The result then depends
        on the order of the parts, and they cannot be judged in parallel.
    positive : label or None, default=None
        The rare class. None takes the smallest class; if several are equally small, the first label. All other classes
        together are the majority.
    criterion : str, criterion object or callable, default="c45"
        How splits are scored: a name from ``rarewood.criteria.names()``, an object such as
        ``rarewood.criteria.AlphaDivergence(alpha=0.8)``, or a function ``score(left, right)`` that gets the class counts on
        both sides of many candidate splits, two arrays of shape (candidates, classes), and returns one score per candidate;
        larger is better. The defaults of this and the following settings make an unpruned C4.5 tree on the square root of
        the columns.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Columns tried in each node, drawn at random from those that are not constant there. An int is their number, a
        float their share of all columns; "sqrt" and "log2" take the square root or logarithm of the number of columns,
        rounded down. None tries all.
    max_depth : int or None, default=None
        Longest path from the root to a leaf; None sets no limit.
    min_samples_split : int, default=4
        Nodes with fewer cases become leaves. A row with sample weight 3 counts as three cases.
    min_samples_leaf : int, default=1
        Splits that leave fewer cases on one side are not considered.
    nominal : {"subset", "multiway", "one_vs_rest"}, default="multiway"
        How a nominal column splits. "subset": a set of categories against the others; "multiway": one child per category;
        "one_vs_rest": one category against the others.
    categorical_features : "from_dtype", list of str or int, boolean mask or None, default="from_dtype"
        Which columns are nominal. "from_dtype" takes columns of categories, text and booleans; numbers, dates and times
        stay ordered.
    pruning : {"pessimistic"} or None, default=None
        Whether to replace a subtree by a leaf where C4.5's pessimistic error estimate sees no gain in it. Trees that
        rank the rare class are better left unpruned.
    confidence : float, default=0.25
        Confidence level of the pessimistic estimate, above 0 and at most 0.5; smaller prunes more.
    n_jobs : int or None, default=None
        Number of threads: None means 1, -1 all processors. The result does not depend on it.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_kept,)
        The rows that were kept, ascending.
    votes_ : ndarray of int of shape (n_samples,)
        How many trees called each row rare; -1 for rows that were not judged, such as the rare ones.
    positive_ : label
        The class treated as the rare one.
    sampling_strategy_ : dict
        The classes that could lose rows, with their sizes before.
    n_features_in_, feature_names_in_ :
        Number and, for a data frame, names of the columns.

    See Also
    --------
    rarewood.BiasedRankingClassifier : Ranks rows with forests biased towards the rare class, after this cleaning.
    imblearn.under_sampling.TomekLinks : Cleaning based on distances between rows.

    Notes
    -----
    With the majority :math:`N` split into :math:`N_1, \dots, N_n` and :math:`T_{i1}, \dots, T_{il}` the trees grown on samples
    of the rare class and of :math:`N \setminus N_i`, the output is without the rows

    .. math:: \{x \in N_i : |\{m : T_{im}(x) = \text{rare}\}| > \varepsilon\, l\}.

    The pseudo-code of the paper removes rows from one part after the other (``sequential=True``), while its text speaks of
    the rest of the instances; the latter is the default. The paper gives no sizes. Here a tree sees half of the rare rows,
    rounded up, and if the majority is too small for more than that, half as many rare rows as majority rows. A tree calls a
    row rare where rare rows outweigh the others in its leaf; a tie does not. If the whole majority would be removed,
    nothing is removed and a warning is given.

    References
    ----------
    J. Gu, Y. Zhou and X. Zuo, "Making class bias useful: a strategy of learning from imbalanced data", IDEAL 2007.

    Examples
    --------
    >>> from rarewood import BiasedForestCleaner
    >>> from rarewood.datasets import make_planted_rules
    >>> data = make_planted_rules(4000, random_state=0)
    >>> cleaner = BiasedForestCleaner(random_state=0)
    >>> X, y = cleaner.fit_resample(data.X, data.y)
    >>> removed = np.setdiff1d(np.arange(4000), cleaner.sample_indices_)
    >>> bool(data.dangerous[removed].mean() > 0.7), bool((data.y[removed] == 0).all())
    (True, True)

    It selects rows, so it works on data frames with categories and missing values, and in a pipeline:

    >>> from imblearn.pipeline import make_pipeline
    >>> from rarewood import HeDExClassifier
    >>> model = make_pipeline(BiasedForestCleaner(random_state=0), HeDExClassifier(random_state=0))
    >>> model.fit(data.X, data.y).predict_proba(data.X).shape
    (4000, 2)
    """

    _accepted: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        **BIASED_PARAMETERS,
        "n_subsets": (Integer(2),),
        "ratio": (Number(1.0, open_low=True),),
    }

    positive_: Any
    sample_indices_: NDArray[np.intp]
    votes_: NDArray[np.int64]

    def __init__(
        self,
        *,
        sampling_strategy: Any = "auto",
        n_subsets: int = 10,
        n_estimators: int = 50,
        ratio: float = 5.0,
        threshold: float = 0.5,
        sequential: bool = False,
        positive: Any = None,
        criterion: Any = "c45",
        max_features: int | float | str | None = "sqrt",
        max_depth: int | None = None,
        min_samples_split: int = 4,
        min_samples_leaf: int = 1,
        nominal: str = "multiway",
        categorical_features: Any = "from_dtype",
        pruning: str | None = None,
        confidence: float = 0.25,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        super().__init__(sampling_strategy=sampling_strategy)
        self.n_subsets = n_subsets
        self.n_estimators = n_estimators
        self.ratio = ratio
        self.threshold = threshold
        self.sequential = sequential
        self.positive = positive
        self.criterion = criterion
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.nominal = nominal
        self.categorical_features = categorical_features
        self.pruning = pruning
        self.confidence = confidence
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _fit_resample(self, given: SamplerInput) -> tuple[Any, Any]:
        labels, rng, n_threads = given.labels, check_random_state(self.random_state), thread_count(self.n_jobs)
        grower = self._grower(given, draw_seed(rng), n_threads)
        negative = labels.codes != grower.positive
        n_negative = int(np.count_nonzero(negative))
        if n_negative < 2:
            warn(
                "Only one row is not of the positive class, so there is nothing to compare it with; nothing was "
                "removed.",
            )
        with progress(min(self.n_subsets, n_negative) * self.n_estimators, "growing trees", self.verbose) as report:
            rules = CleaningRules(self.n_subsets, self.ratio, self.threshold, self.sequential)
            judged = judge_negatives(grower, None, rules, rng, report)
        may_leave = np.isin(labels.classes, list(self.sampling_strategy_))[labels.codes]
        removed = keep_some(judged.dangerous, negative) & may_leave
        self.votes_ = judged.votes
        self.sample_indices_ = np.flatnonzero(~removed)
        return take_rows(given.X, self.sample_indices_), take_rows(given.y, self.sample_indices_)

    def _read(self, X: Any, y: Any) -> SamplerInput:
        check_flag("sequential", self.sequential)
        given = super()._read(X, y)
        labels = given.labels
        positive = positive_class(self.positive, labels, None)
        self.positive_ = labels.classes[positive]
        is_auto = isinstance(self.sampling_strategy, str) and self.sampling_strategy == "auto"
        may_shrink = labels.classes if is_auto else list(self.sampling_strategy_)
        sizes = dict(zip(labels.classes.tolist(), np.bincount(labels.codes).tolist()))
        self.sampling_strategy_ = {label: sizes[label] for label in may_shrink if label != self.positive_}
        return given

    def _grower(self, given: SamplerInput, seed: int, n_threads: int) -> BiasedGrower:
        columns, matrix = Columns.learn(given.table, self.categorical_features)
        labels = given.labels
        dataset = Dataset(matrix, columns.n_categories, labels.codes, labels.n_classes)
        positive = positive_class(self.positive, labels, None)
        return BiasedGrower.of(self, dataset, matrix, labels, positive, seed, n_threads)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.sampler_tags.sample_indices = True
        return tags
