"""Awkward tables in files, for the command line."""

from __future__ import annotations

import contextlib
import datetime as dt
import gzip
import io
import json
import os
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
from pyarrow import parquet

from awkward.common import N, kinds_in_words, line_of, plain, run

Told = tuple[Any, ...]
"""The name of a file, what makes its bytes, options of the command line."""


def _csv(**options: Any) -> bytes:
    text: str = plain().to_csv(index=False, **options)
    return text.encode()


def _european(encoding: str = "utf-8", **more: Any) -> bytes:
    text: str = plain().to_csv(index=False, sep=";", decimal=",", date_format="%d.%m.%Y", **more)
    return text.encode(encoding)


def _grouped(decimal: str, mark: str, sep: str) -> bytes:
    frame = plain()
    written = [
        f"{v * 1000:,.2f}".replace(",", "_").replace(".", decimal).replace("_", mark) for v in frame["amount"].fillna(0)
    ]
    text: str = frame.assign(amount=written).to_csv(index=False, sep=sep)
    return text.encode()


def _written(column: Callable[[int], str], **options: Any) -> bytes:
    """The table with a column of texts, one for each row number."""
    frame = plain()
    frame.insert(0, "price", [column(row) for row in range(N)])
    text: str = frame.to_csv(index=False, **options)
    return text.encode()


def _amount(row: int) -> int:
    return (row * 7919) % 90_000


def _day(row: int) -> dt.date:
    return dt.date(2023, 1, 1) + dt.timedelta(days=(row * 37) % 700)


def _error_cells() -> bytes:
    return _written(lambda row: "#VALUE!" if row % 20 == 3 else str(row % 7))


def _labels(change: Callable[[pd.Series[Any]], Any]) -> bytes:
    frame = plain()
    text: str = frame.assign(label=change(frame["label"])).to_csv(index=False)
    return text.encode()


def _parquet() -> bytes:
    file = io.BytesIO()
    plain().to_parquet(file)
    return file.getvalue()


def _feather() -> bytes:
    file = io.BytesIO()
    plain().to_feather(file)
    return file.getvalue()


def _excel() -> bytes:
    file = io.BytesIO()
    plain().to_excel(file, index=False)
    return file.getvalue()


def _json() -> str:
    frame = plain()
    text: str = frame.assign(day=frame["day"].dt.strftime("%Y-%m-%d")).to_json(orient="records", lines=True)
    return text


def _sqlite(*names: str) -> bytes:
    frame = plain()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.db"
        with contextlib.closing(sqlite3.connect(path)) as connection:
            for name in names:
                frame.assign(day=frame["day"].dt.strftime("%Y-%m-%d")).to_sql(name, connection, index=False)
        return path.read_bytes()


def _duckdb() -> bytes:
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.duckdb"
        with duckdb.connect(path) as connection:
            connection.register("given", plain())
            connection.execute("CREATE TABLE march AS SELECT * FROM given")
        return path.read_bytes()


def _arff() -> bytes:
    frame = plain()
    rows = "\n".join(
        f"{'?' if a != a else a},{t if isinstance(t, str) else '?'},{label}"
        for a, t, label in zip(frame["amount"], frame["town"], frame["label"])
    )
    head = (
        "@RELATION x\n@ATTRIBUTE amount NUMERIC\n@ATTRIBUTE town {Aix,Bern,Köln}\n@ATTRIBUTE label {bad,good}\n@DATA\n"
    )
    return (head + rows).encode()


def _with_cells(words: dict[int, str], **options: Any) -> bytes:
    """The table with a column of numbers, of which some cells hold words."""
    return _written(lambda row: words.get(row, str(row * 7 % 50)), **options)


def _book(**sheets: tuple[pd.DataFrame, int]) -> bytes:
    """A workbook with tables in sheets, below so many empty rows."""
    file = io.BytesIO()
    with pd.ExcelWriter(file) as book:
        for name, (frame, above) in sheets.items():
            frame.to_excel(book, sheet_name=name, index=False, startrow=above)
    return file.getvalue()


def _odd(write: Callable[[int], str], *words: str, **options: Any) -> bytes:
    """The table with a column of texts, of which some cells are empty and some hold these words."""
    some = {row: word for start, word in enumerate(("", *words)) for row in range(3 + start, N, 40)}
    return _written(lambda row: some.get(row, write(row)), **options)


def _german(amount: float, behind: str = "") -> str:
    return f"{amount:,.2f}".translate(str.maketrans(",.", ".,")) + behind


def _objects(**more: Any) -> bytes:
    rows = [json.loads(line) for line in _json().splitlines()]
    nested = [{"at": {"town": row.pop("town"), "day": row.pop("day")}, **more, **row} for row in rows]
    return "\n".join(map(json.dumps, nested)).encode()


