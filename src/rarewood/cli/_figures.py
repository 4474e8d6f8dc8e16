"""What the scores of rows are worth that a model did not learn from, and how sure that is: the figures of `rarewood fit`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._validation import column_of
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.ensemble.unseen import UnseenScores
from rarewood.metrics import DecisionThreshold, Predictions
from rarewood.metrics import get as get_metric
from rarewood.metrics.areas import area_with_interval
from rarewood.metrics.uncertainty import (
    Estimate,
    average_precision_with_interval,
    share_with_interval,
    times_for_half,
    worth_of,
)

_NAMES = ("auc", "average_precision", "log_loss")


@dataclass(frozen=True)
class Measure:
    """A figure of unseen rows, the ends of its 95 % interval where they are known, and what scores by chance give."""

    value: float
    low: float | None
    high: float | None
    chance: float


@dataclass(frozen=True)
class Decisions:
    """Precision and recall of a threshold with their 95 % intervals, by how many rare rows they were counted on."""

    precision: Estimate | None
    recall: Estimate
    n_rare: int
    n_groups: int | None  # that hold a rare row, if rows belong together
    needed: int  # rare rows that would halve the interval of the recall

    def __str__(self) -> str:
        """What follows the word `intervals` on a line of its own."""
        both = {"precision": self.precision, "recall": self.recall}
        ends = ", ".join(f"{name} {each.low:.2f} to {each.high:.2f}" for name, each in both.items() if each is not None)
        groups = "" if self.n_groups is None else f" in {self.n_groups:,} groups"
        return f"{ends}, from {self.n_rare:,} rare rows{groups}; about {self.needed:,} rare rows would halve that of the recall"


@dataclass(frozen=True)
class Figures:
    """All figures of a fit; `decisions` is None where nothing was counted."""

    measures: dict[str, Measure]
    decisions: Decisions | None = None

    @property
    def are_no_better_than_chance(self) -> bool:
        """Whether rows in any order would do as well, as far as the rare rows can tell."""
        area = self.measures.get("auc")
        return area is not None and area.low is not None and area.low <= area.chance

    def as_json(self) -> dict[str, Any]:
        """The figures for programs."""
        intervals = {name: [measure.low, measure.high] for name, measure in self.measures.items()}
        found = self.decisions
        if found is not None:
            shares = {"precision": found.precision, "recall": found.recall}
            intervals |= {name: [each.low, each.high] for name, each in shares.items() if each is not None}
        return {
            "measures": {name: measure.value for name, measure in self.measures.items()},
            "intervals": intervals,
            "chance": {name: measure.chance for name, measure in self.measures.items()},
            "rare_rows_for_half_the_interval": None if found is None else found.needed,
        }


def check_judged(unseen: UnseenScores, y: NDArray[Any], positive: Any, where: str) -> None:
    """Raise unless rows of both kinds have scores by what did not learn from them."""
    is_rare = y[unseen.kept] == positive
    if is_rare.all() or not is_rare.any():
        raise CommandError(
            ExitCode.DATA,
            f"{where}: {'no row other than' if is_rare.any() else 'no row of'} class {positive!r} has a score by trees that did not "
            "learn from it or from its copies, so nothing can be said of the model; give more rows that differ",
        )


def figures_of(
    unseen: UnseenScores,
    y: NDArray[Any],
    classes: NDArray[Any],
    threshold: DecisionThreshold | None,
    positive: Any,
    groups: NDArray[np.intp] | None = None,
) -> Figures:
    """Of scores by what did not learn from the rows; rows of one of the `groups` belong together, and count so in all intervals."""
    labels, scores = y[unseen.kept], unseen.probabilities[unseen.kept]
    together = None if groups is None else groups[unseen.kept]
    is_rare, of_rare = labels == positive, scores[:, column_of(positive, classes)]
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    chance = {
        "auc": 0.5,
        "average_precision": float(is_rare.mean()),
        "log_loss": float(-(shares * np.log(shares)).sum()),
    }
    found: dict[str, Estimate] = {}
    if is_rare.any() and not is_rare.all():
        found["auc"] = area_with_interval(of_rare, is_rare, together)
        found["average_precision"] = average_precision_with_interval(of_rare, is_rare, 0, together)
    given = Predictions(labels, classes, positive, scores=scores)
    measures = {}
    for name in _NAMES:
        ends = found.get(name, Estimate(math.nan))
        measures[name] = Measure(float(get_metric(name).compute(given)), ends.low, ends.high, chance[name])
    return Figures(measures, _decisions(threshold, of_rare, is_rare, together))


def _decisions(
    threshold: DecisionThreshold | None,
    scores: NDArray[np.float64],
    is_rare: NDArray[np.bool_],
    groups: NDArray[np.intp] | None,
) -> Decisions | None:
    """The threshold is one for new rows; of these rows it calls the `n_alarms` of the highest scores."""
    n_rare = int(np.count_nonzero(is_rare))
    if threshold is None or not n_rare or math.isnan(threshold.recall):
        return None
    n_alarms = min(threshold.n_alarms or 0, len(scores))
    called = scores >= np.partition(scores, -n_alarms)[-n_alarms] if n_alarms else np.zeros(len(scores), dtype=bool)
    precision = None
    if n_alarms and not math.isnan(threshold.precision):
        worth = worth_of(is_rare[called], threshold.precision, None if groups is None else groups[called])
        precision = share_with_interval(threshold.precision * n_alarms, n_alarms, min(worth, n_alarms))
    of_rare = None if groups is None else groups[is_rare]
    worth = worth_of(called[is_rare], threshold.recall, of_rare)
    recall = share_with_interval(threshold.recall * n_rare, n_rare, worth)
    assert recall is not None
    n_groups = None if of_rare is None else len(np.unique(of_rare))
    return Decisions(precision, recall, n_rare, n_groups, round(times_for_half(recall) * n_rare))
