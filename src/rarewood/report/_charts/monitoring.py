"""New rows from period to period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rarewood._pages.axes import Axes, nice_above
from rarewood.report._charts.periods import dots, ticks_of

Groups = Sequence[Mapping[str, Any]]


def shares_over_time(groups: Groups) -> dict[str, Any]:
    """The estimated share of the rare class with its interval, beside the share before; and that by labels, where there are any."""
    rows = [
        {
            "place": group["place"],
            "share": [group["share"][key] for key in ("value", "low", "high")],
            "labels": group["labels"]["share"] if group["labels"] else None,
            "label": group["label"],
        }
        for group in groups
    ]
    before = groups[0]["share"]["before"]
    largest = max(max(row["share"][2], (row["labels"] or [0, 0, 0])[2], before) for row in rows)
    axes, heights = _axes(rows, largest)
    return {
        "axes": axes,
        "ticks": ticks_of(rows, axes),
        "heights": heights,
        "share": dots(rows, "share", axes, -0.07 if any(row["labels"] for row in rows) else 0.0),
        "labels": dots(rows, "labels", axes, 0.07),
        "before": axes.path([(0.0, before), (axes.x_limit, before)]),
    }


def alarms_over_time(groups: Groups) -> dict[str, Any]:
    """Alarms as a share of the rows, and the range that is expected."""
    rows = [
        {
            "place": group["place"],
            "label": group["label"],
            "share": [group["alarms"]["n"] / group["n_rows"]] * 3,
            "range": [group["alarms"][key] / group["n_rows"] for key in ("expected", "low", "high")],
        }
        for group in groups
    ]
    axes, heights = _axes(rows, max(max(row["range"][2], row["share"][0]) for row in rows))
    return {
        "axes": axes,
        "ticks": ticks_of(rows, axes),
        "heights": heights,
        "share": dots(rows, "share", axes, 0.0),
        "range": dots(rows, "range", axes, 0.12),
    }


def _axes(rows: Groups, largest: float) -> tuple[Axes, list[tuple[float, str]]]:
    limit = min(nice_above(1000 * largest) / 1000, 1.0)
    axes = Axes(x_limit=rows[-1]["place"] + 1.0, y_limit=limit)
    return axes, [(axes.y(limit * i / 4), f"{25 * limit * i:g} %") for i in range(5)]
