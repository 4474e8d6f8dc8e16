"""Where to draw the nodes of a tree: children below their parent, no two boxes of a level overlapping, as narrow as that allows.

The method of Reingold and Tilford for boxes of different widths and any number of children: subtrees are laid out from the
bottom up and pushed together until their outlines meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# Left and right edge of a subtree at each level, relative to its root.
Outline = list[tuple[float, float]]


def tidy_centres(children: Mapping[int, Sequence[int]], widths: Mapping[int, float], gap: float) -> dict[int, float]:
    """Horizontal centre of every node, 0 for the root.

    `children` lists parents before their children, the root first. Boxes of one level stay `gap` apart.
    """
    outlines: dict[int, Outline] = {}
    offsets: dict[int, float] = {}  # from the parent
    for node in reversed(list(children)):
        below: Outline = []
        places = []
        for child in children[node]:
            shift = _shift(below, outlines[child], gap)
            places.append(shift)
            below = _merge(below, _moved(outlines.pop(child), shift))
        middle = (places[0] + places[-1]) / 2 if places else 0.0
        offsets.update({child: place - middle for child, place in zip(children[node], places)})
        outlines[node] = [(-widths[node] / 2, widths[node] / 2), *_moved(below, -middle)]
    return _from_root(children, offsets)


def _shift(left: Outline, right: Outline, gap: float) -> float:
    """How far `right` has to move to stand beside `left`."""
    return max((a[1] + gap - b[0] for a, b in zip(left, right)), default=0.0)


def _moved(outline: Outline, by: float) -> Outline:
    return [(left + by, right + by) for left, right in outline]


def _merge(left: Outline, right: Outline) -> Outline:
    """The outline of both; where only one reaches so deep, its own."""
    shared = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(left, right)]
    return shared + left[len(shared) :] + right[len(shared) :]


def _from_root(children: Mapping[int, Sequence[int]], offsets: Mapping[int, float]) -> dict[int, float]:
    centres: dict[int, float] = {}
    for node, below in children.items():
        centres.setdefault(node, 0.0)
        centres.update({child: centres[node] + offsets[child] for child in below})
    return centres
