"""Figures by the number of rare rows: nested parts, honest scores, the number that halves an interval."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

import rarewood as rw
from rarewood.evaluation import learning_curve
from rarewood.metrics.uncertainty import Estimate, times_for_half, wilson
from support.tables import noisy_numbers


@pytest.fixture(scope="module")
def table():
    return noisy_numbers(1200, labels=("calm", "rare"))


@pytest.fixture(scope="module")
def curve(table):
    return learning_curve(rw.RareClassifier(20, column_effects=False, random_state=0), *table)


def test_parts_are_nested_and_keep_the_share(table):
    X, y = table
    seen = []

    class Spy(LogisticRegression):
        def fit(self, X, y):
            seen.append((len(y), {tuple(row) for row in X.tolist()}))
            return super().fit(X, y)

    found = learning_curve(Spy(), X, y)
    parts = [rows for n, rows in seen if n in {point.n_rows for point in found.points}]
    for small, large in pairwise(parts):
        assert small < large
    shares = [point.n_rare / point.n_rows for point in found.points]
    np.testing.assert_allclose(shares, np.mean(y == "rare"), rtol=0.05)
    assert found.how == "cross-validation in 5 folds"


def test_the_last_point_is_the_model_itself(curve, table):
    X, y = table
    model = rw.RareClassifier(20, column_effects=False, random_state=0).fit(X, y)
    scores = model.oob_decision_function_[:, 1]
    last = curve.points[-1]
    assert (last.n_rows, last.n_rare, curve.how) == (1200, np.count_nonzero(y == "rare"), "out-of-bag")
    known = ~np.isnan(scores)  # with few trees, some rows are in the bag of all
    assert last.average_precision.value == pytest.approx(average_precision_score(y[known] == "rare", scores[known]))


def test_intervals_shrink_with_the_rows(curve):
    widths = [point.recall.high - point.recall.low for point in curve.points]
    assert widths[-1] < widths[0]


@pytest.mark.parametrize(("share", "n"), [(0.5, 30), (0.9, 200), (0.05, 1000), (1.0, 40)])
def test_so_many_rows_halve_an_interval(share, n):
    low, high = wilson(share * n, n)
    times = times_for_half(Estimate(share, low, high))
    narrow_low, narrow_high = wilson(share * n * times, n * times)
    assert narrow_high - narrow_low == pytest.approx((high - low) / 2)


def test_words_frame_and_picture(curve):
    pytest.importorskip("matplotlib")
    last = curve.points[-1]
    assert f"about {curve.needed('recall'):,} rare rows are needed" in str(curve)
    frame = curve.frame()
    assert frame["n_rare"].tolist() == [point.n_rare for point in curve.points]
    assert frame["recall_low"].tolist()[-1] == last.recall.low
    assert curve.needed("average_precision") == 4 * last.n_rare
    assert len(curve.plot().containers) == 3


def test_another_library_is_scored_out_of_bag_too(table):
    found = learning_curve(RandomForestClassifier(60, random_state=0), *table, shares=(0.5, 1.0), rule="recall=0.8")
    assert found.how == "out-of-bag"
    assert found.points[-1].recall.value > 0.6


def test_what_cannot_be_told(table):
    X, y = table
    with pytest.raises(ValueError, match="at least 10 rows of each kind"):
        learning_curve(LogisticRegression(), X[:40], np.arange(40) < 5)
    with pytest.raises(ValueError, match="shares=2"):
        learning_curve(LogisticRegression(), X, y, shares=(2,))
    with pytest.raises(ValueError, match="measure='auc'"):
        learning_curve(LogisticRegression(), X, y, shares=(1.0,)).needed("auc")


@pytest.mark.parametrize("model", [rw.RareClassifier(20, column_effects=False, random_state=0), LogisticRegression()])
def test_rows_that_belong_together_stay_together(model):
    firms = noisy_numbers(240, labels=("calm", "rare"))
    X, y = (np.repeat(each, 5, axis=0) for each in firms)
    X = X + np.random.default_rng(0).normal(scale=0.01, size=X.shape)
    names = np.repeat([f"firm {i}" for i in range(240)], 5)
    alone, together = (learning_curve(model, X, y, groups=groups, shares=(0.5, 1.0)) for groups in (None, names))
    assert together.points[-1].n_rows == len(y)
    assert together.points[0].n_rows % 5 == 0
    assert together.points[-1].average_precision.value < alone.points[-1].average_precision.value + 0.05
    width = [found.points[-1].recall.high - found.points[-1].recall.low for found in (alone, together)]
    assert width[1] > 1.3 * width[0]
    with pytest.raises(ValueError, match="groups has 3 values"):
        learning_curve(model, X, y, groups=[1, 2, 3])
