"""A decision threshold for a fitted model, chosen on scores of rows that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted

from rarewood._validation import Integer, check_parameter
from rarewood.metrics import DecisionThreshold, choose_threshold, rarest_label
from rarewood.metrics._decision import column_of


def fit_threshold(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    rule: str = "f1",
    floor: float | None = None,
    costs: Sequence[float] | None = None,
    positive: Any = None,
    cv: int = 5,
) -> DecisionThreshold:
    """Choose the decision threshold of a fitted classifier and keep it as its `decision_threshold_`.

    The scores it is chosen on are the out-of-bag ones where the model has them (``oob_score=True``); otherwise clones of the
    model are cross-validated, which takes `cv` fits. `predict` does not change: the most probable class stays the prediction,
    and ``model.decision_threshold_.labels(model.predict_proba(X), model.classes_)`` are the labels by the threshold.

    Parameters
    ----------
    model : classifier
        Fitted, with `predict_proba`: a tree, a forest, a decomposition, a ranking, or a pipeline of them.
    X : array-like or data frame of shape (n_samples, n_features)
        The rows that the model was fitted to. For rows set aside, use :func:`rarewood.metrics.choose_threshold` with the
        scores of the model instead.
    y : array-like of shape (n_samples,)
        Their labels.
    rule, floor, costs :
        As in :func:`rarewood.metrics.choose_threshold`.
    positive : label or None, default=None
        The positive class. None takes the rarest in `y`.
    cv : int, default=5
        Folds, if there are no out-of-bag scores; fewer if the positive class or another has fewer rows.

    Returns
    -------
    DecisionThreshold
        The threshold, which is also set as `decision_threshold_` of the model and saved with it. A new `fit` of the model
        forgets it. A pipeline cannot forget: it keeps the attribute, its last step does not, and :func:`rarewood.save` and
        :func:`rarewood.report.build` refuse what remains until a threshold is chosen for the new fit.

    See Also
    --------
    rarewood.metrics.choose_threshold : The same from labels and scores.
    sklearn.model_selection.TunedThresholdClassifierCV : A classifier whose `predict` uses the threshold.

    Examples
    --------
    >>> from rarewood import HeDExClassifier
    >>> from rarewood.datasets import make_planted_rules
    >>> from rarewood.ensemble import fit_threshold
    >>> payments = make_planted_rules(2000, random_state=0)
    >>> model = HeDExClassifier(n_estimators=20, random_state=0).fit(payments.X, payments.y)
    >>> threshold = fit_threshold(model, payments.X, payments.y, rule="recall", floor=0.8)
    >>> threshold.recall >= 0.8, model.decision_threshold_ is threshold
    (True, True)
    """
    check_is_fitted(model)
    check_parameter("cv", cv, Integer(2))
    labels = column_or_1d(y)
    wanted = rarest_label(labels) if positive is None else positive
    column = column_of(wanted, np.asarray(model.classes_))
    scores = _unseen_scores(model, X, labels, cv)[:, column]
    scored = ~np.isnan(scores)  # a row that every tree drew has no out-of-bag score
    threshold = choose_threshold(labels[scored], scores[scored], rule=rule, floor=floor, costs=costs, positive=wanted)
    keep_threshold(model, threshold)
    return threshold


def keep_threshold(model: Any, threshold: DecisionThreshold) -> None:
    """Set `decision_threshold_`; of a pipeline, also that of its last step, which `fit` forgets."""
    for each in (model, *_last_step(model)):
        each.decision_threshold_ = threshold


def kept_threshold(model: Any) -> Any:
    """`decision_threshold_` of a model, None if it has none; an error if it is a pipeline that was fitted again since."""
    own = getattr(model, "decision_threshold_", None)
    for last in _last_step(model):
        current = getattr(last, "decision_threshold_", None)
        if own is not None and (current is None or current.value != own.value):
            raise ValueError(
                "decision_threshold_ of the pipeline is not that of its last step: the pipeline was fitted again after the choice, or "
                "the attribute was set by hand. Call rarewood.ensemble.fit_threshold, or delete the attribute."
            )
        return current
    return own


def _last_step(model: Any) -> list[Any]:
    """What a pipeline ends with; nothing for other models."""
    return [step for _, step in getattr(model, "steps", [])][-1:]


def _unseen_scores(model: Any, X: Any, labels: NDArray[Any], cv: int) -> NDArray[np.float64]:
    """Probabilities for each row by trees, or clones of the model, that did not see it."""
    out_of_bag = getattr(model, "oob_decision_function_", None)
    if out_of_bag is not None:
        if len(out_of_bag) != len(labels):
            raise ValueError(
                f"the model has out-of-bag scores of {len(out_of_bag)} rows, y has {len(labels)}; give the rows it was "
                "fitted to, or use rarewood.metrics.choose_threshold for others."
            )
        return np.asarray(out_of_bag)
    smallest = int(np.unique(labels, return_counts=True)[1].min())
    if smallest < 2:
        raise ValueError(
            f"class {rarest_label(labels)!r} has a single row, so it cannot be both learned and tested by "
            "cross-validation; fit a forest with oob_score=True, or choose the threshold on other rows."
        )
    from sklearn.model_selection import StratifiedKFold, cross_validate  # here: forests do not need it

    parts: list[NDArray[np.float64]] = []

    def keep(fitted: Any, rows: Any, _: Any) -> float:
        """A scorer, because cross_val_predict would number the labels and hide their names from `class_weight`."""
        parts.append(fitted.predict_proba(rows))
        return 0.0

    folds = StratifiedKFold(min(cv, smallest), shuffle=True, random_state=0)
    done = cross_validate(
        clone(model), X, labels, cv=folds, scoring=keep, return_indices=True, error_score="raise", n_jobs=None
    )
    scores = np.full((len(labels), len(model.classes_)), np.nan)
    for rows, part in zip(done["indices"]["test"], parts, strict=True):
        scores[rows] = part
    return scores
