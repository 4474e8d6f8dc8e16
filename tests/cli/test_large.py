"""`rarewood fit` part by part: in a budget of memory, and on a cluster."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rarewood as rw
from support.command_line import payments

FEW = ("--id", "payment_id", "-s", "n_estimators=20")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two Parquet files of several row groups."""
    path = tmp_path_factory.mktemp("parts")
    frame = payments(1500, 0)
    frame[:900].to_parquet(path / "a.parquet", row_group_size=200, index=False)
    frame[900:].to_parquet(path / "b.parquet", row_group_size=400, index=False)
    return path


@pytest.mark.parametrize("data", ["", "*.parquet"])
def test_a_budget_of_memory_changes_no_model(folder, program, data):
    found = program("fit", folder / data, *FEW, "--memory", "4GB", "-o", "m.rarewood", "--json").json
    table = pa.concat_tables([pq.read_table(folder / name) for name in ("a.parquet", "b.parquet")])
    own = rw.RareClassifier(20, random_state=0)
    own.fit(table.drop_columns(["payment_id", "fraud"]), table["fraud"].to_numpy(zero_copy_only=False))
    kept = rw.load(program.folder / "m.rarewood")
    assert kept.decision_threshold_ == own.decision_threshold_
    assert kept.forest_.feature_importances.tobytes() == own.forest_.feature_importances.tobytes()
    assert found["rows"] == 1500
    assert found["judged_by"] == "out-of-bag"
    assert found["measures"]["auc"] == pytest.approx(own.oob_score_, rel=1e-12)
    assert sum(found["classes"].values()) == 1500


@pytest.mark.parametrize("options", [(), ("--positive", "no"), ("--group", "customer"), ("--target", "lost")])
def test_the_command_says_and_keeps_the_same_part_by_part(folder, program, options):
    """The files are equal byte for byte, but for the time of saving."""
    table = pa.concat_tables([pq.read_table(folder / name) for name in ("a.parquet", "b.parquet")])
    if "--group" in options:
        table = table.add_column(0, "customer", pa.array(np.arange(1500) // 3))
    if "--target" in options:
        table = table.append_column("lost", pa.array(np.arange(1500) % 9 == 0).cast(pa.int8()))
    pq.write_table(table, program.folder / "all.parquet", row_group_size=400)
    command = ("fit", "all.parquet", *FEW, *options, "--rules", 3, "--json", "-o")
    with mock.patch("rarewood.export._file.datetime") as clock:
        clock.now.return_value = datetime(2026, 1, 1, tzinfo=UTC)
        whole = program(*command, "a.rarewood").json
        in_parts = program(*command, "b.rarewood", "--memory", "4GB").json
    for each in (whole, in_parts):
        del each["seconds"], each["model"], each["notes"]
    assert in_parts == whole
    assert options or len(whole["rules"]) > 0
    assert (program.folder / "a.rarewood").read_bytes() == (program.folder / "b.rarewood").read_bytes()


def test_a_model_in_parts_predicts_and_describes_itself(folder, program):
    said = program("fit", folder, *FEW, "-m", "hedex", "--memory", "2GB", "-o", "m.rarewood").out
    assert "1,500 rows, target 'fraud'" in said
    assert "not scored" in said
    assert "yes is the class to find" in program("describe", "m.rarewood").out
    program("predict", "m.rarewood", folder / "b.parquet", "-o", "scores.csv")
    assert len((program.folder / "scores.csv").read_text().splitlines()) == 601


@pytest.fixture
def cluster():
    """One worker, as a thread, behind a TCP address."""
    distributed = pytest.importorskip("distributed")
    options = {"processes": False, "dashboard_address": "127.0.0.1:0", "protocol": "tcp", "host": "127.0.0.1"}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, silence_logs="ERROR", **options) as cluster:
        yield cluster


def test_a_cluster_by_its_address(folder, program, cluster):
    program("fit", folder, *FEW, "--cluster", cluster.scheduler_address, "-o", "there.rarewood")
    program("fit", folder, *FEW, "--memory", "4GB", "-o", "here.rarewood")
    there, here = (rw.load(program.folder / name) for name in ("there.rarewood", "here.rarewood"))
    assert there.decision_threshold_ == here.decision_threshold_
    assert there.forest_.feature_importances.tobytes() == here.forest_.feature_importances.tobytes()


def test_a_cluster_that_goes_away_is_told_once(folder, program, cluster, monkeypatch, caplog):
    from rarewood.distributed._dask import DaskEngine

    def lose(engine, splits, questions):
        logging.getLogger("distributed.client").error("a line of the log")
        engine._client.close()
        return ask(engine, splits, questions)

    ask = DaskEngine.ask
    monkeypatch.setattr(DaskEngine, "ask", lose)
    failed = program("fit", folder, *FEW, "--cluster", cluster.scheduler_address, "-o", "there.rarewood", code=1)
    assert "the connection to the scheduler of the cluster was lost" in failed.err
    assert "a line of the log" not in caplog.text + failed.err
    assert not (program.folder / "there.rarewood").exists()


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--memory", "lots"), 2, "--memory='lots' is not accepted; give an amount such as '4GB'"),
        (("--memory", "1MB"), 2, "--memory=1 MB is too little: the process already takes"),
        (("--memory", "4GB", "--cluster", "tcp://127.0.0.1:1"), 2, "--memory applies to this machine"),
        (("--memory", "4GB", "--sep", ";"), 2, "--sep does not work with --memory and --cluster"),
        (("--memory", "4GB", "--time", "hour"), 2, "--time does not work with --memory and --cluster"),
        (("--memory", "4GB", "--target", "fraude"), 4, "has no column 'fraude' (--target)"),
        (("--memory", "4GB", "-m", "rule-set"), 2, "cannot be fitted to data in parts"),
        (("--memory", "4GB", "-m", "hedex+patterns"), 2, "cannot be fitted to data in parts"),
    ],
)
def test_what_is_refused(folder, program, options, code, words):
    refused = program("fit", folder, *options, code=code)
    assert words in refused.err


def test_other_files_are_refused(program):
    (program.folder / "t.csv").write_text("a,b\n1,2\n")
    assert "need Parquet files" in program("fit", "t.csv", "--memory", "1GB", code=3).err


def test_groups_are_left_out_whole_part_by_part(tmp_path, program):
    rows = payments(900, 2).assign(customer=np.arange(900) % 150)
    rows.to_parquet(tmp_path / "pay.parquet", row_group_size=300)
    by = ("--group", "customer", "--id", "payment_id", "-s", "n_estimators=60", "--rules", 0, "--json")
    whole = program("fit", "pay.parquet", *by, "-o", "a.rarewood").json
    in_parts = program("fit", "pay.parquet", *by, "--memory", "4GB", "-o", "b.rarewood").json
    assert in_parts["judged_by"] == whole["judged_by"] == "out-of-bag, by trees that saw no row of the same customer"
    assert in_parts["measures"] == whole["measures"]
    assert rw.load("b.rarewood").n_groups_ == 150
    program("fit", "pay.parquet", *by[:4], "-m", "hedex", "--memory", "4GB", code=2)
