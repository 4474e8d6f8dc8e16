"""Rules on dates, times, durations and odd categories mean the same in databases and in Python, however the cells are written."""

import datetime as dt
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood._rules._sql import _microseconds_up_to
from rarewood.inspection import extract_patterns

N = 240


def moments():
    random = np.random.default_rng(1)
    start = pd.Timestamp("2024-01-01")
    ticks = random.choice([0, 500_000, 999_999, 1_000_000, 1_250_000, 86_400_000_000], N) * random.integers(0, 40, N)
    return {
        "day": pd.Series(start + pd.to_timedelta(random.integers(0, 60, N), unit="D")),
        "when": pd.Series(start + pd.to_timedelta(ticks, unit="us")),
        "seen": pd.Series(start + pd.to_timedelta(ticks, unit="us")).dt.tz_localize("UTC"),
        "wait": pd.Series(pd.to_timedelta(ticks, unit="us") - pd.Timedelta("90.123456s")),
        "last": pd.Series(
            np.array(["9999-12-31", "9999-12-30", "2024-01-01"], dtype="M8[us]")[random.integers(0, 3, N)]
        ),
    }


def patterns_of(X):
    """All leaves of a tree that learns noise by heart, so that bounds are next to all values."""
    y = np.random.default_rng(0).integers(0, 2, len(X))
    return extract_patterns(rw.TreeClassifier(random_state=0).fit(X, y), positive=1)


def held(found, n_rules):
    return np.column_stack([np.asarray(found[f"rule_{number}"]) for number in range(1, n_rules + 1)]).astype(bool)


@pytest.mark.parametrize("name", ["day", "when", "seen", "last"])
def test_sqlite_tables_that_pandas_wrote(name):
    X = pd.DataFrame({name: moments()[name]})
    X.loc[3, name] = pd.NaT
    patterns = patterns_of(X)
    with closing(sqlite3.connect(":memory:")) as connection:
        X.to_sql("t", connection, index=False)
        found = pd.read_sql(patterns.to_sql("t"), connection)
    np.testing.assert_array_equal(held(found, len(patterns)), patterns.covers(X))


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"])
def test_times_of_any_zone_as_text_in_sqlite(zone):
    X = pd.DataFrame({"seen": moments()["seen"].dt.tz_convert(zone)})
    X.loc[3, "seen"] = pd.NaT
    patterns = patterns_of(X)
    with closing(sqlite3.connect(":memory:")) as connection:
        X.to_sql("t", connection, index=False)
        found = pd.read_sql(patterns.to_sql("t", dialect="sqlite"), connection)
    np.testing.assert_array_equal(held(found, len(patterns)), patterns.covers(X))
    with pytest.raises(ValueError, match="dialect='mysql' is not accepted"):
        patterns[0].to_sql(dialect="mysql")


@pytest.mark.parametrize("spelling", ["date", "midnight", "microseconds"])
def test_spellings_of_days_and_seconds_in_sqlite(spelling):
    X = pd.DataFrame({"day": moments()["day"]})
    patterns = patterns_of(X)
    form = {"date": "%Y-%m-%d", "midnight": "%Y-%m-%d %H:%M:%S", "microseconds": "%Y-%m-%d %H:%M:%S.%f"}[spelling]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (day TEXT)")
        connection.executemany("INSERT INTO t VALUES (?)", [[cell] for cell in X["day"].dt.strftime(form)])
        found = pd.read_sql(patterns.to_sql("t"), connection)
    np.testing.assert_array_equal(held(found, len(patterns)), patterns.covers(X))


@pytest.mark.parametrize("name", list(moments()))
def test_duckdb(name):
    duckdb = pytest.importorskip("duckdb")
    X = pd.DataFrame({name: moments()[name]})
    patterns = patterns_of(X)
    with duckdb.connect() as connection:
        connection.register("given", X)
        found = connection.execute(patterns.to_sql("given").replace("SELECT *,", "SELECT")).fetchnumpy()
    np.testing.assert_array_equal(held(found, len(patterns)), patterns.covers(X))


PLACES = {
    "SQLite": [("other", "t"), ("a.b", "t"), ["it's", 'say "t".x'], "other.t", ("t.u",)],
    "DuckDB": [("sales", "t"), ("a.b", "t"), ("memory", "it's", 'say "t".x'), ("other", "main", "t"), "sales.t"],
}


@pytest.mark.parametrize(("program", "table"), [(program, table) for program in PLACES for table in PLACES[program]])
def test_tables_of_a_schema_or_of_an_attached_database(program, table):
    X = pd.DataFrame({"x": np.arange(20.0)})
    patterns = patterns_of(X)
    *around, name = [table] if isinstance(table, str) else table
    quoted = [part.replace('"', '""') for part in around]
    base = sqlite3.connect(":memory:") if program == "SQLite" else pytest.importorskip("duckdb").connect()
    with closing(base):
        if program == "SQLite" or around[:1] == ["other"]:
            for part in quoted[:1]:
                base.execute(f"ATTACH ':memory:' AS \"{part}\"")
        else:
            for part in quoted[-1:]:
                base.execute(f'CREATE SCHEMA "{part}"')
        place = ".".join(f'"{part}"' for part in [*quoted, name.replace('"', '""')])
        base.execute(f"CREATE TABLE {place} (x DOUBLE PRECISION)")
        base.executemany(f"INSERT INTO {place} VALUES (?)", [[cell] for cell in X["x"]])
        rows = base.execute(patterns.to_sql(table)).fetchall()
    np.testing.assert_array_equal(np.array([row[1:] for row in rows], dtype=bool), patterns.covers(X))


@pytest.mark.parametrize("table", ["", (), ("sales", ""), ("sales", 1), ("a\0", "t"), "\ud800", None, b"t"])
def test_names_that_no_table_can_have(table):
    with pytest.raises(ValueError, match=r"table=.*give the name of a table|rename the table"):
        patterns_of(pd.DataFrame({"x": np.arange(9.0)})).to_sql(table)


def test_the_last_microsecond_of_a_bound():
    for ticks in (0, 1, 290_000, 1_700_000_000_123_457, -90_123_456, 4_102_444_800_999_999):
        assert _microseconds_up_to(ticks / 1e6) == ticks
        assert _microseconds_up_to(np.nextafter(ticks / 1e6, np.inf)) == ticks
        assert _microseconds_up_to(np.nextafter(ticks / 1e6, -np.inf)) == ticks - 1


CATEGORIES = {
    "dates": [dt.date(2024, 1, day) for day in range(1, 5)],
    "timestamps": list(pd.date_range("2024-01-01 12:30", periods=4)),
    "intervals": list(pd.cut(np.arange(40), 4).categories),
    "infinite": [-np.inf, 0.5, 2.0, np.inf],
    "text": ["a", "O'Hara", 'say "so"', "\x1b\n"],
}


@pytest.mark.parametrize("kind", list(CATEGORIES))
def test_python_knows_categories_of_any_type(kind):
    codes = np.random.default_rng(0).integers(-1, 4, N)
    X = pd.DataFrame({"c": pd.Categorical.from_codes(codes, pd.Index(CATEGORIES[kind], dtype=object))})
    y = np.where(np.isin(codes, [0, 3]), 1, 0)
    patterns = extract_patterns(rw.TreeClassifier(random_state=0).fit(X, y), positive=1)
    scope = {}
    exec(patterns.to_python(), scope)
    rows = [{"c": None if code < 0 else CATEGORIES[kind][code]} for code in codes]
    found = np.array([scope["rules_that_hold"](row) for row in rows])
    np.testing.assert_array_equal(found, patterns.covers(X))
    assert found.any()
