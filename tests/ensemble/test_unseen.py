"""Scores of rows by what has not seen them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

import rarewood as rw
from rarewood.ensemble.unseen import silent, unseen_scores
from rarewood.exceptions import RarewoodWarning
from support.tables import noisy_numbers


@pytest.fixture(scope="module")
def rows():
    return noisy_numbers(120, 3, 1.2, ("fine", "fault"))


def test_out_of_bag_scores_where_the_model_has_them(rows):
    X, y = rows
    with pytest.warns(RarewoodWarning, match="seen by every tree"):
        forest = rw.ForestClassifier(n_estimators=3, oob_score=True, random_state=0).fit(X, y)
    unseen = unseen_scores(forest, X, y)
    assert unseen.how == "out-of-bag"
    assert 0 < np.count_nonzero(~unseen.kept) < len(y)  # rows that all three trees drew
    assert np.isnan(unseen.probabilities[~unseen.kept]).all()
    np.testing.assert_array_equal(unseen.probabilities, forest.oob_decision_function_)


@pytest.mark.parametrize("frame", [False, True])
@pytest.mark.parametrize("model", [rw.TreeClassifier(max_depth=3), LogisticRegression()])
def test_cross_validation_is_a_fit_per_fold(rows, model, frame):
    X, y = rows
    if frame:
        X = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b", "c"])
    expected = np.zeros((len(y), 2))
    for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(X, y):
        train_rows, test_rows = (X.iloc[train], X.iloc[test]) if frame else (X[train], X[test])
        expected[test] = clone(model).fit(train_rows, y[train]).predict_proba(test_rows)
    unseen = unseen_scores(clone(model).fit(X, y), X, y, cv=4)
    assert unseen.how == "4-fold cross-validation"
    assert unseen.kept.all()
    np.testing.assert_allclose(unseen.probabilities, expected, rtol=1e-12)  # sums depend on where rows lie


def test_one_bar_for_all_folds(rows, capsys):
    X, y = rows
    model = rw.ForestClassifier(n_estimators=2, random_state=0, verbose=1).fit(X, y)
    capsys.readouterr()
    unseen_scores(model, X, y, verbose=1)
    told = capsys.readouterr().err
    assert "cross-validating" in told
    assert "growing" not in told
    assert model.verbose == 1
    unseen_scores(model, X, y)
    assert capsys.readouterr().err == ""


def test_silent_reaches_every_step_and_keeps_types():
    model = make_pipeline(LogisticRegression(verbose=2), rw.ForestClassifier(verbose=1), verbose=True)
    assert silent(model) is model
    assert model.verbose is False
    assert [step.verbose for _, step in model.steps] == [0, 0]
