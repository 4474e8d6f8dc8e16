"""Awkward tables, and what each door does with them: writes docs/awkward-tables.md.

Run `python scripts/awkward_tables.py` after a change of the readers; the tests compare the page with what happens.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import gzip
import io
import json
import os
import re
import sqlite3
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

PAGE = Path(__file__).parents[1] / "docs" / "awkward-tables.md"
N = 120

HEAD = """# Awkward tables

What happens to unusual or broken tables: with `fit(X, y)` in Python, and with `rarewood fit` on the command line. Every line is made by
`scripts/awkward_tables.py` and checked by the tests. Nothing here ends in a traceback. A table is read, with a note or warning if there is
reason for one, or it is refused with the reason and the place. The lines are the same with pandas 2.2 and pandas 3.

Which category a type declares first (a pandas category, ordered or not, a polars Enum, an Arrow dictionary), and whether it declares more
than the rows have, plays no role: categories are those that some row has, ascending, and words that all are numbers are in the order of the
numbers. So the same table gives the same model in every container and file.

"""


def plain() -> pd.DataFrame:
    """An ordinary table: a number, words and days, and a class that depends on the first and the last."""
    rng = np.random.default_rng(0)
    amount = rng.integers(-900, 900, N) / 8
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, N), unit="D")
    frame = pd.DataFrame({"amount": amount, "town": rng.choice(["Aix", "Bern", "Köln"], N), "day": day})
    frame.loc[::13, "amount"] = np.nan
    frame.loc[::17, "town"] = None
    frame["label"] = np.where((frame["day"] < "2024-01-20") & (frame["amount"] > 0), "bad", "good")
    return frame


# ---------------------------------------------------------------------------------------------------------
# frames, for Python


def _with(**columns: Any) -> Any:
    return plain().drop(columns="label").assign(**columns)


def _cells(value: Any, at: int = 3) -> pd.Series[Any]:
    cells: list[Any] = [float(i) for i in range(N)]
    cells[at] = value
    return pd.Series(cells, dtype=object)


def _arrow(**columns: Any) -> pa.Table:
    table = pa.Table.from_pandas(plain().drop(columns="label"), preserve_index=False)
    for name, cells in columns.items():
        table = table.append_column(name, cells)
    return table


def frames() -> dict[str, Callable[[], Any]]:
    """Tables as Python has them."""
    X = plain().drop(columns="label")
    return {
        "pandas, words and dates": lambda: X,
        "pandas, object columns": lambda: X.astype({"town": object, "day": object}),
        "pandas, nullable types": X.convert_dtypes,
        "pandas, Arrow-backed": lambda: X.convert_dtypes(dtype_backend="pyarrow"),
        "pandas, category dtype": lambda: X.astype({"town": "category"}),
        "polars": lambda: pl.from_pandas(X),
        "polars, lazy": lambda: pl.from_pandas(X).lazy(),
        "pyarrow": lambda: pa.Table.from_pandas(X, preserve_index=False),
        "polars, categories and an enumeration": lambda: pl.from_pandas(X).with_columns(
            pl.col("town").cast(pl.Categorical), place=pl.col("town").cast(pl.Enum(["Köln", "Bern", "Aix"]))
        ),
        "polars, decimals, a column of nothing": lambda: pl.from_pandas(X).with_columns(
            price=pl.lit(Decimal("1.25")), nothing=pl.lit(None)
        ),
        "polars, lists in cells": lambda: pl.from_pandas(X).with_columns(tags=pl.lit([1, 2])),
        "polars, structures in cells": lambda: pl.from_pandas(X).with_columns(tags=pl.struct("town")),
        "pyarrow, dictionaries and long text": lambda: _arrow(
            place=_arrow()["town"].dictionary_encode(), long=_arrow()["town"].cast(pa.large_string())
        ),
        "pyarrow, decimals and times": lambda: _arrow(
            price=pa.array([Decimal("1.25")] * N), when=pa.array([dt.time(i % 24) for i in range(N)])
        ),
        "pyarrow, lists in cells": lambda: _arrow(tags=pa.array([[1, 2]] * N)),
        "pandas, sparse columns": lambda: _with(price=pd.arrays.SparseArray(np.arange(N) % 5 == 0, dtype=float)),
        "pandas, intervals": lambda: _with(band=pd.cut(np.arange(N), 3)),
        "truth values": lambda: _with(flag=np.arange(N) % 2 == 0),
        "truth values with gaps, as objects": lambda: _with(flag=[None, *[True, False] * (N // 2)][:N]),
        "identifiers": lambda: _with(payment=[f"P{i}" for i in range(N)]),
        "numbers written as text": lambda: _with(price=[f"{i},50" for i in range(N)]),
        "dates written as text": lambda: _with(when=[f"2024-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(N)]),
        "days as date objects": lambda: _with(when=[dt.date(2024, 1, 1 + i % 28) for i in range(N)]),
        "times of day": lambda: _with(when=[dt.time(i % 24) for i in range(N)]),
        "durations": lambda: _with(wait=pd.to_timedelta(np.arange(N), unit="min")),
        "points in time with a zone": lambda: X.assign(day=X["day"].dt.tz_localize("Europe/Berlin")),
        "periods": lambda: X.assign(day=X["day"].dt.to_period("M")),
        "decimals": lambda: _with(price=[Decimal(i) / 8 for i in range(N)]),
        "an infinite decimal": lambda: _with(price=_cells(Decimal("Infinity"))),
        "an infinity": lambda: _with(price=_cells(np.inf).astype(float)),
        "an infinity in an array": lambda: np.where(np.arange(N * 2).reshape(N, 2) == 7, np.inf, 1.0),
        "a list in a cell": lambda: _with(tags=_cells([1, 2])),
        "a dictionary in a cell": lambda: _with(tags=_cells({"a": 1})),
        "words among numbers": lambda: _with(price=_cells("unknown")),
        "a whole number beyond all floats": lambda: _with(price=_cells(10**400)),
        "complex numbers": lambda: np.ones((N, 2)) * 1j,
        "a name that comes twice": lambda: pd.concat([X, X[["amount"]]], axis=1),
        "a column without values": lambda: _with(empty=None),
        "a column with one value": lambda: _with(same=1),
        "nested lists with words": lambda: [[float(i), "ab"[i % 2]] for i in range(N)],
        "nested lists of unequal length": lambda: [[1.0, 2.0]] * (N - 1) + [[1.0]],
        "a sparse matrix": lambda: sparse.csr_array(np.random.default_rng(0).random((N, 20)).round(0)),
        "a sparse matrix too large when written out": lambda: sparse.csr_matrix((N, 10**12)),
        "no rows": lambda: X.iloc[:0],
        "one dimension": lambda: np.arange(float(N)),
    }


def ask_python(table: Any) -> str:
    """What `TreeClassifier().fit` does with a table."""
    import rarewood as rw

    y = plain()["label"].to_numpy()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            tree = rw.TreeClassifier().fit(
                table, y[: getattr(table, "shape", [len(y)])[0]] if not hasattr(table, "lazy") else y
            )
        except (TypeError, ValueError) as error:
            return f"refused: {_line(error)}"
    notes = [f"; warns: {_line(each.message)}" for each in caught]
    return f"read as {_kinds([kind.word for kind in tree._columns.kinds])}{''.join(notes)}"


# ---------------------------------------------------------------------------------------------------------
# files, for the command line


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


def files() -> dict[str, tuple[str, Callable[[], bytes]]]:
    """Tables in files: a name for the command line, and the bytes."""
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
        "currencies of two kinds": ("both.csv", lambda: _written(lambda row: f"{'$€'[row % 2]}{row % 50}")),
        "percentages as 99.6%": ("percent.csv", lambda: _written(lambda row: f"{(row % 50) / 10:.1f}%")),
        "percentages as 17,1 %": (
            "prozent.csv",
            lambda: _written(lambda row: f"{row % 50 / 10:.1f} %".replace(".", ",")),
        ),
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
        "dates in both orders": (
            "orders.csv",
            lambda: _written(lambda row: f"{_day(row):{'%m/%d/%Y' if row % 2 else '%d/%m/%Y'}}"),
        ),
        "errors of a spreadsheet": ("errors.csv", _error_cells),
        "a total below the table": ("total.csv", lambda: _written(lambda row: str(row % 9)) + b"Total,1350,,,\n"),
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
        "a class of three rows": ("few.csv", lambda: _labels(lambda y: y.where(np.arange(N) % 40 > 0, "odd"))),
        "one class only": ("one.csv", lambda: _labels(lambda y: "good")),
        "a row that is too short": ("short.csv", lambda: _csv() + b"1.5,Bern\n"),
        "a name that comes twice": ("twice.csv", lambda: _csv().replace(b"town", b"amount", 1)),
        "an empty file": ("empty.csv", lambda: b""),
        "a header alone": ("head.csv", lambda: _csv().splitlines(keepends=True)[0]),
        "a header that begins with @": ("at.csv", lambda: b"@" + _csv()),
        "Excel": ("book.xlsx", _excel),
        "Excel, a sheet that is not there": ("book2.xlsx::March", _excel),
        "Feather": ("x.feather", _feather),
        "JSON lines": ("x.jsonl", lambda: _json().encode()),
        "JSON, a list of objects": ("x.json", lambda: b"[" + ",".join(_json().splitlines()).encode() + b"]"),
        "JSON lines, a broken line": ("broken.jsonl", lambda: _json().encode() + b"{oops"),
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


# ---------------------------------------------------------------------------------------------------------
# exports of nine kinds, taken the whole way


def exports() -> dict[str, tuple[bytes, bytes, list[str]]]:
    """Tables as other programs write them: rows to learn from, new rows, and options of `rarewood fit`."""
    return {
        name: (make(_drawn(seed, n)), make(_drawn(seed + 1, n)), options)
        for name, (make, seed, n, options) in _EXPORTS.items()
    }


def _drawn(seed: int, n: int) -> pd.DataFrame:
    """Risks of rows, whose class they decide, and some columns to write in one way or another."""
    rng = np.random.default_rng(seed)
    amount, share, age = rng.lognormal(8, 1, n).round(2), rng.integers(0, 1000, n) / 10, rng.integers(18, 95, n)
    day = pd.Timestamp("2023-01-02") + pd.to_timedelta(np.sort(rng.integers(0, 600, n)), unit="D")
    town = rng.choice(["Aix", "Bern", "Köln", "Graz"], n)
    risk = (amount > 6000) * 1.5 + (share < 20) + (age > 70) * 0.8 + (town == "Köln") * 0.5
    rare = risk + rng.normal(size=n) * 0.5 > np.quantile(risk, 0.93)
    return pd.DataFrame(
        {"row": np.arange(n), "amount": amount, "share": share, "age": age, "day": day, "town": town, "rare": rare}
    )


def _text(frame: pd.DataFrame, **options: Any) -> bytes:
    text: str = frame.to_csv(index=False, **options)
    return text.encode()


def _insurance(rows: pd.DataFrame) -> bytes:
    """Policies: numbers of policies, amounts in dollars, dates with the month in front."""
    frame = pd.DataFrame({"PolicyNumber": 700_000 + rows["row"] * 7 % 4999, "Age": rows["age"]})
    frame["Claim"] = [f"${amount:,.2f}" for amount in rows["amount"]]
    frame["Opened"] = rows["day"].dt.strftime("%m/%d/%Y")
    frame["Fraud"] = np.where(rows["rare"], "Y", "N")
    return _text(frame)


def _loans(rows: pd.DataFrame) -> bytes:
    """Loans: thousands with points, percentages with commas, recoveries that only bad loans have."""
    frame = pd.DataFrame({"betrag": [f"{round(amount):,}".replace(",", ".") for amount in rows["amount"]]})
    frame["zins"] = [f"{share} %".replace(".", ",") for share in rows["share"]]
    frame["recoveries"] = np.where(rows["rare"], rows["row"] % 10 * 40, 0)
    frame["beginn"] = rows["day"].dt.strftime("%d/%m/%Y")
    frame["status"] = np.where(rows["rare"], "ausgefallen", "bezahlt")
    return _text(frame, sep=";")


def _hospital(rows: pd.DataFrame) -> bytes:
    """Stays: three outcomes, cells that say unknown, errors of a spreadsheet, a row without an outcome."""
    frame = pd.DataFrame({"age": rows["age"], "admitted": rows["day"].dt.strftime("%d-%b-%Y")})
    frame["lactate"] = np.where(rows["row"] % 40 == 3, "#VALUE!", (rows["share"] / 7).round(1).astype(str))
    frame["ward"] = rows["town"]
    frame["outcome"] = np.where(rows["rare"], "death", np.where(rows["age"] > 60, "transfer", "home"))
    frame.loc[5, "outcome"] = ""
    return _text(frame)


def _sensors(rows: pd.DataFrame) -> bytes:
    """Machines: moments with a zone, a constant column, three decimals."""
    moment = rows["day"] + pd.to_timedelta(rows["row"], unit="min")
    frame = pd.DataFrame({"time": moment.dt.strftime("%Y-%m-%dT%H:%M:%SZ"), "pressure": (1 + rows["amount"] / 1e4)})
    frame = frame.assign(temperature=rows["share"], unit="bar", fault=rows["rare"].astype(int))
    return _text(frame, float_format="%.3f")


def _events(rows: pd.DataFrame) -> bytes:
    """Logins: a list of JSON objects, with truth values and missing keys."""
    events = []
    for row in rows.itertuples():
        event = {
            "when": f"{row.day:%Y-%m-%d} 10:00:00",
            "country": row.town,
            "tries": int(row.age % 9),
            "new": row.row % 3 == 0,
        }
        event |= {"amount": row.amount} if row.row % 11 else {}
        events.append({**event, "attack": bool(row.rare)})
    return json.dumps(events).encode()


def _orders(rows: pd.DataFrame) -> bytes:
    """Orders: a workbook with euros, negative amounts in brackets and names of customers."""
    frame = pd.DataFrame({"order": [f"A-{row:05d}" for row in rows["row"]], "customer": rows["row"] % 120})
    frame["total"] = [f"{amount:,.2f} €".translate(str.maketrans(",.", ".,")) for amount in rows["amount"]]
    frame["refund"] = [f"({share})" if share > 50 else f"{share}" for share in rows["share"]]
    frame["returned"] = np.where(rows["rare"], "yes", "no")
    file = io.BytesIO()
    frame.to_excel(file, index=False)
    return file.getvalue()


def _tiny(rows: pd.DataFrame) -> bytes:
    """Forty rows, a handful of them rare."""
    return _text(rows[["amount", "age", "town"]].assign(bad=np.where(rows["row"] % 8 == 0, "yes", "no")))


def _wide(rows: pd.DataFrame) -> bytes:
    """More columns than rows."""
    noise = np.random.default_rng(len(rows)).normal(size=(len(rows), 300)).round(3)
    frame = pd.DataFrame(noise, columns=[f"g{number}" for number in range(300)])
    return _text(frame.assign(share=rows["share"], ill=np.where(rows["rare"], "yes", "no")))


def _panel(rows: pd.DataFrame) -> bytes:
    """Firms by year, tabs between cells."""
    frame = pd.DataFrame({"firm": rows["row"] % 60, "year": 2015 + rows["row"] // 60, "debt": rows["amount"]})
    return _text(frame.assign(growth=rows["share"], default=np.where(rows["rare"], 1, 0)), sep="\t")


_EXPORTS: dict[str, tuple[Callable[[pd.DataFrame], bytes], int, int, list[str]]] = {
    "insurance": (_insurance, 10, 400, ["--id", "PolicyNumber"]),
    "loans": (_loans, 20, 400, ["--time", "beginn"]),
    "hospital": (_hospital, 30, 400, []),
    "sensors": (_sensors, 40, 400, ["--time", "time"]),
    "events": (_events, 50, 400, ["--target", "attack"]),
    "orders": (_orders, 60, 400, ["--id", "order", "--group", "customer"]),
    "tiny": (_tiny, 70, 40, []),
    "wide": (_wide, 80, 120, []),
    "panel": (_panel, 90, 420, ["--group", "firm"]),
}


def take_the_whole_way(name: str, folder: Path) -> dict[str, tuple[str, int]]:
    """What `fit`, `predict`, `report` and `rules` print for an export, and their exit codes."""
    train, new, options = exports()[name]
    paths = [folder / f"{name}-{part}" for part in ("train", "new")]
    for path, contents in zip(paths, (train, new), strict=True):
        path.write_bytes(contents)
    if name == "loans":
        paths[0].write_bytes(train + b"Summe;1.350.000;;;\n")
    model, page, scores = (str(folder / f"{name}.{suffix}") for suffix in ("rarewood", "html", "csv"))
    first, second = map(str, paths)
    commands = {
        "fit": ["fit", first, "-s", "n_estimators=30", "-j", "1", "--rules", "3", "-o", model, *options],
        "predict": ["predict", model, second, "-o", scores, "--rules", "--reasons", "2", "-j", "1"],
        "report": ["report", model, second, "--train", first, "--no-baseline", "-j", "1", "-o", page],
        "rules": ["rules", model, second],
    }
    return {command: _run(arguments) for command, arguments in commands.items()}


def ask_program(name: str, contents: bytes, folder: Path) -> str:
    """What `rarewood fit` does with a file."""
    (folder / name.split("::")[0]).write_bytes(contents)
    out, code = _run(
        ["fit", str(folder / name), "-m", "hddt", "--rules", "0", "--json", "-o", str(folder / "x.rarewood")]
    )
    if code:
        return f"refused: {_line(out).removeprefix('rarewood: ').replace(str(folder) + os.sep, '')}"
    found = json.loads(out[out.index("{") :])
    told = [note for note in found["notes"] if "holds dates" not in note]  # most of these tables have a column of dates
    notes = "".join(f"; notes: {_line(note)}" for note in told)
    return f"read as {_kinds(found['columns'].values())}{notes}"


def _run(arguments: list[str]) -> tuple[str, int]:
    from rarewood.cli._app import app

    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            app(arguments, prog_name="rarewood")
        except SystemExit as stop:
            return text.getvalue(), int(stop.code or 0)
    return text.getvalue(), 0


def _kinds(words: Any) -> str:
    words = list(words)
    return ", ".join(words) if len(words) < 8 else f"{len(words)} columns: {', '.join(dict.fromkeys(words))}"


def _line(message: object) -> str:
    text = " ".join(str(message).split())
    text = re.sub(r"the [\d,.]+ GB of this machine", "the memory of this machine", text)
    return text if len(text) < 260 else f"{text[:250]}..."


# ---------------------------------------------------------------------------------------------------------
# the page


def answers() -> Iterator[tuple[str, str, str]]:
    """Door, case, and what happens."""
    for case, make in frames().items():
        yield "Python", case, ask_python(make())
    with tempfile.TemporaryDirectory() as folder:
        for case, (name, contents) in files().items():
            yield "command line", case, ask_program(name, contents(), Path(folder))


def page(found: list[tuple[str, str, str]]) -> str:
    """The page as text."""
    parts = [HEAD]
    for door in ("Python", "command line"):
        rows = [(case, what) for where, case, what in found if where == door]
        title = "Frames and arrays, in Python" if door == "Python" else "Files, on the command line"
        parts.append(f"## {title}\n\n| {len(rows)} tables | what happens |\n|---|---|\n")
        parts += [f"| {_escaped(case)} | {_escaped(what)} |\n" for case, what in rows]
        parts.append("\n")
    return "".join(parts).rstrip() + "\n"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "\\<").replace("*", "\\*").replace("[", "\\[").replace("_", "\\_")


if __name__ == "__main__":
    PAGE.write_text(page(list(answers())), encoding="utf-8")
    sys.stdout.write(f"{PAGE.name} written\n")
