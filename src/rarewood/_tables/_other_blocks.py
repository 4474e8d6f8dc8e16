"""Rows of files with types, in blocks: Parquet, Arrow, Excel, JSON lines, SQLite, DuckDB, ARFF.

Every reader takes a path or an open file, what to call it in errors, the number of rows in a block and the name of a table
inside the file, and gives the names of the columns and an iterator over columns of cells.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, BinaryIO
from zipfile import BadZipFile

from rarewood._tables.cells import are_exact
from rarewood._validation import did_you_mean, import_optional

Cells = dict[str, Sequence[Any]]
Opened = tuple[list[str], Iterator[Cells]]


def _without_tables(table: str | None, where: str) -> None:
    if table is not None:
        raise ValueError(f"{where} is not a database or workbook: it holds one table, so leave out ::{table}.")


def parquet_blocks(file: BinaryIO, where: str, n_rows: int, table: str | None) -> Opened:
    """Batches of a Parquet file."""
    _without_tables(table, where)
    parquet = import_optional("pyarrow.parquet", "data", "reading Parquet")
    arrow = import_optional("pyarrow", "data", "reading Parquet")
    try:
        contents = parquet.ParquetFile(file)
    except arrow.ArrowException as error:
        raise ValueError(f"{where} is not a valid Parquet file: {error}") from error
    return _checked(contents.schema_arrow.names, where), (
        _columns_of_batch(batch, where) for batch in contents.iter_batches(batch_size=n_rows)
    )


def arrow_blocks(file: BinaryIO, where: str, n_rows: int, table: str | None) -> Opened:
    """Record batches of an Arrow (Feather) file or stream."""
    _without_tables(table, where)
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

    return _checked(reader.schema.names, where), parts()


def _columns_of_batch(batch: Any, where: str) -> Cells:
    names = [str(name) for name in batch.schema.names]
    return {name: _plain(column, name, where) for name, column in zip(names, batch.columns)}


def _plain(column: Any, name: str, where: str) -> Any:
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


def arff_blocks(file: BinaryIO, where: str, n_rows: int, table: str | None) -> Opened:
    """Rows of an ARFF file."""
    _without_tables(table, where)
    arff = import_optional("arff", "data", "reading ARFF")
    try:
        contents = arff.load(_lines(file), return_type=arff.DENSE_GEN)
    except arff.ArffException as error:
        raise ValueError(f"{where} is not a valid ARFF file: {error}") from error
    names = _checked([name for name, _ in contents["attributes"]], where)

    def parts() -> Iterator[Cells]:
        try:
            yield from _columns_of_rows(names, contents["data"], n_rows)
        except arff.ArffException as error:
            raise ValueError(f"{where} is not a valid ARFF file: {error}") from error

    return names, parts()


def json_blocks(file: BinaryIO, where: str, n_rows: int, table: str | None) -> Opened:
    """One object per line; the columns are the keys of all of them, so all are read."""
    _without_tables(table, where)
    return _objects_in_blocks(list(_objects(_lines(file), where)), where, n_rows)


def json_list_blocks(file: BinaryIO, where: str, n_rows: int, table: str | None) -> Opened:
    """A list of objects."""
    _without_tables(table, where)
    try:
        objects = json.loads(file.read())
    except ValueError as error:
        raise ValueError(f"{where} is not valid JSON: {error}.") from error
    return _objects_in_blocks(objects, where, n_rows)


def _lines(file: BinaryIO) -> Iterator[str]:
    for line in file:
        yield line.decode("utf-8").removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")


def _objects_in_blocks(objects: list[Any], where: str, n_rows: int) -> Opened:
    for number, each in enumerate(objects, start=1):
        if not isinstance(each, dict):
            raise ValueError(f"{where}, row {number}: {each!r:.40} is not an object with a value for each column.")
    names = list(dict.fromkeys(name for each in objects for name in each))
    if objects and not names:
        raise ValueError(f"{where} has no columns.")
    rows = ([each.get(name) for name in names] for each in objects)
    return names, _columns_of_rows(names, rows, n_rows)


def _objects(lines: Iterable[str], where: str) -> Iterator[Any]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise ValueError(
                    f"{where}, line {number} is not valid JSON: {error}; write one object per line."
                ) from error


def excel_blocks(file: BinaryIO, where: str, n_rows: int, table: str | None) -> Opened:
    """The rows of a sheet, the first by default; its first row names the columns."""
    openpyxl = import_optional("openpyxl", "excel", "reading .xlsx")
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except BadZipFile as error:
        raise ValueError(f"{where} begins like a zip archive or workbook, but is damaged or incomplete.") from error
    except Exception as error:  # it raises whatever its parsers do
        raise ValueError(f"{where} is a zip archive or a damaged workbook, not a valid .xlsx file: {error}.") from error
    sheet = book[_chosen(table or book.sheetnames[0], book.sheetnames, where, "sheet")]
    rows = sheet.iter_rows(values_only=True)
    head = next(rows, ())
    names = ["" if name is None else str(name).strip() for name in head]
    while names and not names[-1]:
        names.pop()
    if not names:
        raise ValueError(f"{where}: sheet {sheet.title!r} is empty; its first row should name the columns.")
    check_names(names, where)

    def filled() -> Iterator[Sequence[Any]]:
        for row in rows:
            cells = list(row[: len(names)]) + [None] * (len(names) - len(row))
            if any(cell is not None for cell in cells):
                yield cells

    return names, _columns_of_rows(names, filled(), n_rows)


def sqlite_blocks(path: str, where: str, n_rows: int, table: str | None) -> Opened:
    """The rows of a table or view of an SQLite database."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        found = connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        chosen = _only(table, [name for (name,) in found], where)
        declared = connection.execute(f"PRAGMA table_info({_quoted(chosen)})").fetchall()
        cursor = connection.execute(f"SELECT * FROM {_quoted(chosen)}")
    except sqlite3.Error as error:
        connection.close()
        raise ValueError(f"{where} is not a valid SQLite database: {error}.") from error
    names, parts = _database_blocks(connection, cursor, n_rows, where)
    flags = [name for _, name, type_, *_ in declared if type_.upper().startswith("BOOL")]
    return names, ({name: _truths(cells) if name in flags else cells for name, cells in part.items()} for part in parts)


