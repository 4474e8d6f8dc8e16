"""A classifier that is a short list of rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from rarewood._decisions import best_f1_cut
from rarewood._rules import PENALTY, Limits, RuleSet, RuleWeights, SearchTable, calibrated, make_rules
from rarewood._tables import LabelledRows, Rows
from rarewood._validation import NONE, SEED, Constraint, Integer, keeps_model_unless_done, rarest_class, sees_one_model
from rarewood.ensemble.base import thread_count
from rarewood.metrics.thresholds import ThresholdRule, choose_by_rule
from rarewood.tree.base import BaseTreeModel, draw_seed


class RuleSetClassifier(BaseTreeModel):
    r"""A binary classifier made of a short list of rules.

    The rules are nodes of shallow trees, shortened and with rounded cuts. They are chosen one after the other by how much each
    improves the likelihood of the labels, and may overlap. Every rule has a weight; the larger the total weight of the rules
    that hold for a row, the more probable the rare class. Each rule comes with its precision on rows that were not used to
    find it. A rule whose interval reaches below the share of the rare class may help to rank rows, but is no evidence by
    itself.

    Parameters
    ----------
    n_rules : int, default=10
        Maximum number of rules.
    max_conditions : int, default=4
        Maximum number of conditions in a rule, one per column.
    categorical_features : "from_dtype", list of str or int, boolean mask or None, default="from_dtype"
        Which columns are nominal. "from_dtype" takes columns of categories, text and booleans; numbers, dates and times
        stay ordered.
    n_jobs : int or None, default=None
        Number of threads: None means 1, -1 all processors. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    rules_ : RuleSet
        The rules, each with its precision, lift and recall on rows that were not used to find it.
    weights_ : ndarray of shape (n_rules,)
        What each rule adds to the log-odds of the rare class.
    intercept_ : float
        Log-odds where no rule holds.
    decision_threshold_ : DecisionThreshold
        `predict` calls a row rare if its probability is at least this. It has the highest F-measure on rows that were not used
        to find the rules.
    positive_ : label
        The rare class.
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    n_classes_ : int
        Number of classes.
    categories_ : list, one entry per column
        The categories of a nominal column, None for a numeric one.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if the table had string names.

    See Also
    --------
    rarewood.inspection.find_rules : Rules to read, which cover the rare class with little overlap.

    Notes
    -----
    With :math:`h_j(x)` 1 where rule :math:`j` holds and 0 elsewhere,

    .. math:: P(\mathrm{rare} \mid x) = \sigma\Bigl(c + \sum_j w_j h_j(x)\Bigr), \quad w_j \ge 0 .

    There must be two classes. For more, ``OneVsAllClassifier(RuleSetClassifier())`` makes a list of rules for each class
    against the rest; the rules describe the rarer side of each problem. There is no `sample_weight`, because the figures and
    their intervals count cases, and a weight is not a case. If a weight says how many rows a row stands for, repeat or resample
    rows; if it is the cost of an error, move the threshold.

    The weights are those of a penalised logistic regression. The whole procedure is repeated on five folds; the predicted
    probabilities of the rows left out determine how much the weights are shrunk, and the threshold.

    Examples
    --------
    >>> from rarewood import RuleSetClassifier
    >>> from rarewood.datasets import make_planted_rules
    >>> train, test = (make_planted_rules(4000, random_state=seed) for seed in (0, 1))
    >>> model = RuleSetClassifier(n_rules=5, random_state=0).fit(train.X, train.y)
    >>> len(model.rules_) == len(model.weights_) <= 5
    True
    >>> model.predict_proba(test.X).shape
    (4000, 2)
    """

    _accepted: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "n_rules": (Integer(1),),
        "max_conditions": (Integer(1),),
        "n_jobs": (NONE, Integer(-(2**31))),
        "random_state": SEED,
    }
    _fitted_by: ClassVar[str] = "rules_"

    # Not for the user to choose.
    class_weight: Any = None

    rules_: RuleSet

    def __init__(
        self,
        n_rules: int = 10,
        *,
        max_conditions: int = 4,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_rules = n_rules
        self.max_conditions = max_conditions
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    @keeps_model_unless_done
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the rules, weight them and choose the threshold.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Training rows: a NumPy array, nested lists, or a pandas, polars or pyarrow table. NaN and None are missing values.
        y : array-like of shape (n_samples,)
            Labels of at most two classes.

        Returns
        -------
        Self
            The fitted estimator itself.
        """
        self._check_parameters()
        self._forget()
        data = self._read_training_data(X, y, None)
        if data.labels.n_classes > 2:
            raise ValueError(
                f"Only binary classification is supported. y has {data.labels.n_classes} classes; use "
                "OneVsAllClassifier(RuleSetClassifier()), which makes a list of rules for each class."
            )
        label = rarest_class(np.bincount(data.labels.codes, minlength=data.labels.n_classes))
        table = LabelledRows(Rows(data.matrix, data.columns), data.labels, data.labels.classes[label])
        rules, findings = make_rules(
            SearchTable.of(table),
            Limits(self.n_rules, self.max_conditions),
            purpose="rank",
            seed=draw_seed(self.random_state),
            n_threads=thread_count(self.n_jobs),
        )
        is_rare = table.is_rare
        weights = RuleWeights.fitted(findings.rules.covers(data.matrix), is_rare, 1.0, PENALTY)
        unseen = np.full(len(is_rare), is_rare.mean())
        if len(rules):
            weights, unseen = calibrated(weights, findings.out_of_fold, is_rare)
        self._keep(data)
        self._weigh(rules, weights.intercept, weights.weights, label)
        labels = data.labels.classes[data.labels.codes]
        cut = best_f1_cut(unseen)
        threshold = choose_by_rule(ThresholdRule("f1"), labels, unseen, positive=self.positive_, find=cut)
        precision, recall = threshold.precision, threshold.recall
        # Files keep the F-measure in the rounding of the harmonic mean.
        f1 = 2 * precision * recall / (precision + recall) if precision else 0.0
        self.decision_threshold_ = replace(threshold, f1=f1)
        return self

    def _weigh(self, rules: RuleSet, intercept: float, weights: NDArray[np.float64], label: int) -> None:
        """Keep the model itself."""
        self.positive_ = self.classes_[label]
        self.intercept_ = intercept
        self.weights_ = weights
        self._columns = rules.columns
        self.rules_ = rules

    @sees_one_model
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict class probabilities from the weights of the rules that hold.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`. NaN is a missing value; categories not seen by `fit` are allowed.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`; rows sum to 1.
        """
        matrix = self._encode(X)
        if len(self.classes_) == 1:
            return np.ones((len(matrix), 1))
        rare = expit(self.intercept_ + self.rules_.covers_encoded(matrix) @ self.weights_)
        both = np.stack([1 - rare, rare], axis=1)
        return both if self.classes_[1] == self.positive_ else both[:, ::-1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
