"""The forest to take without thinking: families of trees, calibrated, with a threshold."""

from __future__ import annotations

import copy
import operator
import warnings
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rarewood._core import MOST_LEAF_WEIGHT, Forest
from rarewood._decisions import (
    Calibration,
    ColumnEffects,
    Learned,
    Score,
    Triage,
    labels_by_costs,
    mixed_scores,
    sharpened,
    with_effects,
)
from rarewood._progress import progress
from rarewood._validation import Constraint, Labels, Weights, column_of, keeps_model_unless_done, sees_one_model
from rarewood.ensemble._cuts import choose_cut, choose_triage
from rarewood.ensemble._leaf_weights import LEAF_WEIGHTS, best_mixture
from rarewood.ensemble._warm_start import check_adds_trees, check_prior_stays
from rarewood.ensemble._warnings import warn_single_class, warn_too_few, warn_unscored
from rarewood.ensemble.base import (
    FOREST_PARAMETERS,
    BaseForest,
    check_flag,
    out_of_bag_auc,
    own_rows,
    row_weights,
    thread_count,
)
from rarewood.ensemble.bias import positive_class
from rarewood.ensemble.families import MIXTURES, SEEN, Family, dealt, families_for
from rarewood.metrics.thresholds import ThresholdRule, read_rule, warn_if_short
from rarewood.tree.base import OutOfBagScores, TrainingData, resolve_max_features

_SEED_STEP = 7919  # between the seeds of the families
_MOST_UNSCORED = 0.2  # of the rows may be in the bag of every tree before that is worth a word
assert max(LEAF_WEIGHTS) <= MOST_LEAF_WEIGHT  # up to which leaves keep the order that constraints give them


