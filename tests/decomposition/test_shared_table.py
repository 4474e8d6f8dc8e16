"""Trees and forests on a shared table come out as if each problem had been fitted by itself."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rarewood import (
    BalancedForestClassifier,
    BEATClassifier,
    ECOCClassifier,
    ForestClassifier,
    HeDExClassifier,
    HeDExhClassifier,
    OneVsAllClassifier,
    TreeClassifier,
)
from rarewood.decomposition import _shared_table
from support.forests import assert_same_state
from support.strategies import DATA_KINDS, make_problem

MODELS = {
    "tree": TreeClassifier(),
    "c4.4": TreeClassifier("c45", nominal="multiway", min_samples_split=4),
    "pruned": TreeClassifier("entropy", pruning="pessimistic"),
    "random cuts": TreeClassifier(splitter="random", max_features="sqrt", random_state=3),
    "balanced": TreeClassifier("gini", class_weight="balanced", max_depth=3),
    "weighted": TreeClassifier("gini", class_weight={1: 7.5}, max_depth=3),
    "function": TreeClassifier(lambda left, right: left.max(axis=1) + right.max(axis=1), max_depth=3),
    "forest": ForestClassifier(3, random_state=0),
    "stratified": ForestClassifier(3, sampling="stratified", class_weight="balanced", random_state=0),
    "pruned forest": ForestClassifier(3, criterion="c45", pruning="pessimistic", random_state=1),
    "hedex": HeDExClassifier(3, random_state=0),
    "hedexh": HeDExhClassifier(3, random_state=0),
    "beat": BEATClassifier(3, random_state=0),
    "brf": BalancedForestClassifier(3, random_state=0),
}
DECOMPOSITIONS = {
    "ova": OneVsAllClassifier(),
    "ecoc": ECOCClassifier(),
    "dense": ECOCClassifier(code=4, random_state=0),
    "sparse": ECOCClassifier(code="sparse", random_state=0),
}


def frame(problem):
    """The table of a problem with categories where it has codes: their list goes with every part of the table."""
    table = pd.DataFrame(problem.X, columns=[f"x{j}" for j in range(problem.X.shape[1])])
    for j in problem.nominal:
        table[f"x{j}"] = pd.Categorical(table[f"x{j}"])
    return table


def both_ways(monkeypatch, decomposition, estimator, X, y, sample_weight=None):
    """Fitted on a shared table, and problem by problem."""
    model = clone(decomposition).set_params(estimator=estimator)
    shared = clone(model).fit(X, y, sample_weight)
    assert shared._together
    monkeypatch.setattr("rarewood.decomposition.base.grows_together", lambda *_: False)
    single = clone(model).fit(X, y, sample_weight)
    assert not single._together
    return shared, single


def assert_same_models(shared, single):
    assert len(shared.estimators_) == len(single.estimators_)
    for one, other in zip(shared.estimators_, single.estimators_):
        assert type(one) is type(other)
        assert one.get_params(deep=False).keys() == other.get_params(deep=False).keys()
        name = one._fitted_by
        assert_same_state(getattr(one, name), getattr(other, name))
        for attribute in ("classes_", "n_classes_", "n_features_in_", "feature_names_in_", "alphas_", "oob_score_"):
            assert hasattr(one, attribute) == hasattr(other, attribute)
            if hasattr(one, attribute):
                np.testing.assert_array_equal(getattr(one, attribute), getattr(other, attribute))


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS.values(), ids=DECOMPOSITIONS)
@pytest.mark.parametrize("estimator", MODELS.values(), ids=MODELS)
def test_every_model_is_the_one_fitted_by_itself(monkeypatch, estimator, decomposition):
    problem = make_problem("mixed", n_classes=4, n_rows=70)
    X = frame(problem)
    shared, single = both_ways(monkeypatch, decomposition, estimator, X, problem.y)
    assert_same_models(shared, single)
    np.testing.assert_array_equal(shared.predict_proba(X), single.predict_proba(X))


@pytest.mark.parametrize("weights", ["none", "integer", "fractional"])
@pytest.mark.parametrize("data", DATA_KINDS)
@pytest.mark.parametrize("estimator", ["tree", "balanced", "forest"])
def test_every_kind_of_table_and_weight(monkeypatch, data, weights, estimator):
    problem = make_problem(data, weights, n_classes=4)
    X = frame(problem)
    shared, single = both_ways(
        monkeypatch, OneVsAllClassifier(), MODELS[estimator], X, problem.y, problem.sample_weight
    )
    assert_same_models(shared, single)


def test_out_of_bag_scores(monkeypatch):
    problem = make_problem("mixed", n_classes=4, n_rows=70)
    estimator = ForestClassifier(40, sampling="stratified", oob_score=True, random_state=0)
    shared, single = both_ways(monkeypatch, OneVsAllClassifier(), estimator, frame(problem), problem.y)
    assert_same_models(shared, single)
    for one, other in zip(shared.estimators_, single.estimators_):
        np.testing.assert_array_equal(one.oob_decision_function_, other.oob_decision_function_)


def test_out_of_bag_scores_of_problems_that_leave_rows_out_are_theirs_alone():
    problem = make_problem("continuous", n_classes=4, n_rows=120)
    estimator = ForestClassifier(40, sampling="stratified", oob_score=True, random_state=0)
    code = [[1, 1], [0, 0], [0, -1], [1, 0]]
    model = ECOCClassifier(estimator, code=code).fit(problem.X, problem.y)
    assert [len(each.oob_decision_function_) for each in model.estimators_] == [120, int(np.sum(problem.y != 2))]


def test_a_random_state_object_is_used_as_by_single_fits(monkeypatch):
    problem = make_problem("continuous", n_classes=3)
    estimator = HeDExClassifier(2, random_state=np.random.RandomState(5))
    assert_same_models(*both_ways(monkeypatch, OneVsAllClassifier(), estimator, problem.X, problem.y))


def test_without_a_seed_every_problem_draws_its_own():
    problem = make_problem("continuous", n_classes=3)
    model = OneVsAllClassifier(HeDExClassifier(2)).fit(problem.X, problem.y)
    assert len({each._seed for each in model.estimators_}) == 3


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS.values(), ids=DECOMPOSITIONS)
def test_threads_change_nothing(decomposition):
    problem = make_problem("mixed", n_classes=5, n_rows=100)
    X = frame(problem)
    model = clone(decomposition).set_params(estimator=ForestClassifier(4, random_state=0))
    one, two = model.fit(X, problem.y), clone(model).set_params(n_jobs=2).fit(X, problem.y)
    for single, threaded in zip(one.estimators_, two.estimators_):
        assert_same_state(single.forest_, threaded.forest_)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_the_table_is_prepared_once(monkeypatch):
    prepared = []
    original = TreeClassifier._read_training_data
    monkeypatch.setattr(TreeClassifier, "_read_training_data", lambda *args: prepared.append(1) or original(*args))
    problem = make_problem("mixed", n_classes=5)
    model = ECOCClassifier().fit(frame(problem), problem.y)
    assert len(model.estimators_) == 15
    assert len(prepared) == 1
    assert len({id(each._columns) for each in model.estimators_}) == 1


def test_a_subclass_with_a_fit_of_its_own_is_fitted_by_itself():
    class Own(TreeClassifier):
        def fit(self, X, y, sample_weight=None):
            super().fit(X, y, sample_weight)
            self.was_asked_ = True
            return self

    problem = make_problem("continuous", n_classes=3)
    model = OneVsAllClassifier(Own()).fit(problem.X, problem.y)
    assert all(each.was_asked_ for each in model.estimators_)
    assert not _shared_table.grows_together(Own(), model.code_book_)


def test_bad_parameters_of_the_estimator_are_named():
    with pytest.raises(ValueError, match=r"min_samples_leaf=0 is not accepted"):
        OneVsAllClassifier(TreeClassifier(min_samples_leaf=0)).fit(np.eye(3), [0, 1, 2])
    with pytest.raises(
        ValueError, match=r"class_weight names the class 'a', which is not in y; the classes are \[0, 1\]"
    ):
        OneVsAllClassifier(TreeClassifier(class_weight={"a": 2})).fit(np.eye(3), ["a", "b", "c"])
