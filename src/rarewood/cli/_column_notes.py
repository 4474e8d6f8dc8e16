"""Notes on columns: identifiers taken for information, numbers taken for categories, columns without information."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rarewood._table_files.labels import labels_alike
from rarewood._tables import Rows
from rarewood._tables.cells import is_number
from rarewood._tables.date_texts import are_dates_in_both_orders
from rarewood._tables.kinds import Categories, Kind, Numbers
from rarewood._tables.moments import are_written_days
from rarewood._tables.notes import Note, NoteCode, as_option
from rarewood._tables.number_texts import currencies_in
from rarewood._tables.suspicions import NOTED, Suspicion, column_suspicions, sentinel_in
from rarewood.cli._schema import InputSchema

_MOST_COMPARED = 10_000
_MONTH = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])")
_WITH_UNIT = re.compile(r"[+-]?[\d.,]*\d\s*([^\W\d_][^\d]*)")
_IN_WORDS = {
    Suspicion.EMPTY: "is empty",
    Suspicion.CONSTANT: "is constant",
    Suspicion.COUNTER: "numbers the rows: use --id if it identifies rows, --drop otherwise",
}


def notes_on_columns(rows: Rows, schema: InputSchema, nominal: Sequence[str]) -> Iterator[Note]:
    """What looks odd; a column that a user calls `nominal` may have as many categories as it likes."""
    suspicions = column_suspicions(rows, NOTED)
    for place, (name, kind) in enumerate(zip(schema.names, rows.columns.kinds, strict=True)):
        what = _IN_WORDS.get(suspicions.get(place, Suspicion.IDENTIFIER))
        if what is None and isinstance(kind, Categories) and name not in nominal:
            what = _oddity_of_words(name, kind, rows.matrix[:, place], place in suspicions)
        if what is not None:
            yield Note(NoteCode.COLUMN, f"column {name!r} {what}", (name,))
        yield from _notes_on_cells(name, kind, rows.matrix[:, place])


def _notes_on_cells(name: str, kind: Kind, cells: NDArray[np.floating]) -> Iterator[Note]:
    """Numbers that stand for missing values or for days, and categories that are probably one."""
    sentinel = sentinel_in(cells) if isinstance(kind, Numbers) else None
    if sentinel is not None:
        count = int((cells == sentinel).sum())
        yield Note(
            NoteCode.SENTINEL,
            f"column {name!r} has {sentinel:.0f} in {count:,} rows, far from all other numbers",
            (name,),
            f"; if it means missing, use {as_option('--missing', f'{name}={sentinel:.0f}')}",
        )
    if isinstance(kind, Numbers) and are_written_days(cells):
        yield Note(
            NoteCode.MOMENTS,
            f"column {name!r} is read as numbers, and looks like dates, such as {np.nanmin(cells):.0f}",
            (name,),
            f"; if so, use {as_option('--date-format', f'{name}=%Y%m%d')}",
        )
    if isinstance(kind, Categories) and len(kind.categories) <= _MOST_COMPARED:
        same = labels_alike(kind.categories)
        if same:
            more = f", and {len(same) - 1} more such groups" if len(same) > 1 else ""
            yield Note(
                NoteCode.ALIKE,
                f"the categories {', '.join(map(repr, same[0]))} of column {name!r}{more} differ only by case or spaces and count as "
                "different ones",
                (name,),
            )


def note_on_dates(schema: InputSchema) -> Iterator[Note]:
    """A random split tests on the past what will be used on the future."""
    dates = [name for name, kind in schema.kinds.items() if kind.word in ("date", "datetime", "datetime_utc")]
    if dates:
        yield Note(
            NoteCode.DATES,
            f"column {dates[0]!r} holds dates: if new rows will be later ones, {as_option('--time', dates[0])} tests the model on the "
            "latest rows",
            (dates[0],),
        )


def _oddity_of_words(name: str, kind: Categories, cells: NDArray[np.floating], names_rows: bool) -> str | None:
    """Numbers, amounts and dates that were taken for categories, and identifiers."""
    texts = kind.categories.tolist()
    if len(texts) <= NOTED.more_values_than:
        return None
    currencies = currencies_in(texts)
    if len(currencies) > 1:
        return f"holds amounts in {' and '.join(currencies)} and is read as categories: convert them to one currency"
    if are_dates_in_both_orders(texts):
        return (
            "mixes dates with the day and with the month in front, and is read as categories: write them in one way, such as "
            "2024-01-31"
        )
    if all(map(_MONTH.fullmatch, texts)):
        option = as_option("--date-format", f"{name}=%Y-%m")
        return f"holds months such as {texts[0]!r} and is read as categories: {option} reads them as dates"
    units = {None if found is None else found[1] for found in map(_WITH_UNIT.fullmatch, texts)}
    if len(units) == 1 and units != {None}:
        return f"holds numbers with {units.pop()!r} behind them, such as {texts[0]!r}, and is read as categories: write numbers alone"
    unread = [text for text in texts if not is_number(text)]
    if unread and len(texts) < 2 * sum(is_number(text.replace(",", "")) for text in texts):
        return (
            f"was read as categories because of cells such as {unread[0]!r}: write numbers with a point and no commas, "
            "and leave missing cells empty"
        )
    if names_rows:
        return f"has {len(texts):,} categories in {len(cells):,} rows: use --id if it identifies rows, --drop otherwise"
    return None
