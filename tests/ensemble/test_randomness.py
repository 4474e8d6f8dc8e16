"""The same seed gives the same forest: for any number of threads, however many trees, grown at once or bit by bit."""

import copy
import pickle

import joblib
import numpy as np
import pytest
from sklearn.datasets import make_classification

import rarewood
from rarewood import BEATClassifier, ForestClassifier, HeDExClassifier, HeDExhClassifier
from rarewood.exceptions import RarewoodWarning
from support.forests import BAGGED, FORESTS, assert_same_state, differ

X, Y = make_classification(n_samples=300, n_features=6, weights=[0.9], flip_y=0.1, random_state=0)

KINDS = [
    *(pytest.param(model, {}, id=model.__name__) for model in FORESTS),
    *(
        pytest.param(ForestClassifier, {"splitter": splitter, "sampling": sampling}, id=f"{splitter}-{sampling}")
        for splitter in ("random", "hyperplane")
        for sampling in BAGGED
    ),
]


@pytest.fixture
def many_processors(monkeypatch):
    """Threads are limited by the processors of the machine; pretend there are eight."""
    monkeypatch.setattr(rarewood.ensemble.base.joblib, "cpu_count", lambda: 8)


class TestThreads:
    @pytest.mark.several_threads
    @pytest.mark.parametrize(("model", "parameters"), KINDS)
    def test_the_number_of_threads_changes_nothing(self, model, parameters, many_processors):
        alone = model(12, random_state=0, n_jobs=1, **parameters).fit(X, Y)
        for n_jobs in (2, -1, 1000):
            together = model(12, random_state=0, n_jobs=n_jobs, **parameters).fit(X, Y)
            assert_same_state(alone.forest_, together.forest_)
            np.testing.assert_array_equal(alone.predict_proba(X), together.predict_proba(X))

    def test_the_number_of_threads_does_not_change_out_of_bag_scores(self, many_processors):
        one, many = (ForestClassifier(50, oob_score=True, random_state=0, n_jobs=n).fit(X, Y) for n in (1, 8))
        np.testing.assert_array_equal(one.oob_decision_function_, many.oob_decision_function_)

    @pytest.mark.parametrize(
        ("n_jobs", "n_threads"), [(None, 1), (1, 1), (3, 3), (1000, 8), (-1, 8), (-2, 7), (-99, 1)]
    )
    def test_jobs_are_counted_as_in_scikit_learn_up_to_the_processors(self, n_jobs, n_threads, many_processors):
        assert rarewood.ensemble.base.thread_count(n_jobs) == n_threads

    def test_no_jobs_is_an_error(self):
        with pytest.raises(ValueError, match="n_jobs=0"):
            HeDExClassifier(n_jobs=0).fit(X, Y)
        with pytest.raises(ValueError, match="n_jobs=0"):
            HeDExClassifier(5).fit(X, Y).set_params(n_jobs=0).predict(X)


class TestSeeds:
    @pytest.mark.parametrize(("model", "parameters"), KINDS)
    def test_the_same_seed_gives_the_same_forest_and_another_seed_another(self, model, parameters):
        one, same, other = (model(5, random_state=seed, **parameters).fit(X, Y) for seed in (1, 1, 2))
        assert_same_state(one.forest_, same.forest_)
        assert differ(one.forest_, other.forest_)

    def test_without_a_seed_every_fit_is_another(self):
        assert differ(HeDExClassifier(5).fit(X, Y).forest_, HeDExClassifier(5).fit(X, Y).forest_)

    def test_a_generator_moves_on_from_fit_to_fit(self):
        model = HeDExClassifier(5, random_state=np.random.RandomState(0))
        assert differ(model.fit(X, Y).forest_, model.fit(X, Y).forest_)
        fresh = HeDExClassifier(5, random_state=np.random.RandomState(0)).fit(X, Y)
        assert_same_state(fresh.forest_, HeDExClassifier(5, random_state=0).fit(X, Y).forest_)

    def test_trees_of_a_forest_differ(self):
        for model in FORESTS:
            first, second = model(2, random_state=0).fit(X, Y).forest_
            assert differ(first, second)

    @pytest.mark.parametrize(("model", "parameters"), KINDS)
    def test_trees_of_a_smaller_forest_are_the_first_of_a_larger(self, model, parameters):
        small, large = (model(n, max_depth=4, random_state=0, **parameters).fit(X, Y) for n in (50, 100))
        for one, other in zip(small.forest_, large.forest_):
            assert_same_state(one, other)


