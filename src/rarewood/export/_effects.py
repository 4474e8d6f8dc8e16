"""Effects of columns in model files."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions import ColumnEffects, PairEffect
from rarewood.exceptions import ModelFileError
from rarewood.export._container import is_count
from rarewood.export._values import Reader, Writer

EFFECTS = (
    "column effects"  # stands among the families without a weight, so that releases without effects refuse the file
)
_MOST_BOUNDS = 254  # steps are numbered by bytes


def write_effects(writer: Writer, effects: ColumnEffects) -> dict[str, Any]:
    return {
        "n_bounds": writer.add(np.array([len(each) for each in effects.bounds], dtype=np.int64)),
        "bounds": writer.add(np.concatenate(effects.bounds)),
        "values": writer.add(np.concatenate(effects.values)),
        "pairs": [
            {
                "columns": list(pair.columns),
                "bounds": list(map(writer.add, pair.bounds)),
                "values": writer.add(pair.values),
            }
            for pair in effects.pairs
        ],
        "gain": writer.value(effects.gain, "a gain"),
        "n_rows": effects.n_rows,
    }


def read_effects(reader: Reader, told: object, n_categories: NDArray[Any]) -> ColumnEffects:
    if not isinstance(told, dict):
        raise ModelFileError("the effects of columns are missing.")
    sizes, bounds, values = (_numbers(reader, told.get(name)) for name in ("n_bounds", "bounds", "values"))
    gain, n_rows, pairs = reader.value(told.get("gain")), told.get("n_rows"), told.get("pairs")
    if not is_count(n_rows) or not isinstance(gain, float) or not isinstance(pairs, list):
        raise ModelFileError("the effects of columns are not valid.")
    if sizes.dtype != np.int64 or sizes.shape != n_categories.shape or bounds.ndim != 1 or values.dtype != np.float64:
        raise ModelFileError("the effects of columns are not valid.")
    fits = sizes.min(initial=0) >= 0 and sizes.max(initial=0) <= len(bounds) and sizes.sum() == len(bounds)
    if not fits or values.shape != (len(bounds) + 2 * len(sizes),):
        raise ModelFileError("the effects of columns do not fit the columns.")
    if sizes.max(initial=0) > _MOST_BOUNDS:
        raise ModelFileError(f"the effects of a column have more than {_MOST_BOUNDS} bounds.")
    if any(size not in (0, categories) for categories, size in zip(n_categories, sizes, strict=True) if categories > 0):
        raise ModelFileError("the effects of a nominal column do not fit its categories.")
    steps = tuple(map(_ascending, np.split(bounds, np.cumsum(sizes)[:-1])))
    each = tuple(np.split(values, np.cumsum(sizes + 2)[:-1]))
    return ColumnEffects(steps, each, tuple(_pair(reader, pair, n_categories) for pair in pairs), gain, n_rows)


def _pair(reader: Reader, told: object, n_categories: NDArray[Any]) -> PairEffect:
    if not isinstance(told, dict) or not all(isinstance(told.get(name), list) for name in ("columns", "bounds")):
        raise ModelFileError("the effects of a pair of columns are not valid.")
    columns, numbers = told["columns"], told["bounds"]
    if len(columns) != 2 or len(numbers) != 2 or not all(map(is_count, columns)) or columns[0] == columns[1]:
        raise ModelFileError("a pair of columns does not consist of two columns.")
    if max(columns) >= len(n_categories) or n_categories[columns].max() > 0:
        raise ModelFileError("a pair of columns has a column that does not hold numbers.")
    first, second = (_ascending(_numbers(reader, number)) for number in numbers)
    if max(len(first), len(second)) > _MOST_BOUNDS:
        raise ModelFileError(f"the effects of a column have more than {_MOST_BOUNDS} bounds.")
    values = _numbers(reader, told.get("values"))
    if values.dtype != np.float64 or values.shape != (len(first) + 2, len(second) + 2):
        raise ModelFileError("the effects of a pair of columns do not fit them.")
    return PairEffect((columns[0], columns[1]), (first, second), values)


def _numbers(reader: Reader, number: object) -> NDArray[Any]:
    values = reader.contents.take(number).copy()
    if values.dtype not in (np.float64, np.int64) or not np.isfinite(values).all():
        raise ModelFileError("the effects of columns are not numbers.")
    return values


def _ascending(bounds: NDArray[Any]) -> NDArray[np.float64]:
    if bounds.dtype != np.float64 or bounds.ndim != 1 or not (np.diff(bounds) > 0).all():
        raise ModelFileError("the steps of a column are not in ascending order.")
    return bounds
