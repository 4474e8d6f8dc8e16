"""What the rows of the highest scores hold: gains, lift, and the Kolmogorov-Smirnov distance of the two classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rarewood.report._scores import ScoredRows, counts_above
from rarewood.report._subject import Subject

# Finer at the top than deciles: with a rare class, everything is decided there.
SHARES = (0.01, 0.02, 0.03, 0.04, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def gains(subject: Subject) -> dict[str, Any]:
    """Rows from the highest score down in groups, each with a threshold; rows with the same score stay together.

    A group that ties leave empty is not listed, so that shares may be larger than those in `SHARES`.
    """
    rows = subject.rows
    descending = np.sort(rows.scores)[::-1]
    ends = [max(1, math.ceil(share * len(descending) - 1e-9)) for share in SHARES]
    thresholds = np.unique(descending[np.array(ends) - 1])[::-1]
    true, false = counts_above(rows, thresholds)
    groups: list[dict[str, Any]] = []
    before = (0, 0)
    for threshold, tp, fp in zip(thresholds.tolist(), true.tolist(), false.tolist(), strict=True):
        n_rows, n_rare = tp + fp - sum(before), tp - before[0]
        groups.append(
            {
                "threshold": threshold,
                "n_rows": n_rows,
                "n_rare": n_rare,
                "precision": n_rare / n_rows,
                "lift": n_rare / n_rows / rows.share,
                "recall": n_rare / rows.n_rare,
                "share_so_far": (tp + fp) / len(rows.scores),
                "rare_so_far": tp,
                "precision_so_far": tp / (tp + fp),
                "lift_so_far": tp / (tp + fp) / rows.share,
                "recall_so_far": tp / rows.n_rare,
                "ks": tp / rows.n_rare - fp / rows.n_rest,
            }
        )
        before = (tp, fp)
    return {"groups": groups, "ks": _distance(rows)}


def _distance(rows: ScoredRows) -> dict[str, float]:
    """The largest difference between the shares of the two classes at or above a threshold, and where it is."""
    thresholds = np.unique(rows.scores)
    true, false = counts_above(rows, thresholds)
    difference = true / rows.n_rare - false / rows.n_rest
    best = len(difference) - 1 - int(np.argmax(difference[::-1]))
    return {
        "value": float(difference[best]),
        "threshold": float(thresholds[best]),
        "recall": float(true[best] / rows.n_rare),
        "false_alarm_rate": float(false[best] / rows.n_rest),
    }
