"""The rows of a file for a model, block by block: what `predict`, `monitor` and `review` read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from rarewood._progress import progress
from rarewood._table_files.dialects import ORDINARY, Dialect
from rarewood._table_files.formats import split_table
from rarewood._table_files.sources import Block, open_blocks
from rarewood._tables.cells import Form
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
) -> Iterator[tuple[list[str], Iterator[Block]]]:
    """The names of the columns, which the model can read, and blocks of at least one row together; `as_text` are columns beside."""
    where, (path, inside) = name_of(source), split_table(source)
    with ExitStack() as stack:
        opened = stack.enter_context(open_binary(source))
        names, blocks = stack.enter_context(
            _readable(opened, where, block_rows, schema.forms(as_text), dialect, inside, note)
        )
        schema.check(names, where)
        size = 0 if source == STANDARD else Path(path).stat().st_size
        unit, word = (1000, "kB") if size < _FEW_MEGABYTES * _MEGABYTE else (_MEGABYTE, "MB")
        report = stack.enter_context(
            progress(math.ceil(size / unit), f"scoring {where}, {word}", verbose if size else 0)
        )
        yield names, _rows(blocks, where, lambda: report(opened.tell() // unit) if report else None)


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
