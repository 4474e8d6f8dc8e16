"""Files larger than the memory given, interrupted fits, and what is refused."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import rarewood as rw
from rarewood._core import TableShape
from rarewood.distributed import _out_of_bag, memory, parts
from rarewood.distributed._out_of_bag import SumFiles
from rarewood.distributed.memory import Budget, parse_memory
from rarewood.distributed.parts import ParquetPart
from support import sanitizers
from support.parted import check_same, make_frame, parted


@pytest.fixture
def files(tmp_path):
    """A table as two Parquet files of several row groups."""
    frame = make_frame(400, 0, missing=True)
    frame[:150].to_parquet(tmp_path / "part-0.parquet", row_group_size=40)
    frame[150:].to_parquet(tmp_path / "part-1.parquet", row_group_size=100)
    return frame, tmp_path


@pytest.mark.parametrize("where", ["*.parquet", "", ["part-0.parquet", "part-1.parquet"]])
@pytest.mark.parametrize("memory", [None, "4GB"])
def test_parquet_paths(files, where, memory):
    frame, folder = files
    model = rw.HeDExClassifier(4, random_state=0)
    at_once = model.fit(frame.drop(columns="y"), frame["y"])
    paths = [folder / name for name in where] if isinstance(where, list) else folder / where
    check_same(rw.distributed.fit(model, paths, "y", memory=memory, finish_rows=30, trees_at_once=3), at_once)


@pytest.fixture
def rich(tmp_path, monkeypatch):
    """Every kind of column, weights, a file of five parts; how often parts are read; an empty folder for temporary files."""
    frame = make_frame(300, 2, n_classes=3, missing=True, categories=True, weights=True)
    path = tmp_path / "rich.parquet"
    frame.to_parquet(path, row_group_size=60)
    monkeypatch.setattr(Budget, "part_bytes", 3000)  # a row group
    readings, read = Counter(), ParquetPart.read
    monkeypatch.setattr(ParquetPart, "read", lambda part: readings.update(part.row_groups) or read(part))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    return SimpleNamespace(path=path, readings=readings, scratch=scratch)


def check_rich(rich, model):
    in_parts = rw.distributed.fit(model, rich.path, "y", sample_weight="w", memory="4GB", finish_rows=60)
    whole = pq.read_table(rich.path)
    check_same(in_parts, model.fit(whole.drop_columns(["y", "w"]), whole["y"].to_numpy(), whole["w"].to_numpy()))
    assert list(rich.readings) == [0, 1, 2, 3, 4]
    assert list(rich.scratch.iterdir()) == []


@pytest.mark.parametrize(
    "model",
    [
        rw.HeDExClassifier(4, random_state=0),
        rw.HeDExhClassifier(4, random_state=0),
        rw.RareClassifier(12, random_state=0),
    ],
)
def test_parts_are_read_to_profile_and_to_convert(rich, model):
    """Once each, however many families of trees there are and whatever is learned from rows that they did not see."""
    check_rich(rich, model)
    assert set(rich.readings.values()) == {2}


def test_footers_are_read_once(rich, monkeypatch):
    opened = []
    real = pq.ParquetFile

    def open_file(path, **options):
        if options.get("metadata") is None:
            opened.append(path)
        return real(path, **options)

    monkeypatch.setattr(pq, "ParquetFile", open_file)
    rw.distributed.fit(rw.HeDExClassifier(2, random_state=0), rich.path, "y", sample_weight="w", memory="4GB")
    assert len(opened) == 1 + sum(rich.readings.values())


def test_parts_for_which_the_disk_has_no_room_are_read_again(rich, monkeypatch):
    real = shutil.disk_usage
    monkeypatch.setattr(
        shutil, "disk_usage", lambda path: real(path)._replace(free=10_000)
    )  # half of it holds two parts
    check_rich(rich, rw.HeDExClassifier(4, random_state=0))
    counts = list(rich.readings.values())
    assert counts[:2] == [2, 2]
    assert min(counts[2:]) > 4


def test_a_disk_that_others_fill(rich, monkeypatch):
    def fail(path, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", fail)
    check_rich(rich, rw.HeDExClassifier(4, random_state=0))
    assert min(rich.readings.values()) > 4


@pytest.fixture
def sums_kept(monkeypatch):
    """The sums of out-of-bag rows that were kept in files."""
    kept, keeper = [], SumFiles.keeper
    monkeypatch.setattr(SumFiles, "keeper", lambda files, task: kept.append(task.n_bytes) or keeper(files, task))
    return kept


@pytest.mark.parametrize("free", [10**9, 10_000])
def test_out_of_bag_sums_are_in_files_if_the_disk_has_room(rich, sums_kept, monkeypatch, free):
    real = shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", lambda path: real(path)._replace(free=free))
    check_rich(rich, rw.RareClassifier(12, random_state=0))
    # three families of trees, three classes, four leaf weights
    assert sums_kept == ([300 * (8 * 3 * 4 + 4)] * 3 if free == 10**9 else [])


def test_a_part_without_rows_has_no_out_of_bag_sums(sums_kept):
    frame = make_frame(200, 0)
    model = rw.BEATClassifier(60, max_depth=3, oob_score=True, random_state=0)
    at_once = model.fit(frame.drop(columns="y"), frame["y"])
    parts = [frame[:120], frame[120:120], frame[120:]]
    check_same(rw.distributed.fit(model, parts, "y", memory="4GB"), at_once)
    assert sums_kept


def test_more_memory_is_asked_for_if_the_disk_has_no_room(monkeypatch):
    monkeypatch.setattr(memory, "_resident_bytes", lambda: 100 * 10**6)
    frame = make_frame(200_000, 0)
    asked = []
    for free in (10**9, 10**7):
        monkeypatch.setattr(shutil, "disk_usage", lambda path, free=free: SimpleNamespace(free=free))
        with pytest.raises(MemoryError, match="the out-of-bag scores of 200000 rows take about") as refused:
            rw.distributed.fit(rw.RareClassifier(12, random_state=0), parted(frame, [100_000]), "y", memory="180MB")
        asked.append(int(re.search(r"take about (\d+) MB", str(refused.value))[1]))
    assert asked == [70, 173]


def test_a_disk_that_is_full_before_all_rows_are_scored(rich, monkeypatch):
    def fail(path, array):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_out_of_bag.np, "save", fail)
    with pytest.raises(OSError, match=r"no room left for out-of-bag scores, .* set TMPDIR"):
        check_rich(rich, rw.RareClassifier(12, random_state=0))
    assert list(rich.scratch.iterdir()) == []


def test_bytes_that_are_no_table():
    shape = TableShape([0, 0, 3], [0, 1, 0], 2)
    table = shape.table(np.array([0, 1, 1, 0, 1], dtype=np.int32))
    packed = table.packed()
    assert np.array_equal(shape.unpacked(packed).packed(), packed)
    for bad in (packed[:-64], packed[:64], packed[:0], np.concatenate([packed, packed])):
        with pytest.raises(ValueError, match="not a packed table of this shape"):
            shape.unpacked(bad)


@pytest.mark.parametrize("code", [3, 2**31, 2**32 - 1])
def test_codes_of_no_category_are_refused(code):
    shape = TableShape([3], [0], 2)
    table = shape.table(np.array([0, 1, 1, 0, 1], dtype=np.int32))
    packed = table.packed().copy()
    packed[-64:-60] = np.frombuffer(np.uint32(code).tobytes(), dtype=np.uint8)
    with pytest.raises(ValueError, match="codes out of range"):
        shape.unpacked(packed)


_WITHIN = """
import resource, sys
import rarewood as rw
memory = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
rw.distributed.fit(rw.HeDExClassifier(2, random_state=0, max_depth=6), sys.argv[1], "y", memory=memory)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.slow
@sanitizers.limits_memory
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are enforced on Linux")
def test_stays_within_memory(tmp_path):
    """In memory, the table is there three times: read, as a matrix, in columns; 64 MB each, beside 190 MB for the libraries."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400_000, 20)), columns=[f"x{k}" for k in range(20)])
    frame["y"] = (frame["x0"] + frame["x1"] > 2.5).astype(int)
    frame.to_parquet(tmp_path / "big.parquet", row_group_size=10_000)
    memory = 310 * 2**20
    ran = subprocess.run(
        [sys.executable, "-c", _WITHIN, str(tmp_path / "big.parquet"), str(memory)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # a stack per thread counts
    )
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) * 1024 < memory


def test_a_fit_that_was_killed_goes_on(files, tmp_path, monkeypatch):
    from rarewood.distributed import _waves

    frame, folder = files
    model = rw.HeDExClassifier(5, random_state=0)
    options = {"finish_rows": 30, "trees_at_once": 2, "checkpoint": tmp_path / "trees.npz"}
    grown = []
    real = _waves._grow_wave

    def dies_in_the_second_wave(job, engine, schedule, first, end):
        if first > 0:
            raise KeyboardInterrupt
        grown.append(first)
        return real(job, engine, schedule, first, end)

    monkeypatch.setattr(_waves, "_grow_wave", dies_in_the_second_wave)
    with pytest.raises(KeyboardInterrupt):
        rw.distributed.fit(model, folder / "*.parquet", "y", **options)
    monkeypatch.setattr(_waves, "_grow_wave", lambda *args: grown.append(args[3]) or real(*args))
    resumed = rw.distributed.fit(model, folder / "*.parquet", "y", **options)
    assert grown == [0, 2, 4]
    check_same(resumed, model.fit(frame.drop(columns="y"), frame["y"]))
    with pytest.raises(ValueError, match="belongs to another fit"):
        rw.distributed.fit(rw.HeDExClassifier(5, random_state=1), folder / "*.parquet", "y", **options)


@pytest.mark.parametrize("content", [b"", b"PK no", b"words"])
def test_a_file_that_is_no_checkpoint(tmp_path, content):
    path = tmp_path / "trees.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a checkpoint, or is damaged"):
        rw.distributed.fit(rw.HeDExClassifier(2, random_state=0), make_frame(100, 0), "y", checkpoint=path)


@pytest.mark.parametrize("arrays", [{"a.b": np.zeros(3)}, {"0.shape": np.zeros(2, np.int64)}, {"0.job": np.array("x")}])
def test_a_checkpoint_of_other_things_is_refused(tmp_path, arrays):
    path = tmp_path / "trees.npz"
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"trees\.npz.*Delete it, or name another file"):
        rw.distributed.fit(rw.HeDExClassifier(2, random_state=0), make_frame(100, 0), "y", checkpoint=path)


@pytest.mark.parametrize("spoil", ["shape", "n_nodes", "packed", "cut", "header"])
def test_a_damaged_checkpoint_is_refused(tmp_path, spoil):
    path = tmp_path / "trees.npz"
    model, frame = rw.HeDExClassifier(2, random_state=0), make_frame(100, 0)
    rw.distributed.fit(model, frame, "y", checkpoint=path)
    with np.load(path) as file:
        arrays = dict(file)
    if spoil == "cut":
        path.write_bytes(path.read_bytes()[:-200])
    elif spoil == "packed":
        np.savez_compressed(path, **arrays)
    elif spoil == "header":
        path.write_bytes(path.read_bytes().replace(b"'descr'", b"(((((((", 1))
    else:
        del arrays[f"0.{spoil}"]
        np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"is damaged.*Delete it, or name another file"):
        rw.distributed.fit(model, frame, "y", checkpoint=path)


def test_probabilities_part_by_part():
    frame = make_frame(200, 1)
    model = rw.HeDExClassifier(4, random_state=0).fit(frame.drop(columns="y"), frame["y"])
    parts = list(rw.distributed.predict_proba(model, parted(frame, [50, 50])))
    assert [len(part) for part in parts] == [50, 0, 150]
    assert np.concatenate(parts).tobytes() == model.predict_proba(frame.drop(columns="y")).tobytes()
    with pytest.raises(ValueError, match="the data have no column 'b', which the model was fitted to; they have"):
        list(rw.distributed.predict_proba(model, frame.drop(columns="b")))
    with pytest.raises(NotFittedError):
        rw.distributed.predict_proba(rw.HeDExClassifier(), frame)


@pytest.mark.parametrize(
    ("model", "options", "error", "words"),
    [
        (rw.BiasedRankingClassifier(), {}, TypeError, "BiasedRankingClassifier cannot be fitted to data in parts"),
        (rw.RuleSetClassifier(), {}, TypeError, "RuleSetClassifier cannot be fitted to data in parts"),
        (rw.OneVsAllClassifier(rw.RareClassifier()), {}, TypeError, "OneVsAllClassifier of RareClassifier cannot"),
        (rw.OneVsAllClassifier(), {"groups": "a"}, ValueError, "groups are for out-of-bag scores"),
        (rw.ForestClassifier(3, sampling="all", oob_score=True), {}, ValueError, "oob_score=True"),
        (rw.HeDExClassifier(3), {"checkpoint": "trees.npz"}, ValueError, "needs an integer random_state"),
        (rw.HeDExClassifier(3), {"sample_weight": "a"}, ValueError, "at least 0|whole numbers"),
        (rw.HeDExClassifier(3), {"sample_weight": "fraction"}, ValueError, "whole numbers"),
        (rw.HeDExClassifier(3), {"sample_weight": "nowhere"}, ValueError, "no column 'nowhere'"),
        (rw.HeDExClassifier(3), {"memory": "much"}, ValueError, "'4GB'"),
        (rw.HeDExClassifier(3), {"memory": 10**6}, MemoryError, "give at least"),
        (rw.HeDExClassifier(3), {"max_model_bytes": 100}, MemoryError, "min_samples_leaf"),
        (rw.HeDExClassifier(3), {"finish_rows": -1}, ValueError, "finish_rows=-1"),
        (rw.HeDExClassifier(3), {"trees_at_once": 0}, ValueError, "trees_at_once=0"),
    ],
)
def test_what_is_refused(model, options, error, words):
    frame = make_frame(100, 0).assign(fraction=0.5)
    with pytest.raises(error, match=words):
        rw.distributed.fit(model, frame, "y", **options)


@pytest.mark.parametrize("model", [rw.HeDExClassifier(8, random_state=0), rw.RareClassifier(8, random_state=0)])
def test_what_makes_a_model_small_enough_is_offered(model, tmp_path):
    frame = make_frame(1500, 0, missing=True, categories=True)
    frame.to_parquet(tmp_path / "table.parquet", row_group_size=600)
    whole = rw.distributed.fit(model, frame, "y")
    most = whole.forest_.__sizeof__() // 2
    with pytest.raises(MemoryError, match=f"of 8 trees .* more than the {most / 1e6:.0f} MB allowed") as refused:
        rw.distributed.fit(model, tmp_path / "table.parquet", "y", memory="4GB", max_model_bytes=most)
    leaf = re.search(r"With min_samples_leaf=(\d+) it would take about", str(refused.value))[1]
    judged = re.search(r"average precision is (0\.\d+), and (0\.\d+) for", str(refused.value))
    assert (judged is not None) == isinstance(model, rw.RareClassifier)
    assert judged is None or all(0.4 < float(found) < 1.0 for found in judged.groups())
    smaller = clone(model).set_params(min_samples_leaf=int(leaf))
    assert rw.distributed.fit(smaller, frame, "y", max_model_bytes=most).forest_.__sizeof__() <= most


def test_the_size_of_a_model_is_that_of_all_its_forests(monkeypatch):
    frame = make_frame(500, 0)
    model = rw.RareClassifier(12, random_state=0)
    size = rw.distributed.fit(model, frame, "y").forest_.__sizeof__()
    rw.distributed.fit(model, frame, "y", max_model_bytes=2 * size)
    with pytest.raises(MemoryError, match="of 12 trees the model is expected to take"):
        rw.distributed.fit(model, frame, "y", max_model_bytes=size // 2)  # more than one of its forests


@pytest.mark.parametrize("model", [rw.HeDExClassifier(3, random_state=0), rw.RareClassifier(12, random_state=0)])
@pytest.mark.parametrize("n_rows", [200, 20_000])
def test_what_an_error_says_is_enough(model, n_rows, monkeypatch):
    monkeypatch.setattr(memory, "_resident_bytes", lambda: 100 * 10**6)
    frame = make_frame(n_rows, 0)
    with pytest.raises(
        MemoryError, match=r"memory=1 MB is too little: the process already takes .* give at least \d+ MB"
    ) as refused:
        rw.distributed.fit(model, frame, "y", memory="1MB")
    enough = re.search(r"at least (\d+ MB)", str(refused.value))[1]
    rw.distributed.fit(model, frame, "y", memory=enough)


@sanitizers.limits_memory
def test_a_row_group_that_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "_bytes_in_memory", lambda group: 10**9)
    monkeypatch.setattr(memory, "_resident_bytes", lambda: 100 * 10**6)
    make_frame(200, 0).to_parquet(tmp_path / "table.parquet")
    with pytest.raises(MemoryError, match=r"give at least 6,\d+ MB. The largest part, a row group .* about 1,000 MB"):
        rw.distributed.fit(rw.HeDExClassifier(3), tmp_path / "table.parquet", "y", memory="5GB")


def test_rows_that_a_sampler_made_are_refused():
    frame = make_frame(300, 0)
    rare = frame[frame["y"] == 1]
    copies = rare.sample(60, replace=True, random_state=0)
    with pytest.raises(ValueError, match="the last 60 of 360 rows were made by a sampler"):
        rw.distributed.fit(rw.RareClassifier(12, random_state=0), [frame, copies], "y")
    rw.distributed.fit(rw.HeDExClassifier(2, random_state=0), [frame, copies], "y")  # nothing is judged


def test_partitions_that_do_not_belong_together():
    frame = make_frame(100, 0)
    model = rw.HeDExClassifier(3)
    with pytest.raises(ValueError, match="partition 1 has the columns"):
        rw.distributed.fit(model, [frame, frame.rename(columns={"a": "z"})], "y")
    with pytest.raises(ValueError, match="'a' holds categories in some partitions and numbers in others"):
        rw.distributed.fit(model, [frame, frame.assign(a=pd.Categorical(["u"] * 100))], "y")
    with pytest.raises(ValueError, match="every partition is empty"):
        rw.distributed.fit(model, [frame[:0], frame[:0]], "y")
    with pytest.raises(ValueError, match="infinity"):
        rw.distributed.fit(model, [frame, frame.assign(a=np.inf)], "y")
    with pytest.raises(ValueError, match="no column 'label'"):
        rw.distributed.fit(model, [frame], "label")
    with pytest.raises(TypeError, match="ndarray is not accepted"):
        rw.distributed.fit(model, np.zeros((3, 3)), "y")
    with pytest.raises(FileNotFoundError, match="no Parquet file"):
        rw.distributed.fit(model, "nowhere-*.parquet", "y")


def test_data_that_change_between_passes(tmp_path):
    frame = make_frame(200, 0)
    path = tmp_path / "table.parquet"
    frame.to_parquet(path)

    class Changing(rw.HeDExClassifier):
        def _plan(self, data):
            frame.assign(y=1 - frame["y"].clip(0, 1)).to_parquet(path)
            return super()._plan(data)

    with pytest.raises(ValueError, match=r"the labels of partition . have changed since it was first read"):
        rw.distributed.fit(Changing(2, random_state=0), path, "y")


@pytest.mark.parametrize(
    ("text", "expected"), [("4GB", 4 * 10**9), ("1.5 GiB", 3 * 2**29), ("512mb", 512 * 10**6), (7, 7), (None, None)]
)
def test_amounts_of_memory(text, expected):
    assert parse_memory(text) == expected
