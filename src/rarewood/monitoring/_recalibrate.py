"""New probabilities, and a new threshold, from labelled new rows; the trees stay as they are."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from rarewood._decisions import Triage, choose_for_probabilities, odds_factor
from rarewood._memory import ScoreMemory
from rarewood._terminal import shown
from rarewood._validation import check_sample_weight, encode_labels, read_labels
from rarewood._warnings import warn
from rarewood.ensemble.base import BaseForest
from rarewood.metrics import DecisionThreshold
from rarewood.metrics.thresholds import ThresholdRule
from rarewood.monitoring._watched import Watched, forest_of, refuse_label_rate

Floats = NDArray[np.float64]

ENOUGH = 30  # rare rows to choose a threshold on
_LEAST = 1e-9  # of a probability whose odds are taken
_STEEPEST = 20.0
_SELECTED = 0.9  # of the labelled rows are alarms, though few rows are: they were labelled because of that
_FEW_ALARMS = 0.2


@dataclass(frozen=True)
class Recalibration:
    """What `recalibrate` changed, as `recalibration_` of the model that it returned.

    Parameters
    ----------
    slope, offset : float
        The log-odds of the second class are multiplied by the slope, then the offset is added.
    n_rows, n_rare : int
        Labelled rows, and how many of them are rare.
    share : float
        Share of the rare class in the population that the probabilities are about now.
    log_loss : tuple of two floats
        Of these rows, before and after; the second is a little too good.
    threshold : {"chosen", "carried", "none"}
        Whether the threshold was chosen on these rows or calls the same rows as before.
    """

    slope: float
    offset: float
    n_rows: int
    n_rare: int
    share: float
    log_loss: tuple[float, float]
    threshold: str

    @shown
    def __str__(self) -> str:
        words = {
            "chosen": "the threshold was chosen anew on them",
            "carried": f"the threshold calls the same rows as before, and promises nothing: {ENOUGH} rare rows would be needed",
            "none": "there is no threshold",
        }[self.threshold]
        return (
            f"recalibrated on {self.n_rows:,} rows, {self.n_rare:,} of them rare: log-odds times {self.slope:.3g}, "
            f"{self.offset:+.3g}; log-loss of these rows {self.log_loss[0]:.4f} -> {self.log_loss[1]:.4f}; {words}"
        )


def recalibrate(model: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
    """Calibrate a fitted model again on labelled new rows, without growing trees.

    The log-odds of the model are stretched and moved so that they fit the new rows, with a penalty towards leaving them as they are.
    This helps where the share of the rare class has moved. Where something new has appeared, a new fit to old and new rows helps
    more.

    Parameters
    ----------
    model : classifier
        A :class:`rarewood.RareClassifier` or a forest with ``calibration="beta"``, for two classes. It is not changed.
    X : array-like or data frame of shape (n_samples, n_features)
        New rows that took no part in the fit.
    y : array-like of shape (n_samples,)
        Their labels.
    sample_weight : array-like of shape (n_samples,), default=None
        How many rows each row stands for: one over the chance with which it was chosen to be labelled, such as the weights of
        :func:`review`. None if the rows are a random sample.

    Returns
    -------
    classifier
        A copy of the model with new probabilities; a prior that it was told is forgotten, for these are those of the new rows.
        Its `recalibration_` says what changed. The threshold is chosen again by the same rule if there are at least 30 rare
        rows; otherwise it calls the same rows as before and promises nothing.

    Raises
    ------
    ValueError
        If the rows seem to have been labelled because they raised an alarm, and no weights say with what chance.

    See Also
    --------
    rarewood.monitoring.monitor : Whether there is anything to calibrate.

    Notes
    -----
    With slope s and offset b, the logarithm of the likelihood less (s - 1)^2 + b^2 / 2 is maximised. Weights are scaled to a mean of 1.

    Examples
    --------
    >>> import numpy as np
    >>> import rarewood as rw
    >>> payments = rw.datasets.make_planted_rules(4000, random_state=0)
    >>> model = rw.RareClassifier(n_estimators=60, random_state=0).fit(payments.X, payments.y)
    >>> new = rw.datasets.make_planted_rules(4000, random_state=1)
    >>> rows = np.sort(np.concatenate([np.flatnonzero(new.y == 1), np.flatnonzero(new.y == 0)[:800]]))  # 9 % are rare now
    >>> later = rw.monitoring.recalibrate(model, new.X.iloc[rows], new.y[rows])
    >>> later.recalibration_.n_rare, later.recalibration_.offset > 0.5
    (80, True)
    """
    forest = _calibrated(model)
    labels = read_labels(y)
    probabilities = np.asarray(forest.predict_proba(X), dtype=np.float64)
    _check_labels(labels, forest, len(probabilities))
    weights = check_sample_weight(sample_weight, len(labels))
    column = forest._positive_column()
    is_rare = labels == forest.classes_[column]
    if weights is None:
        _check_not_selected(forest, probabilities[:, column])
    z = logit(np.clip(probabilities[:, 1], _LEAST, 1.0 - _LEAST))
    is_second = labels == forest.classes_[1]
    slope, offset = fit_stretch(z, is_second, weights)
    later = copy.copy(forest)
    moved = expit(slope * z + offset)
    share = float(np.average(moved, weights=weights))
    _stretch(later, slope, offset, share)
    scores = moved if column == 1 else 1.0 - moved
    before = None if getattr(forest, "memory_", None) is None else Watched.of(forest).reference
    after = _New(later, column, scores, labels, is_rare, weights, before)
    how = after.choose(slope, offset if column == 1 else -offset)
    losses = (_log_loss(z, is_second, weights), _log_loss(slope * z + offset, is_second, weights))
    rare_share = share if column == 1 else 1.0 - share
    later.recalibration_ = Recalibration(slope, offset, len(labels), int(is_rare.sum()), rare_share, losses, how)
    return later


def fit_stretch(z: Floats, is_second: NDArray[np.bool_], weights: Floats | None = None) -> tuple[float, float]:
    """Slope and offset of log-odds, with a penalty towards 1 and 0."""
    weight = np.ones(len(z)) if weights is None else weights / weights.mean()

    def loss(v: Floats) -> tuple[float, Floats]:
        fitted = v[0] * z + v[1]
        residual = weight * (expit(fitted) - is_second)
        misfit = (weight * (np.logaddexp(0.0, fitted) - is_second * fitted)).sum()
        penalty = (v[0] - 1.0) ** 2 + v[1] ** 2 / 2.0
        return float(misfit + penalty), np.array([residual @ z + 2.0 * (v[0] - 1.0), residual.sum() + v[1]])

    bounds = [(1.0 / _STEEPEST, _STEEPEST), (-_STEEPEST, _STEEPEST)]
    found = minimize(loss, np.array([1.0, 0.0]), jac=True, bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-13})
    return float(found.x[0]), float(found.x[1])


@dataclass(frozen=True, eq=False)
class _New:
    """A stretched model, and the labelled rows in its probabilities."""

    model: Any
    column: int
    scores: Floats
    labels: NDArray[Any]
    is_rare: NDArray[np.bool_]
    weights: Floats | None
    before: ScoreMemory | None  # what the model remembers, in the probabilities that it gave

    @property
    def has_enough(self) -> bool:
        return min(int(self.is_rare.sum()), int((~self.is_rare).sum())) >= ENOUGH

    def choose(self, slope: float, offset: float) -> str:
        """Threshold, triage and memory: from these rows if there are enough, else those that call the same rows as before."""
        threshold, triage = self.model.decision_threshold_ if _has(self.model, "decision_threshold_") else None, None
        how, cut = "none", None
        if threshold is not None:
            how = "chosen" if self.has_enough else "carried"
            threshold = self._chosen(threshold) if self.has_enough else _carried(threshold, slope, offset)
            self.model.decision_threshold_, cut = threshold, threshold.value
        if _has(self.model, "triage_"):
            if self.has_enough and self.model.triage_ is not None:
                rule = None if threshold is None else _rule_of(threshold)
                triage = Triage.choose(rule, self.labels, self.scores, self.model.positive_, self.weights, None)
            self.model.triage_ = triage
        memory = getattr(self.model, "memory_", None)
        if memory is not None:
            scores = ScoreMemory.of(self.scores, self.is_rare, self.weights, cut) if self.has_enough else None
            assert self.before is not None
            scores = scores or self.before.stretched(slope, offset)
            share = scores.share
            shares = np.array([1.0 - share, share] if self.column == 1 else [share, 1.0 - share])
            self.model.memory_ = replace(memory, scores=scores, class_shares=shares)
        return how

    def _chosen(self, threshold: DecisionThreshold) -> DecisionThreshold:
        return choose_for_probabilities(
            _rule_of(threshold), self.labels, self.scores, positive=threshold.positive, sample_weight=self.weights
        )


def _has(model: Any, name: str) -> bool:
    return getattr(model, name, None) is not None


def _rule_of(threshold: DecisionThreshold) -> ThresholdRule:
    value = threshold.value if threshold.rule == "given" else None
    return ThresholdRule(
        threshold.rule,
        threshold.floor,
        threshold.costs,
        share=threshold.alerts,
        value=value,
        confidence=threshold.confidence,
    )


def _carried(threshold: DecisionThreshold, slope: float, offset: float) -> DecisionThreshold:
    """The threshold that calls the same rows; one about probabilities themselves stays. What it gives on new rows is not known."""
    value = threshold.value
    if threshold.rule not in ("cost", "given") and 0.0 < value < 1.0:
        value = float(expit(slope * logit(value) + offset))
    nothing = math.nan
    return replace(
        threshold, value=value, precision=nothing, recall=nothing, f1=nothing, cost=None, promised=False, lower=None, most=None,
        n_alarms=None, n_hits=None, share=None, carried_from=None,
    )  # fmt: skip


def _stretch(model: Any, slope: float, offset: float, share: float) -> None:
    """Of a copy: calibration and effects of columns. A prior that the model was told becomes part of the calibration."""
    told = model._priors()
    behind = 0.0 if told is None else math.log(odds_factor(1, *told) or 1.0)
    calibration = model.calibration_.stretched(slope, offset + slope * behind)
    model.calibration_ = replace(calibration, prior=np.array([1.0 - share, share]))
    effects = getattr(model, "column_effects_", None)
    if effects is not None:
        model.column_effects_ = effects.scaled(slope)
    for name in ("prior_", "own_prior_", "oob_decision_function_"):
        vars(model).pop(name, None)


def _calibrated(model: Any) -> BaseForest:
    forest = forest_of(model)
    refuse_label_rate(forest)
    if getattr(forest, "calibration_", None) is None or len(forest.classes_) != 2:
        raise ValueError(
            "recalibrate stretches the calibration of a model for two classes; give a RareClassifier, or a forest with "
            "calibration='beta', for two classes."
        )
    return forest


def _check_labels(labels: NDArray[Any], forest: Any, n_rows: int) -> None:
    if len(labels) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y {len(labels)} labels.")
    if n_rows == 0:
        raise ValueError("there are no labelled rows.")
    encode_labels(None, labels, n_rows)
    unknown = np.setdiff1d(labels, forest.classes_)
    if len(unknown):
        raise ValueError(
            f"y has labels that the model does not know: {unknown.tolist()[:5]}; its classes are {forest.classes_.tolist()}."
        )
    if len(np.unique(labels)) < 2:
        warn(
            f"all {n_rows} labelled rows are of class {labels.tolist()[0]!r}: they only show that the other is not more frequent.",
        )


def _check_not_selected(forest: Any, scores: Floats) -> None:
    threshold, memory = getattr(forest, "decision_threshold_", None), getattr(forest, "memory_", None)
    if threshold is None:
        return
    share = float(np.mean(scores >= threshold.value))
    usual = 0.0 if memory is None else memory.scores.above(threshold.value).rows / float(memory.scores.rows.sum())
    if share == 1.0 or (memory is not None and share > _SELECTED and usual < _FEW_ALARMS):
        raise ValueError(
            f"{100 * share:.0f}% of the labelled rows are alarms: they seem to have been labelled because they raised one, and so "
            "say nothing about all other rows. Give a random sample, or sample_weight: one over the chance with which each row "
            "was chosen (rarewood.monitoring.review gives such weights)."
        )


def _log_loss(z: Floats, is_second: NDArray[np.bool_], weights: Floats | None) -> float:
    return float(np.average(np.logaddexp(0.0, z) - is_second * z, weights=weights))
