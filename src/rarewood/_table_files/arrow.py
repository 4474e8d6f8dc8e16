"""Arrow (Feather) files, in blocks, and what they share with Parquet: which columns a schema has, and cells from Arrow's arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from rarewood._table_files._arrow_messages import check_unpacked_size
from rarewood._table_files._columns import (
    Cells,
    JoinedNames,
    Opened,
    Request,
    checked_names,
    refuse_table_name,
)
from rarewood._table_files._structures import Unreadable
from rarewood._tables.cells import are_exact
from rarewood._validation import import_optional

_LONGEST_TYPE = 60


class Field(NamedTuple):
    """A column of a file: its name, where it is among structures, and its type."""

    name: str
    path: tuple[str, ...]
    type: Any


def fields_of(schema: Any, where: str) -> list[Field]:
    """The columns of a file: a structure is none, but each of its fields is, such as user.country; raises for names that come twice."""
    types = import_optional("pyarrow.types", "data", "reading Parquet")
    joined = JoinedNames(where)

    def columns_of(fields: Iterable[Any], around: tuple[str, ...]) -> Iterator[Field]:
        for field in fields:
            if types.is_struct(field.type):
                yield from columns_of(field.type, (*around, field.name))
            else:
                yield Field(joined(around, field.name), (*around, field.name), field.type)

    found = list(columns_of(schema, ()))
    checked_names([field.name for field in found], where)
    return found


def is_text(type_: Any) -> bool:
    """Whether cells of a type are text."""
    types = import_optional("pyarrow.types", "data", "reading Parquet")
    return bool(types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_))


def is_dictionary(type_: Any) -> bool:
    """Whether a type lists its values and has codes in cells."""
    return bool(import_optional("pyarrow.types", "data", "reading Parquet").is_dictionary(type_))


def no_cells(type_: Any) -> str | None:
    """What the cells of a type hold where that is no single number, word, boolean, date or time; None for those that are read."""
    types = import_optional("pyarrow.types", "data", "reading Parquet")
    if types.is_dictionary(type_) or types.is_run_end_encoded(type_):
        return no_cells(type_.value_type)
    if _is_uuid(type_) or is_text(type_) or types.is_null(type_) or types.is_boolean(type_) or types.is_decimal(type_):
        return None
    if (
        types.is_integer(type_)
        or types.is_floating(type_)
        or (types.is_temporal(type_) and not types.is_interval(type_))
    ):
        return None
    if types.is_map(type_):
        return f"objects ({_short(type_)})"
    if types.is_nested(type_) and not types.is_union(type_):
        return f"lists ({_short(type_)})"
    if types.is_binary(type_) or types.is_large_binary(type_) or types.is_binary_view(type_):
        return f"bytes ({_short(type_)})"
    return f"bytes ({_short(type_)})" if types.is_fixed_size_binary(type_) else f"cells of type {_short(type_)}"


def _short(type_: Any) -> str:
    text = str(type_)
    return text if len(text) <= _LONGEST_TYPE else f"{text[:_LONGEST_TYPE]}..."


def _is_uuid(type_: Any) -> bool:
    return getattr(type_, "extension_name", None) == "arrow.uuid"


@contextmanager
def told(where: str, what: str) -> Iterator[None]:
    """Whatever Arrow raises for a damaged file, as one error that names the file."""
    arrow = import_optional("pyarrow", "data", f"reading {what}")
    try:
        yield
    except (MemoryError, FileNotFoundError, PermissionError):
        raise
    except (arrow.ArrowException, OSError, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"{where} is not a valid {what} file: {error}") from error


def check(rows: Any, where: str, what: str) -> None:
    """Raise for a batch or table that says wrongly where its cells begin: Arrow believes that, and would read there."""
    with told(where, what):
        rows.validate(full=True)


def arrow_blocks(file: BinaryIO, asked: Request) -> Opened:
    """Record batches of an Arrow (Feather) file or stream."""
    refuse_table_name(asked)
    where = asked.where
    reader, batches = _opened_arrow(file, where)
    fields = fields_of(reader.schema, where)
    n_rows = asked.rows_of(len(fields))

    def parts() -> Iterator[Cells]:
        left = iter(batches)
        while True:
            with told(where, "Arrow"):
                batch = next(left, None)
            if batch is None:
                return
            check(batch, where, "Arrow")
            for begin in range(0, batch.num_rows, n_rows):
                some = batch.slice(begin, n_rows)
                yield cells_of(fields, columns_of(some.columns), some.num_rows, where)

    return Opened([field.name for field in fields], parts())


def arrow_nominal(file: BinaryIO, where: str) -> list[str]:
    """The columns that have a categorical type."""
    fields = fields_of(_opened_arrow(file, where)[0].schema, where)
    return [field.name for field in fields if is_dictionary(field.type)]


def _opened_arrow(file: BinaryIO, where: str) -> tuple[Any, Iterable[Any]]:
    """A reader, and the batches it reads."""
    ipc = import_optional("pyarrow.ipc", "data", "reading Arrow and Feather files")
    with told(where, "Arrow"):
        is_stream = file.read(4) == b"\xff\xff\xff\xff"
        check_unpacked_size(file, 0 if is_stream else 8, where)
        file.seek(0)
        if is_stream:
            reader = ipc.open_stream(file)
            return reader, reader
        reader = ipc.open_file(file)
    return reader, map(reader.get_batch, range(reader.num_record_batches))


def columns_of(columns: Iterable[Any]) -> list[Any]:
    """The columns of a schema's fields; of a structure that is missing, all fields are."""
    types = import_optional("pyarrow.types", "data", "reading Parquet")
    found: list[Any] = []
    for column in columns:
        found += columns_of(column.flatten()) if types.is_struct(column.type) else [column]
    return found


