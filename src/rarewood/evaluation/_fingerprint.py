"""Short names for the content of data and methods: equal content, equal name, in another process and on another day."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse

_LENGTH = 16  # hexadecimal digits
_NOT_THE_METHOD = ("n_jobs", "verbose", "random_state")  # change no result, or are set by the comparison


def fingerprint(*parts: Any) -> str:
    """One name for several texts, arrays or tables."""
    digest = hashlib.sha256()
    for part in parts:
        for piece in _bytes(part):
            digest.update(len(piece).to_bytes(8, "little"))
            digest.update(piece)
    return digest.hexdigest()[:_LENGTH]


def method_fingerprint(estimator: Any) -> str:
    """Class, parameters and library version of an estimator and of the estimators inside it."""
    return fingerprint(describe(estimator))


def _bytes(part: Any) -> list[bytes]:
    if isinstance(part, str):
        return [part.encode()]
    if sparse.issparse(part):
        rows = part.tocsr()
        return _bytes(rows.data) + _bytes(rows.indices) + _bytes(rows.indptr) + [repr(rows.shape).encode()]
    frame = nw.from_native(part, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        pieces = []
        for column in frame.iter_columns():
            numbers = column.dtype.is_numeric()
            pieces += [f"{column.name}: {column.dtype}".encode()]
            pieces += _bytes(column.to_numpy() if numbers else np.array(column.to_list(), dtype=object))
        return pieces
    array = np.asarray(part)
    head = f"{array.dtype.str} {array.shape}".encode()
    if array.dtype.kind == "O":
        return [head, "\0".join(map(repr, array.ravel().tolist())).encode()]
    return [head, np.ascontiguousarray(array).tobytes()]


def describe(value: Any, above: tuple[int, ...] = ()) -> str:
    """A text that is the same for equal parameters; never an address in memory."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)
    if id(value) in above:
        return "itself"
    inside = (*above, id(value))
    if isinstance(value, type):
        return _class_name(value)
    if isinstance(value, np.generic):
        return describe(value.item(), inside)
    if isinstance(value, Mapping):
        items = sorted((describe(key, inside), describe(item, inside)) for key, item in value.items())
        return f"{{{', '.join(f'{key}: {item}' for key, item in items)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(describe(item, inside) for item in value)}]"
    if isinstance(value, (set, frozenset)):
        return f"set{sorted(describe(item, inside) for item in value)}"
    if hasattr(value, "get_params"):
        return _describe_estimator(value, inside)
    if isinstance(value, np.ndarray) or sparse.issparse(value):
        return f"array {fingerprint(value)}"
    if isinstance(nw.from_native(value, eager_only=True, pass_through=True), nw.DataFrame):
        return f"frame {fingerprint(value)}"
    if isinstance(value, FunctionType):
        return _describe_function(value, inside)
    if isinstance(value, ModuleType) or (callable(value) and hasattr(value, "__name__")):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value.__name__)}"
    return f"{_class_name(type(value))}({_describe_state(value, inside)})"


def _describe_estimator(estimator: Any, above: tuple[int, ...]) -> str:
    params = estimator.get_params(deep=False)
    kept = {name: value for name, value in params.items() if name not in _NOT_THE_METHOD}
    return f"{_class_name(type(estimator))}{describe(kept, above)}"


def _describe_function(function: Any, above: tuple[int, ...]) -> str:
    cells = getattr(function, "__closure__", None) or ()
    held = [_cell_content(cell) for cell in cells]
    extras = [getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None), held]
    return (
        f"{function.__module__}.{function.__qualname__} {_describe_code(function.__code__)} {describe(extras, above)}"
    )


def _cell_content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet filled
        return None


def _describe_code(code: CodeType) -> str:
    constants = [_describe_code(item) if isinstance(item, CodeType) else describe(item) for item in code.co_consts]
    return fingerprint(code.co_code.hex(), *constants, *code.co_names)


def _describe_state(value: Any, above: tuple[int, ...]) -> str:
    """The state that pickle would keep of an object without `get_params`: a splitter, a distribution, a criterion."""
    try:
        return describe(value.__reduce_ex__(4)[1:], above)
    except (
        TypeError
    ):  # not picklable; if all else fails a name that no other process will have, rather than a wrong one
        return describe(vars(value), above) if hasattr(value, "__dict__") else repr(value)


def _class_name(cls: type) -> str:
    package = cls.__module__.partition(".")[0]
    version = getattr(sys.modules.get(package), "__version__", "")
    return f"{cls.__module__}.{cls.__qualname__}" + (f" {version}" if version else "")
