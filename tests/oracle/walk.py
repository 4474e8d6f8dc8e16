"""Walks rows down a compiled tree one by one, reading nothing but the arrays it stores.

A *place* is the coordinate that a hyperplane over a nominal column gives to a category; a category without one was absent
from the node when it was grown.
"""

from dataclasses import dataclass

import numpy as np

HYPERPLANE = 4
KIND_SHIFT = 28  # of the packed word of a node
NO_MAP = 2**32 - 1


@dataclass(frozen=True)
class Line:
    """weights[0] * x[features[0]] + weights[1] * x[features[1]] <= offset goes left."""

    features: tuple[int, int]
    weights: tuple[float, float]
    offset: float
    places: tuple[dict[int, int] | None, dict[int, int] | None]
    unseen_goes_left: bool


@dataclass(frozen=True)
class StoredNode:
    kind: str
    children: int  # number of the first child
    missing_child: int
    feature: int
    threshold: float
    codes: list[int]
    line: Line | None

    def next(self, row):
        """The child a row goes to, None where it stops."""
        if self.kind == "leaf":
            return None
        if self.kind == "hyperplane":
            return self.next_of_line(row)
        x = row[self.feature]
        if np.isnan(x):
            return self.missing_child
        if self.kind == "numeric":
            return self.children + (0 if x <= self.threshold else 1)
        if self.kind == "subset":
            return self.children + (0 if int(x) in self.codes else 1)
        return self.children + self.codes.index(int(x)) if int(x) in self.codes else None

    def next_of_line(self, row):
        cells = [row[feature] for feature in self.line.features]
        if any(np.isnan(cell) for cell in cells):
            return self.missing_child
        at = [cell if places is None else places.get(int(cell)) for cell, places in zip(cells, self.line.places)]
        if None in at:
            is_left = self.line.unseen_goes_left
        else:
            is_left = self.line.weights[0] * at[0] + self.line.weights[1] * at[1] <= self.line.offset
        return self.children + (0 if is_left else 1)


def stored_nodes(tree):
    left, feature, threshold, lines = tree.children_left, tree.feature, tree.threshold, stored_lines(tree)
    return [
        StoredNode(
            tree.split_kind(node),
            int(left[node]),
            tree.missing_child(node),
            int(feature[node]),
            float(threshold[node]),
            tree.categories(node).tolist(),
            lines.get(node),
        )
        for node in range(tree.node_count)
    ]


def stored_lines(tree):
    """The hyperplane of each node that has one."""
    state = tree.__getstate__()
    lines = {}
    for node in np.flatnonzero(state["node_packed"] >> KIND_SHIFT == HYPERPLANE).tolist():
        i = int(state["node_threshold"][node])
        lines[node] = Line(
            (int(state["plane_feature_a"][i]), int(state["plane_feature_b"][i])),
            (float(state["plane_weight_a"][i]), float(state["plane_weight_b"][i])),
            float(state["plane_offset"][i]),
            (stored_places(state, state["plane_map_a"][i]), stored_places(state, state["plane_map_b"][i])),
            bool(state["plane_unseen_left"][i]),
        )
    return lines


def stored_places(state, number):
    if number == NO_MAP:
        return None
    begin, size = int(state["list_begin"][number]), int(state["list_size"][number])
    codes, places = state["category_pool"][begin : begin + 2 * size].reshape(2, size).tolist()
    return dict(zip(codes, places))


def walk(tree, X):
    """Per node the numbers of the rows that reach it, and per row the node in which it stops.

    `X` is what the core sees: nominal columns as codes, NaN where missing.
    """
    nodes = stored_nodes(tree)
    reached = [[] for _ in nodes]
    ends = np.empty(len(X), dtype=int)
    for i, row in enumerate(np.asarray(X, dtype=np.float64).tolist()):
        node = 0
        while node is not None:
            reached[node].append(i)
            ends[i] = node
            node = nodes[node].next(row)
    return [np.array(rows, dtype=int) for rows in reached], ends
