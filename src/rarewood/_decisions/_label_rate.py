"""Probabilities where only a known share of the rare rows carries the label, and the others count as ordinary."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rarewood._decisions._prior import FOR_ANY_PROBABILITIES, without_figures
from rarewood._decisions._triage import Triage
from rarewood._validation import Number, column_of
from rarewood._warnings import warn
from rarewood.metrics import DecisionThreshold

_RATE = Number(0.0, 1.0, open_low=True)


def divide_by_label_rate(probabilities: NDArray[np.float64], column: int, rate: float) -> NDArray[np.float64]:
    """Of two classes: that in `column` is as much likelier as its rows go without a label, and at most certain."""
    found = np.empty_like(probabilities)
    found[:, column] = np.minimum(probabilities[:, column] / rate, 1.0)
    found[:, 1 - column] = 1.0 - found[:, column]
    return found


def threshold_for_label_rate(threshold: DecisionThreshold, rate: float) -> DecisionThreshold | None:
    """A threshold of probabilities as they come, once they are divided by the rate; None if there is none.

    One that was chosen by costs, or given, is about probabilities and stays. Any other calls the same rows: its recall is that of the
    rows with the label, which stand for all; of its alarms, more are right than the labels say. Above the rate all rows are certain, so
    a cut there would call more of them than before.
    """
    if threshold.rule in FOR_ANY_PROBABILITIES:
        return without_figures(threshold)
    value = _divided(threshold.value, rate)
    if value is None:
        return None
    lower = threshold.lower
    if lower is not None and threshold.rule == "precision":
        lower = min(lower / rate, 1.0)
    share = None if threshold.share is None else min(threshold.share / rate, 1.0)
    return _with_precision(threshold, min(threshold.precision / rate, 1.0), value=value, lower=lower, share=share)


def threshold_without_label_rate(threshold: DecisionThreshold, rate: float) -> DecisionThreshold:
    """The way back. What has been cut off at 1 is not known any more."""
    if threshold.rule in FOR_ANY_PROBABILITIES:
        return without_figures(threshold)
    lower = threshold.lower
    if lower is not None and threshold.rule == "precision":
        lower = lower * rate if lower < 1.0 else None
    share = None if threshold.share is None else threshold.share * rate
    precision = threshold.precision * rate if threshold.precision < 1.0 else math.nan
    value = threshold.value * rate if threshold.value <= 1.0 else threshold.value
    return _with_precision(threshold, precision, value=value, lower=lower, share=share)


def _with_precision(threshold: DecisionThreshold, precision: float, **changes: Any) -> DecisionThreshold:
    both = precision + threshold.recall
    f1 = 2.0 * precision * threshold.recall / both if both != 0.0 else 0.0
    promised = threshold.promised and threshold.rule != "precision"
    return replace(threshold, precision=precision, f1=f1, cost=None, promised=promised, **changes)


def _divided(cut: float, rate: float) -> float | None:
    """None if rows on both sides of the cut become certain. A cut above 1 calls none, before and after."""
    if cut > 1.0:
        return cut
    return cut / rate if cut <= rate else None


def _divided_triage(triage: Triage, rate: float) -> Triage | None:
    cuts = [cut for cut in (triage.alarm, triage.look) if cut is not None]
    return None if any(_divided(cut, rate) is None for cut in cuts) else triage.carried(lambda cut: cut / rate)


class AnswersForLabelRates:
    """Probabilities of being rare, from those of carrying the label.

    A subclass divides what it predicts by `_label_rate`.
    """

    classes_: NDArray[Any]
    label_rate_: dict[Any, float]
    triage_: Triage | None

    def _positive_column(self) -> int:
        """The column of the class that the model is about."""
        raise NotImplementedError

    def set_label_rate(self, rate: float | None) -> Self:
        """Tell the model what share of the rare rows carries the label; the others were labelled as ordinary.

        Frauds that nobody noticed are among the ordinary rows, so the model learns the probability of a row to be *labelled* as
        rare. If an audit of rows without the label says that only a share `rate` of the rare rows has it, whatever they look
        like, then the probability of being rare is that of the label over the rate. The rate is never estimated: where
        classes overlap, scores do not tell it.

        Parameters
        ----------
        rate : float or None
            Share of the rare rows that carry the label, above 0 and at most 1. None restores the original probabilities.

        Returns
        -------
        Self
            The model itself, for two classes and with calibrated probabilities. From now on `predict_proba` gives the positive
            class its probability over the rate, at most 1, also after :func:`rarewood.save` and :func:`rarewood.load`; a new
            `fit` forgets it. A `decision_threshold_` that was chosen by cost or given as a number keeps its value and so calls
            other rows positive; any other is adjusted so that it calls the same rows. Its recall stays, and what is promised
            of recall and of the number of alerts; its precision is divided by the rate, and no longer promised.

        Raises
        ------
        ValueError
            For more than two classes, for probabilities that are not calibrated, and after :meth:`set_prior`: class shares and a
            label rate are two claims about the same rows, and a model takes one of them.

        Warns
        -----
        RarewoodWarning
            If the threshold is above the rate: rows above the rate are all certain, so no threshold calls the same rows, and
            `decision_threshold_` becomes None.

        Examples
        --------
        >>> import rarewood as rw
        >>> payments = rw.datasets.make_planted_rules(2000, random_state=0)
        >>> model = rw.RareClassifier(n_estimators=60, random_state=0).fit(payments.X, payments.y)
        >>> before, called = model.predict_proba(payments.X)[:, 1], model.predict(payments.X)
        >>> model = model.set_label_rate(0.7)
        >>> bool((model.predict_proba(payments.X)[:, 1] == (before / 0.7).clip(max=1)).all())
        True
        >>> bool((model.predict(payments.X) == called).all())
        True
        """
        check_is_fitted(self)
        if rate is not None:
            self._check_rate(rate)
        if hasattr(self, "label_rate_"):
            self._forget_label_rate()
        if rate is None:
            return self
        label, rate = self.classes_.tolist()[self._positive_column()], float(rate)
        threshold = getattr(self, "decision_threshold_", None)
        if threshold is not None:
            self.decision_threshold_ = threshold_for_label_rate(threshold, rate)
            if self.decision_threshold_ is None:
                warn(
                    f"the threshold {threshold.value:.4g} is above the label rate {rate:g}, where all rows become certain, so no "
                    "threshold calls the same rows as before. decision_threshold_ is now None, and predict takes the most probable "
                    "class.",
                )
        triage: Triage | None = getattr(self, "triage_", None)
        if triage is not None:
            self.triage_ = _divided_triage(triage, rate)
        self.label_rate_ = {label: rate}
        return self

    def _check_rate(self, rate: Any) -> None:
        if not _RATE.has_kind(rate) or not _RATE.has_range(rate):
            raise ValueError(
                f"the label rate is {rate!r}; give the share of rare rows that carry the label, above 0 and at most 1."
            )
        if len(self.classes_) != 2:
            raise ValueError(
                f"a label rate is about a rare class and the ordinary rows; the model has {len(self.classes_)} classes: "
                f"{self.classes_.tolist()}. Fit one for the rare class against all others."
            )
        if getattr(self, "calibration_", None) is None:
            raise ValueError(
                "a label rate divides probabilities, and those of the model are not calibrated; fit a RareClassifier, or a forest "
                "with calibration='beta', to enough rows of both classes."
            )
        if hasattr(self, "prior_"):
            raise ValueError(
                "the model has been told a prior, and takes that or a label rate; call set_prior(None) first."
            )
        threshold, positive = (
            getattr(self, "decision_threshold_", None),
            self.classes_.tolist()[self._positive_column()],
        )
        if threshold is not None and threshold.positive != positive:
            raise ValueError(
                f"the label rate is about class {positive!r}, but the threshold of the model is for class "
                f"{threshold.positive!r}; choose one for {positive!r}, or none, with rarewood.ensemble.fit_threshold."
            )

    def _forget_label_rate(self) -> None:
        (rate,) = self.label_rate_.values()
        threshold = getattr(self, "decision_threshold_", None)
        if threshold is not None:
            self.decision_threshold_ = threshold_without_label_rate(threshold, rate)
        triage: Triage | None = getattr(self, "triage_", None)
        if triage is not None:
            self.triage_ = triage.carried(lambda cut: cut * rate)
        del self.label_rate_

    def _label_rate(self) -> tuple[int, float] | None:
        """The column of the class that lacks labels, and the share of its rows that carry one; None if all do."""
        if not hasattr(self, "label_rate_"):
            return None
        ((label, rate),) = self.label_rate_.items()
        return column_of(label, self.classes_), rate
