"""Rules as intervals."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from rarewood._validation import import_optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 60  # characters of a rule on one line
_INCHES_PER_LINE = 0.22


def plot_rules(rules: Any, base: float, ax: Axes | None) -> Axes:
    """Precision and its interval per rule, the first on top; a line at the base rate; held-out precision where known."""
    pyplot = import_optional("matplotlib.pyplot", "report", "plotting rules")
    listed = list(rules)
    labels = [textwrap.fill(rule.rule, _WIDTH) for rule in listed]
    if ax is None:
        lines = sum(label.count("\n") + 2 for label in labels)
        _, ax = pyplot.subplots(figsize=(9.0, 1.0 + _INCHES_PER_LINE * max(lines, 5)), layout="constrained")
    assert ax is not None
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
    ax.set_yticks(places, labels, fontsize="small")
    ax.set_ylim(len(listed) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    ax.set_xlabel("precision")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return ax
