"""Scores of rows whose class is known: counts at cut-offs, curves, calibration, histograms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, log_loss

from rarewood.metrics import brier_score
from rarewood.metrics.areas import area_with_interval
from rarewood.metrics.uncertainty import wilson

Floats = NDArray[np.float64]

_MOST_CUT_OFFS = 1500
_CALIBRATION_BINS = 10
_FINE = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)  # of the axis of scores
_FEWEST_IN_FINE_BIN = 25
_Z99 = 2.5758293035489
_HISTOGRAM_BINS = 40
_RECALLS = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)
_NICE = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True)
class ScoredRows:
    """The score of each row for the rare class, and whether it is of that class. Both kinds of rows are present."""

    scores: Floats
    is_rare: NDArray[np.bool_]

    @property
    def n_rare(self) -> int:
        return int(self.is_rare.sum())

    @property
    def n_rest(self) -> int:
        return len(self.is_rare) - self.n_rare

    @property
    def share(self) -> float:
        return self.n_rare / len(self.is_rare)


def counts_at(rows: ScoredRows, threshold: float) -> tuple[int, int]:
    """Rare rows and others with a score of at least `threshold`."""
    alarm = rows.scores >= threshold
    true = int(np.count_nonzero(alarm & rows.is_rare))
    return true, int(np.count_nonzero(alarm)) - true


def counts_above(rows: ScoredRows, thresholds: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Like `counts_at`, for many thresholds at once."""
    rare, rest = np.sort(rows.scores[rows.is_rare]), np.sort(rows.scores[~rows.is_rare])
    return len(rare) - np.searchsorted(rare, thresholds), len(rest) - np.searchsorted(rest, thresholds)


def decisions_at(rows: ScoredRows, threshold: float, costs: tuple[float, float]) -> dict[str, Any]:
    """The confusion matrix at a threshold and what follows from it; precision is None without alarms."""
    tp, fp = counts_at(rows, threshold)
    fn, tn = rows.n_rare - tp, rows.n_rest - fp
    return {
        "threshold": float(threshold),
        "true_positives": tp,
        "false_positives": fp,
        "false_negatives": fn,
        "true_negatives": tn,
        "alarms": tp + fp,
        "precision": tp / (tp + fp) if tp + fp else None,
        "recall": tp / rows.n_rare,
        "false_alarm_rate": fp / rows.n_rest,
        "f1": 2 * tp / (2 * tp + fp + fn),
        "cost": costs[0] * fp + costs[1] * fn,
    }


def cut_of_most_probable(chances: Floats, column: int) -> tuple[float, bool]:
    """The threshold for the class in `column` that calls the rows of which it is the most probable class, and whether it does.

    With two classes it is an even chance, or the next number above where `predict` gives such a row to the other class. With
    more, no threshold calls just these rows; the one returned calls as many, and more only where scores tie.
    """
    scores = chances[:, column]
    called = chances.argmax(axis=1) == column
    for even in (0.5, float(np.nextafter(0.5, 1.0))):
        if np.array_equal(scores >= even, called):
            return even, True
    n_called = int(np.count_nonzero(called))
    cut = np.sort(scores)[-n_called] if n_called else np.nextafter(scores.max(), np.inf)
    return float(cut), bool(np.array_equal(scores >= cut, called))


def cut_offs(rows: ScoredRows, chosen: float, most: int = _MOST_CUT_OFFS) -> dict[str, Any]:
    """Thresholds in ascending order with the rare rows and others at or above each.

    All distinct scores, `chosen`, and one threshold above all scores; of more than `most`, a selection that is dense in
    recall, in the logarithm of the false alarms and in the threshold itself.
    """
    values = np.unique(np.append(rows.scores, chosen))
    values = np.append(values, np.nextafter(max(values[-1], rows.scores.max()), np.inf))
    true, false = counts_above(rows, values)
    kept = _spread(true, false, values, int(np.searchsorted(values, chosen)), most)
    return {
        "threshold": values[kept].tolist(),
        "true_positives": true[kept].tolist(),
        "false_positives": false[kept].tolist(),
        "chosen": int(np.searchsorted(values[kept], chosen)),
        "n_distinct": len(np.unique(rows.scores)),
    }


