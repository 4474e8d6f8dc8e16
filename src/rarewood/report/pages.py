"""Pages in the style of the report, for the packages above."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from rarewood._pages import page_script
from rarewood.report._charts.columns import draw_drift
from rarewood.report._charts.monitoring import alarms_over_time, shares_over_time
from rarewood.report._render import fill

__all__ = ["monitoring_page"]

_DRAWN = 6  # columns that have drifted


def monitoring_page(summary: Mapping[str, Any]) -> str:
    """A whole HTML document on rows that a model has scored since; it loads nothing."""
    charts: dict[str, Any] = {}
    if summary["periods"] is not None:
        charts["share"] = shares_over_time(summary["periods"]["groups"])
        if summary["alarms"] is not None:
            charts["alarms"] = alarms_over_time(summary["periods"]["groups"])
    charts["drifted"] = draw_drift(summary["columns"] or [])[:_DRAWN]
    made = version("rarewood")
    return fill("monitoring.html", "a page", script=page_script(), **summary, charts=charts, version=made)
