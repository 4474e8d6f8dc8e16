"""Critical-difference diagrams."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rarewood._validation import import_optional
from rarewood.statistics import AverageRanks, bonferroni_dunn_cd, nemenyi_cd, tied_groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Lengths in lines of text; the rank axis lies at height 0 and everything else below.
_LINE = 1.0
_ABOVE = 4.0  # room for the tick labels, the length of the critical difference and the title
_BAR = 0.42  # between bars of methods that do not differ
_INCHES_PER_LINE = 0.27
_AXIS_INCHES = 4.2
_INCHES_PER_CHARACTER = 0.085
_BAR_COLOUR, _REFERENCE_COLOUR = "#b2421f", "#1f6fb2"


def draw_ranks(ranks: AverageRanks, title: str, *, ax: Axes | None, level: float, reference: str | None) -> Axes:
    """Average ranks on a line, the best to the left; bars join methods that the test cannot tell apart."""
    pyplot = import_optional("matplotlib.pyplot", "report", "plot_ranks")
    k = len(ranks.names)
    difference = (nemenyi_cd if reference is None else bonferroni_dunn_cd)(k, ranks.n_datasets, level)
    ordered = list(ranks.as_dict().items())
    bars = _bars(ranks, difference, reference)
    bars_height = 0.5 + _BAR * len(bars)
    n_left = math.ceil(k / 2)
    height = bars_height + n_left * _LINE + 0.6
    side = _INCHES_PER_CHARACTER * (max(map(len, ranks.names)) + 6)  # for a name and its rank
    if ax is None:
        size = (_AXIS_INCHES + 2 * side, (height + _ABOVE) * _INCHES_PER_LINE)
        ax = pyplot.figure(figsize=size).add_axes((0, 0, 1, 1))
    room = side / _AXIS_INCHES * (k - 1)
    ax.set(xlim=(1 - room, k + room), ylim=(-height, _ABOVE))
    ax.set_axis_off()
    _draw_axis(ax, k)
    test = "Nemenyi" if reference is None else f"Bonferroni-Dunn against {reference}"
    _draw_difference(ax, difference, k, f"critical difference {difference:.2f}")
    headline = f"{title}: average ranks over {ranks.n_datasets} data sets\n{test}, level {level:g}"
    ax.text((1 + k) / 2, _ABOVE - 0.2, headline, ha="center", va="top", fontsize=9, parse_math=False)
    for position, (name, rank) in enumerate(ordered):
        is_left = position < n_left
        line = position if is_left else k - 1 - position
        _draw_method(
            ax, name, rank, -(bars_height + line * _LINE + 0.3), 1 if is_left else k, name == reference, is_left
        )
    for number, (low, high) in enumerate(bars):
        y = -(0.45 + _BAR * number)
        colour = _BAR_COLOUR if reference is None else _REFERENCE_COLOUR
        ax.plot(
            [low - 0.02 * (k - 1) / 4, high + 0.02 * (k - 1) / 4],
            [y, y],
            color=colour,
            linewidth=4,
            solid_capstyle="butt",
        )
    return ax


def _bars(ranks: AverageRanks, difference: float, reference: str | None) -> list[tuple[float, float]]:
    """From which rank to which each bar reaches."""
    if reference is not None:
        centre, k = ranks[reference], len(ranks.names)
        return [(max(1.0, centre - difference), min(float(k), centre + difference))]
    groups = tied_groups(ranks.ranks, difference)
    return [(ranks.ranks[group[0]], ranks.ranks[group[-1]]) for group in groups]


def _draw_axis(ax: Axes, k: int) -> None:
    ax.plot([1, k], [0, 0], color="black", linewidth=1)
    for rank in range(1, k + 1):
        ax.plot([rank, rank], [0, 0.25], color="black", linewidth=1)
        ax.text(rank, 0.4, str(rank), ha="center", va="bottom", fontsize=9)


def _draw_difference(ax: Axes, difference: float, k: int, text: str) -> None:
    """The critical difference as a length above the axis, as far as the axis has room for it."""
    end = min(1 + difference, float(k))
    ax.plot([1, end], [1.75, 1.75], color="0.35", linewidth=1.2)
    for x in (1, end) if 1 + difference <= k else (1,):
        ax.plot([x, x], [1.6, 1.9], color="0.35", linewidth=1.2)
    ax.text(end + 0.05 * (k - 1) / 4, 1.75, text, ha="left", va="center", fontsize=8, color="0.35")


def _draw_method(ax: Axes, name: str, rank: float, y: float, side: int, is_reference: bool, is_left: bool) -> None:
    colour = _REFERENCE_COLOUR if is_reference else "0.25"
    ax.plot([rank, rank, side], [0, y, y], color=colour, linewidth=1, solid_joinstyle="miter")
    gap = 5 if not is_left else -5
    ax.annotate(
        f"{name}  {rank:.2f}" if is_left else f"{rank:.2f}  {name}",
        (side, y),
        (gap, 0),
        textcoords="offset points",
        ha="right" if is_left else "left",
        va="center",
        fontsize=9,
        color=_REFERENCE_COLOUR if is_reference else "black",
        parse_math=False,
    )
