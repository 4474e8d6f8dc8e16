"""A tree as a picture."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rarewood._validation import NONE, Integer, Number, check_parameter
from rarewood.inspection._layout import tidy_centres
from rarewood.inspection._node_words import NodeWords

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FONT_SIZE = 9.0
# The rest in font sizes.
_LINE = 1.35  # height of a line of text
_PADDING = 0.5  # between a text and the edge of its box
_GAP = 1.4  # between boxes of a level
_ROOM = 4.0  # between levels, for lines and answers
_LEGEND = 4.5  # below the tree

_WRAP = 40  # characters in a line of a question
_MOST_COUNTS = 3  # classes whose counts are written into a box
_LARGEST_INCHES = 80.0
_COLOURS = ("#f6f6f4", "#fdd49e", "#f58b4c", "#e0512f")  # of a rising share, light enough for black text


def plot_tree(
    estimator: Any,
    *,
    ax: Axes | None = None,
    max_depth: int | None = None,
    feature_names: Any = None,
    class_names: Any = None,
    decimals: int = 3,
    fontsize: float | None = None,
) -> Axes:
    """Plot a fitted tree.

    Each inner node shows its test, with "yes" to the left; a multiway node shows its column, and its lines are labelled
    with the categories. The colour of a box is the share of the rarest class among its rows, the width of a line the
    weight of the rows that take it.

    Parameters
    ----------
    estimator : TreeClassifier
        A fitted tree.
    ax : matplotlib Axes, default=None
        Where to draw; the text shrinks until the tree fits. None makes a new figure that is large enough.
    max_depth : int, default=None
        Nodes below this depth are left out. None draws all.
    feature_names : list of str, default=None
        Names of the columns; None takes those of the training table, or x0, x1, ...
    class_names : list of str, default=None
        Names of the classes in the order of `classes_`; None takes the labels.
    decimals : int, default=3
        Digits after the decimal point.
    fontsize : float, default=None
        Size of the text in points. None takes 9, or less if the tree would not fit otherwise.

    Returns
    -------
    matplotlib Axes
        What was drawn on.

    See Also
    --------
    export_text : The same as text.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rarewood import TreeClassifier
    >>> from rarewood.inspection import plot_tree
    >>> iris = load_iris()
    >>> tree = TreeClassifier(max_depth=2).fit(iris.data, iris.target)
    >>> ax = plot_tree(tree, feature_names=iris.feature_names, class_names=iris.target_names)
    >>> ax.figure.savefig("tree.png")  # doctest: +SKIP
    """
    check_parameter("max_depth", max_depth, NONE, Integer(1))
    check_parameter("fontsize", fontsize, NONE, Number(0.0, open_low=True))
    rules = NodeWords.of(estimator, feature_names, class_names, decimals)
    pyplot = _import_pyplot()
    picture = _Picture(rules, _placed_boxes(rules, max_depth, fontsize or _FONT_SIZE), fontsize or _FONT_SIZE)
    if ax is None:
        ax = pyplot.figure(figsize=picture.inches()).add_axes((0, 0, 1, 1))
    picture.draw(ax, shrink=fontsize is None)
    return ax


def _import_pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot_tree needs matplotlib; install it with: pip install matplotlib") from error
    return pyplot


@dataclass(frozen=True)
class _Box:
    """A node: what it says, what the line to it says, and where it stands. Lengths in points, y grows downwards."""

    text: str
    answer: str
    children: range
    x: float
    y: float
    width: float
    height: float


def _placed_boxes(rules: NodeWords, max_depth: int | None, fontsize: float) -> dict[int, _Box]:
    levels, children, answers = _visible(rules, max_depth)
    texts = {node: _box_text(rules, node, truncated=not children[node]) for node in children}
    sizes = {node: _box_size(text, fontsize) for node, text in texts.items()}
    widths = {node: max(sizes[node][0], _box_size(answers[node], fontsize)[0]) for node in children}
    centres = tidy_centres(children, widths, _GAP * fontsize)
    heights = [
        max(sizes[node][1] for node in children if levels[node] == level) for level in range(max(levels.values()) + 1)
    ]
    tops = np.concatenate([[0.0], np.cumsum(np.array(heights) + _ROOM * fontsize)])
    return {
        node: _Box(
            texts[node],
            answers[node],
            children[node],
            centres[node],
            float(tops[levels[node]] + heights[levels[node]] / 2),
            widths[node],
            sizes[node][1],
        )
        for node in children
    }


def _visible(rules: NodeWords, max_depth: int | None) -> tuple[dict[int, int], dict[int, range], dict[int, str]]:
    """Level, drawn children and incoming answer of every node to draw, parents first."""
    levels, children, answers = {0: 0}, {}, {0: ""}
    queue = [0]
    for node in queue:
        children[node] = rules.children(node) if max_depth is None or levels[node] < max_depth else range(0)
        if children[node]:
            queue.extend(children[node])
            levels.update(dict.fromkeys(children[node], levels[node] + 1))
            answers.update(zip(children[node], rules.answers(node)))
    return levels, children, answers


def _box_text(rules: NodeWords, node: int, truncated: bool) -> str:
    if not rules.children(node):
        return f"class: {rules.decision(node)}\n{_counts(rules, node)}"
    question = "\n".join(textwrap.wrap(rules.question(node), _WRAP, break_on_hyphens=False))
    below = f"\n... {rules.n_below(node)} nodes below" if truncated else ""
    return f"{question}\n{_counts(rules, node)}{below}"


def _counts(rules: NodeWords, node: int) -> str:
    if len(rules.classes) <= _MOST_COUNTS:
        return rules.class_counts(node)
    weight = rules.number(rules.counts[node].sum())
    return f"{weight} cases, {rules.rare_share[node]:.1%} class {rules.rare_class}"


def _box_size(text: str, fontsize: float) -> tuple[float, float]:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=fontsize)
    lines = text.split("\n")
    width = max(text_to_path.get_text_width_height_descent(line, font, ismath=False)[0] for line in lines)
    padding = 2 * _PADDING * fontsize
    return width + padding, len(lines) * _LINE * fontsize + padding


@dataclass(frozen=True)
class _Picture:
    """Boxes ready to draw."""

    rules: NodeWords
    boxes: dict[int, _Box]
    fontsize: float

    def limits(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top with a margin, and room for the legend below."""
        margin = self.fontsize
        boxes = self.boxes.values()
        left = min(box.x - box.width / 2 for box in boxes) - margin
        right = max(box.x + box.width / 2 for box in boxes) + margin
        bottom = max(box.y + box.height / 2 for box in boxes) + margin + _LEGEND * self.fontsize
        return left, max(right, left + 24 * self.fontsize), bottom, -margin

    def inches(self) -> tuple[float, float]:
        left, right, bottom, top = self.limits()
        return min((right - left) / 72, _LARGEST_INCHES), min((bottom - top) / 72, _LARGEST_INCHES)

    def draw(self, ax: Axes, shrink: bool) -> None:
        from matplotlib.colors import LinearSegmentedColormap, PowerNorm

        left, right, bottom, top = self.limits()
        ax.set(xlim=(left, right), ylim=(bottom, top))
        ax.set_axis_off()
        fontsize = self.fontsize * (self._scale(ax) if shrink else 1.0)
        # The square root tells shares near zero apart, where a rare class lives.
        norm, colours = PowerNorm(0.5, 0.0, 1.0), LinearSegmentedColormap.from_list("share", _COLOURS)
        for box in self.boxes.values():
            self._draw_lines(ax, box, fontsize)
        for node, box in self.boxes.items():
            self._draw_box(ax, node, box, colours(norm(self.rules.rare_share[node])), fontsize)
        self._draw_legend(ax, norm, colours, fontsize)

    def _scale(self, ax: Axes) -> float:
        """How much smaller than wanted the text must be to fit into the axes."""
        extent = ax.get_window_extent()
        per_point = ax.figure.dpi / 72
        left, right, bottom, top = self.limits()
        return min(1.0, extent.width / per_point / (right - left), extent.height / per_point / (bottom - top))

    def _draw_lines(self, ax: Axes, box: _Box, fontsize: float) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        weights = self.rules.counts.sum(axis=1)
        codes = [Path.MOVETO, Path.LINETO, *3 * [Path.CURVE4], Path.LINETO]
        for child in box.children:
            below = self.boxes[child]
            # From middle to middle, under the boxes: straight down, a curve between the levels, straight down.
            start, end = box.y + box.height / 2, below.y - below.height / 2 - 1.7 * self.fontsize
            turn = (start + end) / 2
            xs = [box.x, box.x, box.x, below.x, below.x, below.x]
            line = Path(list(zip(xs, [box.y, start, turn, turn, end, below.y])), codes)
            share = weights[child] / weights[0] if weights[0] > 0 else 0.0
            ax.add_patch(PathPatch(line, edgecolor="0.7", facecolor="none", linewidth=(0.08 + 0.4 * share) * fontsize))
            self._draw_answer(ax, below, fontsize)

    def _draw_answer(self, ax: Axes, box: _Box, fontsize: float) -> None:
        above = (box.height / 2 / self.fontsize + 1.0) * fontsize
        ax.annotate(
            box.answer,
            (box.x, box.y),
            (0, above),
            textcoords="offset points",
            fontsize=fontsize,
            color="0.3",
            ha="center",
            va="center",
            parse_math=False,
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
        )

    def _draw_box(self, ax: Axes, node: int, box: _Box, colour: Any, fontsize: float) -> None:
        is_leaf = not self.rules.children(node)
        ax.text(
            box.x,
            box.y,
            box.text,
            fontsize=fontsize,
            linespacing=1.2,
            ha="center",
            va="center",
            parse_math=False,
            bbox={
                "boxstyle": f"{'round' if is_leaf else 'square'},pad={_PADDING}",
                "facecolor": colour,
                "edgecolor": "0.25" if is_leaf else "0.6",
                "linewidth": 0.1 * fontsize,
            },
        )

    def _draw_legend(self, ax: Axes, norm: Any, colours: Any, fontsize: float) -> None:
        from matplotlib.cm import ScalarMappable

        left, _, bottom, _ = self.limits()
        unit = self.fontsize
        bar = ax.inset_axes((left + 2 * unit, bottom - 2.4 * unit, 14 * unit, 0.8 * unit), transform=ax.transData)
        legend = ax.figure.colorbar(
            ScalarMappable(norm, colours), cax=bar, orientation="horizontal", ticks=[0, 0.1, 0.5, 1]
        )
        legend.set_ticklabels(["0%", "10%", "50%", "100%"], fontsize=0.85 * fontsize)
        bar.tick_params(length=0.2 * fontsize, width=0.06 * fontsize, pad=0.2 * fontsize)
        bar.set_title(
            f"share of class {self.rules.rare_class}",
            fontsize=fontsize,
            loc="left",
            pad=0.4 * fontsize,
            parse_math=False,
        )
