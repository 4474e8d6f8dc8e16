"""The kinds of test that a node makes of a row, one module each: its words, its conditions, what cannot be said of it.

How a test is stored, checked and applied is known to the core; here is what a person reads. To add a kind: a module with a class on
`IntervalTest`, `SetTest` or `FreeTest`, and a line in `NODE_TESTS`.
"""

from rarewood._core import split_kinds
from rarewood._node_tests._base import FreeTest, IntervalTest, NodeTest, SetTest, Tested, Words
from rarewood._node_tests._branches import Branches
from rarewood._node_tests._category_set import CategorySet
from rarewood._node_tests._plane import Plane
from rarewood._node_tests._threshold import Threshold

NODE_TESTS: tuple[NodeTest, ...] = (Threshold(), CategorySet(), Branches(), Plane())

_NUMBERS = {name: number for number, name in enumerate(split_kinds())}
_BY_NUMBER = {_NUMBERS[test.name]: test for test in NODE_TESTS}


def node_test(kind: int) -> NodeTest:
    """The test of a node whose kind, in `Tree.split_kinds`, is `kind`."""
    return _BY_NUMBER[kind]


def number_of(test: NodeTest) -> int:
    """The number of a kind of test in `Tree.split_kinds`."""
    return _NUMBERS[test.name]


__all__ = [
    "NODE_TESTS",
    "FreeTest",
    "IntervalTest",
    "NodeTest",
    "SetTest",
    "Tested",
    "Words",
    "node_test",
    "number_of",
]