class RareClassifier(BaseForest):
    """The default classifier for a rare class: a calibrated mixture of forests with a tuned decision threshold.

    Several families of trees share the table: entropy with random lines, on few columns a node and on half of them, the Hellinger
    distance with random lines, and the Hellinger distance with random cuts. Every tree leaves out a fifth of the rows of each
    class. The predictions for these out-of-bag rows set the weight of each family, how much leaves are smoothed, the calibration of
    the probabilities, and the decision threshold. Nothing is fitted twice and nothing needs to be tuned.

    Parameters
    ----------
    n_estimators : int, default=300
        Number of trees, of all families together.
    threshold : str, float or None, default="f1"
        How the decision threshold is chosen: "f1", the highest F-measure of the rare class; "precision=0.9", the highest
        recall with at least this precision; "recall=0.8", the highest precision with at least this recall; "cost=1:20", the
        lowest cost if a false alarm costs 1 and a miss 20; "alerts=0.5%" or "alerts=200", at most so many alarms, as a share
        of the rows or as a number per as many rows as were trained on. With a confidence, as in "precision=0.6@90%",
        "recall=0.8@90%" or "alerts=0.5%@90%", it is promised for new rows with about this probability. With a number, a row is
        called rare if its probability is at least this. None predicts the most probable class.
    positive : label or None, default=None
        The rare class. None takes the smallest class; if several are equally small, the first label.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Columns tried in each node, drawn at random from those that are not constant there. An int is their number, a
        float their share of all columns; "sqrt" and "log2" take the square root or logarithm of the number of columns,
        rounded down. None tries all.
    min_samples_leaf : int, default=1
        Splits that leave fewer cases on one side are not considered.
    column_effects : bool, default=True
        Whether to add effects of single columns and pairs of columns to the log-odds of the trees, if this improves the
        prediction of out-of-bag rows: see `column_effects_`.
    categorical_features : "from_dtype", list of str or int, boolean mask or None, default="from_dtype"
        Which columns are nominal. "from_dtype" takes columns of categories, text and booleans; numbers, dates and times
        stay ordered.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, in the trees and in everything learned from out-of-bag rows; classes not in the dictionary get
        1. "balanced" gives every class the same total weight. Probabilities are then those of a population with these class
        weights; `threshold` or :meth:`set_prior` is usually the better choice.
    monotonic_cst : array-like of int, dict or None, default=None
        Monotone constraints: for each column, or in a dictionary by its name, 1 if the probability of `positive_` may only rise
        with it, -1 if it may only fall, 0 if it is free. For two classes, and for columns of numbers; missing values are free.
    warm_start : bool, default=False
        Whether `fit` adds trees to those of the previous fit, then weights and calibrates all of them again.
    n_jobs : int or None, default=None
        Number of threads: None means 1, -1 all processors. The result does not depend on it.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    decision_threshold_ : DecisionThreshold or None
        The threshold of `predict`, with the precision and recall to expect on new rows and what it promises.
    triage_ : Triage or None
        The two cuts of :meth:`triage`, with what they promise.
    family_weights_ : dict
        Weight of each family of trees in the mixture; they sum to 1.
    calibration_ : Calibration or None
        The map from scores of the mixture to probabilities. None if a class has fewer than two out-of-bag rows.
    column_effects_ : ColumnEffects or None
        What single columns and pairs of columns add to the log-odds of the second of two classes; None if out-of-bag rows
        do not support them.
    leaf_weight_ : float
        How many cases, divided among the classes as in `class_prior_`, are added to every leaf: 1, 4, 16 or 64.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Probabilities of the training rows, from the trees that did not see them; NaN where every tree saw the row. They are
        calibrated for themselves: `predict_proba` is for new rows, which all trees score, and so is `decision_threshold_`.
    oob_score_ : float
        Area under the ROC curve of `oob_decision_function_`, without rows of weight 0; with more than two classes, the mean over the
        classes weighted by their frequency.
    n_groups_ : int
        Number of groups, if `fit` was given any or a warning tells of them: out-of-bag scores are those of new groups. For rows
        of groups that it has seen, it does better.
    oob_groups_ : ndarray of shape (n_samples,)
        The number of each row's group, if rows were kept together.
    n_repeated_rows_ : int
        Number of rows that are copies of another in all columns, or in all but a row number: like a group, copies are left out of a
        tree together. 0 where `fit` was given groups, and where equal rows are natural, because few different ones are possible.
    positive_ : label
        The rare class, which `threshold` applies to; with more than two classes, to this one against all others.
    memory_ : TrainingMemory or None
        Distributions of columns and out-of-bag scores, which :mod:`rarewood.monitoring` compares new rows with.
    class_prior_ : ndarray of shape (n_classes,)
        Weighted shares of the classes among the training rows; leaf probabilities are smoothed towards them.
    estimators_ : sequence of TreeClassifier
        The trees, family by family.
    forest_ : Forest
        The same trees, as the compiled core stores them.
    feature_importances_ : ndarray of shape (n_features,)
        Importance of each column: its share of the total gain of all splits, with the families weighted by `family_weights_`.
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    n_classes_ : int
        Number of classes.
    categories_ : list, one entry per column
        The categories of a nominal column, None for a numeric one.
    monotonic_cst_ : ndarray of shape (n_features,) or None
        The monotone constraint of each column; None without any.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if the table had string names.

    See Also
    --------
    rarewood.HeDExClassifier : A single family of trees, each grown on all rows; faster to fit.
    rarewood.ensemble.fit_threshold : Another threshold for a fitted model.
    sklearn.calibration.CalibratedClassifierCV : Calibration for classifiers without out-of-bag rows.

    Notes
    -----
    A leaf with n cases, n_k of them of class k, predicts (n_k + m s_k) / (n + m), where s_k is the share of the class in the
    table. The weight m rises from 1 to 4, 16 and 64 as long as the calibrated out-of-bag rows become more likely by it, by more
    than one standard error: noisy tables want smooth leaves, clean ones do not. With more than two classes the family on half
    of the columns is left out, and lines are grown until leaves are pure; otherwise, lines that follow the entropy have leaves of
    at least 5 cases. With many rows, a larger `min_samples_leaf` makes smaller models. The weights of the families maximise the likelihood
    of the out-of-bag rows under the calibrated mixture, times the product of the weights. Under monotone constraints the
    families are entropy with random lines on half of the columns, and entropy and the Hellinger distance with exact cuts.
    :class:`rarewood.ensemble.Calibration` describes the calibration. With two classes it is carried from out-of-bag rows to new
    rows, which all trees score: their log-odds get a slope and an offset of their own, so that the mean probability of new rows
    is the share of the class. Thresholds that are counted on out-of-bag rows move along.

    Deep trees capture a smooth, additive signal poorly, because each leaf holds only a few cases. Step functions of single
    columns and of up to three pairs, added to the calibrated log-odds with a penalty on their steps, recover what the trees
    missed. They are fitted to out-of-bag rows. So much of them is taken as makes the rows left out of cross-validation most likely,
    which may be nothing: no seed decides between all and nothing. An out-of-bag row is scored by a fifth of the trees, a new row by
    all of them. The scores from half of that fifth show how noisy out-of-bag scores are, and both the fit and the test are
    extrapolated to the noise level of all trees, as in simulation extrapolation [2]_.

    For "f1" the threshold is half the best F-measure that the calibrated probabilities reach. This is optimal if the
    probabilities are right [1]_, and far more stable than the empirically best cut if there are few rare rows.

    References
    ----------
    .. [1] Z. C. Lipton, C. Elkan and B. Naryanaswamy, "Optimal thresholding of classifiers to maximize F1 measure",
       ECML PKDD 2014.
    .. [2] J. R. Cook and L. A. Stefanski, "Simulation-extrapolation estimation in parametric measurement error models", Journal
       of the American Statistical Association 89, 1994.

    Examples
    --------
    >>> import rarewood as rw
    >>> payments = rw.datasets.make_planted_rules(2000, random_state=0)
    >>> model = rw.RareClassifier(n_estimators=60, random_state=0).fit(payments.X, payments.y)
    >>> model.oob_score_ > 0.8
    True
    >>> called = model.predict(payments.X) == model.positive_
    >>> bool((called == (model.predict_proba(payments.X)[:, 1] >= model.decision_threshold_.value)).all())
    True
    """

    _accepted: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        name: FOREST_PARAMETERS[name]
        for name in ("n_estimators", "max_features", "min_samples_leaf", "n_jobs", "verbose", "random_state")
    }
    _chooses_threshold = True
    _out_of_bag_bytes = 80
    _out_of_bag_sums = 2 * max(map(len, MIXTURES)) * len(LEAF_WEIGHTS)  # of every family, by every leaf weight

    sampling = "subsample"
    max_depth = None
    min_samples_split = 2
    smoothing = 0.0  # of a tree alone; the forest's leaves lean towards the shares of the classes

    calibration_: Calibration | None
    class_prior_: NDArray[np.float64]
    column_effects_: ColumnEffects | None
    family_weights_: dict[str, float]
    leaf_weight_: float
    positive_: Any
    triage_: Triage | None
    _families: tuple[Family, ...]
    _n_cuts: list[int]

    def __init__(
        self,
        n_estimators: int = 300,
        *,
        threshold: str | float | None = "f1",
        positive: Any = None,
        max_features: int | float | str | None = "sqrt",
        min_samples_leaf: int = 1,
        column_effects: bool = True,
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        monotonic_cst: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.threshold = threshold
        self.positive = positive
        self.column_effects = column_effects
        self.max_features = max_features
        self.min_samples_leaf = min_samples_leaf
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.monotonic_cst = monotonic_cst
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("column_effects", self.column_effects)
        self._rule()

    def _looks_back(self) -> bool:
        return True

    def _rule(self) -> ThresholdRule | None:
        return None if self.threshold is None else read_rule(self.threshold, name="threshold")

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Self:
        """Grow the trees, then learn weights, calibration and threshold from out-of-bag rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Training rows: a NumPy array, nested lists, or a pandas, polars or pyarrow table. NaN and None are missing values.
        y : array-like of shape (n_samples,)
            Labels: numbers or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, at least 0, both in the trees and in what is learned from out-of-bag rows; a row of weight 0
            is never drawn. Whole numbers say how often a row counts;
            any others are shares, and a factor on all of them changes nothing. None gives every row weight 1.
        groups : array-like of shape (n_samples,), default=None
            Which rows belong together, such as the customer of each; a row without one stands alone. Every tree leaves out a fifth
            of the groups, so that out-of-bag scores, and all that is learned from them, are those of groups that the model has
            not seen. Needs out-of-bag scores. None takes rows one by one.

        Returns
        -------
        Self
            The fitted estimator itself.
        """
        return self._learn_from(lambda model: model._read_training_data(X, y, sample_weight, groups))

    def _rare_class(self, labels: Labels, weights: Weights) -> int | None:
        return positive_class(self.positive, labels, weights)

    @keeps_model_unless_done
    def _learn_from(self, read: Callable[[Any], TrainingData]) -> Self:
        data, earlier, n_threads = self._begin_fit(read)
        positive = positive_class(self.positive, data.labels, data.weights)
        constrained = self._signs(data) is not None
        families = families_for(data.labels.n_classes, constrained=constrained)
        self._families = families if earlier is None else earlier._families
        self.class_prior_ = class_shares(data)
        if earlier is not None:
            check_prior_stays(earlier, self.class_prior_)
        plans = self._plans(data)
        forests = self._grow_families(plans, data, earlier, n_threads)
        data.release()
        self._keep(data)
        self._n_cuts = [family.cuts(len(data.labels.codes)) for family in self._families]
        self.positive_ = data.labels.classes.tolist()[positive]
        self._learn(forests, plans, data, n_threads)
        self.forest_ = reduce(operator.add, forests)
        return self

    def _sizes(self, n_trees: int) -> list[int]:
        """Trees of each family that has any."""
        return [size for size in dealt(n_trees, len(self._families)) if size]

    def _plans(self, data: TrainingData) -> list[Any]:
        """The whole forest of each family that has trees, whatever an earlier fit has grown of it."""
        max_features, signs = resolve_max_features(self.max_features, self.n_features_in_), self._signs(data)
        seeds = [(self._seed + _SEED_STEP * number) % 2**63 for number in range(len(self._families))]
        return [
            family.plan(
                data,
                n_trees=size,
                seed=seed,
                max_features=max_features,
                min_samples_leaf=self.min_samples_leaf,
                signs=signs,
            )
            for family, size, seed in zip(self._families, self._sizes(self.n_estimators), seeds, strict=False)
        ]

    def _grow_families(
        self, plans: list[Any], data: TrainingData, earlier: Self | None, n_threads: int
    ) -> list[Forest]:
        """One forest per family, with the trees of an earlier fit in front."""
        sizes = self._sizes(self.n_estimators)
        before = [] if earlier is None else earlier._parts()
        grown = [len(part) for part in before] + [0] * (len(sizes) - len(before))
        missing = [number for number, size in enumerate(sizes) if size > grown[number]]
        n_trees = check_adds_trees(self.n_estimators, sum(grown))
        to_grow = [plans[number].rest(grown[number]) for number in missing]
        with progress(n_trees, "growing trees", self.verbose) as report:
            new = data.grow(to_grow, n_threads, report) if to_grow else []
        new = [self._restrained(forest, data) for forest in new]
        forests: list[Forest] = list(before)
        for number, forest in zip(missing, new, strict=True):
            forests[number : number + 1] = [forests[number] + forest if number < len(before) else forest]
        return forests

    def _parts(self) -> list[Forest]:
        """The forest of each family."""
        ends = np.cumsum(self._sizes(len(self.forest_))).tolist()
        return [self.forest_.part(begin, end) for begin, end in pairwise([0, *ends])]

    def _learn(self, forests: list[Forest], plans: list[Any], data: TrainingData, n_threads: int) -> None:
        """Weigh the families, calibrate their mixture, choose the threshold, by the rows that trees left out."""
        labels, weights = data.labels, row_weights(data)
        scores = self._out_of_bag(forests, plans, data, n_threads)
        left_out = np.sum([sums[0].n_trees for sums in scores], axis=0) / sum(map(len, forests))
        self.leaf_weight_, learned, halves = best_mixture(
            scores, labels, weights, lambda plain, halves: self._with_effects(plain, halves, data, weights)
        )
        learned = sharpened(learned, halves, labels.codes, weights, left_out)
        names = [family.name for family in self._families]
        self.family_weights_ = dict(zip(names, learned.shares.tolist(), strict=False))
        self.calibration_, self.column_effects_ = learned.calibration, learned.effects
        self._sharpening = learned.sharpening
        self.oob_decision_function_ = learned.probabilities
        self.oob_score_ = out_of_bag_auc(data, learned.probabilities, learned.scored)
        self._warn(learned, data)
        positive = column_of(self.positive_, labels.classes)
        self.decision_threshold_ = choose_cut(self._rule(), learned, data, weights, positive)
        if self.decision_threshold_ is not None:
            warn_if_short(self.decision_threshold_)
        self.triage_ = choose_triage(self._rule(), learned, data, positive)
        self._remember(data, positive)

    def _learned_again(self, data: TrainingData) -> Self:
        """A copy that has learned from these rows what the fit learned behind the trees."""
        again = copy.copy(self)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `fit` has said it
            again._learn(self._parts(), self._plans(data), data, thread_count(self.n_jobs))
        return again

    def _with_effects(
        self, learned: Learned, halves: Sequence[NDArray[np.float64]], data: TrainingData, weights: Weights
    ) -> Learned:
        if not self.column_effects or data.labels.n_classes != 2:
            return learned
        groups = None if data.groups is None else data.groups.numbers
        codes, n_categories = data.labels.codes, data.columns.n_categories
        signs = self._signs(data)
        return with_effects(learned, halves, data, n_categories, codes, weights, SEEN, self._seed, groups, signs)

    def _out_of_bag(
        self, forests: list[Forest], plans: list[Any], data: TrainingData, n_threads: int
    ) -> list[Sequence[OutOfBagScores]]:
        """Of each family, what its trees say of the rows they left out, and, of two classes, what half of them says; by leaf weight."""
        by_half, pseudo_counts = data.labels.n_classes == 2, [weight * self.class_prior_ for weight in LEAF_WEIGHTS]
        return [
            data.out_of_bag(forest, plan, pseudo_counts, n_threads, by_half=by_half)
            for forest, plan in zip(forests, plans, strict=True)
        ]

    def _left_out_totals(self, data: TrainingData, n_threads: int) -> NDArray[np.float64]:
        found = [
            data.out_of_bag(forest, plan, self._pseudo_count(), n_threads)[0].means()
            for forest, plan in zip(self._parts(), self._plans(data), strict=True)
        ]
        return mixed_scores(found, np.array(list(self.family_weights_.values())))[0]

    def _warn(self, learned: Learned, data: TrainingData) -> None:
        scored = learned.scored[own_rows(data)]
        if data.labels.n_classes == 1:
            warn_single_class(data.labels)
        elif learned.too_few is not None:
            consequence = "probabilities are not calibrated, and predict takes the most probable class"
            warn_too_few(learned, data.labels, consequence)
        elif np.count_nonzero(~scored) > _MOST_UNSCORED * len(scored):
            warn_unscored(scored)

    def _pseudo_count(self) -> NDArray[np.float64]:
        return self.leaf_weight_ * self.class_prior_

    def _leaf_prior(self, data: TrainingData) -> float:  # noqa: ARG002
        return float(self.class_prior_[1])

    def _own_prior(self) -> NDArray[np.float64]:
        return self.class_prior_ if self.calibration_ is None else self.calibration_.prior

    def _tree_weights(self) -> NDArray[np.float64]:
        """What each tree counts, family by family."""
        sizes = self._sizes(len(self.forest_))
        return np.repeat(np.array(list(self.family_weights_.values())) / sizes, sizes)

    def _score(self) -> Score:
        weights, effects = self._tree_weights(), self.column_effects_
        return Score(
            self.forest_,
            self._pseudo_count(),
            weights,
            self.calibration_,
            effects,
            self._priors(),
            self._label_rate(),
        )

    @sees_one_model
    def triage(self, X: ArrayLike) -> NDArray[Any]:
        """Sort rows into alarms, rows to look at, and rows that can pass.

        Alarms are promised to have a precision of at least 0.6, and rows that pass to hold at most a tenth of the rare class,
        each with 90% confidence; a promise of precision or recall in `threshold` takes the place of the one or the other.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            "alarm", "look" or "pass". Where the precision cannot be promised, no row is an alarm; where the recall cannot, none
            passes: see `triage_`.

        Examples
        --------
        >>> import numpy as np
        >>> import rarewood as rw
        >>> payments = rw.datasets.make_planted_rules(6000, random_state=0)
        >>> model = rw.RareClassifier(n_estimators=60, threshold="precision=0.5@90%", random_state=0)
        >>> model.fit(payments.X, payments.y)  # doctest: +ELLIPSIS
        RareClassifier(...)  # calls 1 at or above 0.1535 (precision of at least 0.5, promised with 90% confidence)
        >>> sorted(set(model.triage(payments.X).tolist()))
        ['alarm', 'look', 'pass']
        """
        check_is_fitted(self)
        triage = getattr(self, "triage_", None)
        if triage is None:
            raise ValueError(
                "the model has no cuts for a triage: it was saved by an older version, has too few rows of a class to learn them from, "
                "its prior has changed the other classes among each other, or its label rate is below a cut. Fit it again."
            )
        return np.asarray(triage.apply(self.predict_proba(X)[:, column_of(self.positive_, self.classes_)]))

    def decide(self, X: ArrayLike, *, costs: Any) -> NDArray[Any]:
        """Predict the class with the lowest expected cost; each row may have its own costs.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`.
        costs : pair, str, list of lists or array
            A pair: the cost of a false alarm and the cost of a miss, each a number or an array with one value per row: for
            example, the cost of reviewing a payment, and the amount lost if it is a fraud. In words: ``"1:20"``, or ``"5:amount"`` with
            a column of X. Or a matrix of costs for any number of classes, as a list of lists or an array: what a row of each true
            class, in the order of `classes_`, costs if it is called each label; an array of shape (n_samples, n_classes, n_classes)
            has one for each row. A gain is a negative cost.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels: `positive_` where the expected cost of a miss is at least that of a false alarm, otherwise the
            most probable of the other classes. With a matrix, the label of lowest expected cost; of equals, the first.

        Examples
        --------
        >>> import numpy as np
        >>> import rarewood as rw
        >>> payments = rw.datasets.make_planted_rules(2000, random_state=0)
        >>> model = rw.RareClassifier(n_estimators=60, random_state=0).fit(payments.X, payments.y)
        >>> amounts = np.where(np.arange(2000) < 1000, 10.0, 10_000.0)
        >>> alarms = model.decide(payments.X, costs=(5.0, amounts)) == model.positive_
        >>> bool(alarms[:1000].sum() < alarms[1000:].sum())
        True
        >>> twenty = model.decide(payments.X, costs=[[0, 1], [20, 0]])  # a false alarm costs 1, a miss 20
        >>> bool((twenty == model.decide(payments.X, costs="1:20")).all())
        True
        """
        probabilities = self.predict_proba(X)
        return labels_by_costs(probabilities, self.classes_, column_of(self.positive_, self.classes_), costs, X)

    def _settings_of(self, tree: int) -> dict[str, Any]:
        ends = np.cumsum(self._sizes(len(self.forest_)))
        number = int(np.searchsorted(ends, tree, side="right"))
        family = self._families[number]
        return {
            "criterion": family.criterion,
            "splitter": family.splitter,
            "n_cuts": self._n_cuts[number],
            "min_samples_leaf": max(family.min_samples_leaf, self.min_samples_leaf),
        }

    def _readable(self) -> range:
        """Those that cut along single columns; rules are read from them, and not from lines."""
        ends = np.cumsum(self._sizes(len(self.forest_))).tolist()
        along = [number for number, _ in enumerate(ends) if self._families[number].splitter != "hyperplane"]
        return range(ends[along[0] - 1] if along[0] else 0, ends[along[-1]]) if along else super()._readable()

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importance of each column: its share of the total gain of all splits, with the families weighted."""
        check_is_fitted(self)
        shares = [weight * self.forest_[tree].feature_importances for tree, weight in enumerate(self._tree_weights())]
        total = np.sum(shares, axis=0)
        return np.asarray(total / (total.sum() or 1.0))


def class_shares(data: TrainingData) -> NDArray[np.float64]:
    """The weighted share of each class."""
    totals = np.bincount(data.labels.codes, weights=row_weights(data), minlength=data.labels.n_classes)
    return np.asarray(totals / totals.sum())
