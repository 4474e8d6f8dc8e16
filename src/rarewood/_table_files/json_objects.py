"""Files of JSON objects: one per line, or a list of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from rarewood._table_files._columns import Opened, Request, columns_of_rows, refuse_table_name
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
    where = asked.where
    for place, row in enumerate(objects):
        number = row_in_file(place)
        if not isinstance(row, dict):
            raise ValueError(f"{where}, row {number}: {row!r:.40} is not an object with a value for each column.")
        if any(isinstance(cell, dict) for cell in row.values()):
            objects[place] = _flat(row, f"{where}, row {number}")
    names = _names_in(objects)
    if objects and not names:
        raise ValueError(f"{where} has no columns.")
    rows = ([row.get(name) for name in names] for row in objects)
    return Opened(names, columns_of_rows(names, rows, asked.n_rows))


def _names_in(objects: list[Any]) -> list[str]:
    """The columns, in the order in which they appear. An object that is null in some rows, and only null by its own name, is none."""
    names = list(dict.fromkeys(name for row in objects for name in row))
    outer = {".".join(path[:end]) for path in (name.split(".") for name in names) for end in range(1, len(path))}
    empty = {name for name in outer.intersection(names) if all(row.get(name) is None for row in objects)}
    return [name for name in names if name not in empty]


def _flat(row: dict[str, Any], where: str) -> dict[str, Any]:
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
        name, cell = ".".join([*path, pair[0]]), pair[1]
        if isinstance(cell, dict):
            left.append(iter(cell.items()))
            path.append(pair[0])
        elif name in found:
            raise ValueError(f"{where} has two values for {name!r}, by that name and as part of an object.")
        else:
            found[name] = cell
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