def _spread(
    true: NDArray[np.intp], false: NDArray[np.intp], values: Floats, chosen: int, most: int
) -> NDArray[np.intp]:
    """Places in `values` that are kept, in order: all of them, or the densest selection of no more than `most`."""
    kept = np.arange(len(values))
    n_steps = len(values)
    while len(kept) > most:
        keys = (-true.astype(np.float64), -np.log1p(false), values)
        spread = [np.searchsorted(key, np.linspace(key[0], key[-1], n_steps)) for key in keys]
        kept = np.unique(np.concatenate([*spread, [0, chosen, len(values) - 1]]))
        n_steps = n_steps * 4 // 5
    return kept


def recall_table(rows: ScoredRows, costs: tuple[float, float]) -> list[dict[str, Any]]:
    """The decisions at the highest threshold that finds 10, 25, 50 ... % of the rare rows."""
    descending = np.sort(rows.scores[rows.is_rare])[::-1]
    needed = sorted({max(1, math.ceil(recall * rows.n_rare - 1e-9)) for recall in _RECALLS})
    return [decisions_at(rows, descending[count - 1], costs) for count in needed]


def measures(rows: ScoredRows) -> dict[str, Any]:
    """Measures of the scores that need no threshold, beside those of the same guess for every row."""
    guess = np.full(len(rows.scores), rows.share)
    area = area_with_interval(rows.scores, rows.is_rare)
    return {
        "auc": area.value,
        "auc_low": area.low,
        "auc_high": area.high,
        "average_precision": float(average_precision_score(rows.is_rare, rows.scores)),
        "brier": brier_score(rows.is_rare, rows.scores),
        "log_loss": float(log_loss(rows.is_rare, rows.scores)),
        "share": rows.share,
        "brier_of_share": brier_score(rows.is_rare, guess),
        "log_loss_of_share": float(log_loss(rows.is_rare, guess)),
        "n_rare_at_zero": int(np.count_nonzero(rows.scores[rows.is_rare] <= 0.0)),
        "n_rest_at_one": int(np.count_nonzero(rows.scores[~rows.is_rare] >= 1.0)),
        "expected_rare": float(rows.scores.sum()),
    }


def calibration(rows: ScoredRows) -> dict[str, Any]:
    """Score and share of rare rows in bins, with Wilson's 95 % intervals, and whether as many rows are rare as the scores say.

    Bins are tenths of the axis. The first tenth, which holds most rows of a table with a rare class, is cut finer, as far as its rows
    allow. Bins without a row are left out.
    """
    limit = nice_limit(float(rows.scores.max()))
    number = np.searchsorted(_calibration_edges(rows.scores, limit), rows.scores, side="right")
    bins = []
    for each in np.unique(number).tolist():
        inside = number == each
        n, rare = int(inside.sum()), int(rows.is_rare[inside].sum())
        low, high = wilson(rare, n)
        bins.append(
            {
                "score": float(rows.scores[inside].mean()),
                "share": rare / n,
                "low": low,
                "high": high,
                "n_rows": n,
                "n_rare": rare,
            }
        )
    return {"bins": bins, "limit": limit, "adds_up": _adds_up(rows)}


def _calibration_edges(scores: Floats, limit: float) -> Floats:
    """Inner edges of the bins, ascending; a fine one is left out if fewer than some rows lie between it and the one before."""
    tenths = limit * np.arange(1, _CALIBRATION_BINS) / _CALIBRATION_BINS
    kept, below = [], 0
    for edge in (limit * part for part in _FINE):
        n_below = int((scores < edge).sum())
        if n_below - below >= _FEWEST_IN_FINE_BIN:
            kept.append(edge)
            below = n_below
    return np.array([*kept, *tenths])


def _adds_up(rows: ScoredRows) -> bool:
    """Whether the number of rare rows is as the scores say, but for chance (1 in 100)."""
    spread = float((rows.scores * (1.0 - rows.scores)).sum())
    return abs(rows.n_rare - float(rows.scores.sum())) <= _Z99 * math.sqrt(max(spread, 0.0)) + 0.5


def histogram(rows: ScoredRows) -> dict[str, Any]:
    """Rows of either kind per interval of the score."""
    limit = nice_limit(float(rows.scores.max()))
    edges = np.linspace(0.0, limit, _HISTOGRAM_BINS + 1)
    rare, rest = (np.histogram(rows.scores[chosen], edges)[0] for chosen in (rows.is_rare, ~rows.is_rare))
    return {"limit": limit, "rare": rare.tolist(), "rest": rest.tolist()}


def nice_limit(largest: float) -> float:
    """The end of an axis of probabilities on which `largest` still has a place."""
    return next((limit for limit in _NICE if largest <= limit), 1.0)
