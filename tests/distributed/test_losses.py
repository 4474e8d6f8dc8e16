"""Whoever dies, and whenever: the same trees."""

from __future__ import annotations

import runpy
import signal
from contextlib import nullcontext
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import rarewood as rw
from rarewood.distributed import _waves
from rarewood.distributed._dask import DaskEngine
from support.parted import check_same, make_frame

pytest.importorskip("distributed", reason="the tests of clusters need the extra 'dask'")
pytest.importorskip("multiprocessing.popen_forkserver", reason="processes that can be killed are started by forks")
from support import losses, sanitizers

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

MODEL = rw.HeDExClassifier(4, random_state=0)

# What is called at a moment, and in which question to the workers: 0, 2, ... ask for ranges, 1, 3, ... for counts.
MOMENTS = {
    "profile": ("profile_part", None),
    "load": ("load", 0),
    "ranges": ("_part", 2),
    "counts": ("_part", 3),
    "gather": ("_part", "finish"),
    "grow": ("grow_gathered", "finish"),
}
RESULT = "result"  # is ready, in the fifth question, and lost with its worker before anybody has fetched it


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file of five row groups."""
    path = tmp_path_factory.mktemp("table") / "table.parquet"
    make_frame(300, 0, missing=True, categories=True).to_parquet(path, row_group_size=60)
    return path


@pytest.fixture(scope="module")
def at_once(path):
    """The model that every other must be."""
    whole = pq.read_table(path)
    return clone(MODEL).fit(whole.drop_columns("y"), whole["y"].to_numpy())


@pytest.fixture(scope="module")
def client():
    with losses.cluster() as client:
        yield client


@pytest.fixture
def fit_as_workers_die(path, tmp_path, monkeypatch):
    """A fit in which a worker dies at each of some moments; fails if none did."""

    def fit(client, *moments):
        ask, finish_some, results = DaskEngine.ask, DaskEngine._finish_some, DaskEngine._results
        rounds = []

        def reach(place):
            for moment in moments:
                name, when = MOMENTS.get(moment, ("", ""))
                if when == place and not (tmp_path / moment).exists():
                    losses.arm(client, name, tmp_path / moment)

        def watched_ask(engine, splits, questions):
            reach(len(rounds))
            rounds.append(None)
            return ask(engine, splits, questions)

        def watched_finish(engine, splits, groups):
            reach("finish")
            return finish_some(engine, splits, groups)

        def results_with_a_loss(engine, futures):
            if RESULT in moments and len(rounds) == 5 and not (tmp_path / RESULT).exists():
                (tmp_path / RESULT).touch()
                losses.kill_holder(client, futures)
            return results(engine, futures)

        monkeypatch.setattr(DaskEngine, "_results", results_with_a_loss)
        monkeypatch.setattr(DaskEngine, "ask", watched_ask)
        monkeypatch.setattr(DaskEngine, "_finish_some", watched_finish)
        reach(None)
        found = rw.distributed.fit(MODEL, path, "y", client=client, finish_rows=60)
        assert all((tmp_path / moment).exists() for moment in moments)
        return found

    return fit


@pytest.mark.parametrize("moments", [("profile", "ranges", "gather"), ("load", "counts", RESULT, "grow")], ids="-".join)
def test_workers_are_killed_and_nobody_replaces_them(client, at_once, fit_as_workers_die, moments):
    with losses.top_up(client, len(moments) + 1):
        check_same(fit_as_workers_die(client, *moments), at_once)
        assert len(client.nthreads()) == 1


def test_workers_with_nannies_are_killed(at_once, fit_as_workers_die):
    with losses.cluster(n_nannies=2) as client:
        check_same(fit_as_workers_die(client, "load", "counts"), at_once)


@sanitizers.limits_memory
def test_the_example_of_a_cluster(capsys):
    example = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "cluster.py"))
    with losses.started_quickly():
        example["main"](2_000)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[1:]] == ["in memory", "out of core", "with a worker killed"]
    assert all(line.endswith("bytes, the same") for line in lines[1:])


@pytest.mark.parametrize(("moment", "on_cluster"), [("growing", False), ("writing", False), ("growing", True)])
def test_the_driver_is_killed_and_goes_on(client, path, at_once, tmp_path, monkeypatch, moment, on_cluster):
    options = {"finish_rows": 60, "trees_at_once": 1, "checkpoint": tmp_path / "trees.npz"}
    address = client.scheduler.address if on_cluster else None
    with losses.top_up(client, 2) if on_cluster else nullcontext():
        driver = losses.quick_processes().Process(
            target=losses.fit_and_die, args=(moment, address, MODEL, path, options)
        )
        driver.start()
        driver.join()
        assert driver.exitcode == -signal.SIGKILL
        grow_wave, waves = _waves._grow_wave, []
        monkeypatch.setattr(_waves, "_grow_wave", lambda *args: waves.append(args[3]) or grow_wave(*args))
        resumed = rw.distributed.fit(MODEL, path, "y", client=client if on_cluster else None, **options)
    assert waves == [1, 2, 3]
    check_same(resumed, at_once)
