"""The rows of a file for a model, block by block: what `predict`, `monitor` and `review` read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from rarewood._progress import progress
from rarewood._table_files.dialects import ORDINARY, Dialect
from rarewood._table_files.formats import split_table
from rarewood._table_files.reading_notes import errors_in, note_on_scored_footer, notes_on_errors
from rarewood._table_files.sources import Block, open_blocks
from rarewood._tables.cells import Form
from rarewood._tables.kinds.odd_cells import OddCells
from rarewood._tables.notes import Note
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._files import STANDARD, name_of, open_binary, reading
from rarewood.cli._schema import InputSchema

BLOCK_ROWS = 20_000
_MEGABYTE = 1_000_000
_FEW_MEGABYTES = 10  # of a smaller file, progress is told in kilobytes


@contextmanager
def open_rows(
    source: str,
    schema: InputSchema,
    *,
    as_text: Sequence[str] = (),
    block_rows: int = BLOCK_ROWS,
    dialect: Dialect = ORDINARY,
    note: Callable[[Note], None] | None = None,
    verbose: int = 0,
) -> Iterator[tuple[list[str], Iterator[tuple[Block, Any]]]]:
    """The names of the columns, which the model can read, and blocks of at least one row together, each with its table for the model.

    `as_text` are columns beside. Cells that are not of the kind that the model knows are missing, which `note` is told at the end;
    where the user wants it strict, they are errors.
    """
    told = schema.told(dialect)
    schema = schema.written_as(told)
    odd = None if told.strict else OddCells()
    where, (path, inside) = name_of(source), split_table(source)
    with ExitStack() as stack:
        opened = stack.enter_context(open_binary(source))
        names, blocks = stack.enter_context(
            _readable(opened, where, block_rows, schema.forms(as_text), told, inside, note)
        )
        schema.check(names, where)
        size = 0 if source == STANDARD else Path(path).stat().st_size
        unit, word = (1000, "kB") if size < _FEW_MEGABYTES * _MEGABYTE else (_MEGABYTE, "MB")
        report = stack.enter_context(
            progress(math.ceil(size / unit), f"scoring {where}, {word}", verbose if size else 0)
        )
        rows = _rows(blocks, where, lambda: report(opened.tell() // unit) if report else None)
        yield names, _tables(rows, schema, where, odd, note or (lambda _: None))


def _tables(
    blocks: Iterator[Block], schema: InputSchema, where: str, odd: OddCells | None, note: Callable[[Note], None]
) -> Iterator[tuple[Block, Any]]:
    n_rows, errors, footer = 0, Counter[str](), None
    for block in blocks:
        table = schema.table(block, where, odd)
        yield block, table
        errors.update({name: errors_in(block.columns[name], table[name].isna().to_numpy()) for name in schema.names})
        footer = note_on_scored_footer(block)
        n_rows += block.n_rows
    found = notes_on_errors(errors, n_rows)
    for each in (*found, *(() if odd is None else odd.notes(schema.kinds, n_rows)), footer):
        if each is not None:
            note(each)


@contextmanager
def _readable(
    file: BinaryIO,
    where: str,
    n_rows: int,
    forms: Mapping[str, Form],
    dialect: Dialect,
    table: str | None,
    note: Callable[[Note], None] | None,
) -> Iterator[tuple[list[str], Iterator[Block]]]:
    with reading(where):
        opened = open_blocks(file, where, n_rows, forms, dialect=dialect, table=table, note=note)
        names, blocks = opened.__enter__()
    with ExitStack() as stack:
        stack.push(opened)
        yield names, blocks


def _rows(blocks: Iterator[Block], where: str, done: Callable[[], Any]) -> Iterator[Block]:
    is_empty = True
    with reading(where):
        for block in blocks:
            yield block
            is_empty = is_empty and block.n_rows == 0
            done()
    if is_empty:
        raise CommandError(ExitCode.DATA, f"{where} holds no rows")
