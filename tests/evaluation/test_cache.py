"""The record file: a run that was stopped goes on where it stopped, and nothing stale is taken for new."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from rarewood.evaluation import Comparison, _runner, compare
from rarewood.evaluation._records import RecordFile
from rarewood.exceptions import RarewoodWarning
from rarewood.metrics import Metric
from support import sanitizers

METHODS = {"tree": DecisionTreeClassifier(max_depth=3), "bayes": GaussianNB()}
DATA = {"one": make_classification(60, random_state=0), "two": make_classification(40, random_state=1)}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new folder" / "results.jsonl"


@pytest.fixture
def computed(monkeypatch):
    """The method and data set of every fold that is computed rather than read."""
    calls = []
    run_cell = _runner.run_cell

    def counted(estimator, table, *rest, **options):
        calls.append((type(estimator).__name__, table.name))
        return run_cell(estimator, table, *rest, **options)

    monkeypatch.setattr(_runner, "run_cell", counted)
    return calls


def run(path, methods=METHODS, data=DATA, protocol="2x2", metrics=("auc", "accuracy"), **options):
    return compare(methods, data, protocol, metrics, cache=path, **options)


def table(result):
    return result.frame("pandas").drop(columns=["fit_seconds", "predict_seconds"])


def test_a_finished_run_is_read_not_computed(path, computed):
    first = run(path)
    assert len(computed) == 16
    second = run(path)
    assert len(computed) == 16
    assert first.frame("pandas").equals(second.frame("pandas"))
    assert Comparison.load(path).frame("pandas").equals(first.frame("pandas"))


def test_only_what_changed_is_computed(path, computed):
    run(path)
    computed.clear()
    run(path, {**METHODS, "tree": DecisionTreeClassifier(max_depth=4)})
    assert set(computed) == {("DecisionTreeClassifier", "one"), ("DecisionTreeClassifier", "two")}
    computed.clear()
    X, y = DATA["two"]
    changed = X.copy()
    changed[7, 3] += 1e-9
    run(path, data={**DATA, "two": (changed, y)})
    assert {name for _, name in computed} == {"two"}
    computed.clear()
    run(path, protocol="3x2")  # the first two repeats are the same folds
    assert len(computed) == 8
    computed.clear()
    run(path, random_state=1)
    assert len(computed) == 16
    computed.clear()
    run(path)  # the first of all is still there
    assert computed == []
    result = Comparison.load(path)
    assert result.provenance["random_state"] == 0
    assert len(result.records) == 16


def test_threads_words_and_seeds_of_a_method_do_not_count(path, computed):
    run(path, {"tree": DecisionTreeClassifier(random_state=1)})
    computed.clear()
    result = run(path, {"renamed": DecisionTreeClassifier(random_state=2)})
    assert computed == []
    assert set(result.frame("pandas")["method"]) == {"renamed"}


def test_a_new_measure_is_computed_and_one_of_another_meaning_too(path, computed):
    run(path, metrics=["auc", "accuracy"])
    computed.clear()
    run(path, metrics=["accuracy"])
    assert computed == []
    run(path, metrics=["accuracy", "g_mean"])
    assert len(computed) == 16
    for factor in (1.0, 2.0):
        computed.clear()
        own = Metric("own", "own", "labels", True, lambda given, factor=factor: factor * np.mean(given.labels))
        run(path, metrics=[own])
        assert len(computed) == 16


def test_failures_are_tried_again(path, computed):
    class Late(GaussianNB):
        ready = False

        def fit(self, X, y):
            if not Late.ready:
                raise OSError("the licence server is down")
            return super().fit(X, y)

    assert len(run(path, {"late": Late(), "bayes": GaussianNB()}).failures()) == 2
    computed.clear()
    Late.ready = True
    assert not run(path, {"late": Late(), "bayes": GaussianNB()}).failures()
    assert {name for name, _ in computed} == {"Late"}


@pytest.mark.parametrize("n_bytes", [1, 20, 300])
def test_a_torn_last_line_is_computed_again(path, computed, n_bytes):
    whole = table(run(path))
    os.truncate(path, path.stat().st_size - n_bytes)
    computed.clear()
    assert table(run(path)).equals(whole)
    assert len(computed) == 1
    assert table(Comparison.load(path)).equals(whole)


def test_a_file_that_ends_in_its_first_line_is_begun_anew(path):
    path.parent.mkdir()
    for begun in (b"", b'{"form'):
        path.write_bytes(begun)
        assert len(run(path).records) == 16
        assert len(Comparison.load(path).records) == 16


def test_a_damaged_line_is_left_out_with_a_warning(path, computed):
    whole = table(run(path))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[5] = lines[5][:40] + b"\n"
    path.write_bytes(b"".join(lines))
    computed.clear()
    with pytest.warns(RarewoodWarning, match="1 damaged lines"):
        assert table(run(path)).equals(whole)
    assert len(computed) == 1


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 5000,
        b'{"a":' * 5000,
        b"[1]",
        b'{"kind": "result"}',
        b'{"kind": "result", "key": []}',
        b'{"kind": "result", "key": "k", "measures": {}, "scores": {"auc": "x"}, "undefined": {}, "warnings": [], "error": null}',
        b'{"kind": "run", "datasets": 3}',
    ],
)
def test_a_line_that_is_json_and_no_record_is_damaged(path, line):
    whole = table(run(path))
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.warns(RarewoodWarning, match="1 damaged lines"):
        assert table(Comparison.load(path)).equals(whole)
    with pytest.warns(RarewoodWarning, match="1 damaged lines"):
        assert table(run(path)).equals(whole)


def test_a_damaged_description_of_a_comparison_is_refused(path):
    run(path)
    path.write_bytes(
        path.read_bytes()
        + b'{"kind": "run", "datasets": {"a": 1}, "methods": {}, "metrics": {}, "n_learner_repeats": 1}\n'
    )
    with pytest.raises(ValueError, match="Delete it, or name another file"):
        Comparison.load(path)


@pytest.mark.parametrize(
    "content",
    [
        "[" * 998 + "\n",
        "precious notes\n",
        '{"format": "other"}\n',
        "[1, 2]\n",
        "no line end",
    ],
)
def test_other_files_are_refused_and_kept(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_text(content)
    with pytest.raises(ValueError, match="is not a record of a comparison"):
        run(path)
    assert path.read_text() == content


def test_a_later_format_is_refused(tmp_path):
    path = tmp_path / "later.jsonl"
    path.write_text('{"format": "rarewood-comparison", "version": 2}\n')
    with pytest.raises(ValueError, match=r"has version 2 .* reads version 1"):
        run(path)


def test_save_and_load(path, tmp_path):
    result = run(path)
    saved = tmp_path / "saved.jsonl"
    saved.write_text("what was there before")
    result.save(saved)
    again = Comparison.load(saved)
    assert again.frame("pandas").equals(result.frame("pandas"))
    assert repr(again.table("auc", reference="bayes")) == repr(result.table("auc", reference="bayes"))
    assert again.provenance == result.provenance
    (tmp_path / "none.jsonl").write_text('{"format": "rarewood-comparison", "version": 1}\n')
    with pytest.raises(ValueError, match="holds no comparison yet"):
        Comparison.load(tmp_path / "none.jsonl")


def test_results_without_a_measure_of_the_last_run_are_not_loaded(path):
    run(path, metrics=["accuracy"])
    lines = path.read_bytes().splitlines(keepends=True)
    run(path, metrics=["accuracy", "g_mean"])
    again = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(again[: len(lines) + 4]))  # as if stopped after three results
    result = Comparison.load(path)
    assert repr(result).endswith("3 of 16 results")
    assert not result.is_finished
    assert result.n_undefined("g_mean") == 0


def test_a_part_is_what_a_smaller_comparison_would_be(path, tmp_path):
    whole = run(path)
    smaller = run(tmp_path / "smaller.jsonl", {"bayes": METHODS["bayes"]}, {"two": DATA["two"]})
    part = whole.part(datasets=["two"], methods=["bayes", "nobody"])
    assert table(part).equals(table(smaller))
    assert part.is_finished
    assert (part.datasets, part.methods) == (["two"], ["bayes"])
    assert table(whole.part()).equals(table(whole))


def test_every_line_is_json_without_nan(path):
    X, _ = DATA["one"]
    with pytest.warns(RarewoodWarning):
        run(path, data={"one": (X, (np.arange(60) == 0).astype(int))})

    def refuse(word):
        raise AssertionError(word)

    for line in path.read_text().splitlines():
        json.loads(line, parse_constant=refuse)


SCRIPT = """
import sys, time
import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier
from rarewood.evaluation import compare

