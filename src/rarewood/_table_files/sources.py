"""Files opened for reading, in blocks of rows, so that tables may be larger than memory."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from rarewood._table_files._columns import Block, Opened, Request, note_on_header, target_name, without_missing
from rarewood._table_files._structures import Unreadable, refuse_structures
from rarewood._table_files.csv import CsvBlocks
from rarewood._table_files.dialects import ORDINARY, SAMPLE, Dialect
from rarewood._table_files.formats import CSV, Format, recognise
from rarewood._tables import Columns
from rarewood._tables.cells import Form, make_table
from rarewood._tables.kinds.odd_cells import OddCells
from rarewood._tables.notes import Note, NoteCode
from rarewood._tables.row_numbers import row_in_file

__all__ = ["Block", "Source", "forms_of", "open_blocks", "table_of", "target_name"]

_T = TypeVar("_T")


@dataclass(frozen=True)
class Source:
    """A file with a table in it, and how to read it; `table` is one of a database or a sheet of a workbook."""

    path: Path
    where: str
    dialect: Dialect = ORDINARY
    table: str | None = None

    @contextmanager
    def blocks(
        self,
        n_rows: int,
        forms: Mapping[str, Form] | None = None,
        note: Callable[[Note], None] | None = None,
        label: str | None = None,
    ) -> Iterator[tuple[list[str], Iterator[Block]]]:
        """`open_blocks` on the file."""
        dialect, table = self.dialect, self.table
        with (
            self.path.open("rb", buffering=SAMPLE) as file,
            open_blocks(
                file, self.where, n_rows, forms, dialect=dialect, table=table, note=note, label=label
            ) as opened,
        ):
            yield opened

    def nominal(self) -> list[str]:
        """The columns that the file itself declares nominal; none if its format has no types."""
        return self._declared(lambda found: found.nominal) or []

    def categories(self) -> dict[str, list[str]]:
        """The categories of the columns that the file itself declares nominal, where it lists them."""
        return self._declared(lambda found: found.categories) or {}

    def _declared(self, reader_of: Callable[[Format], Callable[[BinaryIO, str], _T] | None]) -> _T | None:
        with self.path.open("rb", buffering=SAMPLE) as file, ExitStack() as stack:
            unpacked, found = recognise(file, self.where)
            reader = reader_of(found)
            if reader is None:
                return None
            whole = stack.enter_context(_seekable(file, unpacked)) if found.needs_seek else unpacked
            return reader(whole, self.where)


@contextmanager
def open_blocks(
    file: BinaryIO,
    where: str,
    n_rows: int,
    forms: Mapping[str, Form] | None = None,
    *,
    dialect: Dialect = ORDINARY,
    table: str | None = None,
    note: Callable[[Note], None] | None = None,
    label: str | None = None,
) -> Iterator[tuple[list[str], Iterator[Block]]]:
    """The names of the columns and the rows of an open file, compressed by gzip or not.

    What it is, its first bytes tell, so the file may be a pipe. Only `n_rows` rows are in memory at a time; what cannot be
    read from a pipe is copied to a temporary file first. With `forms`, other columns may be left out, and lines of CSV
    without peculiarities are parsed several times as fast. `table` names a table of a database or a sheet of a workbook; `note`
    is told how the file is read if it is an unusual one. Of the columns in `forms`, one whose type holds no single values is an error;
    but for the `label`, whose cells are handed over for those who read labels to refuse.
    """
    unpacked, found = recognise(file, where)
    asked = Request(where, n_rows, dialect.table if table is None else table, dialect.skip, note or (lambda _: None))
    with ExitStack() as stack:
        if found is CSV:
            if asked.table is not None:
                raise ValueError(f"{where} is a text file: it holds one table, so leave out the name {asked.table!r}.")
            blocks = CsvBlocks(unpacked, where, n_rows, forms, dialect)
            words = blocks.dialect.in_words()
            if words:
                remedy = "; if that is wrong, use --encoding, --sep or --decimal"
                asked.note(Note(NoteCode.DIALECT, f"{where} is {words}", remedy=remedy))
            note_on_header(asked, blocks.skip, "line")
            yield blocks.names, blocks
            return
        assert found.reader is not None
        whole: Any = stack.enter_context(_seekable(file, unpacked)) if found.needs_seek else unpacked
        opened = found.reader(str(whole.name) if found.needs_path else whole, asked)
        yield opened.names, TypedBlocks(opened, where, dialect, set(forms or ()) - {label})


class TypedBlocks(Iterator[Block]):
    """The rows of a file that is no text; `table` is the one of several that is read, `wanted` are columns that must have cells."""

    def __init__(self, opened: Opened, where: str, dialect: Dialect, wanted: Container[str]) -> None:
        self._parts, self._where, self._dialect, self._rows_done = opened.blocks, where, dialect, 0
        self._wanted = [name for name in opened.names if name in wanted]
        self.table, self.n_rows = opened.table, opened.n_rows

    def __next__(self) -> Block:
        cells = next(self._parts)
        unreadable = {name: cells[name] for name in self._wanted if isinstance(cells[name], Unreadable)}
        refuse_structures(unreadable, self._where, row_in_file(self._rows_done), may_drop=False)
        block = Block(row_in_file(self._rows_done), without_missing(cells, self._dialect))
        self._rows_done += block.n_rows
        return block


@contextmanager
def _seekable(file: BinaryIO, unpacked: BinaryIO) -> Iterator[BinaryIO]:
    """A file to jump about in: itself, or a temporary copy of what came through a pipe or out of gzip."""
    if unpacked is file and file.seekable():
        yield file
        return
    with tempfile.NamedTemporaryFile() as whole:
        shutil.copyfileobj(unpacked, whole)
        whole.flush()
        whole.seek(0)
        yield whole  # type: ignore[misc]


# ---------------------------------------------------------------------------------------------------------
# columns that are known


def forms_of(columns: Columns) -> dict[str, Form]:
    """How `open_blocks` should hand over the cells of known columns."""
    return {columns.name(index): kind.form for index, kind in enumerate(columns.kinds)}


def table_of(columns: Columns, block: Block, where: str, odd: OddCells | None = None) -> Any:
    """A data frame of the block with the columns that are known, each read as its kind wants it.

    Cells that are not of their kind are counted as `odd` and missing; without `odd`, they are errors.
    """
    cells: dict[str, Any] = {}
    categories: dict[str, Any] = {}
    for index, kind in enumerate(columns.kinds):
        name = columns.name(index)
        if odd is None:
            cells[name] = kind.parse(block.columns[name], name, where, block.first)
        else:
            cells[name], _ = odd.parse(kind.parse, block.columns[name], name, where, block.first, block.first - 1)
        if columns.nominal[index] and not hasattr(cells[name], "categories"):
            categories[name] = list(dict.fromkeys(cell for cell in cells[name] if cell is not None))
    return make_table(cells, categories, where)
