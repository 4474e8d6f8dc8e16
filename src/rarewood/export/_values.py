"""Parameters, labels and categories as JSON and arrays, and back.

What JSON has no word for is an object with a single key that says what it is; docs/format-v1.md lists them. No value names code
to run: criteria and estimators are looked up in registries.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood import criteria
from rarewood._tables.kept_values import (
    PLAIN,
    TAGS,
    is_kept,
    is_plain,
    pandas_parts,
    plain_value,
    read_value,
    written,
)
from rarewood._validation import import_optional
from rarewood.exceptions import ModelFileError
from rarewood.export._container import Contents, can_hold
from rarewood.export._kinds import class_named, make_unfitted, name_of, parameters_of

Told = dict[str, Any]  # a description, as JSON holds it

MOST_NESTED = 32

_MOST_BITS = 64
_MOST_OF_ONE_HASH = 50  # values that are not equal


@dataclass
class Writer:
    """Collects the arrays of a file while values are described."""

    arrays: list[NDArray[Any]] = field(default_factory=list)
    memory: bool = True  # whether models take along what they remember of their training rows

    def add(self, array: NDArray[Any]) -> int:
        """Keep an array; its number."""
        self.arrays.append(array)
        return len(self.arrays) - 1

    def value(self, value: Any, where: str, depth: int = 0) -> Any:
        """Anything a parameter may be; `where` says whose, for the error."""
        if depth > MOST_NESTED:
            raise ModelFileError(f"{where} is nested too deeply for a model file.")
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return str(value)
        if isinstance(value, int):
            return _of_few_bits(int(value), where)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else {"float": repr(float(value))}
        if isinstance(value, (list, tuple)):
            items = [self.value(item, where, depth + 1) for item in value]
            return items if isinstance(value, list) else {"tuple": items}
        if isinstance(value, dict):
            return {"dict": [[self.value(each, where, depth + 1) for each in pair] for pair in value.items()]}
        if isinstance(value, np.ndarray):
            return self.values(value, where)
        if isinstance(value, criteria.Criterion):
            return self._criterion(value, where)
        if name_of(value) is not None:
            given = parameters_of(value)
            described = {name: self.value(each, f"{where}: {name}", depth + 1) for name, each in given.items()}
            return {"estimator": name_of(value), "parameters": described}
        raise ModelFileError(_cannot_hold(value, where))

    def _criterion(self, criterion: criteria.Criterion, where: str) -> dict[str, Any]:
        if criteria.REGISTRY.get(type(criterion).name) is not type(criterion):
            raise ModelFileError(_cannot_hold(criterion, where))
        given = {each.name: self.value(getattr(criterion, each.name), where) for each in fields(criterion)}
        return {"criterion": criterion.name, "parameters": given}

    def values(self, values: NDArray[Any], where: str) -> dict[str, Any]:
        """Labels, categories or names: an array of numbers, truth values or text, or of such Python objects."""
        if can_hold(values):
            return {"array": self.add(values)}
        if values.dtype != object or values.ndim != 1:
            raise ModelFileError(f"{where} is an array of {values.dtype}, which a model file cannot hold.")
        items = values.tolist()
        if items and all(isinstance(item, str) for item in items):
            return self._texts(items)
        for item in items:
            if not is_kept(item):
                raise ModelFileError(
                    f"{where} has the value {item!r:.60} of type {type(item).__name__}; a model file can hold numbers, text, booleans, "
                    "dates and times. Convert the values, for example with astype(str), and fit again."
                )
        return {"objects": [self._cell(item, where) for item in items]}

    def _cell(self, cell: Any, where: str) -> Any:
        """A value that `is_kept`."""
        cell = plain_value(cell)
        if isinstance(cell, tuple):
            return {"tuple": [self._cell(each, where) for each in cell]}
        of_pandas = pandas_parts(cell)
        if of_pandas is not None:
            return {of_pandas[0]: [self._cell(each, where) for each in of_pandas[1]]}
        found = None if is_plain(cell) else written(cell)
        return self.value(cell, where) if found is None else {found[0]: found[1]}

    def _texts(self, items: list[str]) -> dict[str, Any]:
        encoded = [item.encode("utf-8", "surrogatepass") for item in items]
        lengths = np.array([len(each) for each in encoded], dtype=np.int64)
        return {"texts": [self.add(np.frombuffer(b"".join(encoded), dtype=np.uint8)), self.add(lengths)]}


@dataclass
class Reader:
    """Makes values again."""

    contents: Contents

    def value(self, told: Any, depth: int = 0) -> Any:
        """What `Writer.value` described."""
        if depth > MOST_NESTED:
            raise ModelFileError("a value is nested too deeply.")
        if told is None or isinstance(told, (bool, int, float, str)):
            return told
        if isinstance(told, list):
            return [self.value(item, depth + 1) for item in told]
        if not isinstance(told, dict):
            raise ModelFileError(f"a value is not valid: {str(told)[:80]}")
        if told.keys() == {"criterion", "parameters"}:
            return self._criterion(told)
        if told.keys() == {"estimator", "parameters"}:
            return self._estimator(told, depth)
        return self._tagged(told, depth)

    def _tagged(self, told: dict[str, Any], depth: int) -> Any:
        if len(told) != 1:
            raise ModelFileError(f"a value is not valid: {str(told)[:80]}")
        ((tag, inside),) = told.items()
        if tag == "float" and inside in ("nan", "inf", "-inf"):
            return float(inside)
        if tag == "tuple" and isinstance(inside, list):
            return tuple(self.value(item, depth + 1) for item in inside)
        if tag == "dict" and isinstance(inside, list):
            return dict(self._pair(pair, depth) for pair in inside)
        return self.values(told)

    def _pair(self, pair: object, depth: int) -> tuple[Any, Any]:
        if not isinstance(pair, list) or len(pair) != 2:
            raise ModelFileError(f"an entry of a dictionary is not valid: {str(pair)[:80]}")
        key = self.value(pair[0], depth + 1)
        if not _is_scalar(key):
            raise ModelFileError(f"the key of a dictionary is not valid: {str(key)[:80]}")
        return key, self.value(pair[1], depth + 1)

    def _criterion(self, told: dict[str, Any]) -> criteria.Criterion:
        name = told["criterion"]
        if not isinstance(name, str) or name not in criteria.REGISTRY:
            raise ModelFileError(
                f"the file names the criterion {str(name)[:40]!r}, which this version of rarewood does not have."
            )
        return criteria.REGISTRY[name](**self.parameters(told["parameters"]))

    def _estimator(self, told: dict[str, Any], depth: int) -> Any:
        given = told["parameters"]
        if not isinstance(given, dict):
            raise ModelFileError("the parameters of an estimator are not valid.")
        chosen = {name: self.value(each, depth + 1) for name, each in given.items()}
        return make_unfitted(class_named(told["estimator"]), chosen)

    def parameters(self, told: object) -> dict[str, Any]:
        """Named values."""
        if not isinstance(told, dict):
            raise ModelFileError("the parameters are not valid.")
        return {name: self.value(each) for name, each in told.items()}

    def values(self, told: object) -> NDArray[Any]:
        """What `Writer.values` described, as an array of its own."""
        if not isinstance(told, dict) or len(told) != 1:
            raise ModelFileError(f"a list of values is not valid: {str(told)[:80]}")
        ((tag, inside),) = told.items()
        if tag == "array":
            return self.contents.take(inside).copy()
        if tag == "texts" and isinstance(inside, list) and len(inside) == 2:
            items = self._texts(self.contents.take(inside[0]), self.contents.take(inside[1]))
        elif tag == "objects" and isinstance(inside, list):
            items = [self._cell(item) for item in inside]
            _refuse_collisions(items)
        else:
            raise ModelFileError(f"a list of values is not valid: {str(told)[:80]}")
        return np.fromiter(items, dtype=object, count=len(items))

    def _cell(self, told: Any, depth: int = 0) -> Any:
        """What `Writer._cell` described."""
        if depth > MOST_NESTED:
            raise ModelFileError("a value is nested too deeply.")
        if isinstance(told, dict) and len(told) == 1:
            ((tag, inside),) = told.items()
            if tag in TAGS:
                try:
                    return read_value(tag, inside)
                except ValueError as error:
                    raise ModelFileError(f"a value of type {tag} is not valid: {str(inside)[:80]}") from error
            if tag in ("tuple", "interval", "period") and isinstance(inside, list):
                parts = tuple(self._cell(each, depth + 1) for each in inside)
                return parts if tag == "tuple" else _of_pandas(tag, parts)
        value = self.value(told, depth)
        if not _is_scalar(value):
            raise ModelFileError("a list of values holds entries of another type.")
        return value

    def _texts(self, characters: NDArray[Any], lengths: NDArray[Any]) -> list[str]:
        if characters.dtype != np.uint8 or lengths.dtype != np.int64 or characters.ndim != 1 or lengths.ndim != 1:
            raise ModelFileError("a list of texts has arrays of the wrong type.")
        raw, sizes = characters.tobytes(), lengths.tolist()
        if any(size < 0 for size in sizes) or sum(sizes) != len(raw):
            raise ModelFileError("a list of texts does not fit its characters.")
        items, begin = [], 0
        for size in sizes:
            items.append(raw[begin : begin + size].decode("utf-8", "surrogatepass"))
            begin += size
        return items


def expect(value: object, kind: type[Any]) -> Any:
    """The value, which a file must hold as this type."""
    if not isinstance(value, kind):
        raise ModelFileError(f"the file has {str(value)[:40]!r} where {kind.__name__} should be.")
    return value


def check_distinct(values: NDArray[Any], what: str) -> NDArray[Any]:
    """Raise unless these are different values in one dimension, none of them missing."""
    items = values.tolist() if values.ndim == 1 else []
    if values.ndim != 1 or len(set(items)) != len(items) or any(item is None or item != item for item in items):
        raise ModelFileError(f"{what} are not all different.")
    return values


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, PLAIN)


def _refuse_collisions(items: list[Any]) -> None:
    """Raise where many values have one hash, which an attacker can choose for numbers of many digits: dictionaries would take forever."""
    hashes, counts = np.unique(np.array([hash(item) for item in items], dtype=np.int64), return_counts=True)
    if len(hashes) and counts.max() > _MOST_OF_ONE_HASH:
        raise ModelFileError("a list of values holds values that were made to be hard to tell apart.")


def _of_pandas(tag: str, parts: tuple[Any, ...]) -> Any:
    pandas = import_optional("pandas", "data", "a model with intervals or periods as categories")
    try:
        if tag == "period":
            begin, length = parts
            return pandas.Period(expect(begin, str), expect(length, str))
        left, right, closed = parts
        of = {datetime: pandas.Timestamp, timedelta: pandas.Timedelta}.get(type(left), lambda end: end)
        return pandas.Interval(of(left), of(right), closed)
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        raise ModelFileError(f"a value of type {tag} is not valid: {str(parts)[:80]}") from error


def _of_few_bits(value: int, where: str) -> int | float:
    """The number itself, or the float that is the same number."""
    if value.bit_length() >= _MOST_BITS:
        with suppress(OverflowError):
            if float(value) == value:
                return float(value)
        raise ModelFileError(f"{where} has the number {str(value)[:30]}; a model file holds numbers of up to 63 bits.")
    return value


def _cannot_hold(value: Any, where: str) -> str:
    if isinstance(value, np.random.RandomState):
        return (
            f"{where} is a random generator, which a model file does not hold. The fitted model no longer needs it: set "
            "random_state=None or a number with set_params before saving."
        )
    if callable(value) and not hasattr(value, "get_params"):
        name = getattr(value, "__name__", type(value).__name__)
        return (
            f"{where} is the Python function {name!r}; a model file holds no code. The fitted model no longer needs "
            "it: replace it by a name with set_params before saving, or pickle the model."
        )
    return (
        f"{where} is {type(value).__module__}.{type(value).__name__}, which a model file cannot hold: it holds the trees, "
        "forests, decompositions, rankings, samplers and criteria of rarewood, and pipelines of them. Pickle the model instead."
    )
