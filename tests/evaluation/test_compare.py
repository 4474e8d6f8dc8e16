"""Running a comparison: folds, seeds, measures, failures, processes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score, log_loss, roc_auc_score
from sklearn.model_selection import GroupKFold, LeaveOneOut, RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rarewood._progress import progress
from rarewood.evaluation import compare
from rarewood.exceptions import RarewoodWarning
from rarewood.metrics import Metric
from support.witnesses import Crash, Guess, Witness


def problem(n=80, seed=0, **options):
    return make_classification(n_samples=n, weights=[0.75], random_state=seed, **options)


def seen(result, method="witness"):
    errors = [record["error"] for record in result.records if record["method"] == method]
    return [json.loads(error.removeprefix("RuntimeError: ")) for error in errors]


class Numbering(GaussianNB):
    """Learns from the positions of the labels and says so."""

    def fit(self, X, y):
        return super().fit(X, np.unique(y, return_inverse=True)[1])


class TestResults:
    def test_are_those_of_a_plain_loop(self):
        X, y = problem()
        methods = {"tree": DecisionTreeClassifier(max_depth=3), "bayes": GaussianNB()}
        result = compare(methods, {"data": (X, y)}, "5x2", ["auc", "minority_f1", "log_loss"], random_state=3)
        folds = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=3).split(X, y))
        for record in result.records:
            train, test = folds[record["fold"]]
            model = clone(methods[record["method"]])
            if record["method"] == "tree":
                model.set_params(random_state=record["seed"])
            chances = model.fit(X[train], y[train]).predict_proba(X[test])
            assert record["scores"] == {
                "auc": pytest.approx(roc_auc_score(y[test], chances[:, 1])),
                "minority_f1": pytest.approx(f1_score(y[test], model.predict(X[test]))),
                "log_loss": pytest.approx(log_loss(y[test], chances)),
            }
            assert (record["n_train"], record["n_test"]) == (40, 40)
        assert len(result.records) == 20

    def test_carry_times_sizes_and_provenance(self):
        result = compare({"bayes": GaussianNB()}, {"data": problem()}, "1x2", "auc")
        for record in result.records:
            assert record["fit_seconds"] > 0
            assert record["predict_seconds"] > 0
            assert 500 < record["model_bytes"] < 5000
        about = result.provenance
        assert about["protocol"] == "1x2"
        assert about["random_state"] == 0
        assert about["versions"]["scikit-learn"]
        assert about["methods"]["bayes"]["parameters"] == "GaussianNB()"
        assert about["datasets"]["data"]["n_rows"] == 80
        assert about["datasets"]["data"]["rare"] == "1"

    def test_methods_are_left_untouched_and_may_be_functions_or_classes(self):
        tree = DecisionTreeClassifier(random_state=7)
        methods = {"tree": tree, "class": GaussianNB, "function": lambda: KNeighborsClassifier(3)}
        result = compare(methods, {"data": problem()}, "1x2", "accuracy")
        assert not result.failures()
        assert tree.random_state == 7
        assert not hasattr(tree, "tree_")


class TestSeeds:
    def test_a_fold_gives_the_same_seed_to_all_methods_and_everything_inside(self):
        nested = BaggingClassifier(DecisionTreeClassifier())
        methods = {"a": Witness(), "b": make_pipeline(StandardScaler(), Witness(random_state=5)), "nested": nested}
        result = compare(methods, {"one": problem(), "two": problem(60)}, "2x2", "auc")
        a, b = seen(result, "a"), seen(result, "b")
        assert [seed for seed, *_ in a] == [seed for seed, *_ in b]
        assert [seed for seed, *_ in a] == [record["seed"] for record in result.records if record["method"] == "a"]
        assert len({seed for seed, *_ in a}) == 8
        again = compare(methods, {"one": problem(), "two": problem(60)}, "2x2", "auc")
        np.testing.assert_array_equal(result.means("auc"), again.means("auc"))
        other = compare(methods, {"one": problem(), "two": problem(60)}, "2x2", "auc", random_state=1)
        assert not {seed for seed, *_ in a} & {seed for seed, *_ in seen(other, "a")}

    def test_learners_are_repeated_on_the_same_fold_with_other_seeds(self):
        stump = DecisionTreeClassifier(max_depth=2, max_features=1)
        result = compare({"tree": stump, "guess": Guess()}, {"data": problem()}, "2x2x3", "auc")
        assert len(result.records) == 2 * 2 * 3 * 2
        assert result.fold_scores("auc", "data").shape == (2, 4)
        first = [
            record["scores"]["auc"] for record in result.records if record["fold"] == 0 and record["method"] == "tree"
        ]
        assert len(set(first)) > 1
        assert result.fold_scores("auc", "data")[0, 0] == pytest.approx(np.mean(first))
        assert result.test("auc", "data", "tree", "guess").n_folds == 4


class TestProtocols:
    @pytest.mark.parametrize(
        ("word", "n_folds"), [("5x2", 10), ("2x10", 20), ("10fold", 10), ("3-fold", 3), ("1x2x2", 4)]
    )
    def test_words(self, word, n_folds):
        result = compare({"guess": Guess()}, {"data": problem()}, word, "accuracy")
        assert len(result.records) == n_folds

    @pytest.mark.parametrize(
        ("splitter", "n_folds"),
        [(StratifiedKFold(4, shuffle=True), 4), (ShuffleSplit(3), 3), (LeaveOneOut(), 20)],
    )
    def test_splitters_follow_the_seed(self, splitter, n_folds):
        data = {"data": problem(20)}
        first, again = (compare({"guess": Guess()}, data, splitter, "accuracy") for _ in range(2))
        assert len(first.records) == n_folds
        assert first.provenance["datasets"] == again.provenance["datasets"]
        assert getattr(splitter, "random_state", None) is None

    def test_groups_stay_together(self):
        class Grouped:
            X, y = problem(20)
            groups = np.repeat(np.arange(10), 2)

        result = compare({"guess": Guess()}, {"data": Grouped()}, GroupKFold(5), "accuracy")
        assert [record["n_test"] for record in result.records] == [4] * 5

    @pytest.mark.parametrize("word", ["5", "2x", "x2", "5x1", "0x2", "fold", "5x2x0", ""])
    def test_other_words_are_refused(self, word):
        with pytest.raises(ValueError, match=f"protocol={word!r}"):
            compare({"guess": Guess()}, {"data": problem()}, word)

    def test_other_things_are_refused(self):
        with pytest.raises(TypeError, match="protocol=5"):
            compare({"guess": Guess()}, {"data": problem()}, 5)
        with pytest.raises(ValueError, match="'data' cannot be split by 10fold"):
            compare({"guess": Guess()}, {"data": (np.eye(6), [0, 0, 0, 1, 1, 1])}, "10fold")


class TestRareClass:
    def test_is_the_rarest_of_the_whole_data_unless_told(self):
        X, y = load_iris(return_X_y=True)
        chosen = np.r_[0:50, 50:90, 100:150]
        X, y = X[chosen], np.array(["a", "b", "c"])[y[chosen]]
        bunch = type("Data", (), {"X": X, "y": y, "rare": "c"})()
        result = compare({"bayes": GaussianNB()}, {"b": (X, y), "a": (X, y, "a"), "c": bunch}, "5x2", "auc")
        rare = {name: about["rare"] for name, about in result.provenance["datasets"].items()}
        assert rare == {"b": "b", "a": "a", "c": "c"}
        means = dict(zip(result.datasets, result.means("auc")[:, 0]))
        assert means["a"] == 1.0 > means["c"] > means["b"]

    def test_folds_without_it_are_skipped_and_counted(self):
        X, y = problem(30)
        y = np.zeros(30, dtype=int)
        y[0] = 1
        with pytest.warns(RarewoodWarning, match="class 1 has 1 rows, fewer than the folds of 3x2"):
            result = compare({"guess": Guess(), "bayes": GaussianNB()}, {"data": (X, y)}, "3x2", ["auc", "accuracy"])
        # Either half lacks the row: three folds have it to test on, three to train on.
        assert result.n_undefined("auc") == 6
        assert np.isfinite(result.means("auc")).all()
        assert result.n_undefined("accuracy") == 0
        assert "6 undefined fold scores" in repr(result.table("auc"))
        undefined = [record["undefined"] for record in result.records if record["undefined"]]
        assert undefined == [{"auc": "not defined on this fold"}] * 6

    def test_a_class_that_the_training_rows_lack_gets_no_chance(self):
        X = np.arange(12.0)[:, np.newaxis]
        y = np.array(["a", "b", "a", "b", "c", "c"] * 2)
        split = type("Split", (), {"split": lambda self, X, y, groups: [(np.flatnonzero(y != "c"), np.arange(12))]})()
        result = compare({"bayes": GaussianNB(), "ridge": RidgeClassifier()}, {"data": (X, y, "c")}, split, "auc")
        assert result.fold_scores("auc", "data").tolist() == [[0.5], [0.5]]


class TestInput:
    @pytest.mark.parametrize(
        "kind", [np.asarray, sparse.csr_matrix, sparse.coo_array, pd.DataFrame, pl.DataFrame, list]
    )
    def test_tables_of_all_kinds_give_the_same(self, kind):
        X, y = problem(60)
        methods = {"neighbours": KNeighborsClassifier(), "tree": DecisionTreeClassifier()}
        plain = compare(methods, {"data": (X, y)}, "1x2", "auc")
        table = kind(X.tolist()) if kind is list else kind(X)
        np.testing.assert_array_equal(
            compare(methods, {"data": (table, y)}, "1x2", "auc").means("auc"), plain.means("auc")
        )

    def test_frames_keep_their_columns_and_types(self):
        class WantsFrame(Guess):
            def fit(self, X, y):
                assert list(X.columns) == ["number", "word"]
                assert X["word"].dtype == "category"
                return super().fit(X, y)

        frame = pd.DataFrame({"number": range(20), "word": pd.Categorical(["x", "y"] * 10)})
        y = pd.Series(["no"] * 15 + ["yes"] * 5, dtype="category")
        assert not compare({"m": WantsFrame()}, {"data": (frame, y)}, "2x2", "auc").failures()

    def test_objects_with_names_may_come_as_a_list(self):
        data = type("Data", (), {"name": "named", "X": np.eye(8), "y": [0, 0, 0, 0, 0, 1, 1, 1]})()
        assert compare({"guess": Guess()}, [data], "1x2", "auc").datasets == ["named"]

    def test_bad_input_is_named(self):
        X, y = problem(20)
        guess = {"guess": Guess()}
        for wrong, error, message in [
            (([X], {"d": (X, y)}), TypeError, "methods must be a dictionary"),
            (({}, {"d": (X, y)}), ValueError, "methods is empty"),
            (({"m": 3}, {"d": (X, y)}), TypeError, "method 'm' is 3"),
            ((guess, {}), ValueError, "datasets is empty"),
            ((guess, [(X, y)]), TypeError, "datasets must be a dictionary"),
            ((guess, {"d": X}), TypeError, "data set 'd' is ndarray"),
            ((guess, {"d": (X, y[:-1])}), ValueError, "'d': X has 20 rows and y 19"),
            ((guess, {"d": (X, 0 * y)}), ValueError, "'d': y has a single class"),
            ((guess, {"d": (X, y, 2)}), ValueError, "'d': the rare class 2 is not in y"),
            ((guess, {"d": (X[:, 0], y)}), ValueError, r"'d': X has shape \(20,\)"),
            ((guess, {"d": (X, y + 0.5 * X[:, 0])}), ValueError, "'d': Unknown label type"),
            ((guess, {"d": (pl.LazyFrame(X), y)}), TypeError, "lazy frame"),
            ((guess, {"d": (X, y)}, "5x2", "aucc"), ValueError, "did you mean 'auc'"),
            ((guess, {"d": (X, y)}, "5x2", []), ValueError, "metrics is empty"),
            ((guess, {"d": (X, y)}, "5x2", ["auc", "auc"]), ValueError, "metrics has names that occur twice: auc"),
        ]:
            with pytest.raises(error, match=message):
                compare(*wrong)
        for options, message in [({"n_jobs": 0}, "n_jobs=0"), ({"random_state": -1}, "random_state=-1")]:
            with pytest.raises(ValueError, match=message):
                compare(guess, {"d": (X, y)}, **options)


class TestMethodsInTrouble:
    def test_a_failure_is_recorded_and_the_others_go_on(self):
        class Moody(Guess):
            def predict(self, X):
                if len(X) == 10:
                    raise ZeroDivisionError("ten is too many")
                return super().predict(X)

        data = {"twenty": problem(20), "thirty": problem(30)}
        result = compare({"moody": Moody(), "guess": Guess()}, data, "2x2", "accuracy")
        assert result.failures() == {("twenty", "moody"): "ZeroDivisionError: ten is too many"}
        assert np.isnan(result.means("accuracy")).tolist() == [[True, False], [False, False]]
        assert "Moody" not in result.records[0]["error"]
        assert "in predict" in result.records[0]["traceback"]
        assert repr(result).endswith("16 results, 4 failed")

    def test_warnings_are_kept_not_shown(self):
        slow = LogisticRegression(max_iter=1)
        result = compare({"slow": slow, "bayes": GaussianNB()}, {"data": problem()}, "1x2", "auc")
        assert [bool(record["warnings"]) for record in result.records] == [True, False] * 2
        assert result.records[0]["warnings"][0].startswith("ConvergenceWarning: lbfgs failed")
        assert repr(result).endswith("4 results, 2 with warnings")

    def test_decisions_serve_where_there_are_no_probabilities(self):
        X, y = problem()
        result = compare({"ridge": RidgeClassifier()}, {"data": (X, y), "iris": load_iris()}, "1x2", ["auc", "brier"])
        assert np.isfinite(result.means("auc")).all()
        assert np.isnan(result.means("brier")).all()
        assert result.records[0]["undefined"] == {"brier": "the classifier has no predict_proba"}

    def test_labels_alone_are_enough_for_measures_of_labels(self):
        class Labels:  # without any base class
            def fit(self, X, y):
                self.label = y[0]
                return self

            def predict(self, X):
                return [self.label] * len(X)

        result = compare({"labels": Labels()}, {"data": problem()}, "1x2", ["accuracy", "auc"])
        assert np.isfinite(result.means("accuracy")).all()
        assert "neither predict_proba nor decision_function" in result.records[0]["undefined"]["auc"]

    def test_scores_of_other_classes_are_not_taken_for_ours(self):
        X, y = problem()
        result = compare({"numbering": Numbering()}, {"data": (X, np.array(["no", "yes"])[y])}, "1x2", "auc")
        assert "classes that the data set does not have: [0, 1]" in result.records[0]["error"]

    def test_probabilities_that_are_none(self):
        class Holes(Guess):
            def predict_proba(self, X):
                return super().predict_proba(X) * np.nan

        result = compare({"holes": Holes()}, {"data": problem()}, "1x2", ["accuracy", "auc"])
        assert "NaN" in result.records[0]["undefined"]["auc"]
        assert np.isfinite(result.means("accuracy")).all()

    def test_a_measure_of_ones_own(self):
        share = Metric("share", "share called rare", "labels", False, lambda given: np.mean(given.labels == given.rare))
        bad = Metric("bad", "bad", "labels", True, lambda given: 1 / 0)
        result = compare({"guess": Guess()}, {"data": problem()}, "1x2", [share, bad])
        assert result.means("share").tolist() == [[0.0]]
        assert not result.larger_is_better("share")
        assert result.records[0]["undefined"] == {"bad": "ZeroDivisionError: division by zero"}


class Stopped(GaussianNB):
    """Compiled code was interrupted in the middle of its own work and says so in its own way."""

    def fit(self, X, y):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as pressed:
            raise ValueError("not a valid buffer") from pressed


def test_ctrl_c_behind_an_error_stops_the_comparison():
    with pytest.raises(KeyboardInterrupt):
        compare({"stopped": Stopped()}, {"data": problem()}, "1x2", ["auc"])


# In a process of its own, where nothing else has started the workers or what looks after them.
WITH_CTRL_C = """
import signal
import numpy as np
from sklearn.naive_bayes import GaussianNB
from rarewood.evaluation import compare

