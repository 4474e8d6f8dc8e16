"""A decision threshold for a fitted model, chosen on scores of rows that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rarewood._pipelines import last_step
from rarewood._tables.groups import GroupNames
from rarewood._validation import Integer, check_parameter, column_of, rarest_label, read_labels
from rarewood.ensemble.base import BaseForest, check_flag
from rarewood.ensemble.unseen import held_out_scores, unseen_scores
from rarewood.metrics import DecisionThreshold
from rarewood.metrics.thresholds import read_rule, warn_if_short


def fit_threshold(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    rule: str | float | None = "f1",
    floor: float | None = None,
    costs: Sequence[float] | None = None,
    positive: Any = None,
    cv: int = 5,
    held_out: bool = False,
    groups: ArrayLike | None = None,
) -> DecisionThreshold | None:
    """Choose the decision threshold of a fitted classifier and store it as `decision_threshold_`.

    From then on, `predict` of a classifier of this package calls a row positive if its probability is at least the threshold.
    The threshold is chosen on out-of-bag scores if the model has them; otherwise clones of the model are cross-validated,
    which takes `cv` fits.

    Parameters
    ----------
    model : classifier
        Fitted, with `predict_proba`: a tree, a forest, a decomposition, a ranking, or a pipeline of them.
    X : array-like or data frame of shape (n_samples, n_features)
        The rows that the model was fitted to; or, with `held_out`, rows that took no part in the fit.
    y : array-like of shape (n_samples,)
        Their labels.
    rule : str, float or None, default="f1"
        What to optimise: "f1", the highest F-measure; "precision=0.9", the highest recall with at least this precision;
        "recall=0.8", the highest precision with at least this recall; "cost=1:20", the lowest cost if a false alarm costs 1
        and a miss 20; "alerts=0.5%" or "alerts=200", at most so many alarms, as a share of the rows or as a number per as many
        rows as these. A number is the threshold itself. With a confidence, as in "precision=0.6@90%", "recall=0.8@90%" or
        "alerts=0.5%@90%", it is promised for new rows with about this probability. For calibrated probabilities, such as those of
        :class:`rarewood.RareClassifier`, "f1" and "cost" follow from the probabilities. None removes the threshold: `predict`
        goes back to the most probable class.
    floor : float or None, default=None
        Minimum precision or recall, above 0 and at most 1, if `rule` is just "precision" or "recall".
    costs : pair of floats or None, default=None
        Cost of a false alarm and of a miss, at least 0, if `rule` is just "cost"; with other rules the resulting cost is only
        reported.
    positive : label or None, default=None
        The positive class. None takes the rarest class in `y`.
    cv : int, default=5
        Number of folds if there are no out-of-bag scores; fewer if a class has fewer rows.
    held_out : bool, default=False
        Whether `X` are rows that took no part in the fit, such as the later rows of :func:`rarewood.evaluation.time_split`. Their
        scores are those of the model itself, and every cut is tried on them. Rows of the fit must not be among them: on these
        the scores are too good.
    groups : array-like of shape (n_samples,), default=None
        Which rows belong together, such as the customer of each; a row without one stands alone. Whole groups are left out of each
        fold, and rows of a group count less as evidence. A model with out-of-bag scores takes them in `fit`.

    Returns
    -------
    DecisionThreshold or None
        The threshold, which is also set as `decision_threshold_` of the model and saved with it. A new `fit` of the model
        removes it. A pipeline keeps the attribute when it is fitted again, although its last step drops its own;
        :func:`rarewood.save` and :func:`rarewood.report.build` then refuse the pipeline until a new threshold is chosen.

    Warns
    -----
    RarewoodWarning
        If no threshold reaches or promises what was asked for; the one that comes nearest is kept.

    See Also
    --------
    rarewood.metrics.choose_threshold : The same from labels and scores.
    rarewood.evaluation.time_split : Earlier rows to fit, later rows to choose a threshold on.
    sklearn.model_selection.TunedThresholdClassifierCV : A wrapper whose `predict` uses a tuned threshold.

    Examples
    --------
    >>> from rarewood import HeDExClassifier
    >>> from rarewood.datasets import make_planted_rules
    >>> from rarewood.ensemble import fit_threshold
    >>> payments = make_planted_rules(2000, random_state=0)
    >>> model = HeDExClassifier(n_estimators=20, random_state=0).fit(payments.X, payments.y)
    >>> threshold = fit_threshold(model, payments.X, payments.y, rule="recall=0.8")
    >>> round(threshold.recall, 1), model.decision_threshold_ is threshold
    (0.8, True)
    >>> bool(((model.predict_proba(payments.X)[:, 1] >= threshold.value) == model.predict(payments.X)).all())
    True

    On rows that were set aside, the model gives the scores itself:

    >>> later = make_planted_rules(2000, random_state=1)
    >>> threshold = fit_threshold(model, later.X, later.y, rule="recall=0.8", held_out=True)
    >>> bool(threshold.n_hits == (model.predict(later.X)[later.y == 1] == 1).sum())
    True
    """
    check_is_fitted(model)
    check_parameter("cv", cv, Integer(2))
    check_flag("held_out", held_out)
    if rule is None:
        keep_threshold(model, None)
        return None
    if hasattr(last_step(model), "label_rate_"):
        raise ValueError(
            "the model has been told that rare rows lack their label, so labels do not say what a threshold gives. Call "
            "set_label_rate(None), choose the threshold, and tell the rate again: the threshold moves along."
        )
    read = read_rule(rule, floor, costs)
    labels = read_labels(y)
    wanted = rarest_label(labels) if positive is None else positive
    column_of(wanted, np.asarray(model.classes_))  # before the work
    together = None if groups is None else GroupNames.read(groups, len(labels)).alone()
    if held_out:
        unseen = held_out_scores(model, X, labels, together)
    else:
        verbose = int(bool(getattr(model, "verbose", False)))
        unseen = unseen_scores(model, X, labels, cv=cv, verbose=verbose, groups=together)
    threshold = unseen.threshold(model, read, labels, wanted)
    keep_threshold(model, threshold)
    warn_if_short(threshold)
    return threshold


def tell_rule(model: Any, rule: str | float | None) -> None:
    """Give the rule to a model whose `fit` chooses the threshold; any other model gets its threshold after the fit."""
    if _chooses(model):
        model.set_params(threshold=rule)


def tell_positive(model: Any, positive: Any) -> None:
    """Give the class to find to a model that asks for it, or to the last step of a pipeline."""
    last = last_step(model)
    if "positive" in last.get_params(deep=False):
        last.set_params(positive=positive)


def takes_groups(model: Any) -> bool:
    """Whether `fit` of the model uses groups: it has out-of-bag scores."""
    return isinstance(model, BaseForest) and model._looks_back()


def has_chosen(model: Any, positive: Any) -> bool:
    """Whether `fit` has chosen the threshold for this class, and for the population that the probabilities are about."""
    return _chooses(model) and not hasattr(model, "prior_") and bool(model.positive_ == positive)


def _chooses(model: Any) -> bool:
    return isinstance(model, BaseForest) and model._chooses_threshold


def keep_threshold(model: Any, threshold: DecisionThreshold | None) -> None:
    """Set `decision_threshold_`, None for none; of a pipeline, also that of its last step, which `fit` forgets."""
    model.decision_threshold_ = last_step(model).decision_threshold_ = threshold


def kept_threshold(model: Any) -> Any:
    """`decision_threshold_` of a model, None if it has none; an error if it is a pipeline that was fitted again since.

    That of the last step of a pipeline, by which it predicts: `set_prior` of the step has moved it, and not the pipeline's.
    """
    own, current = (getattr(each, "decision_threshold_", None) for each in (model, last_step(model)))
    if isinstance(own, DecisionThreshold) and (
        current is None or (own.value != current.value and _choice(own) != _choice(current))
    ):
        raise ValueError(
            "decision_threshold_ of the pipeline differs from that of its last step: the pipeline was fitted again "
            "after the threshold was chosen, or the attribute was set by hand. Call rarewood.ensemble.fit_threshold "
            "again, or delete the attribute."
        )
    return current


def _choice(threshold: DecisionThreshold) -> tuple[Any, ...]:
    """What a threshold keeps when it moves along with a prior: what it is for, and the share of the class that it finds."""
    return threshold.rule, threshold.positive, threshold.floor, threshold.costs, threshold.recall
