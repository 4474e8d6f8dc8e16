"""Pictures of patterns and of rules."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from rarewood._validation import import_optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 60  # characters of a rule on one line
_INCHES_PER_LINE = 0.22


def plot_patterns(patterns: Any, ax: Axes | None) -> Axes:
    """Two bars per pattern, side by side: rows of its class and other rows; the first pattern on top."""
    labels, ax = _room(patterns, ax, "plotting patterns")
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
    ax.set_yticks(places, labels, fontsize="small", parse_math=False)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.25 * max(patterns.rare + patterns.rest, default=1))
    ax.set_xlabel("rows for which the rule holds")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return ax


def plot_rules(rules: Any, base: float, ax: Axes | None) -> Axes:
    """Precision and its interval per rule, the first on top; a line at the base rate; held-out precision if there is one."""
    listed = list(rules)
    labels, ax = _room(listed, ax, "plotting rules")
    places = np.arange(len(listed))
    precision = np.array([rule.precision for rule in listed])
    reach = np.array([[rule.precision - rule.low for rule in listed], [rule.high - rule.precision for rule in listed]])
    ax.errorbar(
        precision, places, xerr=np.maximum(reach, 0), fmt="o", color="tab:red", label="precision, 90 % interval"
    )
    held = [(rule.held_out_rare, rule.held_out_rest, place) for rule, place in zip(listed, places, strict=True)]
    shown = [(rare / (rare + rest), place) for rare, rest, place in held if rare is not None and rare + rest]
    if shown:
        ax.plot(*zip(*shown, strict=True), "x", color="black", label="held-out rows")
    ax.axvline(base, color="gray", linestyle="--", label="share of the rare class")
    ax.set_yticks(places, labels, fontsize="small", parse_math=False)
    ax.set_ylim(len(listed) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    ax.set_xlabel("precision")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return ax


def _room(patterns: Any, ax: Axes | None, purpose: str) -> tuple[list[str], Axes]:
    """The rules as labels of lines, and axes with room for them."""
    pyplot = import_optional("matplotlib.pyplot", "report", purpose)
    labels = [textwrap.fill(pattern.rule, _WIDTH) for pattern in patterns]
    if ax is None:
        lines = sum(label.count("\n") + 2 for label in labels)
        _, ax = pyplot.subplots(figsize=(9.0, 1.0 + _INCHES_PER_LINE * max(lines, 5)), layout="constrained")
    assert ax is not None
    return labels, ax
