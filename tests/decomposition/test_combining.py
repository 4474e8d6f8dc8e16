"""From the probabilities of the problems to those of the classes."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

from oracle import decoding
from rarewood import ECOCClassifier, OneVsAllClassifier, TreeClassifier
from support.strategies import make_problem

PROBLEM = make_problem("continuous", n_classes=5, n_rows=150)
CODES = ["exhaustive", "dense", "sparse", 6]


def positive(model, X):
    """Probability of code 1 of each problem, asked one by one."""
    return np.column_stack([each.predict_proba(X)[:, 1] for each in model.estimators_])


@pytest.mark.parametrize("estimator", [TreeClassifier(), GaussianNB()], ids=["ours", "another's"])
@pytest.mark.parametrize(("normalize", "rule"), [("sum", decoding.normalize_sum), ("weka", decoding.normalize_weka)])
def test_one_vs_all_normalises_as_written(estimator, normalize, rule):
    model = OneVsAllClassifier(estimator, normalize=normalize).fit(PROBLEM.X, PROBLEM.y)
    expected = [rule(row) for row in positive(model, PROBLEM.X)]
    np.testing.assert_allclose(model.predict_proba(PROBLEM.X), expected, rtol=1e-12)


@pytest.mark.parametrize("estimator", [TreeClassifier(), GaussianNB()], ids=["ours", "another's"])
@pytest.mark.parametrize("code", CODES)
def test_ecoc_decodes_as_written(estimator, code):
    model = ECOCClassifier(estimator, code=code, random_state=0).fit(PROBLEM.X, PROBLEM.y)
    expected = [decoding.decode(model.code_book_, row) for row in positive(model, PROBLEM.X)]
    np.testing.assert_allclose(model.predict_proba(PROBLEM.X), expected, rtol=1e-12)


def test_the_nearest_word_wins():
    """Nearest in the sum of absolute differences."""
    model = ECOCClassifier(GaussianNB()).fit(PROBLEM.X, PROBLEM.y)
    distances = np.abs(positive(model, PROBLEM.X)[:, np.newaxis, :] - model.code_book_).sum(axis=2)
    np.testing.assert_array_equal(model.predict(PROBLEM.X), distances.argmin(axis=1))


def test_both_normalisations_have_the_same_winner():
    by_sum, by_weka = (
        OneVsAllClassifier(GaussianNB(), normalize=normalize).fit(PROBLEM.X, PROBLEM.y) for normalize in ("sum", "weka")
    )
    np.testing.assert_array_equal(by_sum.predict(PROBLEM.X), by_weka.predict(PROBLEM.X))
    assert not np.allclose(by_sum.predict_proba(PROBLEM.X), by_weka.predict_proba(PROBLEM.X))


class SureOfNothing(ClassifierMixin, BaseEstimator):
    """Says 0 to everything."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.tile([1.0, 0.0], (len(X), 1))


def test_no_probability_at_all_becomes_the_same_for_all_classes():
    model = OneVsAllClassifier(SureOfNothing()).fit(PROBLEM.X, PROBLEM.y)
    np.testing.assert_array_equal(model.predict_proba(PROBLEM.X), np.full((150, 5), 0.2))


def test_one_vs_all_does_not_mind_the_names_of_the_classes():
    names = np.array(["d", "b", "e", "a", "c"])
    plain = OneVsAllClassifier().fit(PROBLEM.X, PROBLEM.y)
    named = OneVsAllClassifier().fit(PROBLEM.X, names[PROBLEM.y])
    assert named.classes_.tolist() == ["a", "b", "c", "d", "e"]
    order = np.argsort(names)
    np.testing.assert_allclose(named.predict_proba(PROBLEM.X), plain.predict_proba(PROBLEM.X)[:, order], rtol=1e-12)


def test_importances_are_the_mean_over_the_problems():
    model = OneVsAllClassifier().fit(PROBLEM.X, PROBLEM.y)
    each = [problem.feature_importances_ for problem in model.estimators_]
    np.testing.assert_allclose(model.feature_importances_, np.mean(each, axis=0))
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert not hasattr(OneVsAllClassifier(GaussianNB()).fit(PROBLEM.X, PROBLEM.y), "feature_importances_")