class TestGrowingOn:
    @pytest.mark.parametrize(("model", "parameters"), KINDS)
    def test_a_forest_grown_in_steps_is_that_grown_at_once(self, model, parameters):
        whole = model(25, random_state=0, **parameters).fit(X, Y)
        stepwise = model(random_state=0, warm_start=True, **parameters)
        for n in (1, 10, 25):
            stepwise.set_params(n_estimators=n).fit(X, Y)
            assert len(stepwise.estimators_) == n
        assert_same_state(stepwise.forest_, whole.forest_)
        np.testing.assert_array_equal(stepwise.predict_proba(X), whole.predict_proba(X))

    def test_it_goes_on_without_a_seed_and_after_travelling(self):
        model = HeDExhClassifier(5, warm_start=True).fit(X, Y)
        traveller = pickle.loads(pickle.dumps(model)).set_params(n_estimators=9).fit(X, Y)
        assert_same_state(model.set_params(n_estimators=9).fit(X, Y).forest_, traveller.forest_)

    def test_out_of_bag_scores_are_those_of_the_whole_forest(self):
        whole = ForestClassifier(60, oob_score=True, random_state=0).fit(X, Y)
        stepwise = ForestClassifier(20, warm_start=True, random_state=0).fit(X, Y)
        stepwise.set_params(n_estimators=60, oob_score=True).fit(X, Y)
        np.testing.assert_array_equal(stepwise.oob_decision_function_, whole.oob_decision_function_)

    def test_no_more_trees_is_a_warning_and_fewer_an_error(self):
        model = HeDExClassifier(5, warm_start=True, random_state=0).fit(X, Y)
        with pytest.warns(RarewoodWarning, match="no tree was added"):
            model.fit(X, Y)
        assert len(model.estimators_) == 5
        with pytest.raises(ValueError, match="n_estimators=4, but 5 are grown already"):
            model.set_params(n_estimators=4).fit(X, Y)

    def test_without_warm_start_a_fit_begins_anew(self):
        model = HeDExClassifier(5, random_state=0).fit(X, Y).set_params(n_estimators=3).fit(X, Y)
        assert len(model.estimators_) == 3

    def test_other_classes_are_an_error(self):
        model = HeDExClassifier(5, warm_start=True).fit(X, Y).set_params(n_estimators=6)
        with pytest.raises(ValueError, match=r"classes \[.*0.*1.*\].*y has"):
            model.fit(X, np.where(Y == 1, 7, 3))

    def test_other_columns_are_an_error(self):
        model = HeDExClassifier(5, warm_start=True).fit(X, Y).set_params(n_estimators=6)
        with pytest.raises(ValueError, match="6 columns, but X has 4"):
            model.fit(X[:, :4], Y)

    @pytest.mark.parametrize("column", [np.arange(300) % 4 + 7, np.arange(300) % 3])
    def test_other_categories_are_an_error(self, column):
        table = np.column_stack([X[:, 0], np.arange(300) % 4])
        model = BEATClassifier(5, categorical_features=[1], warm_start=True).fit(table, Y).set_params(n_estimators=6)
        with pytest.raises(ValueError, match=r"columns \[1\] of X have different categories"):
            model.fit(np.column_stack([X[:, 0], column]), Y)

    def test_a_failed_fit_leaves_the_model_as_it_was(self):
        model = HeDExClassifier(5, warm_start=True).fit(X, Y).set_params(n_estimators=0)
        with pytest.raises(ValueError, match="n_estimators"):
            model.fit(X, Y)
        model.set_params(n_estimators=8)
        with pytest.raises(ValueError, match="rows"):
            model.fit(X, Y[:-1])
        assert len(model.estimators_) == 5
        assert len(model.fit(X, Y).estimators_) == 8


class TestTravelling:
    @pytest.mark.parametrize("travel", ["pickle", "joblib", "deepcopy"])
    @pytest.mark.parametrize(("model", "parameters"), KINDS[:5])
    def test_fitted_forests_travel(self, model, parameters, travel, tmp_path):
        fitted = model(8, random_state=0, **parameters).fit(X, Y)
        if travel == "joblib":
            joblib.dump(fitted, tmp_path / "forest")
            other = joblib.load(tmp_path / "forest")
        else:
            other = copy.deepcopy(fitted) if travel == "deepcopy" else pickle.loads(pickle.dumps(fitted))
        assert_same_state(fitted.forest_, other.forest_)
        np.testing.assert_array_equal(fitted.predict_proba(X), other.predict_proba(X))
        np.testing.assert_array_equal(fitted.feature_importances_, other.feature_importances_)

    def test_single_trees_travel_without_their_forest(self):
        tree = HeDExhClassifier(3, random_state=0).fit(X, Y).estimators_[1]
        other = pickle.loads(pickle.dumps(tree))
        assert len(pickle.dumps(tree)) < len(pickle.dumps(HeDExhClassifier(30, random_state=0).fit(X, Y))) / 10
        np.testing.assert_array_equal(tree.predict_proba(X), other.predict_proba(X))

    def test_a_tree_outlives_its_forest(self):
        forest = HeDExClassifier(3, random_state=0).fit(X, Y)
        tree, expected = forest.estimators_[2], forest.estimators_[2].predict_proba(X)
        del forest
        np.testing.assert_array_equal(tree.predict_proba(X), expected)
