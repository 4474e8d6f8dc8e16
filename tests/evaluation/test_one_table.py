"""What one data set can say."""

import numpy as np
import pytest
from scipy.stats import t as student_t
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from rarewood.evaluation import compare
from rarewood.evaluation._one_table import corrected_interval
from rarewood.statistics import corrected_paired_t

METHODS = {
    "tree": DecisionTreeClassifier(max_depth=3),
    "stump": DecisionTreeClassifier(max_depth=1),
    "none": DummyClassifier(),
}


def test_an_interval_by_hand():
    scores = np.array([0.7, 0.8, np.nan, 0.9])
    found = corrected_interval(scores, n_train=2, n_test=1)
    reach = student_t.ppf(0.975, 2) * 0.1 * np.sqrt(1 / 3 + 1 / 2)
    assert (found.mean, found.spread, found.n_folds) == (pytest.approx(0.8), pytest.approx(0.1), 3)
    assert (found.low, found.high) == (pytest.approx(0.8 - reach), pytest.approx(0.8 + reach))
    assert np.isnan(corrected_interval(np.array([0.5]), 1, 1).low)


def test_intervals_agree_with_the_test():
    result = compare(METHODS, {"breast": load_breast_cancer()}, "2x3", "auc", progress=False)
    table = result.folds("auc", reference="stump")
    for name in ("tree", "none"):
        scores = result.fold_scores("auc", "breast")
        first, second = (scores[result.methods.index(each)] for each in (name, "stump"))
        n_train, n_test = result.fold_sizes("breast")
        p = corrected_paired_t(first, second, n_train=n_train, n_test=n_test).p_value
        of = table.differences[name]
        assert (p < 0.05) == (of.low > 0 or of.high < 0)
    text = str(table)
    assert "AUC of the rare class of breast, 2x3" in text
    assert "minus stump, 95 %" in text
    assert "rank" not in text


def test_the_best_is_the_reference_unless_told():
    result = compare(
        METHODS, {"breast": load_breast_cancer(), "iris": load_iris()}, "1x2", ["auc", "log_loss"], progress=False
    )
    means = dict(zip(result.methods, result.means("log_loss")[0]))
    assert result.folds("log_loss", "breast").reference == min(means, key=means.get)
    with pytest.raises(ValueError, match="several data sets; name one of breast, iris"):
        result.folds("auc")
