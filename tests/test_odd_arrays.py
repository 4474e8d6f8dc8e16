"""Arrays that are rarely seen: what they hold is read as it is, or refused in words that name the argument."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood import metrics, monitoring
from rarewood.evaluation import compare

N = 120
Y = (np.arange(N) % 4 == 0).astype(int)
X = np.random.default_rng(0).normal(size=(N, 3)) + Y[:, np.newaxis]
SCORES = np.linspace(0.0, 1.0, N)
WRONG_NUMBERS = {
    "words": ["a"] * N,
    "a word": "balanced",
    "a dictionary": {0: 1},
    "a generator": (1.0 for _ in range(N)),
    "larger than any float": [10**400] * N,
    "no dimension": np.array(2.0),
    "infinity": np.full(N, -np.inf),
    "long doubles": np.full(N, np.finfo(np.longdouble).max),
    "a decimal that signals NaN": [Decimal("sNaN")] * N,
    "missing": pd.Series(np.ones(N), dtype="Float64").mask(np.arange(N) == 3),
    "moments": np.full(N, np.datetime64("2024-01-01")).astype(object),
}


@pytest.fixture(scope="module")
def model():
    return rw.RareClassifier(10, random_state=0).fit(X, Y)


@pytest.mark.parametrize("wrong", list(WRONG_NUMBERS))
def test_weights_and_scores_that_are_no_numbers_are_named(wrong, model):
    given = WRONG_NUMBERS[wrong]
    calls = {
        "sample_weight": [
            lambda: rw.TreeClassifier().fit(X, Y, sample_weight=given),
            lambda: model.score(X, Y, sample_weight=given),
            lambda: metrics.choose_threshold(Y, SCORES, sample_weight=given),
            lambda: monitoring.recalibrate(model, X, Y, sample_weight=given),
        ],
        "y_score": [lambda: metrics.rare_auc(Y, given), lambda: metrics.hand_till_auc(Y, given)],
        "scores": [lambda: metrics.choose_threshold(Y, given)],
    }
    for name, asked in calls.items():
        for call in asked:
            with pytest.raises(ValueError, match=name):
                call()


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "string", "int64[pyarrow]"])
def test_a_label_that_pandas_misses_is_a_row_without_a_label(dtype, model):
    plain = pd.Series([None if row == 3 else int(label) for row, label in enumerate(Y)], dtype=object)
    words = Y.astype(str) if dtype == "string" else Y
    if dtype == "string":
        model = rw.RareClassifier(10, random_state=0).fit(X, words)
        plain = pd.Series([None if row == 3 else label for row, label in enumerate(words)], dtype=object)
    given = pd.Series(words).astype(bool if dtype == "boolean" else words.dtype).astype(dtype).mask(np.arange(N) == 3)
    found = monitoring.monitor(model, X, given).to_dict()
    assert repr(found) == repr(monitoring.monitor(model, X, plain).to_dict())
    with pytest.raises(ValueError, match="row 3 has no label"):
        metrics.imbalance_ratio(given)


def test_long_doubles_are_read_as_far_as_doubles_reach():
    wide = X.astype(np.longdouble)
    expected = rw.TreeClassifier(random_state=0).fit(X, Y)
    found = rw.TreeClassifier(random_state=0).fit(wide, Y)
    np.testing.assert_array_equal(found.predict_proba(wide), expected.predict_proba(X))
    assert (
        rw.TreeClassifier().fit(X, Y.astype(np.longdouble)).classes_.dtype == np.float64
    )  # which a model file can hold
    if np.finfo(np.longdouble).max > np.finfo(np.float64).max:
        wide[2, 1] = np.finfo(np.longdouble).max
        for call in (lambda: rw.TreeClassifier().fit(wide, Y), lambda: expected.predict(wide)):
            with pytest.raises(ValueError, match="Column 1 of X contains infinity in row 2"):
                call()


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="does not apply: this NumPy has no such type")
def test_texts_of_any_length_are_text():
    texts = np.dtypes.StringDType()
    words, labels = np.where(Y == 1, "one", "two"), np.where(Y == 1, "rare", "rest")
    X, plain = words.astype(texts).reshape(-1, 1), words.astype(object).reshape(-1, 1)
    found = rw.TreeClassifier().fit(X, labels.astype(texts))
    expected = rw.TreeClassifier().fit(plain, labels)
    np.testing.assert_array_equal(found.predict(X), expected.predict(plain))
    assert found.score(X, labels.astype(texts)) == 1.0


def test_names_that_come_twice_are_refused_by_comparisons_too():
    twice = pd.DataFrame(X, columns=["a", "a", "b"])
    with pytest.raises(ValueError, match="data set 'd': X has more than one column named 'a'"):
        compare({"tree": rw.TreeClassifier()}, {"d": (twice, Y)}, "1x2", progress=False)


def test_samplers_make_numbers_of_any_size_among_objects():
    large = (X * 1e300).astype(object)
    rows, labels = rw.PatternOversampler(until_balanced=True, random_state=0).fit_resample(large, Y)
    assert len(labels) > N
    assert all(isinstance(cell, float) for cell in rows.ravel().tolist())


def test_sparse_labels_are_refused_by_samplers():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="Sparse data was passed for y"):
        rw.PatternOversampler().fit_resample(X, sparse.csr_matrix(Y.reshape(-1, 1)))
