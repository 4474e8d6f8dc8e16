"""Patterns as bars."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from rarewood._validation import import_optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 60  # characters of a rule on one line
_INCHES_PER_LINE = 0.22


def plot_patterns(patterns: Any, ax: Axes | None) -> Axes:
    """Two bars per pattern, side by side: rows of its class and other rows; the first pattern on top."""
    pyplot = import_optional("matplotlib.pyplot", "report", "plotting patterns")
    labels = [textwrap.fill(pattern.rule, _WIDTH) for pattern in patterns]
    if ax is None:
        lines = sum(label.count("\n") + 2 for label in labels)
        _, ax = pyplot.subplots(figsize=(9.0, 1.0 + _INCHES_PER_LINE * max(lines, 5)), layout="constrained")
    assert ax is not None
    places = list(range(len(patterns)))
    ax.barh(places, patterns.rare, color="tab:red", label="rows of the class")
    ax.barh(places, patterns.rest, left=patterns.rare, color="lightgray", label="other rows")
    for place, value in zip(places, patterns.strength, strict=True):
        ax.annotate(
            f" strength {value:.1f}",
            (patterns.rare[place] + patterns.rest[place], place),
            va="center",
            fontsize="small",
        )
    ax.set_yticks(places, labels, fontsize="small")
    ax.invert_yaxis()
    ax.set_xlim(0, 1.25 * max(patterns.rare + patterns.rest, default=1))
    ax.set_xlabel("rows for which the rule holds")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return ax