def sees_ctrl_c():
    return signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())

class Worker(GaussianNB):
    def fit(self, X, y):
        assert not sees_ctrl_c()
        return super().fit(X, y)

X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
assert not compare({"worker": Worker()}, {"data": (X, y)}, "1x2", "auc", n_jobs=2).failures()
assert sees_ctrl_c()
"""


class TestProcesses:
    @pytest.mark.several_threads
    @pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals of POSIX")
    def test_ctrl_c_reaches_the_first_process_alone(self):
        done = subprocess.run([sys.executable, "-c", WITH_CTRL_C], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")

    @pytest.mark.several_threads
    def test_scores_do_not_depend_on_their_number_and_threads_are_not_oversubscribed(self):
        methods = {"tree": DecisionTreeClassifier(max_features=2), "witness": Witness(n_jobs=8)}
        data = {"data": problem(), "iris": load_iris()}
        alone = compare(methods, data, "2x2", ["auc", "log_loss"])
        together = compare(methods, data, "2x2", ["auc", "log_loss"], n_jobs=2)
        for metric in ("auc", "log_loss"):
            np.testing.assert_array_equal(together.means(metric), alone.means(metric))
        order = [(record["dataset"], record["fold"], record["method"]) for record in alone.records]
        assert [(record["dataset"], record["fold"], record["method"]) for record in together.records] == order
        assert {(n_jobs, threads) for _, n_jobs, threads, _ in seen(together)} == {(1, 1)}
        assert os.getpid() not in {process for *_, process in seen(together)}
        assert {(n_jobs, process) for _, n_jobs, _, process in seen(alone)} == {(8, os.getpid())}

    @pytest.mark.several_threads
    @pytest.mark.skipif(not hasattr(os, "kill"), reason="signals of POSIX")
    def test_a_process_that_dies_is_a_failure_of_its_method_alone(self):
        methods = {"crash": Crash(), "guess": Guess()}
        result = compare(methods, {"data": problem()}, ShuffleSplit(1), "accuracy", n_jobs=2)
        assert list(result.failures()) == [("data", "crash")]
        assert "the process died: killed" in result.failures()["data", "crash"]
        assert np.isfinite(result.means("accuracy")).tolist() == [[False, True]]

    @pytest.mark.several_threads
    def test_what_cannot_travel_is_named(self):
        with pytest.raises(TypeError, match=r"cannot be sent to another process .*lock.*; use n_jobs=1"):
            compare({"guess": Guess(threading.Lock())}, {"data": problem()}, "1x2", "accuracy", n_jobs=2)


class TestProgress:
    def test_is_shown_when_asked(self, capsys):
        compare({"guess": Guess()}, {"data": problem()}, "3x2", "auc", progress=True)
        printed = capsys.readouterr()
        assert printed.out == ""
        assert "comparing" in printed.err
        assert "6/6" in printed.err

    def test_what_an_earlier_run_did_counts_as_done_but_not_for_the_rate(self, capsys, monkeypatch):
        for name in ("rich", "rich.progress", "rich.console"):
            monkeypatch.setitem(sys.modules, name, None)
        clock = [100.0]
        monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
        with progress(10, "comparing", 1, already=6) as report:
            for done in (7, 8):
                clock[0] += 3.0
                report(done)
        assert capsys.readouterr().err.splitlines() == [
            "comparing: 7 of 10, 3.0 s each, 9 s left",
            "comparing: 8 of 10, 3.0 s each, 6 s left",
            "comparing: 10 of 10, 1.5 s each, 0 s left",
        ]
        with progress(10, "comparing", 1, already=10):
            pass
        assert capsys.readouterr().err == "comparing: 10 of 10, 0.0/s, 0 s left\n"

    def test_not_on_what_is_no_terminal(self, capsys):
        compare({"guess": Guess()}, {"data": problem()}, "3x2", "auc")
        assert capsys.readouterr() == ("", "")
