"""Files of JSON objects: one per line, or a list of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from rarewood._table_files._columns import Opened, columns_of_rows, refuse_table_name
from rarewood._table_files._lines import lines_of


def json_blocks(file: BinaryIO, where: str, n_rows: int, table: str | None) -> Opened:
    """One object per line; the columns are the keys of all of them, so all are read."""
    refuse_table_name(table, where)
    return _objects_in_blocks(list(_objects(lines_of(file, where), where)), where, n_rows)


def json_list_blocks(file: BinaryIO, where: str, n_rows: int, table: str | None) -> Opened:
    """A list of objects."""
    refuse_table_name(table, where)
    try:
        objects = json.loads(file.read())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where} is not valid JSON: {_in_words(error)}.") from error
    return _objects_in_blocks(objects, where, n_rows)


def _objects_in_blocks(objects: list[Any], where: str, n_rows: int) -> Opened:
    for number, row in enumerate(objects, start=1):
        if not isinstance(row, dict):
            raise ValueError(f"{where}, row {number}: {row!r:.40} is not an object with a value for each column.")
    names = list(dict.fromkeys(name for row in objects for name in row))
    if objects and not names:
        raise ValueError(f"{where} has no columns.")
    rows = ([row.get(name) for name in names] for row in objects)
    return names, columns_of_rows(names, rows, n_rows)


def _objects(lines: Iterable[str], where: str) -> Iterator[Any]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ValueError(
                    f"{where}, line {number} is not valid JSON: {_in_words(error)}; write one object per line."
                ) from error


def _in_words(error: Exception) -> str:
    return "too many brackets inside each other" if isinstance(error, RecursionError) else str(error)
