"""Databases are read as data: the file that is named, its tables, and views only if they are named."""

import os
import signal
import sqlite3
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

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
    with pytest.raises(ValueError, match=r"d\.db cannot be read as a DuckDB database: .*secret\.csv"):
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
