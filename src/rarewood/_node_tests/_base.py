"""What every kind of test can say of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Tree
from rarewood._tables import Columns
from rarewood._wording import missing_in_words, number_in_words, or_missing


@dataclass(frozen=True)
class Words:
    """The names in which tests are written."""

    features: Sequence[str]
    columns: Columns
    decimals: int

    @property
    def categories(self) -> Sequence[NDArray[Any] | None]:
        """Those of each column, None for one of numbers."""
        return self.columns.categories

    def number(self, value: float) -> str:
        """A number rounded to `decimals`, without the zeros at its end, never rounded to nothing."""
        return number_in_words(value, self.decimals)

    def levels(self, column: int, codes: NDArray[np.int64]) -> list[str]:
        """The categories of a nominal column that have these codes."""
        kind = self.columns.kinds[column]
        return [kind.in_words(code, self.decimals) for code in codes.tolist()]

    def bound(self, column: int, value: float) -> str:
        """A number as the values of a column are written."""
        return self.columns.kinds[column].in_words(value, self.decimals)


@dataclass(frozen=True)
class Tested:
    """A node with its test: the column, what else the test knows (`Tree.parameters`), and which child takes missing values."""

    column: int
    parameters: dict[str, Any]
    n_children: int
    missing_place: int


class NodeTest(ABC):
    """A kind of test, in words."""

    name: ClassVar[str]
    """As `Tree.split_kind` calls it."""

    def columns(self, node: Tested) -> list[int]:
        """The columns that it reads."""
        return [node.column]

    def asks_for_a_value(self, node: Tested, words: Words) -> bool:  # noqa: ARG002 - others need them
        """Whether it only tells rows with a value of its column from rows without."""
        return False

    @abstractmethod
    def values(self, node: Tested, words: Words) -> list[str]:
        """For each child, what the values are that lead there; missing values apart."""

    def conditions(self, node: Tested, words: Words, missing: bool) -> list[str]:
        """For each child, which rows go there; `missing`: missing values are worth a word."""
        if self.asks_for_a_value(node, words):
            name = words.features[node.column]
            return [missing_in_words(name, missing=place == node.missing_place) for place in range(node.n_children)]
        return _with_missing(self.values(node, words), node, missing)

    def question(self, node: Tested, words: Words, missing: bool) -> str:
        """What the node asks of a row."""
        return self.conditions(node, words, missing)[0]

    def answers(self, node: Tested, words: Words, missing: bool) -> list[str]:
        """The answer to the question that leads to each child."""
        if self.asks_for_a_value(node, words):
            return ["yes", "no"]
        return ["yes", or_missing("no") if missing and node.missing_place == 1 else "no"]


class IntervalTest(NodeTest):
    """A test whose children ask for numbers in an interval of one column."""

    @abstractmethod
    def intervals(
        self, tree: Tree, nodes: NDArray[np.int64], places: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For child number ``places[i]`` of node ``nodes[i]``, the bounds: above the first, at most the second."""


class SetTest(NodeTest):
    """A test whose children ask for categories of one column."""

    @abstractmethod
    def allowed(self, tree: Tree, node: int, place: int, n_categories: int) -> NDArray[np.bool_]:
        """Which categories go to child number `place` of a node."""


class FreeTest(NodeTest):
    """A test that no conditions on single columns can express."""

    refusal: ClassVar[str]
    """Why there are no patterns of a tree that has one, and what to do."""


def _with_missing(conditions: list[str], node: Tested, missing: bool) -> list[str]:
    return [
        or_missing(condition)
        if missing and place == node.missing_place and not condition.endswith("is missing")
        else condition
        for place, condition in enumerate(conditions)
    ]
