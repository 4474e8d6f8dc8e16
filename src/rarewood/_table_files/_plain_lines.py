"""Lines of CSV parsed at once, a column at a time, where that gives what reading cell by cell would."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec
from operator import methodcaller
from typing import Any

from rarewood._tables.cells import ERRORS, MISSING, Form, blanked
from rarewood._validation import import_optional


def parse_plain(
    lines: Sequence[str],
    names: Sequence[str],
    delimiter: str,
    forms: Mapping[str, Form],
    decimal: str = ".",
    missing: Mapping[str, Collection[str]] | None = None,
) -> dict[str, Any] | None:
    """The columns of `forms`: numbers as an array, nominal ones as a pandas Categorical, text as a list.

    `missing` are words for missing cells by column, besides the usual ones.

    None if the lines need a careful reader: for cells in quotes, rows of another length, empty lines, numbers that are written
    in an unusual way or are none, categories with spaces around, errors of spreadsheets, which are counted; and without pandas.
    """
    if find_spec("pandas") is None:
        return None
    text = "".join(lines)
    if "#" in text and any(error in text for error in ERRORS):
        return None
    if '"' in text or "\0" in text or set(map(methodcaller("count", delimiter), lines)) != {len(names) - 1}:
        return None
    more = missing or {}
    wanted = [name for name in names if name in forms]
    words = [name for name in wanted if forms[name] != "number"]
    pandas = import_optional("pandas", "cli", "reading a table in blocks")
    try:
        frame = pandas.read_csv(
            io.StringIO(text),
            sep=delimiter,
            decimal=decimal,
            header=None,
            names=names,
            usecols=wanted,
            index_col=False,
            dtype=dict.fromkeys(words, "object"),  # asked for numbers in the others, it would take True for 1
            na_values={name: [*MISSING, *more.get(name, ())] for name in wanted if forms[name] != "text"},
            keep_default_na=False,
            skip_blank_lines=False,
            quoting=csv.QUOTE_NONE,
            low_memory=False,
            **_exact(pandas.__version__),
        )
    except ValueError:
        return None
    columns: dict[str, Any] = {}
    for name in wanted:
        cells = frame[name].to_numpy()
        if forms[name] == "number":
            if cells.dtype.kind not in "iuf":
                return None
            columns[name] = cells.astype("float64", copy=False)
        elif forms[name] == "text":
            columns[name] = blanked(cells.tolist(), more[name]) if more.get(name) else cells.tolist()
        else:
            codes, levels = pandas.factorize(cells)
            if any(level != level.strip() for level in levels):
                return None
            columns[name] = pandas.Categorical.from_codes(codes, levels)
    return columns


def _exact(version: str) -> dict[str, Any]:
    """Options for numbers as `float` reads them; from pandas 3.1 on they always are, and asking for it is deprecated."""
    major, minor = map(int, version.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}
