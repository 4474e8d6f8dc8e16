"""Tables of SQLite and DuckDB databases. Their readers take a path, not an open file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from rarewood._table_files._columns import Cells, Opened, checked_names, chosen
from rarewood._validation import import_optional


def sqlite_blocks(path: str, where: str, n_rows: int, table: str | None) -> Opened:
    """The rows of a table or view of an SQLite database."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        found = connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        name = _only(table, [table_name for (table_name,) in found], where)
        declared = connection.execute(f"PRAGMA table_info({_quoted(name)})").fetchall()
        cursor = connection.execute(f"SELECT * FROM {_quoted(name)}")
    except sqlite3.Error as error:
        connection.close()
        raise ValueError(f"{where} is not a valid SQLite database: {error}.") from error
    names, parts = _database_blocks(connection, cursor, n_rows, where)
    flags = [column for _, column, type_, *_ in declared if type_.upper().startswith("BOOL")]
    return names, ({name: _truths(cells) if name in flags else cells for name, cells in part.items()} for part in parts)


def _truths(cells: Sequence[Any]) -> Sequence[Any]:
    """SQLite has no truth values: a column that is declared to hold such has 0 and 1."""
    truths = {0: False, 1: True, None: None}
    return [truths[cell] for cell in cells] if set(cells) <= set(truths) else cells


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
    names = checked_names([column[0] for column in cursor.description], where)

    def parts() -> Iterator[Cells]:
        with closing(connection):
            while some := cursor.fetchmany(n_rows):
                yield dict(zip(names, zip(*some)))

    return names, parts()


def _only(table: str | None, tables: Sequence[str], where: str) -> str:
    if table is not None:
        return chosen(table, tables, where, "table")
    if len(tables) != 1:
        listed = ", ".join(tables) or "none"
        raise ValueError(
            f"{where} is a database with several tables or none; name one with {where}::NAME. It has {listed}."
        )
    return tables[0]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
