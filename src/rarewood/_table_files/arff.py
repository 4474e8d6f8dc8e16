"""ARFF files, in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from rarewood._table_files._columns import Cells, Opened, Request, checked_names, columns_of_rows, refuse_table_name
from rarewood._table_files._lines import lines_of
from rarewood._validation import import_optional


def arff_blocks(file: BinaryIO, asked: Request) -> Opened:
    """Rows of an ARFF file."""
    refuse_table_name(asked)
    where = asked.where
    arff, contents = _opened(file, where)
    names = checked_names([name for name, _ in contents["attributes"]], where)

    def parts() -> Iterator[Cells]:
        try:
            yield from columns_of_rows(names, contents["data"], asked.n_rows)
        except arff.ArffException as error:
            raise ValueError(f"{where} is not a valid ARFF file: {error}") from error

    return Opened(names, parts())


def arff_categories(file: BinaryIO, where: str) -> dict[str, list[str]]:
    """The categories of the columns that the file declares nominal."""
    _, contents = _opened(file, where)
    return {name: kind for name, kind in contents["attributes"] if isinstance(kind, list)}


def arff_nominal(file: BinaryIO, where: str) -> list[str]:
    """The columns that the file declares nominal."""
    return list(arff_categories(file, where))


def _opened(file: BinaryIO, where: str) -> tuple[Any, Any]:
    """The library that reads ARFF, and the contents, whose rows are not read yet."""
    arff = import_optional("arff", "data", "reading ARFF")
    try:
        return arff, arff.load(lines_of(file, where), return_type=arff.DENSE_GEN)
    except arff.ArffException as error:
        raise ValueError(f"{where} is not a valid ARFF file: {error}") from error
