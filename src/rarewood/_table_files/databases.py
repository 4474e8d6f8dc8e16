"""Tables of SQLite and DuckDB databases. Their readers take a path, not an open file.

A view is a query that its author wrote and that runs here: it may never end, or read other files. So a view is read only if it is
named, with nothing but the database within reach, and Ctrl-C ends it. So is a table with columns that DuckDB computes, whose cells are made
by thousands at a time.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC
from pathlib import Path
from threading import Event
from typing import Any

from rarewood._table_files._columns import (
    MOST_CHARACTERS,
    Cells,
    Opened,
    Request,
    checked_names,
    chosen,
    rows_at_once,
    some_rows,
)
from rarewood._validation import import_optional

_SECONDS_BETWEEN_POLLS = 0.05
_SHORT_CELL = 2**20
_SHORTEST_LIMIT = 2**16
_COMPUTED = 2  # how SQLite marks a column whose cells are made as they are read
_ALL_TABLES = (  # of DuckDB
    "SELECT table_catalog, table_schema, table_name, table_type FROM information_schema.tables "
    "WHERE table_catalog = current_database() ORDER BY table_schema <> 'main', table_schema, table_name"
)
_POINT_WITH_ZONE = "TIMESTAMP WITH TIME ZONE"
_COMPUTED_COLUMNS = (  # earlier versions have one place for what computes a cell and what it is unless it is given
    "SELECT column_name FROM information_schema.columns "
    "WHERE is_generated = 'ALWAYS' OR is_generated IS NULL AND column_default IS NOT NULL"
)
_CONFINED = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "lock_configuration": "true",
}


def sqlite_blocks(path: str, asked: Request) -> Opened:
    """The rows of a table of an SQLite database, or of a view that is named."""
    where, n_rows = asked.where, asked.n_rows
    with _told(sqlite3.Error, where, "SQLite"):
        connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
    with _closed_if_it_fails(connection), _told(sqlite3.Error, where, "SQLite"):
        connection.execute("PRAGMA trusted_schema = OFF")
        # A cell of a table is no longer than the file; one that a view makes could be, or a column that is computed.
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(Path(path).stat().st_size, _SHORT_CELL))
        kinds = dict(
            connection.execute(
                "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
                "ORDER BY name"
            ).fetchall()
        )
        name = _only(asked.table, kinds, where)
        declared = connection.execute(f"PRAGMA table_xinfo({_quoted(name)})").fetchall()
        if kinds[name] == "view" or any(hidden == _COMPUTED for *_, hidden in declared):
            longest = max(_SHORTEST_LIMIT, MOST_CHARACTERS // max(1, len(declared)))
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(longest, max(Path(path).stat().st_size, _SHORT_CELL)))
        cursor = _interruptible(connection, lambda: connection.execute(f"SELECT * FROM {_quoted(name)}"))
        names = _names(cursor, where)

    flags = [column for _, column, type_, *_ in declared if type_.upper().startswith("BOOL")]
    parts = _blocks(connection, cursor, names, n_rows, lambda: _told(sqlite3.Error, where, "SQLite"))
    read = ({name: _truths(cells) if name in flags else cells for name, cells in part.items()} for part in parts)
    return Opened(names, read, name if len(kinds) > 1 else None)


def _truths(cells: Sequence[Any]) -> Sequence[Any]:
    """SQLite has no truth values: a column that is declared to hold such has 0 and 1."""
    truths = {0: False, 1: True, None: None}
    return [truths[cell] for cell in cells] if set(cells) <= set(truths) else cells


def duckdb_blocks(path: str, asked: Request) -> Opened:
    """The rows of a table of a DuckDB database, or of a view that is named; one outside of the schema `main` is SCHEMA.NAME."""
    where, n_rows = asked.where, asked.n_rows
    duckdb = import_optional("duckdb", "duckdb", "reading DuckDB databases")
    if "\\" in path and os.sep != "\\":
        raise ValueError(f"{where} has a backslash in its path, which DuckDB takes for a folder; rename the file.")
    with _told(duckdb.Error, where, "DuckDB"):
        connection = duckdb.connect(path, read_only=True, config=_CONFINED)
    with _closed_if_it_fails(connection), _told(duckdb.Error, where, "DuckDB"):
        found = _interruptible(connection, lambda: connection.execute(_ALL_TABLES).fetchall())
        kinds: dict[str, str] = {}
        places: dict[str, str] = {}
        for catalog, schema, table, kind in found:
            name = table if schema == "main" else f"{schema}.{table}"
            kinds.setdefault(name, "view" if kind == "VIEW" else "table")
            places.setdefault(name, ".".join(map(_quoted, (catalog, schema, table))))
        name = _only(asked.table, kinds, where)
        computed = _interruptible(connection, lambda: connection.execute(_COMPUTED_COLUMNS).fetchall())
        if asked.table is None and computed:
            raise ValueError(
                f"{where} has the column {computed[0][0]!r}, which DuckDB computes as it is read, by an expression of its author; if you "
                f"trust it, name the table: {where}::{name}."
            )
        types = _interruptible(
            connection, lambda: connection.execute(f"DESCRIBE SELECT * FROM {places[name]}").fetchall()
        )
        zoned = [column for column, type_, *_ in types if type_ == _POINT_WITH_ZONE]
        # As Python objects, DuckDB gives these only where it finds the package pytz.
        in_utc = ", ".join(f"{_quoted(column)} AT TIME ZONE 'UTC' AS {_quoted(column)}" for column in zoned)
        query = f"SELECT * {f'REPLACE ({in_utc}) ' if zoned else ''}FROM {places[name]}"
        cursor = _interruptible(connection, lambda: connection.execute(query))
        names = _names(cursor, where)

    parts = _blocks(connection, cursor, names, n_rows, lambda: _told(duckdb.Error, where, "DuckDB"))
    read = ({name: _with_zone(cells) if name in zoned else cells for name, cells in part.items()} for part in parts)
    return Opened(names, read, name if len(kinds) > 1 else None)


def _with_zone(cells: Sequence[Any]) -> Sequence[Any]:
    return [None if cell is None else cell.replace(tzinfo=UTC) for cell in cells]


def _interruptible(connection: Any, work: Callable[[], Any]) -> Any:
    """What `work` returns, done in a thread of its own, so that signals reach Python while a query runs, and end it by what they raise."""
    begun, stopped, ended = Event(), Event(), Event()

    def task() -> Any:
        begun.set()
        try:
            return None if stopped.is_set() else work()
        finally:
            ended.set()

    with ThreadPoolExecutor(1) as executor:
        try:
            doing = executor.submit(task)
            while not ended.wait(_SECONDS_BETWEEN_POLLS):
                pass
        except BaseException:  # at times as the thread begins
            stopped.set()
            while begun.is_set() and not ended.wait(_SECONDS_BETWEEN_POLLS):
                connection.interrupt()
            raise
    return doing.result()


@contextmanager
def _told(errors: type[Exception], where: str, what: str) -> Iterator[None]:
    """Errors of a database as ours."""
    try:
        yield
    except errors as error:
        raise ValueError(f"{where} cannot be read as a {what} database: {error}.") from error


@contextmanager
def _closed_if_it_fails(connection: Any) -> Iterator[None]:
    try:
        yield
    except BaseException:
        _close(connection)
        raise


def _close(connection: Any) -> None:
    """Close a connection whose query may still run."""
    connection.interrupt()
    connection.close()


def _names(cursor: Any, where: str) -> list[str]:
    return checked_names([column[0] for column in cursor.description], where)


def _blocks(
    connection: Any,
    cursor: Any,
    names: Sequence[str],
    n_rows: int,
    told: Callable[[], AbstractContextManager[None]],
) -> Iterator[Cells]:
    rows = iter(cursor.fetchone, None)
    n_at_once = rows_at_once(n_rows, len(names))
    try:
        with told():
            while some := _interruptible(connection, lambda: some_rows(rows, n_at_once)):
                yield dict(zip(names, zip(*some)))
    finally:
        _close(connection)


def _only(table: str | None, kinds: dict[str, str], where: str) -> str:
    """The table that was named, which may be a view, or the only one, which may not."""
    if table is not None:
        return chosen(table, list(kinds), where, "table")
    tables = [name for name, kind in kinds.items() if kind == "table"]
    if len(tables) == 1:
        return tables[0]
    if tables or not kinds:
        listed = ", ".join(tables) or "none"
        raise ValueError(
            f"{where} is a database with several tables or none; name one with {where}::NAME. It has {listed}."
        )
    raise ValueError(
        f"{where} has no table, only views: {', '.join(kinds)}. A view is a query that runs when it is read; if you trust it, "
        f"name it: {where}::{next(iter(kinds))}."
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
