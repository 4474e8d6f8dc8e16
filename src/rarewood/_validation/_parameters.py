"""Parameter checks stated as data.

An estimator lists what each of its parameters accepts; `check_parameters` compares and words the error: what is wrong,
what was given, what is accepted. A value of the wrong kind is a `TypeError`, a value out of range a `ValueError`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np


class Constraint(Protocol):
    """One kind of value that a parameter accepts."""

    def has_kind(self, value: object) -> bool: ...

    def has_range(self, value: Any) -> bool: ...

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Missing:
    """The value None."""

    def has_kind(self, value: object) -> bool:
        return value is None

    def has_range(self, value: Any) -> bool:  # noqa: ARG002
        return True

    def __str__(self) -> str:
        return "None"


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]

    def has_kind(self, value: object) -> bool:
        return isinstance(value, str)

    def has_range(self, value: Any) -> bool:
        return value in self.words

    def __str__(self) -> str:
        return " or ".join(repr(word) for word in self.words)


@dataclass(frozen=True)
class Integer:
    """A whole number in `low <= value <= high`; True and False are not numbers here."""

    low: int
    high: int = 2**31 - 1

    def has_kind(self, value: object) -> bool:
        return isinstance(value, Integral) and not _is_bool(value)

    def has_range(self, value: Any) -> bool:
        return bool(self.low <= value <= self.high)

    def __str__(self) -> str:
        return f"an integer of at least {self.low}"


@dataclass(frozen=True)
class Number:
    """A finite real number; each end is open or closed."""

    low: float
    high: float = math.inf
    open_low: bool = False

    def has_kind(self, value: object) -> bool:
        return isinstance(value, Real) and not _is_bool(value)

    def has_range(self, value: Any) -> bool:
        try:
            is_finite = math.isfinite(value)
        except OverflowError:  # an integer beyond all floats
            is_finite = False
        above = value > self.low if self.open_low else value >= self.low
        return bool(is_finite and above and value <= self.high)

    def __str__(self) -> str:
        bounds = f"{'above' if self.open_low else 'of at least'} {self.low:g}"
        if self.high < math.inf:
            bounds += f" and at most {self.high:g}"
        return f"a finite number {bounds}"


@dataclass(frozen=True)
class Fraction(Number):
    """A share written as a float: 1.0 is everything, while the integer 1 would be a count."""

    low: float = 0.0
    high: float = 1.0
    open_low: bool = True

    def has_kind(self, value: object) -> bool:
        return super().has_kind(value) and not isinstance(value, Integral)

    def __str__(self) -> str:
        return "a float above 0 and at most 1"


@dataclass(frozen=True)
class Instance:
    """An object of given types."""

    types: tuple[type, ...]
    words: str

    def has_kind(self, value: object) -> bool:
        return isinstance(value, self.types) and not _is_bool(value)

    def has_range(self, value: Any) -> bool:  # noqa: ARG002
        return True

    def __str__(self) -> str:
        return self.words


NONE = Missing()
SEED: tuple[Constraint, ...] = (
    NONE,
    Integer(0, 2**32 - 1),
    Instance((np.random.RandomState,), "a numpy.random.RandomState"),
)


def check_parameters(values: Mapping[str, object], accepted: Mapping[str, tuple[Constraint, ...]]) -> None:
    """Raise for the first of `values` that none of its constraints accepts; names without constraints pass."""
    for name, constraints in accepted.items():
        check_parameter(name, values[name], *constraints)


def check_parameter(name: str, value: object, *constraints: Constraint) -> None:
    """Raise unless one of `constraints` accepts `value`."""
    of_kind = [constraint for constraint in constraints if constraint.has_kind(value)]
    if any(constraint.has_range(value) for constraint in of_kind):
        return
    error = ValueError if of_kind else TypeError
    kind = "" if of_kind else f" ({type(value).__name__})"
    wanted = ", ".join(str(constraint) for constraint in constraints)
    raise error(f"{name}={value!r}{kind} is not accepted; give {wanted}.")


def _is_bool(value: object) -> bool:
    return isinstance(value, (bool, np.bool_))