def _truths(cells: Sequence[Any]) -> Sequence[Any]:
    """SQLite has no truth values: a column that is declared to hold such has 0 and 1."""
    known = {0: False, 1: True, None: None}
    return [known[cell] for cell in cells] if set(cells) <= set(known) else cells


def duckdb_blocks(path: str, where: str, n_rows: int, table: str | None) -> Opened:
    """The rows of a table or view of a DuckDB database."""
    duckdb = import_optional("duckdb", "duckdb", "reading DuckDB databases")
    try:
        connection = duckdb.connect(path, read_only=True)
        tables = [name for (name,) in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()]
        cursor = connection.execute(f"SELECT * FROM {_quoted(_only(table, tables, where))}")
    except duckdb.Error as error:
        raise ValueError(f"{where} is not a valid DuckDB database: {error}.") from error
    return _database_blocks(connection, cursor, n_rows, where)


def _database_blocks(connection: Any, cursor: Any, n_rows: int, where: str) -> Opened:
    names = _checked([column[0] for column in cursor.description], where)

    def parts() -> Iterator[Cells]:
        with closing(connection):
            while some := cursor.fetchmany(n_rows):
                yield dict(zip(names, zip(*some)))

    return names, parts()


def _only(table: str | None, tables: Sequence[str], where: str) -> str:
    if table is not None:
        return _chosen(table, tables, where, "table")
    if len(tables) != 1:
        listed = ", ".join(tables) or "none"
        raise ValueError(
            f"{where} is a database with several tables or none; name one with {where}::NAME. It has {listed}."
        )
    return tables[0]


def _chosen(table: str, tables: Sequence[str], where: str, what: str) -> str:
    if table not in tables:
        raise ValueError(f"{where} has no {what} {table!r}{did_you_mean(table, tables)} It has {', '.join(tables)}.")
    return table


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _columns_of_rows(names: Sequence[str], rows: Iterable[Sequence[Any]], n_rows: int) -> Iterator[Cells]:
    left = iter(rows)
    while some := list(islice(left, n_rows)):
        yield dict(zip(names, zip(*some)))


def check_names(names: Sequence[str], where: str) -> None:
    """Raise for names that come twice, in the first line of a text or sheet."""
    twice = _twice(names)
    if twice is not None:
        raise ValueError(f"{where}: the first line names the column {twice!r} more than once.")


def _checked(given: Iterable[Any], where: str) -> list[str]:
    """The names of columns as text."""
    names = [str(name) for name in given]
    if not names:
        raise ValueError(f"{where} has no columns.")
    twice = _twice(names)
    if twice is not None:
        raise ValueError(f"{where} has more than one column named {twice!r}; give each a different name.")
    return names


def _twice(names: Sequence[str]) -> str | None:
    return next((name for name, times in Counter(names).items() if times > 1), None)


READERS: dict[str, Callable[[Any, str, int, str | None], Opened]] = {
    ".parquet": parquet_blocks,
    ".arrow": arrow_blocks,
    ".arrows": arrow_blocks,
    ".xlsx": excel_blocks,
    ".arff": arff_blocks,
    ".jsonl": json_blocks,
    ".json": json_list_blocks,
    ".sqlite": sqlite_blocks,
    ".duckdb": duckdb_blocks,
}
DATABASES = (".sqlite", ".duckdb")