class Slow(DecisionTreeClassifier):
    def fit(self, X, y):
        time.sleep(float(sys.argv[2]))
        return super().fit(X, y)

data = {str(i): make_classification(60, random_state=i) for i in range(2)}
methods = {"slow": Slow(max_features=2), "tree": DecisionTreeClassifier(max_features=3)}
result = compare(methods, data, "5x2", ["auc", "log_loss"], cache=sys.argv[1], n_jobs=int(sys.argv[3]))
print(result.table("auc", reference="slow"))
print(result.table("log_loss"))
"""


def start(path, seconds, n_jobs, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), str(path), str(seconds), str(n_jobs)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def n_results(path):
    return path.read_bytes().count(b'"kind": "result"') if path.exists() else 0


def wait_for_results(path, process, at_least):
    limit = time.monotonic() + 60 * sanitizers.SLOWER
    while n_results(path) < at_least:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < limit, "no results after a minute"
        time.sleep(0.005)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What a run prints that nobody stops, and what it was."""
    folder = tmp_path_factory.mktemp("undisturbed")
    printed, error = start(folder / "results.jsonl", 0, 1, folder).communicate(timeout=60)
    assert "average rank" in printed, error
    return printed, Comparison.load(folder / "results.jsonl").provenance


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_run_that_is_killed_goes_on_and_ends_with_the_same_table(tmp_path, undisturbed):
    path = tmp_path / "killed.jsonl"
    process = start(path, 0.1, 2, tmp_path)
    wait_for_results(path, process, 3)
    os.killpg(process.pid, signal.SIGKILL)  # the workers as well
    process.communicate(timeout=60)
    assert 3 <= n_results(path) < 40
    unfinished = Comparison.load(path)
    assert repr(unfinished).endswith(f"{len(unfinished.records)} of 40 results")

    resumed, error = start(path, 0, 1, tmp_path).communicate(timeout=60)
    printed, provenance = undisturbed
    assert resumed == printed, error
    assert n_results(path) == 40  # none was lost, none was computed twice
    for key in ("methods", "datasets", "metrics"):  # the same content has the same name in every process
        assert Comparison.load(path).provenance[key] == provenance[key]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_control_c_stops_at_once_and_keeps_what_there_is(tmp_path):
    path = tmp_path / "stopped.jsonl"
    process = start(path, 0.1, 2, tmp_path)
    wait_for_results(path, process, 3)
    process.send_signal(signal.SIGINT)
    error = process.communicate(timeout=30)[1]
    assert process.returncode != 0
    assert "KeyboardInterrupt" in error
    assert 3 <= len(Comparison.load(path).records) < 40


@pytest.mark.skipif(os.name == "nt", reason="locks of Unix")
def test_two_comparisons_do_not_share_a_file_at_the_same_time(path, computed):
    path.parent.mkdir()
    with RecordFile(path), pytest.raises(BlockingIOError, match="another comparison is writing to"):
        run(path)
    assert computed == []
    run(path)
    assert len(computed) == 16
