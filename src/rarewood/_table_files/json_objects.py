"""Files of JSON objects: one per line, or a list of them."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from rarewood._table_files._columns import JoinedNames, Opened, Request, columns_of_rows, refuse_table_name
from rarewood._table_files._lines import lines_of
from rarewood._tables.row_numbers import row_in_file


def json_blocks(file: BinaryIO, asked: Request) -> Opened:
    """One object per line; the columns are the keys of all of them, so all are read."""
    refuse_table_name(asked)
    return _objects_in_blocks(list(_objects(lines_of(file, asked.where), asked.where)), asked)


def json_list_blocks(file: BinaryIO, asked: Request) -> Opened:
    """A list of objects."""
    refuse_table_name(asked)
    try:
        objects = json.loads(file.read())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{asked.where} is not valid JSON: {_in_words(error)}.") from error
    return _objects_in_blocks(objects, asked)


def _objects_in_blocks(objects: list[Any], asked: Request) -> Opened:
    where, joined = asked.where, JoinedNames(asked.where)
    for place, row in enumerate(objects):
        number = row_in_file(place)
        if not isinstance(row, dict):
            raise ValueError(f"{where}, row {number}: {row!r:.40} is not an object with a value for each column.")
        if any(isinstance(cell, dict) for cell in row.values()):
            objects[place] = _flat(row, joined, f"{where}, row {number}")
    names = _names_in(objects)
    if objects and not names:
        raise ValueError(f"{where} has no columns.")
    rows = ([row.get(name) for name in names] for row in objects)
    return Opened(names, columns_of_rows(names, rows, asked.n_rows))


def _names_in(objects: list[Any]) -> list[str]:
    """The columns, in the order in which they appear. An object that is null in some rows, and only null by its own name, is none."""
    names = list(dict.fromkeys(name for row in objects for name in row))
    in_order = sorted(names)  # what is inside an object follows its name and a point

    def is_around(name: str) -> bool:
        place = bisect_left(in_order, f"{name}.")
        return place < len(in_order) and in_order[place].startswith(f"{name}.")

    empty = {name for name in names if is_around(name) and all(row.get(name) is None for row in objects)}
    return [name for name in names if name not in empty]


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
                    f"{where}, line {number} is not valid JSON: {_in_words(error)}; write one object per line."
                ) from error


def _in_words(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "too many brackets inside each other"
    return f"{error.msg} at its character {error.pos + 1:,}" if isinstance(error, json.JSONDecodeError) else str(error)
