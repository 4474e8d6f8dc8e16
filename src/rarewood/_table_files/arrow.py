"""Parquet and Arrow (Feather) files, in blocks and whole."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from rarewood._table_files._columns import Cells, Contents, Opened, checked_names, refuse_table_name
from rarewood._table_files.packing import UnreadableFileError, unpacked_bytes
from rarewood._tables.cells import are_exact
from rarewood._validation import import_optional


def parquet_blocks(file: BinaryIO, where: str, n_rows: int, table: str | None) -> Opened:
    """Batches of a Parquet file."""
    refuse_table_name(table, where)
    parquet = import_optional("pyarrow.parquet", "data", "reading Parquet")
    arrow = import_optional("pyarrow", "data", "reading Parquet")
    try:
        contents = parquet.ParquetFile(file)
    except arrow.ArrowException as error:
        raise ValueError(f"{where} is not a valid Parquet file: {error}") from error
    return checked_names(contents.schema_arrow.names, where), (
        _columns_of_batch(batch, where) for batch in contents.iter_batches(batch_size=n_rows)
    )


def arrow_blocks(file: BinaryIO, where: str, n_rows: int, table: str | None) -> Opened:
    """Record batches of an Arrow (Feather) file or stream."""
    refuse_table_name(table, where)
    ipc = import_optional("pyarrow.ipc", "data", "reading Arrow and Feather files")
    arrow = import_optional("pyarrow", "data", "reading Arrow and Feather files")
    try:
        if file.read(4) == b"\xff\xff\xff\xff":
            file.seek(0)
            reader = ipc.open_stream(file)
            batches: Iterable[Any] = reader
        else:
            file.seek(0)
            reader = ipc.open_file(file)
            batches = map(reader.get_batch, range(reader.num_record_batches))
    except arrow.ArrowException as error:
        raise ValueError(f"{where} is not a valid Arrow file: {error}") from error

    def parts() -> Iterator[Cells]:
        for batch in batches:
            for begin in range(0, batch.num_rows, n_rows):
                yield _columns_of_batch(batch.slice(begin, n_rows), where)

    return checked_names(reader.schema.names, where), parts()


def _columns_of_batch(batch: Any, where: str) -> Cells:
    names = [str(name) for name in batch.schema.names]
    return {name: _cells_of(column, name, where) for name, column in zip(names, batch.columns)}


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


def parquet_columns(path: Path, nominal: Sequence[str] | None, target: str | int) -> Contents:  # noqa: ARG001
    """The columns of a Parquet file; nominal are those that are no numbers, with the categories of the file."""
    parquet = import_optional("pyarrow.parquet", "data", "reading Parquet")
    contents = io.BytesIO(unpacked_bytes(path))
    try:
        table = parquet.read_table(contents)
        frame = table.to_pandas()
    except (ValueError, OSError) as error:
        raise UnreadableFileError(f"{path.name} is not a valid Parquet file: {error}") from error
    columns: dict[str, Any] = {}
    categories: dict[str, Sequence[str]] = {}
    for name in map(str, frame.columns):
        column = frame[name]
        if str(column.dtype) == "category":
            categories[name] = list(column.cat.categories)
        elif (nominal and name in nominal) or not _is_numeric(column.dtype):
            if not are_exact(column.to_numpy()):  # whole numbers that missing cells have made floats of
                columns[name] = table.column(name).to_pylist()
                categories[name] = list(dict.fromkeys(value for value in columns[name] if value is not None))
                continue
            categories[name] = list(dict.fromkeys(value for value in column if value is not None and value == value))
        columns[name] = column.to_numpy()
    return columns, categories


def _is_numeric(dtype: Any) -> bool:
    return getattr(dtype, "kind", "O") in "biuf"
