"""What errors cost at each threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarewood.report._scores import counts_above, decisions_at
from rarewood.report._subject import Subject


def cost_curve(subject: Subject) -> dict[str, Any]:
    """The cost at the chosen threshold beside those of the cheapest one, of no alarm at all and of an alarm on every row.

    `if_probabilities` is the threshold that would be the cheapest if scores were exact probabilities.
    """
    rows, (false_alarm, miss) = subject.rows, subject.costs
    thresholds = np.unique(np.append(rows.scores, np.nextafter(rows.scores.max(), np.inf)))
    found, alarmed = counts_above(rows, thresholds)
    cost = false_alarm * alarmed + miss * (rows.n_rare - found)
    cheapest = len(cost) - 1 - int(np.argmin(cost[::-1]))  # of equal ones the highest: it raises the fewest alarms
    return {
        "at_chosen": subject.decisions["cost"],
        "cheapest": decisions_at(rows, float(thresholds[cheapest]), subject.costs),
        "of_no_alarm": miss * rows.n_rare,
        "of_all_alarms": false_alarm * rows.n_rest,
        "if_probabilities": false_alarm / (false_alarm + miss) if false_alarm + miss else None,
    }
