"""Contributions as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rarewood._validation import import_optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rarewood.inspection._explanation import Reason

_MORE, _LESS = "#d6453d", "#3b75af"  # towards the class, away from it
_INCHES_PER_LINE = 0.32


def waterfall(reasons: Sequence[Reason], base: float, score: float, label: Any, top: int, ax: Axes | None) -> Axes:
    """From the base value at the bottom to the score at the top, the smallest contributions first."""
    shown = [(f"{reason.column} = {reason.cell}", reason.value) for reason in reasons[:top]]
    if len(reasons) > top:
        shown.append((f"{len(reasons) - top} other columns", sum(reason.value for reason in reasons[top:])))
    ax = _axes(ax, len(shown))
    at = base
    for place, (_, value) in enumerate(reversed(shown)):
        ax.barh(place, value, left=at, color=_MORE if value > 0 else _LESS)
        ax.annotate(f" {value:+.3f} ", (max(at, at + value), place), va="center", fontsize="small")
        at += value
    ax.set_yticks(range(len(shown)), [name for name, _ in reversed(shown)], parse_math=False)
    ax.axvline(base, color="gray", linewidth=0.8, linestyle=":")
    ax.axvline(score, color="black", linewidth=0.8)
    ax.margins(x=0.12)
    ax.set_xlabel(f"probability of {label}: base value {base:.3f}, this row {score:.3f}", parse_math=False)
    return ax


def bars(values: NDArray[np.float64], names: Sequence[str], label: Any, top: int, ax: Axes | None) -> Axes:
    """Mean size of the contributions of each column."""
    sizes = np.abs(values).mean(axis=0)
    order = np.argsort(-sizes, kind="stable")[:top]
    ax = _axes(ax, len(order))
    ax.barh(range(len(order)), sizes[order], color=_MORE)
    _columns_down(ax, [names[column] for column in order])
    ax.set_xlabel(f"mean absolute contribution to the probability of {label}", parse_math=False)
    return ax


def beeswarm(
    values: NDArray[np.float64],
    cells: NDArray[Any],
    nominal: NDArray[np.bool_],
    names: Sequence[str],
    label: Any,
    top: int,
    ax: Axes | None,
) -> Axes:
    """A dot for each row; where many rows agree, dots stand above each other."""
    order = np.argsort(-np.abs(values).mean(axis=0), kind="stable")[:top]
    ax = _axes(ax, len(order))
    spread = float(np.ptp(values[:, order])) or 1.0
    for place, column in enumerate(order.tolist()):
        heights = _stacked(values[:, column], spread / 100.0)
        colours: dict[str, Any] = {"color": "gray"}
        if not nominal[column]:
            colours = {
                "c": _ranks(cells[:, column]),
                "cmap": "coolwarm",
                "vmin": 0.0,
                "vmax": 1.0,
                "plotnonfinite": True,
            }
        ax.scatter(values[:, column], place + heights, s=6, linewidths=0, **colours)
    _columns_down(ax, [names[column] for column in order])
    ax.axvline(0.0, color="gray", linewidth=0.8)
    ax.set_xlabel(
        f"contribution to the probability of {label} (blue: low values of the column, red: high; gray: categories)",
        parse_math=False,
    )
    return ax


def _axes(ax: Axes | None, n_lines: int) -> Axes:
    pyplot = import_optional("matplotlib.pyplot", "report", "plotting contributions")
    if ax is None:
        _, ax = pyplot.subplots(figsize=(8.0, 1.2 + _INCHES_PER_LINE * max(n_lines, 3)), layout="constrained")
    assert ax is not None
    return ax


def _columns_down(ax: Axes, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.invert_yaxis()


def _stacked(values: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """Heights within a line: rows of one bin, from its middle outwards."""
    bins = np.floor(values / width).astype(np.int64)
    heights = np.zeros(len(values))
    for number in np.unique(bins):
        inside = np.flatnonzero(bins == number)
        n = np.arange(len(inside))
        heights[inside] = np.where(n % 2 == 0, 1, -1) * ((n + 1) // 2)
    largest = np.abs(heights).max(initial=0.0)
    return np.asarray(heights * (0.4 / largest)) if largest > 0 else heights


def _ranks(cells: NDArray[Any]) -> NDArray[np.float64]:
    """Of each cell among those of its column, from 0 to 1; NaN for missing values."""
    known = ~np.isnan(cells)
    ranks = np.full(len(cells), np.nan)
    levels, places = np.unique(cells[known], return_inverse=True)
    ranks[known] = places / max(1, len(levels) - 1)
    return ranks
