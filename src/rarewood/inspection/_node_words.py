"""The tests of nodes in words.

Every text and picture of a tree takes its wording from here: which child a row goes to, with the names of columns and
categories, missing values included. Each kind of test words itself: see `_node_tests`.
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
from rarewood._node_tests import NodeTest, Tested, Words, node_test
from rarewood._tables import Columns
from rarewood._validation import Integer, check_parameter, rarest_class
from rarewood._wording import number_in_words


@dataclass(frozen=True)
class Branch:
    """A child of a node and the condition under which a row goes there."""

    child: int
    condition: str


@dataclass(frozen=True)
class NodeWords:
    """A tree with the names that its tests are written in.

    Missing values are mentioned for columns in which training saw some.
    """

    tree: Tree
    features: Sequence[str]
    classes: Sequence[str]
    columns: Columns
    decimals: int

    @classmethod
    def of(cls, estimator: Any, feature_names: Any, class_names: Any, decimals: int) -> NodeWords:
        """Read names from the fitted estimator unless given; check that given ones are as many as needed."""
        tree = _tree_of(estimator)
        check_parameter("decimals", decimals, Integer(0, 20))
        known = getattr(estimator, "feature_names_in_", [f"x{index}" for index in range(tree.n_features)])
        return cls(
            tree,
            _names("feature_names", feature_names, known),
            _names("class_names", class_names, estimator.classes_),
            estimator._columns,
            decimals,
        )

    @cached_property
    def _words(self) -> Words:
        return Words(self.features, self.columns, self.decimals)

    @cached_property
    def _arrays(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        return self.tree.split_kinds, self.tree.feature, self.tree.children_left

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
        """The children of a node with their conditions; none for a leaf."""
        if not self.n_children[node]:
            return []
        test, tested, missing = self._test(node)
        conditions = test.conditions(tested, self._words, missing)
        return [Branch(child, condition) for child, condition in zip(self.children(node), conditions, strict=True)]

    def question(self, node: int) -> str:
        """What a node asks of a row: the condition of the first branch, or the column of a multiway split."""
        test, tested, missing = self._test(node)
        return test.question(tested, self._words, missing)

    def answers(self, node: int) -> list[str]:
        """The answer to the question that leads to each child."""
        test, tested, missing = self._test(node)
        return test.answers(tested, self._words, missing)

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

    def _test(self, node: int) -> tuple[NodeTest, Tested, bool]:
        """The test of a node, and whether training saw missing values in the columns it reads."""
        kinds, features, first_children = self._arrays
        tested = Tested(
            int(features[node]),
            self.tree.parameters(node),
            int(self.n_children[node]),
            self.tree.missing_child(node) - int(first_children[node]),
        )
        test = node_test(int(kinds[node]))
        return test, tested, bool(self.columns.has_missing[test.columns(tested)].any())


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
