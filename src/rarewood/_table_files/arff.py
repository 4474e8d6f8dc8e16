"""ARFF files, in blocks and whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rarewood._table_files._columns import Cells, Contents, Opened, checked_names, columns_of_rows, refuse_table_name
from rarewood._table_files._lines import lines_of
from rarewood._table_files.packing import UnreadableFileError, unpacked_bytes
from rarewood._tables.cells import levels
from rarewood._validation import import_optional


def arff_blocks(file: BinaryIO, where: str, n_rows: int, table: str | None) -> Opened:
    """Rows of an ARFF file."""
    refuse_table_name(table, where)
    arff = import_optional("arff", "data", "reading ARFF")
    try:
        contents = arff.load(lines_of(file, where), return_type=arff.DENSE_GEN)
    except arff.ArffException as error:
        raise ValueError(f"{where} is not a valid ARFF file: {error}") from error
    names = checked_names([name for name, _ in contents["attributes"]], where)

    def parts() -> Iterator[Cells]:
        try:
            yield from columns_of_rows(names, contents["data"], n_rows)
        except arff.ArffException as error:
            raise ValueError(f"{where} is not a valid ARFF file: {error}") from error

    return names, parts()


def arff_columns(path: Path, nominal: Sequence[str] | None, target: str | int) -> Contents:  # noqa: ARG001
    """The columns of an ARFF file, with the categories that it declares."""
    arff = import_optional("arff", "data", "reading ARFF")
    try:
        contents = arff.loads(unpacked_bytes(path).decode("utf-8"))
    except arff.ArffException as error:
        raise UnreadableFileError(f"{path.name} is not a valid ARFF file: {error}") from error
    names = [name for name, _ in contents["attributes"]]
    columns: dict[str, Any] = dict(zip(names, map(list, zip(*contents["data"]))))
    categories: dict[str, Sequence[str]] = {}
    for name, kind in contents["attributes"]:
        if isinstance(kind, list):
            categories[name] = kind
        elif kind == "STRING" or (nominal and name in nominal):
            columns[name] = [None if cell is None else str(cell) for cell in columns[name]]
            categories[name] = levels([cell for cell in columns[name] if cell is not None])
        else:
            columns[name] = np.array([np.nan if cell is None else cell for cell in columns[name]], dtype=float)
    return columns, categories
