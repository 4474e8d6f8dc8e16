"""Parquet files: blocks of rows for those who read a table cell by cell, whole row groups for those who take data in parts.

Text is read as codes, because a file may spell a long word once for all rows, and columns that no cell can hold not at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, BinaryIO

from rarewood._table_files._columns import Cells, Opened, Request, refuse_table_name, rejoined
from rarewood._table_files.arrow import (
    Field,
    cells_of,
    check,
    columns_of,
    fields_of,
    is_dictionary,
    is_text,
    no_cells,
    told,
)
from rarewood._table_files.proportion import Proportion
from rarewood._tables.cells import as_text, word_of
from rarewood._validation import import_optional

_ROWS_AT_ONCE = 65_536

KnownWords = Mapping[str, Collection[str]]
"""The words that a model has as categories, by column."""


class ParquetTable:
    """An open Parquet file."""

    def __init__(self, contents: Any, fields: list[Field], where: str) -> None:
        self._contents, self.fields, self._where = contents, fields, where

    @property
    def metadata(self) -> Any:
        """What the footer says of row groups."""
        return self._contents.metadata

    @cached_property
    def _paths(self) -> list[str]:
        return [".".join(field.path) for field in self.fields if no_cells(field.type) is None]

    def batches(self, n_rows: int, paths: list[str] | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
        """Numbers of rows, and the columns of these by name, group by group: Arrow joins no groups where words are in structures."""
        for group in range(self._contents.num_row_groups):
            wanted = self._paths if paths is None else paths
            with told(self._where, "Parquet"):
                left = self._contents.iter_batches(batch_size=n_rows, row_groups=[group], columns=wanted)
            while True:
                with told(self._where, "Parquet"):
                    batch = next(left, None)
                if batch is None:
                    break
                check(batch, self._where, "Parquet")
                yield batch.num_rows, self._by_name(batch)

    def groups(self, numbers: Sequence[int], known: KnownWords, names: Collection[str] | None = None) -> Any:
        """Row groups as one Arrow table, of all columns or some, words as everywhere in files.

        Of a column that no cell can hold, there is the type. Text that is missing in all rows keeps its type, too: it says nothing
        of what the column is.
        """
        arrow = import_optional("pyarrow", "data", "reading Parquet")
        fields = [field for field in self.fields if names is None or field.name in names]
        # one by one: read together, they are in memory twice for a moment
        rows = arrow.concat_tables([self._group(number, fields, known) for number in numbers]).unify_dictionaries()
        for place, field in enumerate(fields):
            column = rows.column(place)
            if is_text(field.type) and column.null_count == len(column):
                rows = rows.set_column(place, field.name, arrow.nulls(len(column), field.type))
        return rows

    def _group(self, number: int, fields: Sequence[Field], known: KnownWords) -> Any:
        arrow = import_optional("pyarrow", "data", "reading Parquet")
        paths = [".".join(field.path) for field in fields if no_cells(field.type) is None]
        with told(self._where, "Parquet"):
            rows = self._contents.read_row_group(number, columns=paths, use_threads=False)
        check(rows, self._where, "Parquet")
        found, n_rows = self._by_name(rows.unify_dictionaries()), self.metadata.row_group(number).num_rows
        return arrow.table(
            {
                field.name: _words(found[field.name], known.get(field.name, ()))
                if no_cells(field.type) is None
                else arrow.nulls(n_rows, field.type)
                for field in fields
            }
        )

    def empty(self) -> Any:
        """A table without rows."""
        arrow = import_optional("pyarrow", "data", "reading Parquet")
        return arrow.table({field.name: arrow.nulls(0, field.type) for field in self.fields})

    def _by_name(self, rows: Any) -> dict[str, Any]:
        read = fields_of(rows.schema, self._where)
        return {field.name: column for field, column in zip(read, columns_of(rows.columns), strict=True)}


@contextmanager
def opened_parquet(file: BinaryIO | str, where: str) -> Iterator[ParquetTable]:
    """A Parquet file, open for reading; raises for one that is damaged, and for names that come twice."""
    parquet = import_optional("pyarrow.parquet", "data", "reading Parquet")
    with told(where, "Parquet"), parquet.ParquetFile(file) as first:
        metadata, schema = first.metadata, first.schema_arrow
    may_take = Proportion.of(file, where)
    for number in range(metadata.num_row_groups):
        may_take.check_unpacked(metadata.row_group(number).total_byte_size)
    fields = fields_of(schema, where)
    words = [".".join(field.path) for field in fields if is_text(field.type)]
    with told(where, "Parquet"):
        contents = parquet.ParquetFile(file, metadata=metadata, read_dictionary=words)
    with contents:
        yield ParquetTable(contents, fields, where)


def parquet_blocks(file: BinaryIO, asked: Request) -> Opened:
    """Batches of a Parquet file."""
    refuse_table_name(asked)
    where = asked.where
    with opened_parquet(file, where) as table:  # of an open file, which is the caller's to close
        pass
    n_rows = asked.rows_of(len(table.fields))

    def parts() -> Iterator[Cells]:
        with opened_parquet(file, where) as table:
            for n, columns in table.batches(n_rows):
                yield cells_of(table.fields, [columns.get(field.name) for field in table.fields], n, where)

    names = [field.name for field in table.fields]
    return Opened(names, rejoined(parts(), n_rows), n_rows=table.metadata.num_rows)


def parquet_nominal(file: BinaryIO, where: str) -> list[str]:
    """The columns that have a categorical type."""
    with opened_parquet(file, where) as table:
        return [field.name for field in table.fields if is_dictionary(field.type)]


def parquet_categories(file: BinaryIO, where: str) -> dict[str, list[str]]:
    """The categories of the columns that have a categorical type, in the order of the type, as text."""
    found: dict[str, dict[str, None]] = {}
    with opened_parquet(file, where) as table:
        paths = [".".join(field.path) for field in table.fields if is_dictionary(field.type)]
        for _, columns in table.batches(_ROWS_AT_ONCE, paths) if paths else ():
            for name, column in columns.items():
                found.setdefault(name, {}).update(dict.fromkeys(as_text(column.dictionary.to_pylist())))
    return {name: list(levels) for name, levels in found.items()}


def _words(column: Any, known: Collection[str]) -> Any:
    """Text of a file by what each different one stands for."""
    rows = column.combine_chunks() if is_dictionary(column.type) else None
    if rows is None or not is_text(rows.dictionary.type):
        return column
    arrow = import_optional("pyarrow", "data", "reading Parquet")
    words = [None if text is None else word_of(text, known) for text in rows.dictionary.to_pylist()]
    places: dict[str, int] = {}
    codes = [None if word is None else places.setdefault(word, len(places)) for word in words]
    codes_of_rows = arrow.array(codes, arrow.int32()).take(rows.indices)
    return arrow.DictionaryArray.from_arrays(codes_of_rows, arrow.array(list(places), arrow.large_string()))