def _structures(**more: Any) -> bytes:
    file = io.BytesIO()
    rows = [json.loads(line) for line in _objects(**more).splitlines()]
    columns = {name: pyarrow.array([row[name] for row in rows]) for name in rows[0]}
    at = [pyarrow.array([row["at"][name] for row in rows]) for name in rows[0]["at"]]
    columns["at"] = pyarrow.StructArray.from_arrays(
        at, list(rows[0]["at"])
    )  # inferred, its fields come in another order in old versions
    parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


_ABOVE = pd.DataFrame({"made by": ["the office"]})
_MISSING = {3: "k.A.", 40: "#NV", 41: "-", 80: "k.A."}


def files() -> dict[str, Told]:
    """Tables in files: a name for the command line, the bytes, and options."""
    return {
        "CSV": ("plain.csv", _csv),
        "CSV, packed by gzip, without a suffix": ("packed", lambda: gzip.compress(_csv())),
        "CSV called .parquet": ("wrong.parquet", _csv),
        "Parquet called .csv": ("wrong.csv", _parquet),
        "semicolons, decimal commas, days as 31.12.2024": ("eu.csv", _european),
        "the same in UTF-16": ("eu16.csv", lambda: _european("utf-16")),
        "the same in latin-1": ("eu1.csv", lambda: _european("latin-1")),
        "the same with a byte order mark": ("bom.csv", lambda: _european("utf-8-sig")),
        "tabs": ("tabs.txt", lambda: _csv(sep="\t")),
        "bars": ("bars.csv", lambda: _csv(sep="|")),
        "thousands as 1.234,50": ("de.csv", lambda: _grouped(",", ".", ";")),
        "thousands as 1,234.50": ("us.csv", lambda: _grouped(".", ",", ",")),
        "thousands as 1'234.50": ("ch.csv", lambda: _grouped(".", "'", ";")),
        "thousands as 2.775, without decimals": (
            "points.csv",
            lambda: _written(lambda row: f"{_amount(row):,}".replace(",", "."), sep=";"),
        ),
        "currencies as $40,761": ("dollars.csv", lambda: _written(lambda row: f"${_amount(row):,}")),
        "currencies as 5.897,53 €": (
            "euros.csv",
            lambda: _written(lambda row: f"{_amount(row) + 0.25:,.2f} €".translate(str.maketrans(",.", ".,")), sep=";"),
        ),
        "the same, with empty and odd cells": (
            "points2.csv",
            lambda: _odd(lambda row: f"{_amount(row):,}".replace(",", "."), "k.A.", sep=";"),
        ),
        "numbers as 2.775 alone": (
            "alone.csv",
            lambda: _written(lambda row: f"{1 + row % 9}.{_amount(row) % 1000:03d}"),
        ),
        "the same, with --decimal ,": (
            "alone2.csv",
            lambda: _written(lambda row: f"{1 + row % 9}.{_amount(row) % 1000:03d}"),
            "--decimal",
            ",",
        ),
        "the same, with --thousands .": (
            "alone3.csv",
            lambda: _written(lambda row: f"{1 + row % 9}.{_amount(row) % 1000:03d}"),
            "--thousands",
            ".",
        ),
        "currencies with empty and odd cells": (
            "euros2.csv",
            lambda: _odd(lambda row: _german(_amount(row) + 0.25, " €"), "offen", sep=";"),
        ),
        "currencies of two kinds": ("both.csv", lambda: _written(lambda row: f"{'$€'[row % 2]}{row * row % 50}")),
        "percentages as 99.6%": ("percent.csv", lambda: _written(lambda row: f"{(row % 50) / 10:.1f}%")),
        "percentages as 17,1 %": (
            "prozent.csv",
            lambda: _written(lambda row: f"{row % 50 / 10:.1f} %".replace(".", ",")),
        ),
        "percent signs in some cells, empty and odd ones": (
            "percent2.csv",
            lambda: _odd(lambda row: f"{row % 50 / 10:.1f}{'%' * (row % 2)}", "n.d."),
        ),
        "negative numbers as (50.02), with empty and odd cells": (
            "brackets2.csv",
            lambda: _odd(lambda row: f"({row / 8:.2f})" if row % 3 else f"{row / 8:.2f}", "pending"),
        ),
        "negative numbers as 12.00-, with empty and odd cells": (
            "minus2.csv",
            lambda: _odd(lambda row: f"{row / 8:.2f}-" if row % 3 else f"{row / 8:.2f}", "pending"),
        ),
        "numbers with a unit behind them": ("unit.csv", lambda: _written(lambda row: f"{row / 8:.2f} kg")),
        "negative numbers as (50.02)": (
            "brackets.csv",
            lambda: _written(lambda row: f"({row / 8:.2f})" if row % 3 else f"{row / 8:.2f}"),
        ),
        "negative numbers as 12.00-": (
            "minus.csv",
            lambda: _written(lambda row: f"{row / 8:.2f}-" if row % 3 else f"{row / 8:.2f}"),
        ),
        "three decimals that could be thousands": ("three.csv", lambda: _written(lambda row: f"{1 + row * 0.017:.3f}")),
        "dates as 04/21/2019": ("months.csv", lambda: _written(lambda row: f"{_day(row):%m/%d/%Y}")),
        "dates as 31/12/2024": ("days.csv", lambda: _written(lambda row: f"{_day(row):%d/%m/%Y}")),
        "dates as 5-Jan-2024": ("names.csv", lambda: _written(lambda row: f"{_day(row):%d-%b-%Y}")),
        "times as 1/2/24 3:15 PM": (
            "clock.csv",
            lambda: _written(lambda row: f"{_day(row):%m/%d/%y} {1 + row % 12}:15 {'AP'[row % 2]}M"),
        ),
        "dates that could be either": (
            "either.csv",
            lambda: _written(lambda row: f"{1 + row % 12:02d}/{1 + row % 11:02d}/2024"),
        ),
        "the same, with --date-format price=dmy": (
            "either2.csv",
            lambda: _written(lambda row: f"{1 + row % 12:02d}/{1 + row % 11:02d}/2024"),
            "--date-format",
            "price=dmy",
        ),
        "dates, some of them 00/00/0000 or unknown": (
            "zero.csv",
            lambda: _odd(lambda row: f"{_day(row):%d/%m/%Y}", "00/00/0000", "unknown"),
        ),
        "dates as 20240131": ("digits.csv", lambda: _written(lambda row: f"{_day(row):%Y%m%d}")),
        "the same, with --date-format price=%Y%m%d": (
            "digits2.csv",
            lambda: _written(lambda row: f"{_day(row):%Y%m%d}"),
            "--date-format",
            "price=%Y%m%d",
        ),
        "months as 2024-01": ("month.csv", lambda: _written(lambda row: f"20{row % 24:02d}-{1 + row % 12:02d}")),
        "points in time of two zones": (
            "zones.csv",
            lambda: _written(lambda row: f"{_day(row)}T10:15:00{('Z', '+02:00')[row % 2]}"),
        ),
        "dates in both orders": (
            "orders.csv",
            lambda: _written(lambda row: f"{_day(row):{'%m/%d/%Y' if row % 2 else '%d/%m/%Y'}}"),
        ),
        "errors of a spreadsheet": ("errors.csv", _error_cells),
        "a total below the table": ("total.csv", lambda: _written(lambda row: str(row % 9)) + b"Total,1350,,,\n"),
        "a total in a column of identifiers": (
            "total2.csv",
            lambda: _written(lambda row: f"N{row:04d}") + b"Total,,,,\n",
            "--id",
            "price",
        ),
        "a total below German numbers": (
            "summe.csv",
            lambda: _written(lambda row: f"{row / 4:.2f}".replace(".", ","), sep=";") + b";;Summe;;\n",
        ),
        "a cell that says unknown among numbers": ("unknown.csv", lambda: _with_cells({3: "unknown"})),
        "cells such as <5 among numbers": ("less.csv", lambda: _with_cells(dict.fromkeys([3, 40, 41, 90], "<5"))),
        "the same, with --strict": ("strict.csv", lambda: _with_cells({3: "<5"}), "--strict"),
        "cells such as k.A., #NV and -": ("words.csv", lambda: _with_cells(_MISSING)),
        "the same, with --missing 'k.A.,#NV,-'": (
            "told.csv",
            lambda: _with_cells(_MISSING),
            "--missing",
            "k.A.,#NV,-",
        ),
        "words in every third cell of numbers": (
            "third.csv",
            lambda: _with_cells({row: f"w{row % 4}" for row in range(0, N, 3)}),
        ),
        "-999 for missing numbers": ("sentinel.csv", lambda: _with_cells(dict.fromkeys(range(0, N, 9), "-999"))),
        "the same, with --missing price=-999": (
            "sentinel2.csv",
            lambda: _with_cells(dict.fromkeys(range(0, N, 9), "-999")),
            "--missing",
            "price=-999",
        ),
        "codes with zeros in front": ("zeros.csv", lambda: _written(lambda row: f"{row * 7 % 90:03d}")),
        "categories that differ by case": ("towns.csv", lambda: _csv().replace(b",Bern", b",BERN", 5)),
        "truth values as TRUE and false": ("truth.csv", lambda: _written(lambda row: ["TRUE", "false"][row % 2])),
        "a title above the table": ("title.csv", lambda: b"Payments 2024\nmade by the office\n\n" + _csv()),
        "a title in the first cell of many": ("title2.csv", lambda: b"Payments 2024;;;\n;;;\n" + _csv(sep=";")),
        "Windows line ends": ("crlf.csv", lambda: _csv(lineterminator="\r\n")),
        "rows without a label": ("gaps.csv", lambda: _labels(lambda y: y.where(np.arange(N) % 10 > 0))),
        "labels that differ by case": (
            "case.csv",
            lambda: _labels(lambda y: y.where(np.arange(N) % 9 > 0, y.str.upper())),
        ),
        "a label that is written otherwise once": (
            "once.csv",
            lambda: _csv().replace(b",bad", b",BAD", 1),
        ),
        "three classes": (
            "three_classes.csv",
            lambda: _labels(lambda y: y.where(np.arange(N) % 12 > 0, "worse")),
        ),
        "a class of three rows": ("few.csv", lambda: _labels(lambda y: y.where(np.arange(N) % 40 > 0, "odd"))),
        "one class only": ("one.csv", lambda: _labels(lambda y: "good")),
        "a row that is too short": ("short.csv", lambda: _csv() + b"1.5,Bern\n"),
        "a name that comes twice": ("twice.csv", lambda: _csv().replace(b"town", b"amount", 1)),
        "an empty file": ("empty.csv", lambda: b""),
        "a header alone": ("head.csv", lambda: _csv().splitlines(keepends=True)[0]),
        "a header that begins with @": ("at.csv", lambda: b"@" + _csv()),
        "Excel": ("book.xlsx", _excel),
        "Excel, a sheet that is not there": ("book2.xlsx::March", _excel),
        "Excel, a sheet of several": (
            "sheets.xlsx",
            lambda: _book(Cover=(_ABOVE, 0), April=(plain(), 0), May=(plain(), 0)),
        ),
        "Excel, --sheet May": ("may.xlsx", lambda: _book(April=(_ABOVE, 0), May=(plain(), 0)), "--sheet", "May"),
        "Excel, empty rows above the table": ("below.xlsx", lambda: _book(March=(plain(), 3))),
        "Feather": ("x.feather", _feather),
        "JSON lines": ("x.jsonl", lambda: _json().encode()),
        "JSON, a list of objects": ("x.json", lambda: b"[" + ",".join(_json().splitlines()).encode() + b"]"),
        "JSON lines, a broken line": ("broken.jsonl", lambda: _json().encode() + b"{oops"),
        "JSON lines, objects in objects": ("nested.jsonl", _objects),
        "JSON lines, lists in two columns": ("lists.jsonl", lambda: _objects(tags=[1], parts=[{"a": 1}])),
        "Parquet, structures in cells": ("nested.parquet", _structures),
        "Parquet, lists in two columns": ("lists.parquet", lambda: _structures(tags=[1], parts=[{"a": 1}])),
        "SQLite": ("x.db::march", lambda: _sqlite("march")),
        "SQLite with two tables, none named": ("two.db", lambda: _sqlite("march", "april")),
        "DuckDB": ("x.duckdb::march", _duckdb),
        "ARFF": ("x.arff", _arff),
        "a damaged zip archive": ("x.zip", lambda: b"PK\x03\x04" + bytes(100)),
        "Excel of the old kind": ("old.xls", lambda: b"\xd0\xcf\x11\xe0" + bytes(100)),
        "a web page": ("page.csv", lambda: b"<!DOCTYPE html><html>"),
        "a damaged Parquet file": ("cut.parquet", lambda: _parquet()[:500]),
        "a damaged gzip file": ("cut.csv.gz", lambda: gzip.compress(_csv())[:200]),
    }


def ask_program(name: str, contents: Callable[[], bytes], *options: str, folder: Path) -> str:
    """What `rarewood fit` does with a file."""
    (folder / name.split("::")[0]).write_bytes(contents())
    told = ["-m", "hddt", "--rules", "0", "--json", "-o", str(folder / "x.rarewood"), *options]
    out, code = run(["fit", str(folder / name), *told])
    if code:
        return f"refused: {line_of(out).removeprefix('rarewood: ').replace(str(folder) + os.sep, '')}"
    found = json.loads(out[out.index("{") :])
    told = [
        note for note in found["notes"] if "if new rows will be later" not in note
    ]  # most of these tables have a column of dates
    notes = "".join(f"; notes: {line_of(note)}" for note in told)
    return f"read as {kinds_in_words(found['columns'].values())}{notes}"
