"""Charts turn the numbers of a summary into coordinates of an SVG, with one module per section."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rarewood.report._charts.baselines import precision_recall_of_all
from rarewood.report._charts.calibration import calibration, calibration_near_zero
from rarewood.report._charts.columns import added, drifted, effects
from rarewood.report._charts.cost_curve import cost_curve
from rarewood.report._charts.gains import distance, gains, lift
from rarewood.report._charts.learning_curve import learning_curve
from rarewood.report._charts.money import money
from rarewood.report._charts.periods import found_over_time, share_over_time
from rarewood.report._charts.review import review
from rarewood.report._charts.threshold import histogram, precision_recall, roc

_CHARTS: Mapping[str, Any] = {
    "roc": roc,
    "precision_recall": precision_recall,
    "histogram": histogram,
    "calibration": calibration,
    "calibration_near_zero": calibration_near_zero,
}
_OF_SECTIONS: Mapping[str, Mapping[str, Any]] = {
    "gains": {"gains": gains, "lift": lift, "distance": distance},
    "review": {"review": review},
    "cost_curve": {"cost_curve": cost_curve},
    "money": {"money": money},
    "baselines": {"compared": precision_recall_of_all},
    "learning_curve": {"learning_curve": learning_curve},
    "effects": {"effects": effects, "added": added},
    "drift": {"drifted": drifted},
    "periods": {"found_over_time": found_over_time, "share_over_time": share_over_time},
}


def draw(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Everything the template draws. Summaries of earlier releases lack some sections."""
    wanted = dict(_CHARTS)
    for section, charts in _OF_SECTIONS.items():
        wanted |= charts if summary.get(section) else {}
    return {name: chart(summary) for name, chart in wanted.items()}
