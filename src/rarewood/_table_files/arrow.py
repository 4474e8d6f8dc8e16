"""Parquet and Arrow (Feather) files, in blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from rarewood._table_files._columns import Cells, JoinedNames, Opened, Request, checked_names, refuse_table_name
from rarewood._tables.cells import are_exact, as_text
from rarewood._validation import import_optional

_ROWS_AT_ONCE = 65_536


def parquet_blocks(file: BinaryIO, asked: Request) -> Opened:
    """Batches of a Parquet file."""
    refuse_table_name(asked)
    where = asked.where
    contents = _opened_parquet(file, where)
    batches = (_columns_of_batch(batch, where) for batch in _batches(contents, where, asked.n_rows))
    return Opened(checked_names([name for name, _ in _fields_of(contents.schema_arrow, where)], where), batches)


def parquet_nominal(file: BinaryIO, where: str) -> list[str]:
    """The columns that have a categorical type."""
    return _dictionaries(_opened_parquet(file, where).schema_arrow, where)


def arrow_nominal(file: BinaryIO, where: str) -> list[str]:
    """The columns that have a categorical type."""
    return _dictionaries(_opened_arrow(file, where)[0].schema, where)


def _dictionaries(schema: Any, where: str) -> list[str]:
    types = import_optional("pyarrow.types", "data", "reading Parquet")
    return [name for name, field in _fields_of(schema, where) if types.is_dictionary(field.type)]


def _fields_of(schema: Any, where: str) -> list[tuple[str, Any]]:
    """The columns of a file with their names: a structure has none of its own, but one for each of its fields, such as user.country."""
    types = import_optional("pyarrow.types", "data", "reading Parquet")
    joined = JoinedNames(where)

    def columns_of(fields: Iterable[Any], around: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        for field in fields:
            if types.is_struct(field.type):
                yield from columns_of(field.type, (*around, field.name))
            else:
                yield joined(around, field.name), field

    return list(columns_of(schema, ()))


def _columns_of(columns: Iterable[Any]) -> list[Any]:
    """The same columns; of a structure that is missing, all fields are."""
    types = import_optional("pyarrow.types", "data", "reading Parquet")
    found: list[Any] = []
    for column in columns:
        found += _columns_of(column.flatten()) if types.is_struct(column.type) else [column]
    return found


def parquet_categories(file: BinaryIO, where: str) -> dict[str, list[str]]:
    """The categories of the columns that have a categorical type, in the order of the type, as text."""
    contents = _opened_parquet(file, where)
    names = _dictionaries(contents.schema_arrow, where)
    if not names:
        return {}
    found: dict[str, dict[str, None]] = {}
    for batch in _batches(contents, where, _ROWS_AT_ONCE, names):
        for (name, _), column in zip(_fields_of(batch.schema, where), _columns_of(batch.columns), strict=True):
            found.setdefault(name, {}).update(dict.fromkeys(as_text(column.dictionary.to_pylist())))
    return {name: list(levels) for name, levels in found.items()}


def _batches(contents: Any, where: str, n_rows: int, columns: list[str] | None = None) -> Iterator[Any]:
    """Rows of some or all columns, at most so many at a time."""
    schema = contents.schema_arrow
    groups: list[list[int] | None] = [None]
    if set(_dictionaries(schema, where)) - set(schema.names):  # categories in structures: pyarrow joins no row groups
        groups = [[group] for group in range(contents.num_row_groups)]
    for some in groups:
        yield from contents.iter_batches(batch_size=n_rows, row_groups=some, columns=columns)


def _opened_parquet(file: BinaryIO, where: str) -> Any:
    parquet = import_optional("pyarrow.parquet", "data", "reading Parquet")
    arrow = import_optional("pyarrow", "data", "reading Parquet")
    try:
        return parquet.ParquetFile(file)
    except arrow.ArrowException as error:
        raise ValueError(f"{where} is not a valid Parquet file: {error}") from error


def arrow_blocks(file: BinaryIO, asked: Request) -> Opened:
    """Record batches of an Arrow (Feather) file or stream."""
    refuse_table_name(asked)
    where, n_rows = asked.where, asked.n_rows
    reader, batches = _opened_arrow(file, where)

    def parts() -> Iterator[Cells]:
        for batch in batches:
            _check_offsets(batch, where)
            for begin in range(0, batch.num_rows, n_rows):
                yield _columns_of_batch(batch.slice(begin, n_rows), where)

    return Opened(checked_names([name for name, _ in _fields_of(reader.schema, where)], where), parts())


def _check_offsets(batch: Any, where: str) -> None:
    """Arrow believes what a damaged file says of where cells begin, and reads there."""
    try:
        batch.validate(full=True)
    except (ValueError, IndexError) as error:
        raise ValueError(f"{where} is not a valid Arrow file: {error}") from error


def _opened_arrow(file: BinaryIO, where: str) -> tuple[Any, Iterable[Any]]:
    """A reader, and the batches it reads."""
    ipc = import_optional("pyarrow.ipc", "data", "reading Arrow and Feather files")
    arrow = import_optional("pyarrow", "data", "reading Arrow and Feather files")
    try:
        if file.read(4) == b"\xff\xff\xff\xff":
            file.seek(0)
            reader = ipc.open_stream(file)
            return reader, reader
        file.seek(0)
        reader = ipc.open_file(file)
    except arrow.ArrowException as error:
        raise ValueError(f"{where} is not a valid Arrow file: {error}") from error
    return reader, map(reader.get_batch, range(reader.num_record_batches))


def _columns_of_batch(batch: Any, where: str) -> Cells:
    names = [name for name, _ in _fields_of(batch.schema, where)]
    return {name: _cells_of(column, name, where) for name, column in zip(names, _columns_of(batch.columns))}


def _cells_of(column: Any, name: str, where: str) -> Any:
    """Numbers as an array with NaN where missing, everything else as a list."""
    types = import_optional("pyarrow.types", "data", "reading Parquet")
    if not (types.is_floating(column.type) or types.is_integer(column.type)):
        try:
            return column.to_pylist()
        except (OverflowError, ValueError) as error:  # Python's calendar ends in the year 9999
            raise ValueError(
                f"{where}: column {name!r} has type {column.type}, which cannot be read: {error}."
            ) from error
    numbers = column.to_numpy(zero_copy_only=False)  # with missing cells among them, whole numbers become floats
    return column.to_pylist() if types.is_integer(column.type) and not are_exact(numbers) else numbers
