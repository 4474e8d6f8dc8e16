"""Forests of any size, while they grow: interrupted, watched, several at once, asking Python functions."""

import sys
import threading
import time

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from oracle.criteria import CRITERIA as TWINS
from rarewood import ForestClassifier, HeDExClassifier, HeDExhClassifier
from rarewood._progress import progress
from support.forests import FORESTS, assert_same_state
from support.interrupts import LIMIT, seconds_until_stopped
from support.tables import noisy_numbers


class TestSizes:
    @pytest.mark.parametrize("model", FORESTS)
    def test_one_tree(self, model):
        X, y = noisy_numbers(100)
        forest = model(1, random_state=0).fit(X, y)
        assert len(forest.estimators_) == 1
        np.testing.assert_array_equal(forest.predict_proba(X), forest.estimators_[0].predict_proba(X))

    @pytest.mark.several_threads
    @pytest.mark.parametrize("model", FORESTS)
    def test_ten_thousand_stumps(self, model):
        X, y = noisy_numbers(60)
        forest = model(10_000, max_depth=1, n_jobs=2, random_state=0).fit(X, y)
        assert len(forest.estimators_) == 10_000
        assert forest.apply(X).shape == (60, 10_000)
        assert forest.apply(X).max() <= 2
        assert np.isfinite(forest.predict_proba(X)).all()
        assert forest.estimators_[9_999].get_depth() <= 1

    @pytest.mark.several_threads
    def test_more_threads_than_trees(self):
        X, y = noisy_numbers(100)
        assert len(HeDExClassifier(1, n_jobs=-1).fit(X, y).estimators_) == 1


class TestInterrupts:
    @pytest.mark.several_threads
    @pytest.mark.parametrize("model", [HeDExClassifier, HeDExhClassifier, ForestClassifier])
    def test_ctrl_c_stops_all_threads_within_a_second_and_leaves_nothing(self, model):
        X, y = noisy_numbers(50_000, 10)
        forest = model(100_000, n_jobs=2, random_state=0)
        assert seconds_until_stopped(lambda: forest.fit(X, y)) < LIMIT
        with pytest.raises(NotFittedError):
            forest.predict(X[:1])
        assert not hasattr(forest, "classes_")


class TestSeveralAtOnce:
    @pytest.mark.several_threads
    @pytest.mark.parametrize("model", FORESTS)
    def test_two_python_threads_grow_what_they_would_grow_alone(self, model):
        tables = [noisy_numbers(2000, seed=seed) for seed in (1, 2)]
        alone = [model(15, random_state=seed).fit(X, y) for seed, (X, y) in enumerate(tables)]
        together = [model(15, random_state=seed, n_jobs=2) for seed in range(2)]
        threads = [threading.Thread(target=model.fit, args=data) for model, data in zip(together, tables)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one, other in zip(alone, together):
            assert_same_state(one.forest_, other.forest_)

    @pytest.mark.several_threads
    def test_threads_share_a_fitted_forest(self):
        X, y = noisy_numbers(3000)
        forest = HeDExhClassifier(20, n_jobs=2, random_state=0).fit(X, y)
        expected, answers = forest.predict_proba(X), []
        threads = [threading.Thread(target=lambda: answers.append(forest.predict_proba(X))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == 4
        assert all(np.array_equal(answer, expected) for answer in answers)

    @pytest.mark.several_threads
    def test_python_runs_on_while_a_forest_grows(self):
        X, y = noisy_numbers(20_000)
        fit = threading.Thread(target=HeDExClassifier(60, n_jobs=2).fit, args=(X, y))
        fit.start()
        ticks = 0
        while fit.is_alive():
            time.sleep(0.001)
            ticks += 1
        assert ticks > 20


class TestPythonCriteria:
    @staticmethod
    def gini(left, right):
        return np.array([TWINS["gini"](np.array(pair)) for pair in zip(left, right)])

    @pytest.mark.several_threads
    @pytest.mark.parametrize("splitter", ["best", "random", "hyperplane"])
    def test_a_function_grows_the_same_forest_on_two_threads(self, splitter):
        X, y = noisy_numbers(60)
        built_in, one, two = (
            ForestClassifier(6, criterion=criterion, splitter=splitter, n_jobs=n_jobs, random_state=0).fit(X, y)
            for criterion, n_jobs in (("gini", 1), (self.gini, 1), (self.gini, 2))
        )
        assert_same_state(one.forest_, two.forest_)
        np.testing.assert_allclose(one.predict_proba(X), built_in.predict_proba(X))

    @pytest.mark.several_threads
    def test_an_error_in_a_function_ends_all_threads_and_is_raised(self):
        calls = []

        def fails_later(left, right):
            calls.append(threading.get_ident())
            if len(calls) > 50:
                raise ZeroDivisionError("in the middle of it")
            return -np.minimum(left, right).sum(axis=1)

        forest = ForestClassifier(200, criterion=fails_later, n_jobs=2, random_state=0)
        with pytest.raises(ZeroDivisionError, match="in the middle of it"):
            forest.fit(*noisy_numbers(200))
        with pytest.raises(NotFittedError):
            forest.predict([[0.0] * 5])
        assert len(calls) < 60


class TestProgress:
    def test_nothing_is_printed_unless_asked(self, capfd):
        HeDExClassifier(5).fit(*noisy_numbers(100))
        assert capfd.readouterr() == ("", "")

    def test_rich_draws_a_bar_on_standard_error(self, capsys):
        pytest.importorskip("rich")
        HeDExClassifier(7, verbose=1).fit(*noisy_numbers(100))
        printed = capsys.readouterr()
        assert printed.out == ""
        assert "growing trees" in printed.err
        assert "7/7" in printed.err
        assert "/s" in printed.err

    @pytest.fixture
    def without_rich(self, monkeypatch):
        for name in ("rich", "rich.progress", "rich.console"):
            monkeypatch.setitem(sys.modules, name, None)

    def test_without_rich_plain_lines_go_to_standard_error(self, capsys, without_rich):
        HeDExClassifier(7, verbose=1).fit(*noisy_numbers(100))
        printed = capsys.readouterr()
        assert printed.out == ""
        last = printed.err.splitlines()[-1]
        assert last.startswith("growing trees: 7 of 7, ")
        assert last.endswith("/s, 0 s left")

    def test_plain_lines_come_once_a_second_with_the_time_left(self, capsys, without_rich, monkeypatch):
        clock = [100.0]
        monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
        with progress(10, "work", 1) as report:
            for done in range(11):
                report(done)
                clock[0] += 0.5
        assert capsys.readouterr().err.splitlines() == [
            "work: 2 of 10, 2.0/s, 4 s left",
            "work: 4 of 10, 2.0/s, 3 s left",
            "work: 6 of 10, 2.0/s, 2 s left",
            "work: 8 of 10, 2.0/s, 1 s left",
            "work: 10 of 10, 2.0/s, 0 s left",
        ]

    @pytest.mark.several_threads
    def test_watching_changes_nothing_and_sees_every_tree_on_every_thread(self, capsys, without_rich):
        X, y = noisy_numbers(3000)
        silent, watched = (
            HeDExClassifier(100, verbose=verbose, n_jobs=2, random_state=0).fit(X, y) for verbose in (0, 1)
        )
        assert_same_state(silent.forest_, watched.forest_)
        assert "100 of 100" in capsys.readouterr().err

    def test_an_error_ends_the_bar(self, capsys):
        def bad(left, right):
            return None

        with pytest.raises(ValueError, match="returned a NoneType"):
            ForestClassifier(5, criterion=bad, verbose=1).fit(*noisy_numbers(100))
