"""What a model remembers of its training rows, in model files."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._memory import ColumnMemory, ScoreMemory, TrainingMemory
from rarewood.exceptions import ModelFileError
from rarewood.export._container import is_count
from rarewood.export._values import Reader, Told, Writer, expect

_SCORES = ("edges", "rows", "sums", "means", "variances", "sizes")
_MOST_ROWS = 2.0**53  # of any count
_MOST_DAYS = 2**53


def write_memory(writer: Writer, memory: TrainingMemory) -> Told:
    """Arrays, those of all columns one after another."""
    told: Told = {
        "n_rows": memory.n_rows,
        "positive": memory.positive,
        "class_shares": writer.add(memory.class_shares),
        "scores": {name: writer.add(getattr(memory.scores, name)) for name in _SCORES},
        "columns": None,
    }
    if memory.columns is not None:
        told["columns"] = {
            "n_bounds": writer.add(np.array([len(each.bounds) for each in memory.columns], dtype=np.int64)),
            "bounds": writer.add(np.concatenate([each.bounds for each in memory.columns])),
            "counts": writer.add(np.concatenate([each.counts for each in memory.columns])),
        }
    if memory.days is not None:
        told["days"] = list(memory.days)
    return told


def read_memory(reader: Reader, told: object, n_categories: NDArray[Any], n_classes: int) -> TrainingMemory:
    """Check each number: a memory is compared with rows, so it must be a distribution."""
    given = expect(told, dict)
    n_rows, positive = given.get("n_rows"), given.get("positive")
    if not is_count(n_rows) or not is_count(positive) or positive >= n_classes:
        raise ModelFileError("the memory of a model is not valid.")
    shares = _numbers(reader, given.get("class_shares"), (n_classes,))
    if shares.min() < 0 or abs(shares.sum() - 1.0) > 1e-6:
        raise ModelFileError("the shares of classes that a model remembers are not valid.")
    columns = given.get("columns")
    return TrainingMemory(
        n_rows,
        positive,
        shares,
        _scores(reader, expect(given.get("scores"), dict)),
        None if columns is None else _columns(reader, expect(columns, dict), n_categories),
        _days(given["days"]) if "days" in given else None,
    )


def _days(told: object) -> tuple[int, int]:
    days = expect(told, list)
    if (
        len(days) != 2
        or any(type(day) is not int for day in days)
        or not -_MOST_DAYS <= days[0] <= days[1] <= _MOST_DAYS
    ):
        raise ModelFileError("the days that a model remembers are not valid.")
    return days[0], days[1]


def _scores(reader: Reader, told: Told) -> ScoreMemory:
    edges = _numbers(reader, told.get("edges"), None)
    n_bins = len(edges) + 1
    rows = _numbers(reader, told.get("rows"), (2, n_bins))
    sums = _numbers(reader, told.get("sums"), (n_bins,))
    means, variances, sizes = (_numbers(reader, told.get(name), (2,)) for name in ("means", "variances", "sizes"))
    inside = n_bins == 1 or (edges[0] > 0.0 and edges[-1] <= 1.0 and bool((np.diff(edges) > 0).all()))
    weighs = min(rows.min(), sums.min(), variances.min(), means.min()) >= 0.0 and means.max() <= 1.0
    if not inside or not weighs or rows.sum(axis=1).min() <= 0.0 or sizes.min() < 1.0 or variances.max() > 1.0:
        raise ModelFileError("the scores that a model remembers are not valid.")
    if max(rows.sum(), sums.sum(), sizes.sum()) > _MOST_ROWS or (sums > rows.sum(axis=0) * (1 + 1e-9)).any():
        raise ModelFileError("the scores that a model remembers are not valid.")
    return ScoreMemory(edges, rows, sums, means, variances, sizes)


def _columns(reader: Reader, told: Told, n_categories: NDArray[Any]) -> tuple[ColumnMemory, ...]:
    sizes = reader.contents.take(told.get("n_bounds")).copy()
    counts = reader.contents.take(told.get("counts")).copy()
    bounds = _numbers(reader, told.get("bounds"), None)
    if sizes.dtype != np.int64 or sizes.shape != n_categories.shape or sizes.min(initial=0) < 0:
        raise ModelFileError("the columns that a model remembers do not fit its table.")
    if sizes.max(initial=0) > len(bounds) or sizes.sum() != len(bounds):
        raise ModelFileError("the columns that a model remembers do not fit its table.")
    if counts.dtype != np.int64 or counts.shape != (len(bounds) + 2 * len(sizes),) or counts.min(initial=0) < 0:
        raise ModelFileError("the counts that a model remembers are not valid.")
    found = []
    for number, (own, count) in enumerate(
        zip(np.split(bounds, np.cumsum(sizes)[:-1]), np.split(counts, np.cumsum(sizes + 2)[:-1]), strict=True)
    ):
        nominal = bool(n_categories[number] > 0)
        is_code = not nominal or bool(((own == np.floor(own)) & (own >= 0) & (own < n_categories[number])).all())
        if not (np.diff(own) > 0).all() or not is_code or not 0.0 < count.sum(dtype=np.float64) <= _MOST_ROWS:
            raise ModelFileError("a column that a model remembers is not valid.")
        found.append(ColumnMemory(nominal, own, count))
    return tuple(found)


def _numbers(reader: Reader, number: object, shape: tuple[int, ...] | None) -> NDArray[np.float64]:
    """Finite numbers; one dimension, unless a shape is given."""
    values = reader.contents.take(number).copy()
    fits = values.ndim == 1 if shape is None else values.shape == shape
    if values.dtype != np.float64 or not fits or not np.isfinite(values).all():
        raise ModelFileError("a list of numbers that a model remembers is not valid.")
    return values
