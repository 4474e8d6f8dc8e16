"""A table in a database file: read as it was written, under any names, and rules in SQL that hold where they hold for the rows."""

import sqlite3
import tempfile
import warnings
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd

import rarewood as rw
from rarewood._table_files.sources import Source
from rarewood.inspection import extract_patterns

PIECES = (
    "a",
    "B",
    " ",
    "#",
    "%",
    "%20",
    "&",
    ";",
    "'",
    '"',
    "$",
    "ä",
    "\u202e",
    "--",
    "select",
    "=",
    "+",
    "{}",
    "\\",
    "::x",
    ".",
)
FILES = tuple(piece for piece in PIECES if piece not in (".", "::x", "\\"))  # DuckDB takes \ for /


def run(seed):
    rng = np.random.default_rng(seed)
    frame = random_frame(rng)
    table = some_text(rng, PIECES)
    is_duckdb = bool(rng.random() < 0.4)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{some_text(rng, FILES)}.db"
        connect = _duckdb if is_duckdb else _sqlite
        with closing(connect(path)) as connection:
            write(connection, frame, table, is_duckdb)
            if rng.random() < 0.5:
                connection.execute("CREATE VIEW a_view AS SELECT 1 AS one")
            connection.commit()
            check_rules(rng, connection, frame, table)
        named = table if rng.random() < 0.5 else None
        with Source(path, path.name, table=named).blocks(int(rng.choice([1, 7, 1000]))) as (names, blocks):
            parts = [block.columns for block in blocks]
        assert names == list(frame.columns)
        for name in names:
            cells = [_plain(cell) for part in parts for cell in part[name]]
            assert cells == [_plain(cell) for cell in frame[name].tolist()], name
        assert list(Path(folder).iterdir()) == [path]
    return "DuckDB" if is_duckdb else "SQLite"


def some_text(rng, pieces):
    return "t" + "".join(rng.choice(pieces, rng.integers(0, 6)))


def random_frame(rng):
    n_rows = int(rng.choice([2, 15, 80]))
    columns = {}
    for number in range(rng.integers(1, 4)):
        name = some_text(rng, PIECES) + str(number)
        kind = rng.integers(4)
        if kind == 0:
            columns[name] = rng.normal(size=n_rows)
        elif kind == 1:
            columns[name] = rng.integers(-9, 9, n_rows)
        elif kind == 2:
            columns[name] = pd.Series(
                rng.choice(["x", "", "O'Hara", 'say "so"', "\\", "%s", "NULL", None], n_rows), dtype=object
            )
        else:
            columns[name] = pd.Timestamp("2024-02-28") + pd.to_timedelta(rng.integers(0, 60, n_rows) * 43_200, unit="s")
    return pd.DataFrame(columns)


def write(connection, frame, table, is_duckdb):
    types = {"f": "DOUBLE", "i": "BIGINT", "O": "TEXT", "M": "TIMESTAMP"}
    declared = ", ".join(f"{_quoted(name)} {types[frame[name].dtype.kind]}" for name in frame)
    connection.execute(f"CREATE TABLE {_quoted(table)} ({declared})")
    rows = [tuple(_cell(cell, is_duckdb) for cell in row) for row in frame.itertuples(index=False, name=None)]
    connection.executemany(f"INSERT INTO {_quoted(table)} VALUES ({', '.join('?' * len(frame.columns))})", rows)


def check_rules(rng, connection, frame, table):
    y = rng.integers(0, 2, len(frame))
    y[:2] = 0, 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patterns = extract_patterns(rw.TreeClassifier(random_state=0).fit(frame, y), positive=1)
    if len(patterns):
        found = connection.execute(patterns.to_sql(table)).fetchall()
        held = np.array([row[len(frame.columns) :] for row in found], dtype=bool)
        np.testing.assert_array_equal(held, patterns.covers(frame))


def _cell(cell, is_duckdb):
    if isinstance(cell, pd.Timestamp):
        return cell.to_pydatetime() if is_duckdb else str(cell)
    return cell


def _plain(cell):
    return str(cell) if hasattr(cell, "year") else cell


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _sqlite(path):
    return sqlite3.connect(str(path))


def _duckdb(path):
    import duckdb

    return duckdb.connect(str(path)).begin()
