"""On a cluster: the same trees whatever the partitions, and no waiting for ever."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import rarewood as rw
from rarewood.distributed import _dask, _placement, _worker
from rarewood.distributed._dask import DaskEngine
from rarewood.distributed._placement import Placement, spread
from support.clusters import client_of
from support.parted import check_same, make_frame, parted

pytest.importorskip("distributed", reason="the tests of clusters need the extra 'dask'")
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@contextmanager
def cluster(n_workers=2):
    """Workers as threads of this process: quick to start, and all that tests need in which nobody is killed."""
    from distributed import LocalCluster

    workers = LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=False,
        dashboard_address="127.0.0.1:0",
        silence_logs="ERROR",
    )
    with client_of(workers) as client:
        yield client


@pytest.fixture(scope="module")
def client():
    with cluster() as client:
        yield client


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A data frame, and a file of five row groups."""
    frame = make_frame(300, 0, missing=True, categories=True)
    path = tmp_path_factory.mktemp("table") / "table.parquet"
    frame.to_parquet(path, row_group_size=60)
    return frame, path


def fitted(model, table):
    """To the rows of a file at once."""
    whole = pq.read_table(table)
    return clone(model).fit(whole.drop_columns("y"), whole["y"].to_numpy())


@pytest.mark.parametrize(
    "model",
    [
        rw.HeDExClassifier(3, random_state=0),
        rw.HeDExhClassifier(3, random_state=0),
        rw.ForestClassifier(3, random_state=0),
        rw.RareClassifier(9, monotonic_cst={"a": 1, "d": -1}, random_state=0),
    ],
)
def test_parquet_on_workers(client, table, model):
    in_parts = rw.distributed.fit(model, table[1], "y", client=client, finish_rows=40)
    check_same(in_parts, fitted(model, table[1]))


def test_data_frames_with_empty_partitions(client, table):
    frame, _ = table
    model = rw.HeDExClassifier(3, random_state=0)
    at_once = model.fit(frame.drop(columns="y"), frame["y"])
    in_parts = rw.distributed.fit(model, parted(frame, [0, 1, 1, 299]), "y", client=client, finish_rows=40)
    check_same(in_parts, at_once)


def test_dask_data_frames(client, table):
    dd = pytest.importorskip("dask.dataframe")
    frame, _ = table
    model = rw.HeDExClassifier(3, random_state=0)
    at_once = model.fit(frame.drop(columns="y"), frame["y"])
    for n_partitions in (2, 5):
        lazy = dd.from_pandas(frame, npartitions=n_partitions).clear_divisions()
        check_same(rw.distributed.fit(model, lazy, "y", client=client, finish_rows=40), at_once)
    scores = rw.distributed.predict_proba(at_once, lazy)
    assert scores.compute().to_numpy().tobytes() == at_once.predict_proba(frame.drop(columns="y")).tobytes()
    with pytest.raises(ValueError, match="the data have no column 'a', which the model was fitted to"):
        rw.distributed.predict_proba(at_once, lazy.drop(columns="a"))


def test_workers_come_and_go(client, table, monkeypatch):
    """Before, while and after the rows are scored that trees did not see."""
    model = rw.RareClassifier(12, random_state=0)
    ask, rounds = DaskEngine.ask, []

    def ask_as_the_cluster_changes(engine, splits, questions):
        rounds.append(len(set(engine._placement.of.values())))
        if len(rounds) in (2, 9):
            client.cluster.scale(3 if len(rounds) == 2 else 1)
            client.wait_for_workers(3 if len(rounds) == 2 else 1)
        return ask(engine, splits, questions)

    monkeypatch.setattr(DaskEngine, "ask", ask_as_the_cluster_changes)
    in_parts = rw.distributed.fit(model, table[1], "y", client=client, finish_rows=40)
    client.cluster.scale(2)
    client.wait_for_workers(2, timeout=60)
    assert set(rounds) == {1, 2, 3}
    check_same(in_parts, fitted(model, table[1]))


END = threading.Event()


def never_ready(parts, numbers, job):
    """A worker that takes its time to import its libraries."""
    END.wait(60)


def test_nobody_waits_for_a_worker_that_is_not_ready(client, table, monkeypatch):
    model = rw.HeDExClassifier(3, random_state=0)
    ask, homes = DaskEngine.ask, set()

    def ask_as_a_worker_comes(engine, splits, questions):
        if not homes:
            monkeypatch.setattr(_worker, "prepare", never_ready)
            client.cluster.scale(3)
            client.wait_for_workers(3)
        homes.update(engine._placement.of.values())
        return ask(engine, splits, questions)

    monkeypatch.setattr(DaskEngine, "ask", ask_as_a_worker_comes)
    try:
        check_same(rw.distributed.fit(model, table[1], "y", client=client, finish_rows=40), fitted(model, table[1]))
        assert len(homes) == 2
    finally:
        END.set()
        client.cluster.scale(2)