def cells_of(fields: list[Field], columns: Iterable[Any], n_rows: int, where: str) -> Cells:
    """Cells of columns by name; those of a type that holds none are not even looked at."""
    found: Cells = {}
    for field, column in zip(fields, columns, strict=True):
        held = no_cells(field.type)
        found[field.name] = _cells_of(column, field.name, where) if held is None else Unreadable(held, n_rows)
    return found


def _cells_of(column: Any, name: str, where: str) -> Any:
    """Numbers as an array with NaN where missing, everything else as a list."""
    arrow = import_optional("pyarrow", "data", "reading Parquet")
    types = arrow.types
    if types.is_floating(column.type) or types.is_integer(column.type):
        numbers = column.to_numpy(zero_copy_only=False)  # with missing cells among them, whole numbers become floats
        return column.to_pylist() if types.is_integer(column.type) and not are_exact(numbers) else numbers
    try:
        if types.is_dictionary(column.type):
            return by_code(column.indices, column.dictionary)
        if types.is_run_end_encoded(column.type):
            runs = arrow.array(range(len(column.values)), arrow.int64())
            numbers = arrow.RunEndEncodedArray.from_arrays(column.run_ends, runs).slice(column.offset, len(column))
            compute = import_optional("pyarrow.compute", "data", "reading Arrow and Feather files")
            return by_code(compute.run_end_decode(numbers), column.values)
        cells = column.to_pylist()
    except (OverflowError, ValueError) as error:  # Python's calendar ends in the year 9999
        raise ValueError(f"{where}: column {name!r} has type {column.type}, which cannot be read: {error}.") from error
    return [None if cell is None else str(cell) for cell in cells] if _is_uuid(column.type) else cells


def is_arrow_dictionary(series: Any) -> bool:
    """Whether a column of a data frame is one of Arrow that has codes in cells."""
    return type(series).__module__.startswith("pyarrow") and is_dictionary(series.type)


def by_code(codes: Any, values: Any) -> list[Any]:
    """The value of each code. Each value is made once, and only if some row has it: a long one may come again in all rows."""
    places = codes.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    used = np.unique(places[places >= 0])
    levels = np.empty(len(used) + 1, dtype=object)
    levels[:-1] = values.take(import_optional("pyarrow", "data", "reading Parquet").array(used)).to_pylist()
    found: list[Any] = levels[np.where(places < 0, len(used), np.searchsorted(used, places))].tolist()
    return found
