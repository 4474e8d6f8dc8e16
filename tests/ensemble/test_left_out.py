"""Training rows with other cells, by the trees that left them out, against going through the trees one by one."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import rarewood as rw
from rarewood._tables import Rows
from rarewood.ensemble.left_out import fitted_rows
from rarewood.exceptions import RarewoodWarning
from support.forests import BAGGED, bags
from support.tables import noisy_numbers


@pytest.fixture(scope="module")
def table():
    X, y = noisy_numbers(400, 4, 1.2, ("fine", "fault"))
    X[::9, 2] = np.nan
    return X, y


@pytest.fixture(scope="module")
def rare(table):
    return rw.RareClassifier(n_estimators=40, random_state=0).fit(*table)


def shuffled(X):
    changed = X.copy()
    changed[:, 0] = np.random.default_rng(0).permutation(X[:, 0])
    return changed


def found_by(model, X, y):
    return fitted_rows(model, Rows.of(model, X), y)


@pytest.mark.parametrize("sampling", BAGGED)
def test_changed_rows_are_scored_by_the_trees_whose_bag_lacks_them(table, sampling):
    X, y = table
    forest = rw.ForestClassifier(60, sampling=sampling, splitter="random", oob_score=True, random_state=0).fit(X, y)
    changed = shuffled(X)
    unseen = bags(forest, y) == 0
    by_tree = np.array([tree.predict_proba(changed) for tree in forest.estimators_])
    expected = (by_tree * unseen[:, :, None]).sum(axis=0) / unseen.sum(axis=0)[:, None]
    np.testing.assert_allclose(found_by(forest, X, y).probabilities(Rows.of(forest, changed)), expected, rtol=1e-12)


def test_rows_that_every_tree_saw_have_no_score(table):
    X, y = table
    with pytest.warns(RarewoodWarning, match="seen by every tree"):
        forest = rw.ForestClassifier(3, oob_score=True, random_state=0).fit(X, y)
    scores = found_by(forest, X, y).probabilities(Rows.of(forest, X))
    np.testing.assert_allclose(scores, forest.oob_decision_function_)
    assert np.isnan(scores).any()


def test_a_mixture_with_calibration_scores_its_rows_as_its_memory_has_them(table, rare):
    X, y = table
    scores = found_by(rare, X, y).probabilities(Rows.of(rare, X))[:, 0]
    known = rare._sharpening.of_class(0).probabilities(rare.oob_decision_function_[:, 0])
    np.testing.assert_allclose(scores, known, atol=1e-12)
    changed = found_by(rare, X, y).probabilities(Rows.of(rare, shuffled(X)))[:, 0]
    assert roc_auc_score(y == "fault", changed) < roc_auc_score(y == "fault", scores) - 0.02


def test_rows_are_recognised_behind_a_model_file_and_another_prior(table, rare, tmp_path):
    X, y = table
    rw.save(rare, tmp_path / "m.rarewood")
    loaded = rw.load(tmp_path / "m.rarewood")
    loaded.set_prior(0.01)
    again = found_by(loaded, X, y)
    np.testing.assert_allclose(
        again.probabilities(Rows.of(loaded, X)), found_by(rare, X, y).probabilities(Rows.of(rare, X)), atol=1e-12
    )


def test_rows_of_a_model_with_effects_of_columns_are_recognised(tmp_path):
    """Their memory has scores of rows that the effects had not seen."""
    X = np.random.default_rng(0).normal(size=(1500, 6))
    y = np.where((X**2).sum(axis=1) > 10.0, "fault", "fine")
    model = rw.RareClassifier(n_estimators=30, random_state=0).fit(X, y)
    assert model.column_effects_ is not None
    rw.save(model, tmp_path / "m.rarewood")
    before, loaded = model.oob_decision_function_.copy(), rw.load(tmp_path / "m.rarewood")
    for each in (model, loaded):
        found = found_by(each, X, y)
        scores = found.probabilities(Rows.of(each, X))[:, 0]
        scored = ~np.isnan(scores)
        assert roc_auc_score(y[scored] == "fault", scores[scored]) == pytest.approx(model.oob_score_, abs=0.03)
        assert found_by(each, X[::-1], y[::-1]) is None
    np.testing.assert_array_equal(model.oob_decision_function_, before)


def test_groups_and_copies_are_left_out_together(table):
    X, y = table
    groups = np.arange(len(y)) // 2
    model = rw.RareClassifier(n_estimators=40, random_state=0).fit(X, y, groups=groups)
    assert found_by(model, X, y) is not None
    twice, labels = np.concatenate([X, X[:50]]), np.concatenate([y, y[:50]])
    model = rw.RareClassifier(n_estimators=40, random_state=0).fit(twice, labels)
    assert model.n_repeated_rows_
    assert found_by(model, twice, labels) is not None


def test_other_rows_are_not_taken_for_those_of_the_fit(table, rare):
    X, y = table
    assert found_by(rare, X[::-1], y[::-1]) is None
    assert found_by(rare, X[1:], y[1:]) is None
    assert found_by(rare, shuffled(X), y) is None
    assert found_by(rare, X, np.where(y == "fault", "other", y)) is None
    weighed = rw.RareClassifier(n_estimators=40, random_state=0).fit(X, y, sample_weight=1.0 + (X[:, 0] > 0))
    assert found_by(weighed, X, y) is None
    plain = rw.ForestClassifier(10, random_state=0).fit(X, y)  # has no out-of-bag scores
    assert found_by(plain, X, y) is None


def test_rows_of_groups_behind_a_model_file_are_not_recognised(table, tmp_path):
    X, y = table
    fitted = rw.RareClassifier(n_estimators=10, random_state=0).fit(X, y, groups=np.arange(len(y)) // 2)
    rw.save(fitted, tmp_path / "m.rarewood")
    assert found_by(rw.load(tmp_path / "m.rarewood"), X, y) is None
