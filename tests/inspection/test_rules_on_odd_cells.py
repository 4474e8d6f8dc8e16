"""Rules in Python and SQL hold where they hold for the rows of the table, whatever the cells are, or refuse."""

import datetime as dt
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.inspection import extract_patterns

N = 120
HOSTILE = ["it's", '"', "\\", "*/", "??/", "%s", "$x$", "a\nb", "\x1b[0m", "\u202e", "{}", "ä", ",", "--", "\x85", "#"]
UNWRITABLE = ["\0", "a\0b", "\ud800", "b"]


def columns():
    random = np.random.default_rng(1)
    ticks = random.integers(0, 10**6, N)
    start = pd.Timestamp("2024-01-31 23:59:59.999999")
    near_2_53 = 2**53 + np.repeat(np.arange(-30, 30), 2)
    return {
        "days": pd.Series(pd.Timestamp("2024-01-31") + pd.to_timedelta(ticks % 60, unit="D")),
        "points": pd.Series(start + pd.to_timedelta(ticks - 500_000, unit="us")),
        "early points": pd.Series(pd.Timestamp("1690-01-01") + pd.to_timedelta(ticks * 7 + 1, unit="us")),
        "nanoseconds": pd.Series(start + pd.to_timedelta(ticks % 5000, unit="ns")),
        "zoned": pd.Series(start + pd.to_timedelta(ticks * 3600, unit="s")).dt.tz_localize("Asia/Kathmandu"),
        "lengths": pd.Series(pd.to_timedelta(ticks - 500_000, unit="us")),
        "lengths in nanoseconds": pd.Series(pd.to_timedelta(ticks % 5000 - 2500, unit="ns")),
        "clock": pd.Series([dt.time(each % 24, each % 60, each % 59, each) for each in ticks.tolist()]),
        "float32": pd.Series(random.normal(size=N).astype(np.float32)),
        "whole float32": pd.Series(np.float32(2**24) + 2 * np.arange(N, dtype=np.float32)),
        "float64": pd.Series(random.normal(size=N)),
        "tiny": pd.Series(5e-324 * (ticks % 9)),
        "whole": pd.Series(ticks),
        "beyond 2**53": pd.Series(near_2_53),
        "below -2**53": pd.Series(-near_2_53),
        "near 2**63": pd.Series(2**63 - 1 - 600 * (ticks % 40)),
        "uint64": pd.Series(np.uint64(2**64 - 1) - np.uint64(3000) * (ticks % 40).astype(np.uint64)),
        "whole with gaps": pd.Series(near_2_53).astype("Int64").mask(ticks % 7 == 0),
        "truths": pd.Series(ticks % 2 == 0),
        "truths with gaps": pd.Series(ticks % 2 == 0).astype("boolean").mask(ticks % 7 == 0),
        "words": pd.Series(pd.Categorical.from_codes(ticks % len(HOSTILE), pd.Index(HOSTILE, dtype=object))),
        "unwritable words": pd.Series(pd.Categorical.from_codes(ticks % 4, pd.Index(UNWRITABLE, dtype=object))),
        "float32 categories": pd.Series(np.float32([0.1, 0.2, 0.3, 16777216, 1e30])[ticks % 5]).astype("category"),
        "whole categories": pd.Series(2**53 + ticks % 7).astype("category"),
        "day categories": pd.Series([dt.date(2024, 1, 1 + each) for each in (ticks % 5).tolist()]).astype("category"),
        "point categories": pd.Series(start + pd.to_timedelta(ticks % 5, unit="us")).astype("category"),
        "zoned categories": pd.Series(start + pd.to_timedelta(ticks % 5, unit="h"))
        .dt.tz_localize("UTC")
        .astype("category"),
        "interval categories": pd.Series(pd.cut(ticks, 5)),
        "period categories": pd.Series(pd.PeriodIndex(start + pd.to_timedelta(ticks % 5, unit="D"), freq="D")).astype(
            "category"
        ),
        "bytes": pd.Series(np.array([b"a", b"\xff'\0", b""], dtype=object)[ticks % 3]).astype("category"),
        "infinite categories": pd.Series(np.array([np.inf, -np.inf, 0.5])[ticks % 3]).astype("category"),
    }


