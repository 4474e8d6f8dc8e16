"""A line between scores, with what it gives and what it promises."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarewood._pages.notebook import facts
from rarewood._terminal import shown
from rarewood._validation import column_of, unmasked

NEARLY = 1e-12  # a floor of 0.9 is reached by 9 of 10, whatever the rounding
_HANDFUL = 20  # alarms; a precision from fewer is not shown without their number


@dataclass(frozen=True)
class DecisionThreshold:
    """A decision threshold, with the precision and recall to expect on new rows.

    Made by :func:`choose_threshold`. :func:`rarewood.ensemble.fit_threshold` stores one as `decision_threshold_` of a
    model, and model files keep it.

    Parameters
    ----------
    value : float
        The threshold: a row is called positive if its score is at least this.
    rule : {"f1", "precision", "recall", "cost", "alerts", "given"}
        How it was chosen.
    positive : label
        The class that is called at or above the threshold.
    precision, recall, f1 : float
        Precision, recall and F-measure of the positive class to expect on new rows: what thresholds that are chosen in the same
        way on rows drawn again give on the rows that were not drawn. With fewer than five rows of a class, those of the rows
        that the threshold was chosen on. NaN if they are not known.
    cost : float or None
        Mean cost per row to expect, if costs were given.
    floor : float or None
        The minimum precision or recall that was asked for.
    costs : tuple of two floats, or None
        Cost of a false alarm and of a miss.
    alerts : float or None
        The share of rows that may raise an alarm, if that was the rule.
    promised : bool, default=False
        Whether new rows keep the precision, recall or share of alarms that was asked for with probability `confidence`.
    confidence : float or None
        The confidence that was asked for, such as 0.9 for "precision=0.6@90%".
    lower : float or None
        The precision or recall of new rows is at least this, with that confidence.
    most : float or None
        What can be reached, or promised, at most, if what was asked for cannot.
    n_alarms, n_hits : int or None
        Rows that are called positive among those that the threshold was chosen on, and how many of them are.
    share : float or None
        Share of the positive class in the population that precision, F-measure and cost are about.
    carried_from : float or None
        That share when the threshold was chosen, if it was moved to another prior since.

    Examples
    --------
    >>> from rarewood.metrics import choose_threshold
    >>> threshold = choose_threshold([0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.5, 0.9])
    >>> threshold.apply([0.3, 0.8])
    array([False,  True])
    >>> print(threshold)
    Threshold 0.35 (best F1): call '1' at or above it; expect precision 0.667 (2 of 3 alarms), recall 1, F1 0.8
    """

    value: float
    rule: str
    positive: Any
    precision: float
    recall: float
    f1: float
    cost: float | None = None
    floor: float | None = None
    costs: tuple[float, float] | None = None
    alerts: float | None = None
    promised: bool = False
    confidence: float | None = None
    lower: float | None = None
    most: float | None = None
    n_alarms: int | None = None
    n_hits: int | None = None
    share: float | None = None
    carried_from: float | None = None

    def apply(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Tell which rows are called positive.

        Parameters
        ----------
        scores : array-like of shape (n_samples,)
            Scores of the positive class, such as its column of ``predict_proba``.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            True where the score is at least the threshold; False for NaN.
        """
        return np.asarray(np.asarray(unmasked(scores), dtype=np.float64) >= self.value)

    def labels(self, probabilities: ArrayLike, classes: ArrayLike) -> NDArray[Any]:
        """Predict labels: the positive class at or above the threshold, else the most probable other class.

        Parameters
        ----------
        probabilities : array-like of shape (n_samples, n_classes)
            What ``predict_proba`` returns.
        classes : array-like of shape (n_classes,)
            The class of each column, a model's `classes_`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels.
        """
        scores, known = np.array(unmasked(probabilities), dtype=np.float64), np.asarray(classes)
        column = column_of(self.positive, known)
        called = self.apply(scores[:, column])
        if len(known) == 1:
            return known[np.zeros(len(scores), dtype=np.intp)]
        scores[:, column] = -np.inf
        return np.asarray(known[np.where(called, column, scores.argmax(axis=1))])

    @shown
    def __str__(self) -> str:
        return f"Threshold {self.value:.4g} ({self.reason}): call '{self.positive}' at or above it; {self.figures}"

    def _repr_html_(self) -> str:
        return facts(f"Decision threshold for class {self.positive}", self._facts())

    def _facts(self) -> dict[str, str]:
        """What a notebook shows, line by line."""
        told = {"threshold": f"{self.value:.4g}: call '{self.positive}' at or above it", "chosen for": self.reason}
        told["new rows"] = self.figures
        if self.promise is not None:
            told["promise"] = self.promise
        if self.shortfall is not None:
            told["shortfall"] = self.shortfall
        return told

    @property
    def figures(self) -> str:
        """What to expect of new rows, in words."""
        if math.isnan(self.precision):
            return "what it gives on new rows is not known"
        told = f"expect precision {self.precision:.3g}{self._handful}, recall {self.recall:.3g}, F1 {self.f1:.3g}"
        return told if self.cost is None else f"{told}, cost {self.cost:.3g} per row"

    @property
    def _handful(self) -> str:
        """How many alarms a precision rests on, where they are few."""
        if self.n_alarms is None or self.n_alarms >= _HANDFUL:
            return ""
        return f" ({self.n_hits} of {self.n_alarms} alarms)" if self.n_alarms else " (no alarms)"

    @property
    def reason(self) -> str:
        """How the threshold was chosen, in a few words."""
        words = self._rule_in_words()
        if self.confidence is not None:
            words += f", promised with {_percent(self.confidence)} confidence" if self.promised else ", not promised"
        return words if self.carried_from is None else f"{words}, before the prior was set"

    def _rule_in_words(self) -> str:
        if self.rule == "given":
            return "as given"
        if self.alerts is not None:
            return f"alerts for at most {_percent(self.alerts)} of the rows"
        if not self.reaches_floor:
            return f"highest {self.rule}; {self.floor:g} is out of reach"
        if self.floor is not None:
            return f"{self.rule} of at least {self.floor:g}"
        return {"f1": "best F1", "cost": "lowest cost"}.get(self.rule, f"best {self.rule}")

    @property
    def reaches_floor(self) -> bool:
        """Whether the precision or recall that was asked for is reached on the rows the threshold was chosen on."""
        if self.n_alarms is not None:
            return self.most is None or self.confidence is not None
        held = {"precision": self.precision, "recall": self.recall}.get(self.rule)  # a file of an older version
        return self.floor is None or held is None or not held < self.floor - NEARLY

    @property
    def promise(self) -> str | None:
        """What is promised of new rows, in a sentence, with what it rests on; None if nothing is."""
        if not self.promised or self.confidence is None:
            return None
        sure = f"with {_percent(self.confidence)} confidence"
        if self.alerts is not None:
            return f"alarms on at most {_percent(self.alerts)} of new rows are promised {sure}."
        told = f"a {self.rule} of at least {self.floor:g} on new rows is promised {sure}"
        if self.rule == "precision":
            told += f"; on the rows it was chosen on, {self.n_hits} of {self.n_alarms} alarms were right"
        return f"{told}."

    @property
    def shortfall(self) -> str | None:
        """What the threshold does not do though it was asked for, in a sentence or two; None if it does all."""
        if self.confidence is not None and not self.promised:
            return self._not_promised()
        if not self.reaches_floor:
            return (
                f"no threshold reaches a {self.rule} of {self.floor:g} on these rows; the one with the highest {self.rule} is "
                f"used, {self.n_hits} of {self.n_alarms} alarms. Expect a {self.rule} of {self.precision:.3g} on new rows."
            )
        return None

    def _not_promised(self) -> str:
        assert self.confidence is not None
        asked = _percent(self.confidence)
        if self.alerts is not None:
            return (
                f"alarms on at most {_percent(self.alerts)} of new rows cannot be promised with {asked} confidence by so few rows; the "
                "threshold keeps to that on these rows."
            )
        within = (
            f"At most a {self.rule} of {self.most:.3g} can be promised." if self.most else "Nothing can be promised."
        )
        return (
            f"a {self.rule} of {self.floor:g} cannot be promised with {asked} confidence by the rows at hand. {within} The threshold "
            "is chosen without a promise; more rows of the class would help."
        )


def _percent(share: float) -> str:
    return f"{100 * share:.6g}%"