class LeavingClient:
    """A client of two workers; one has closed its door, and the scheduler is soon to know."""

    def __init__(self, loop):
        self.loop = SimpleNamespace(asyncio_loop=loop)
        self.looks, self.asked = 0, []

    def nthreads(self):
        self.looks += 1
        return {"stays": 1} if self.looks > 3 else {"leaves": 1, "stays": 1}

    async def run(self, function, table, numbers, *, workers, on_error, asynchronous):
        if workers == ["leaves"]:
            await asyncio.Event().wait()
        self.asked.append((function, table, numbers))


@pytest.mark.several_threads
def test_nobody_waits_for_a_worker_that_leaves():
    loop = asyncio.new_event_loop()
    turning = threading.Thread(target=loop.run_forever, daemon=True)
    turning.start()
    client = LeavingClient(loop)
    forgetting = threading.Thread(
        target=Placement(client, []).forget, args=("table", {"leaves": [0], "stays": [1, 2]}), daemon=True
    )
    forgetting.start()
    forgetting.join(timeout=20)
    assert not forgetting.is_alive()
    assert client.asked == [(_worker.keep_only, "table", [1, 2])]
    for task in asyncio.all_tasks(loop):
        loop.call_soon_threadsafe(task.cancel)
    loop.call_soon_threadsafe(loop.stop)
    turning.join()
    loop.close()


def test_parts_are_spread_by_threads_and_stay_where_that_is_fair():
    assert spread({}, 6, {"a": 1, "b": 2}) == {0: "a", 1: "b", 2: "b", 3: "a", 4: "b", 5: "b"}
    assert spread({0: "a", 1: "b", 2: "gone", 3: "b"}, 4, {"a": 1, "b": 1}) == {0: "a", 1: "b", 2: "a", 3: "b"}
    assert spread({0: "a", 1: "a", 2: "a"}, 3, {"a": 1, "b": 1}) == {0: "a", 1: "a", 2: "b"}
    assert spread({0: "a"}, 1, {"b": 1}) == {0: "b"}


def test_a_round_that_keeps_losing_workers_names_its_partitions(client, table, monkeypatch):
    def lose(engine, futures):
        raise _dask.WorkerLostError

    monkeypatch.setattr(DaskEngine, "_results", lose)
    with pytest.raises(RuntimeError, match=r"a worker was lost 4 times in a row .* partitions"):
        rw.distributed.fit(rw.HeDExClassifier(3), table[1], "y", client=client)


def test_no_workers_is_an_error_and_no_wait_for_ever(table, monkeypatch):
    monkeypatch.setattr(_placement, "PATIENCE", 0.2)
    with cluster(n_workers=0) as client, pytest.raises(RuntimeError, match="no workers for"):
        rw.distributed.fit(rw.HeDExClassifier(3), table[1], "y", client=client)


def test_a_connection_that_is_lost(table, monkeypatch):
    with cluster(n_workers=1) as client:
        ask = DaskEngine.ask
        monkeypatch.setattr(DaskEngine, "ask", lambda *args: (client.close(), ask(*args))[1])
        with pytest.raises(RuntimeError, match="connection to the scheduler of the cluster was lost"):
            rw.distributed.fit(rw.HeDExClassifier(3), table[1], "y", client=client)


def test_tasks_that_nobody_takes_are_an_error_and_no_wait_for_ever(client, table, monkeypatch):
    submit = client.submit
    monkeypatch.setattr(client, "submit", lambda *args, **options: submit(*args, resources={"nowhere": 1}, **options))
    monkeypatch.setattr(_placement, "PATIENCE", 0.2)
    with pytest.raises(RuntimeError, match="not worked on anything for"):
        rw.distributed.fit(rw.HeDExClassifier(3), table[1], "y", client=client)


def test_an_error_in_a_part_is_told_at_once(client, table):
    frame, _ = table
    broken = frame.assign(a=float("inf"))
    with pytest.raises(ValueError, match="'a' contains infinity"):
        rw.distributed.fit(rw.HeDExClassifier(3), [frame, broken], "y", client=client)


def test_a_python_function_as_criterion(client, table):
    frame, _ = table

    def purity(left, right):
        return -(left.min(axis=1) + right.min(axis=1))

    model = rw.ForestClassifier(2, criterion=purity, splitter="random", sampling="all", random_state=0)
    in_parts = rw.distributed.fit(model, parted(frame, [200]), "y", client=client, finish_rows=40)
    check_same(in_parts, model.fit(frame.drop(columns="y"), frame["y"]), saved=False)


def test_memory_belongs_to_workers(client, table):
    with pytest.raises(ValueError, match="workers use the memory"):
        rw.distributed.fit(rw.HeDExClassifier(3), table[1], "y", client=client, memory="4GB")
