"""Files of JSON objects: one per line, or a list of them."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from rarewood._table_files._columns import JoinedNames, Opened, Request, columns_of_rows, refuse_table_name
from rarewood._table_files._json_items import in_words, list_items
from rarewood._table_files._lines import lines_of
from rarewood._tables.row_numbers import row_in_file

Objects = Callable[[], Iterator[Any]]
"""Reads the objects of a file from its beginning."""


def json_blocks(file: BinaryIO, asked: Request) -> Opened:
    """One object per line."""
    refuse_table_name(asked)

    def objects() -> Iterator[Any]:
        file.seek(0)
        return _objects(lines_of(file, asked.where), asked.where)

    return _objects_in_blocks(objects, asked)


def json_list_blocks(file: BinaryIO, asked: Request) -> Opened:
    """A list of objects."""
    refuse_table_name(asked)

    def objects() -> Iterator[Any]:
        file.seek(0)
        return list_items(file, asked.where)

    return _objects_in_blocks(objects, asked)


def _objects_in_blocks(objects: Objects, asked: Request) -> Opened:
    """The columns are the keys of all objects, so all are read once more before the first block."""
    names, n_rows = _names_in(_rows(objects, asked.where))
    if n_rows and not names:
        raise ValueError(f"{asked.where} has no columns.")
    rows = ([row.get(name) for name in names] for row in _rows(objects, asked.where))
    return Opened(names, columns_of_rows(names, rows, asked.n_rows), n_rows=n_rows)


def _rows(objects: Objects, where: str) -> Iterator[dict[str, Any]]:
    """The objects, each checked, and without objects inside."""
    joined = JoinedNames(where)
    for number, row in enumerate(objects(), start=row_in_file(0)):
        if not isinstance(row, dict):
            raise ValueError(f"{where}, row {number}: {row!r:.40} is not an object with a value for each column.")
        is_flat = not any(isinstance(cell, dict) for cell in row.values())
        yield row if is_flat else _flat(row, joined, f"{where}, row {number}")


def _names_in(rows: Iterable[dict[str, Any]]) -> tuple[list[str], int]:
    """The columns, in the order in which they appear, and how many rows there are.

    An object that is null in some rows, and only null by its own name, is no column.
    """
    has_value: dict[str, bool] = {}
    n_rows = 0
    for row in rows:
        n_rows += 1
        for name, cell in row.items():
            if cell is not None or name not in has_value:
                has_value[name] = cell is not None
    in_order = sorted(has_value)  # what is inside an object follows its name and a point

    def is_around(name: str) -> bool:
        place = bisect_left(in_order, f"{name}.")
        return place < len(in_order) and in_order[place].startswith(f"{name}.")

    return [name for name, is_filled in has_value.items() if is_filled or not is_around(name)], n_rows


def _flat(row: dict[str, Any], joined: JoinedNames, where: str) -> dict[str, Any]:
    """Objects inside an object as columns of their own, such as user.country."""
    found: dict[str, Any] = {}
    left = [iter(row.items())]
    path: list[str] = []
    while left:
        pair = next(left[-1], None)
        if pair is None:
            left.pop()
            del path[-1:]
            continue
        if isinstance(pair[1], dict):
            left.append(iter(pair[1].items()))
            path.append(pair[0])
            continue
        name = joined(path, pair[0])
        if name in found:
            raise ValueError(f"{where} has two values for {name!r}, by that name and as part of an object.")
        found[name] = pair[1]
    return found


def _objects(lines: Iterable[str], where: str) -> Iterator[Any]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ValueError(
                    f"{where}, line {number} is not valid JSON: {in_words(error)}; write one object per line."
                ) from error