KINDS = list(columns())


def patterns_on(kind):
    """The column under a hostile name, and the leaves of a tree that learns noise by heart; None where fit refuses."""
    X = pd.DataFrame({f'{kind}\'s "x"\n': columns()[kind]})
    y = np.random.default_rng(0).integers(0, 2, N)
    try:
        tree = rw.TreeClassifier(random_state=0).fit(X, y)
    except (TypeError, ValueError):
        pytest.skip("does not apply: fit refuses such a column")
    return extract_patterns(tree, positive=1), X


def as_numpy(series):
    cells = series.to_numpy()
    return list(cells)


SPELLINGS = {
    "as rows of pandas": lambda series: series.tolist(),
    "as NumPy": as_numpy,
    "as Python": lambda series: [getattr(cell, "to_pydatetime", lambda cell=cell: cell)() for cell in series.tolist()],
    "as text": lambda series: [None if cell is None or cell is pd.NA or cell != cell else str(cell) for cell in series],
    "in another zone": lambda series: [
        cell.tz_convert("America/St_Johns") if getattr(cell, "tz", None) else cell for cell in series.tolist()
    ],
}
SAME = ("as rows of pandas", "in another zone")  # what a data frame holds has to be answered


@pytest.mark.filterwarnings("ignore:Discarding nonzero nanoseconds")
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_python(kind, spelling):
    patterns, X = patterns_on(kind)
    scope = {}
    exec(patterns.to_python(), scope)
    covers = patterns.covers(X)
    refused = 0
    for row, cell in enumerate(SPELLINGS[spelling](X.iloc[:, 0])):
        try:
            held = scope["rules_that_hold"]({X.columns[0]: cell})
        except (TypeError, ValueError):
            refused += 1
            continue
        if spelling == "as text" and not isinstance(X.iloc[row, 0], str) and not any(held):
            continue  # text is none of other categories
        np.testing.assert_array_equal(held, covers[row], err_msg=f"{cell!r}")
    assert refused == 0 or spelling not in SAME
    assert refused in (0, int(X.iloc[:, 0].notna().sum()))


def said_in_sql(execute, patterns, **dialect):
    rows = execute(patterns.to_sql("t", **dialect)).fetchall()
    return np.array([row[1:] for row in rows], dtype=bool)


@pytest.mark.filterwarnings("ignore:The 'timedelta' type is not supported")
@pytest.mark.parametrize("dialect", [None, "sqlite"])
@pytest.mark.parametrize("kind", KINDS)
def test_sqlite(kind, dialect):
    patterns, X = patterns_on(kind)
    if kind in ("zoned", "zoned categories") and dialect is None:
        pytest.skip("does not apply: text with a zone needs the dialect, as the documentation says")
    with closing(sqlite3.connect(":memory:")) as base:
        try:
            X.astype(object if "categories" in kind else X.dtypes).to_sql("t", base, index=False)
        except Exception:
            pytest.skip("does not apply: SQLite cannot hold the column")
        # A length of time is a type of other databases.
        refusals = (ValueError, sqlite3.OperationalError) if dialect is None and "lengths" in kind else ValueError
        try:
            said = said_in_sql(base.execute, patterns, dialect=dialect)
        except refusals:
            return
    np.testing.assert_array_equal(said, patterns.covers(X))


@pytest.mark.parametrize("kind", KINDS)
def test_duckdb(kind):
    duckdb = pytest.importorskip("duckdb")
    if kind == "lengths in nanoseconds":
        pytest.skip("does not apply: DuckDB rounds these as it reads the frame")
    patterns, X = patterns_on(kind)
    with duckdb.connect() as base:
        try:
            base.register("given", X)
            base.execute("CREATE TABLE t AS SELECT * FROM given")
        except (duckdb.Error, RuntimeError):  # the second is of earlier versions
            pytest.skip("does not apply: DuckDB cannot hold the column")
        try:
            query = patterns.to_sql("t").replace("SELECT *,", "SELECT 0,")
        except ValueError:
            return
        said = np.array([row[1:] for row in base.execute(query).fetchall()], dtype=bool)
    np.testing.assert_array_equal(said, patterns.covers(X))
