"""The same table as files of many formats, some of them broken off or under a name that lies."""

import csv
import gzip
import io
import json
import sqlite3
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

SUFFIXES = (
    ".csv",
    ".tsv",
    ".csv.gz",
    ".jsonl",
    ".json",
    ".arff",
    ".parquet",
    ".arrow",
    ".sqlite",
    ".jsonl.gz",
    ".xlsx",
)


def write(rng, text):
    """Write the table of a CSV text into this folder; the file's name."""
    suffix = ".csv" if rng.random() < 0.4 else str(rng.choice(SUFFIXES))
    path = Path("t" + (suffix if rng.random() < 0.95 else str(rng.choice(SUFFIXES))))
    rows = list(csv.reader(io.StringIO(text.replace("\x00", ""), newline="")))
    if not rows or not rows[0]:
        suffix = ".csv"
    if suffix == ".sqlite":
        _write_sqlite(path, rows)
    else:
        path.write_bytes(_encoded(rng, suffix, text, rows))
    if rng.random() < 0.05:
        path.write_bytes(_damaged(rng, path.read_bytes()))
    return path.name


def _damaged(rng, data):
    """Broken off, or with a few bytes that are others."""
    if rng.random() < 0.5 or not data:
        return data[: int(rng.integers(len(data) + 1))]
    changed = bytearray(data)
    for place in rng.integers(len(data), size=rng.integers(1, 6)).tolist():
        changed[place] = int(rng.integers(256))
    return bytes(changed)


def _encoded(rng, suffix, text, rows):
    if suffix in (".parquet", ".arrow"):
        buffer = io.BytesIO()
        frame = _frame(rng, rows)
        frame.to_parquet(buffer) if suffix == ".parquet" else frame.reset_index(drop=True).to_feather(buffer)
        return buffer.getvalue()
    if suffix in (".jsonl", ".jsonl.gz", ".json"):
        told = [json.dumps(dict(zip(rows[0], row))) for row in rows[1:]]
        lines = ("\n".join(told) if suffix != ".json" else f"[{','.join(told)}]").encode()
        return gzip.compress(lines, 1) if suffix == ".jsonl.gz" else lines
    if suffix == ".xlsx":
        return _workbook(rows)
    if suffix == ".arff":
        names = "".join(f"@attribute '{name}' {'string' if name == 'label' else 'numeric'}\n" for name in rows[0])
        return f"@relation t\n{names}@data\n{text.partition(chr(10))[2]}".encode()
    if suffix == ".tsv":
        return text.replace(",", str(rng.choice(["\t", ";", "|"]))).encode(str(rng.choice(["utf-8", "utf-16"])))
    return gzip.compress(text.encode(), 1) if suffix == ".csv.gz" else text.encode()


def _workbook(rows):
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append([ILLEGAL_CHARACTERS_RE.sub("", cell) for cell in row])
    book.save(file)
    return file.getvalue()


def _frame(rng, rows):
    """Columns as text, numbers, or what Parquet can hold and a table for learning cannot."""
    names = list(dict.fromkeys(rows[0]))
    frame = pd.DataFrame([dict(zip(rows[0], row)) for row in rows[1:]], columns=names)
    for name in names[:-1]:
        kind = rng.integers(12)
        if kind < 7:
            frame[name] = pd.to_numeric(frame[name], errors="coerce")
        elif kind == 7:
            frame[name] = frame[name].astype("category")
        elif kind == 8:
            frame[name] = [[len(str(cell))] for cell in frame[name]] if rng.random() < 0.5 else frame[name] == "1"
        elif kind == 9:
            frame[name] = pd.Timestamp(2020, 1, 1) + pd.to_timedelta(np.arange(len(frame)), "h")
        elif kind == 10:
            frame[name] = pd.array([None if cell == "" else 1 for cell in frame[name]], dtype="Int64")
    return frame


def _write_sqlite(path, rows):
    names = [f'"{name}{number if rows[0].index(name) != number else ""}"' for number, name in enumerate(rows[0])]
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"create table t ({', '.join(names)})")
        marks = ",".join("?" * len(names))
        connection.executemany(
            f"insert into t values ({marks})", [(row + [None] * len(names))[: len(names)] for row in rows[1:]]
        )
    connection.close()
