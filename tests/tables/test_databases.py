"""Databases are read as data: the file that is named, its tables, and views only if they are named."""

import os
import signal
import sqlite3
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from rarewood._table_files.sources import Source

ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"


def rows_of(path, table=None):
    with Source(path, path.name, table=table).blocks(1000) as (names, blocks):
        columns = [block.columns for block in blocks]
    return {name: [cell for part in columns for cell in part[name]] for name in names}


def sqlite_file(path, *statements):
    connection = sqlite3.connect(str(path))
    for statement in ("CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, 'x'), (2, 'y')", *statements):
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def duckdb_file(path, *statements):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(path)) as connection:
        for statement in ("CREATE TABLE t (a INT, b TEXT)", "INSERT INTO t VALUES (1, 'x'), (2, 'y')", *statements):
            connection.execute(statement)
    return path


DATABASES = pytest.mark.parametrize("make", [sqlite_file, duckdb_file])


@DATABASES
@pytest.mark.parametrize(
    "name", ["data#2.db", "a%20b.db", "100%.db", "a?mode=rwc.db", "spaces and 'quotes'.db", "ü;&.db"]
)
def test_any_name_of_a_file_is_that_of_the_file(tmp_path, make, name):
    if make is duckdb_file and "?" in name:
        pytest.skip("DuckDB itself takes what follows for something else, and says so")
    path = make(tmp_path / name)
    assert rows_of(path) == {"a": [1, 2], "b": ["x", "y"]}
    assert [each.name for each in tmp_path.iterdir()] == [name]


@DATABASES
def test_a_view_is_no_table_unless_it_is_named(tmp_path, make):
    path = make(tmp_path / "d.db", "CREATE VIEW a_view AS SELECT a + 1 AS a FROM t")
    assert list(rows_of(path)) == ["a", "b"]
    assert rows_of(path, "a_view") == {"a": [2, 3]}


def test_views_alone_have_to_be_named(tmp_path):
    path = sqlite_file(tmp_path / "d.db", f"CREATE VIEW v AS {ENDLESS} SELECT n FROM r", "DROP TABLE t")
    with pytest.raises(ValueError, match=r"no table, only views: v\. .* if you trust it, name it: d\.db::v"):
        rows_of(path)


def test_a_view_reaches_no_other_file(tmp_path):
    (tmp_path / "secret.csv").write_text("a\n1\n")
    path = duckdb_file(tmp_path / "d.db", f"CREATE VIEW v AS SELECT * FROM read_csv('{tmp_path}/secret.csv')")
    with pytest.raises(ValueError, match=r"d\.db cannot be read as a DuckDB database: .*(secret\.csv|disabled)"):
        rows_of(path, "v")


def test_a_cell_that_a_view_makes_is_bounded(tmp_path):
    path = sqlite_file(tmp_path / "d.db", "CREATE VIEW v AS SELECT zeroblob(500000000) AS a")
    with pytest.raises(ValueError, match="too big"):
        rows_of(path, "v")


@DATABASES
@pytest.mark.parametrize("query", ["SELECT n FROM r", "SELECT n FROM r WHERE n < 0", "SELECT count(*) FROM r"])
def test_an_endless_view_can_be_stopped(tmp_path, make, query):
    path = make(tmp_path / "d.db", f"CREATE VIEW v AS {ENDLESS} {query}")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt), Source(path, "d.db", table="v").blocks(100) as (_, blocks):
        for _ in blocks:
            pass
    assert time.monotonic() - start < 30  # it ends at all
    timer.join()


@pytest.mark.parametrize(("make", "number"), [(sqlite_file, 1), (duckdb_file, 1), (duckdb_file, 2)])
def test_ctrl_c_as_the_thread_of_a_query_begins(tmp_path, monkeypatch, make, number):
    path, left, submit = (
        make(tmp_path / "d.db", f"CREATE VIEW v AS {ENDLESS} SELECT count(*) FROM r"),
        [number],
        ThreadPoolExecutor.submit,
    )

    def pressed(executor, task):
        begun = submit(executor, task)
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return begun

    monkeypatch.setattr(ThreadPoolExecutor, "submit", pressed)
    with pytest.raises(KeyboardInterrupt):
        rows_of(path, "v")


@DATABASES
def test_what_stops_a_query_is_what_a_signal_raises(tmp_path, make):
    """Of SIGTERM, the exit code that `rarewood` ends by, not that of Ctrl-C."""
    path = make(tmp_path / "d.db", f"CREATE VIEW v AS {ENDLESS} SELECT n FROM r WHERE n < 0")
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM))
    timer.start()
    try:
        with pytest.raises(SystemExit, match="143"), Source(path, "d.db", table="v").blocks(100) as (_, blocks):
            list(blocks)
    finally:
        timer.join()
        signal.signal(signal.SIGTERM, before)


@DATABASES
def test_damage_is_told_wherever_it_shows(tmp_path, make):
    path = (
        make(tmp_path / "d.db", "INSERT INTO t SELECT a, repeat('x', 100) FROM generate_series(1, 50000) AS s(a)")
        if (make is duckdb_file)
        else make(tmp_path / "d.db", f"INSERT INTO t {ENDLESS} SELECT n, hex(zeroblob(50)) FROM r LIMIT 20000")
    )
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2 :] = b"\xff" * (len(damaged) - len(damaged) // 2)
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match=r"d\.db cannot be read as a"):
        rows_of(path)


def test_a_name_that_only_looks_like_one_of_sqlite_is_that_of_a_table(tmp_path):
    path = sqlite_file(tmp_path / "d.db", "ALTER TABLE t RENAME TO sqlite3data")
    assert rows_of(path) == {"a": [1, 2], "b": ["x", "y"]}


def test_a_table_of_another_schema_is_known_by_it(tmp_path):
    path = duckdb_file(
        tmp_path / "d.db",
        'CREATE SCHEMA "d"',  # as the database
        'CREATE SCHEMA "it\'s"',
        'CREATE TABLE "d"."d".t AS SELECT 3 AS a',
        'CREATE TABLE "it\'s"."x""y" AS SELECT 4 AS a',
    )
    assert rows_of(path, "t") == {"a": [1, 2], "b": ["x", "y"]}
    assert rows_of(path, "d.t") == {"a": [3]}
    assert rows_of(path, "it's.x\"y") == {"a": [4]}
    with pytest.raises(ValueError, match=r"It has t, d\.t, it's\.x\"y\."):
        rows_of(path)


def test_points_in_time_with_a_zone_need_no_further_package(tmp_path):
    """Without pytz, DuckDB gives no such cell to Python."""
    path = duckdb_file(
        tmp_path / "d.db",
        'CREATE TABLE z ("when" TIMESTAMPTZ, n INT)',
        "INSERT INTO z VALUES ('2024-01-31 12:00:00.123456+02', 1), (NULL, 2), ('1969-12-31 23:59:59-05', 3)",
    )
    first, last = datetime(2024, 1, 31, 10, 0, 0, 123456, UTC), datetime(1970, 1, 1, 4, 59, 59, 0, UTC)
    assert rows_of(path, "z") == {"when": [first, None, last], "n": [1, 2, 3]}


@pytest.mark.skipif(os.sep == "\\", reason="does not apply: backslashes are between folders here")
def test_a_backslash_in_a_path_leads_to_no_other_file(tmp_path):
    (tmp_path / "a").mkdir()
    other = duckdb_file(tmp_path / "a" / "b.db")
    path = tmp_path / "a\\b.db"
    path.write_bytes(other.read_bytes())
    with pytest.raises(ValueError, match="has a backslash in its path"):
        rows_of(path)
