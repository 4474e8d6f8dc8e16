"""Three piles by two promises: alarms that are mostly right, rows to look at, rows to pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarewood._terminal import shown
from rarewood._validation import unmasked
from rarewood.metrics.thresholds import ThresholdRule, promised_value

DEFAULT_RULES = {
    "precision": ThresholdRule("precision", floor=0.6, confidence=0.9),
    "recall": ThresholdRule("recall", floor=0.9, confidence=0.9),
}


@dataclass(frozen=True)
class Triage:
    """Two cuts, each with a promise of its own.

    Parameters
    ----------
    alarm : float or None
        Rows of at least this probability are alarms; None if no precision can be promised: then there are none.
    look : float or None
        Rows below this probability, and below `alarm`, pass; None if no recall can be promised: then none pass.
    precision : float
        What is promised of the alarms.
    recall : float
        The share of the rare class that is promised not to pass.
    confidence : tuple of two floats
        Of the promise of precision and of that of recall. Both hold together with less.

    Examples
    --------
    >>> from rarewood.ensemble import Triage
    >>> Triage(alarm=0.5, look=0.1, precision=0.6, recall=0.9, confidence=(0.9, 0.9)).apply([0.7, 0.2, 0.01]).tolist()
    ['alarm', 'look', 'pass']
    """

    alarm: float | None
    look: float | None
    precision: float
    recall: float
    confidence: tuple[float, float]

    @classmethod
    def choose(
        cls,
        asked: ThresholdRule | None,
        y: NDArray[Any],
        scores: NDArray[np.float64],
        positive: Any,
        weights: NDArray[np.float64] | None,
        groups: NDArray[np.intp] | None,
    ) -> Triage:
        """From scores of rows that the model had not seen; a rule that promises precision or recall takes the place of the default."""
        rules = dict(DEFAULT_RULES)
        if asked is not None and asked.confidence is not None and asked.name in rules:
            rules[asked.name] = asked
        found = {
            name: promised_value(rule, y, scores, positive=positive, sample_weight=weights, groups=groups)
            for name, rule in rules.items()
        }
        floors = {name: rule.floor or 0.0 for name, rule in rules.items()}
        sure = tuple(rule.confidence or 0.0 for rule in rules.values())
        return cls(found["precision"], found["recall"], floors["precision"], floors["recall"], (sure[0], sure[1]))

    def apply(self, scores: ArrayLike) -> NDArray[Any]:
        """Sort rows into piles.

        Parameters
        ----------
        scores : array-like of shape (n_samples,)
            Probabilities of the positive class.

        Returns
        -------
        ndarray of shape (n_samples,)
            "alarm", "look" or "pass".
        """
        score = np.asarray(unmasked(scores), dtype=np.float64)
        looked = np.ones(score.shape, dtype=bool) if self.look is None else score >= self.look
        alarm = np.zeros(score.shape, dtype=bool) if self.alarm is None else score >= self.alarm
        return np.where(alarm, "alarm", np.where(looked, "look", "pass"))

    def carried(self, move: Callable[[float], float]) -> Triage:
        """The cuts that call the same rows once probabilities are changed by `move`, which keeps their order."""
        alarm, look = (None if cut is None else move(cut) for cut in (self.alarm, self.look))
        return replace(self, alarm=alarm, look=look)

    @shown
    def __str__(self) -> str:
        if self.alarm is None:
            alarm = f"no alarms: a precision of {self.precision:g} cannot be promised"
        else:
            alarm = f"alarm at or above {self.alarm:.4g}: precision of at least {self.precision:g} ({self.confidence[0]:.4g})"
        if self.look is None:
            look = f"none pass: a recall of {self.recall:g} cannot be promised"
        else:
            look = f"pass below {self.look:.4g}: at most {1 - self.recall:.3g} of the class ({self.confidence[1]:.4g})"
        return f"{alarm}; {look}"
