"""The rule of a node in words.

Every text and picture of a tree takes its wording from here: which child a row goes to, said with the names of columns and
categories, missing values included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rarewood._core import Tree
from rarewood._validation import Integer, check_parameter, rarest_class
from rarewood._wording import category_in_words, membership_in_words, missing_in_words, number_in_words, or_missing


@dataclass(frozen=True)
class Branch:
    """A child of a node and the condition under which a row goes there."""

    child: int
    condition: str


@dataclass(frozen=True)
class RuleBook:
    """A tree with the names that its rules are written in.

    `has_missing` tells for which columns missing values are worth a word: those where training saw some.
    """

    tree: Tree
    features: Sequence[str]
    classes: Sequence[str]
    categories: Sequence[NDArray[Any] | None]
    has_missing: NDArray[np.bool_]
    decimals: int

    @classmethod
    def of(cls, estimator: Any, feature_names: Any, class_names: Any, decimals: int) -> RuleBook:
        """Read names from the fitted estimator unless given; check that given ones are as many as needed."""
        tree = _tree_of(estimator)
        check_parameter("decimals", decimals, Integer(0, 20))
        known = getattr(estimator, "feature_names_in_", [f"x{index}" for index in range(tree.n_features)])
        return cls(
            tree,
            _names("feature_names", feature_names, known),
            _names("class_names", class_names, estimator.classes_),
            estimator.categories_,
            estimator._columns.has_missing,
            decimals,
        )

    @cached_property
    def _arrays(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        return self.tree.feature, self.tree.threshold, self.tree.children_left

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """Weighted class counts per node."""
        return self.tree.value

    @cached_property
    def rare_share(self) -> NDArray[np.float64]:
        """Share per node of the class that is rarest at the root."""
        totals = self.counts.sum(axis=1)
        shares = np.zeros(len(totals))
        np.divide(self.counts[:, self._rare], totals, out=shares, where=totals > 0)
        return shares

    @property
    def rare_class(self) -> str:
        """Name of the class that is rarest at the root."""
        return self.classes[self._rare]

    @property
    def _rare(self) -> int:
        return rarest_class(self.counts[0])

    @cached_property
    def n_children(self) -> NDArray[np.int64]:
        """Children per node, 0 at a leaf."""
        return self.tree.n_children

    def children(self, node: int) -> range:
        """The children of a node, which stand side by side; empty for a leaf."""
        first = int(self._arrays[2][node])
        return range(first, first + int(self.n_children[node]))

    def branches(self, node: int) -> list[Branch]:
        """The children of a node with their conditions."""
        taker = self._missing_child(node)
        return [
            Branch(child, _with_missing(condition, child == taker))
            for child, condition in zip(self.children(node), self._conditions(node))
        ]

    def question(self, node: int) -> str:
        """What a node asks of a row: the condition of the first branch, or the column of a multiway split."""
        if self.tree.split_kind(node) == "multiway":
            return self.features[int(self._arrays[0][node])]
        return self.branches(node)[0].condition

    def answers(self, node: int) -> list[str]:
        """The answer to the question that leads to each child."""
        taker = self._missing_child(node)
        if self._asks_for_a_value(node):
            return ["yes", "no"]
        if self.tree.split_kind(node) != "multiway":
            return ["yes", _with_missing("no", self.children(node)[1] == taker)]
        words = self._category_words(node)
        return [
            "missing" if place == len(words) else _with_missing(words[place], child == taker)
            for place, child in enumerate(self.children(node))
        ]

    def n_below(self, node: int) -> int:
        """How many nodes hang below this one."""
        below, stack = -1, [node]
        while stack:
            below += 1
            stack.extend(self.children(stack.pop()))
        return below

    def decision(self, node: int) -> str:
        """The class a node gives to its rows: the heaviest, the first of equals."""
        return self.classes[int(self.counts[node].argmax())]

    def class_counts(self, node: int) -> str:
        """Class names with weighted counts, for example "good 12, bad 3"."""
        return ", ".join(f"{name} {self.number(count)}" for name, count in zip(self.classes, self.counts[node]))

    def number(self, value: float) -> str:
        """A number rounded to `decimals`, without the zeros at its end, never rounded to nothing."""
        return number_in_words(value, self.decimals)

    def _conditions(self, node: int) -> list[str]:
        kind = self.tree.split_kind(node)
        if kind == "hyperplane":
            return self._two_sides(*self._plane(node))
        name = self.features[int(self._arrays[0][node])]
        if self._asks_for_a_value(node):
            return [missing_in_words(name, missing=child == self._missing_child(node)) for child in self.children(node)]
        if kind == "numeric":
            return self._two_sides(name, float(self._arrays[1][node]))
        words = self._category_words(node)
        if kind == "subset":
            return [membership_in_words(name, words, inside=inside) for inside in (True, False)]
        conditions = [f"{name} = {word}" for word in words]
        if len(words) < self.n_children[node]:
            conditions.append(missing_in_words(name, missing=True))
        return conditions

    def _asks_for_a_value(self, node: int) -> bool:
        """Whether a node only tells rows with a value of its column from rows without."""
        kind = self.tree.split_kind(node)
        if kind == "numeric":
            return bool(np.isinf(self._arrays[1][node]))
        levels = self.categories[int(self._arrays[0][node])]
        return kind == "subset" and levels is not None and len(self.tree.categories(node)) in (0, len(levels))

    def _two_sides(self, left_hand: str, bound: float) -> list[str]:
        return [f"{left_hand} <= {self.number(bound)}", f"{left_hand} > {self.number(bound)}"]

    def _plane(self, node: int) -> tuple[str, float]:
        plane: Any = self.tree.hyperplane(node)
        a, b, weight_a, weight_b, offset = plane
        sign = "-" if weight_b < 0 else "+"
        return f"{self.number(weight_a)}*{self._axis(a)} {sign} {self.number(abs(weight_b))}*{self._axis(b)}", offset

    def _axis(self, feature: int) -> str:
        """A column as a coordinate; a hyperplane puts categories in an order of its own."""
        name = self.features[feature]
        return name if self.categories[feature] is None else f"place({name})"

    def _category_words(self, node: int) -> list[str]:
        levels = self.categories[int(self._arrays[0][node])]
        assert levels is not None
        return [category_in_words(levels[code], self.decimals) for code in self.tree.categories(node)]

    def _missing_child(self, node: int) -> int | None:
        """The child that takes missing values, if training saw some in the columns of this node."""
        plane: Any = self.tree.hyperplane(node)
        columns = [self._arrays[0][node]] if plane is None else list(plane[:2])
        return self.tree.missing_child(node) if self.has_missing[columns].any() else None


def _with_missing(condition: str, missing: bool) -> str:
    return or_missing(condition) if missing and not condition.endswith("is missing") else condition


def _names(parameter: str, given: Any, known: Iterable[Any]) -> list[str]:
    names = [str(name) for name in known]
    if given is None:
        return names
    chosen = [str(name) for name in given]
    if isinstance(given, str) or len(chosen) != len(names):
        raise ValueError(f"{parameter} must list {len(names)} names, one for each of {names}; got {given!r}.")
    return chosen


def _tree_of(estimator: Any) -> Tree:
    tree = getattr(estimator, "tree_", None)
    if isinstance(tree, Tree):
        return tree
    if hasattr(estimator, "fit") and not isinstance(estimator, type):
        check_is_fitted(estimator)
    raise TypeError(f"estimator must be a fitted rarewood.TreeClassifier; got {estimator!r}.")
