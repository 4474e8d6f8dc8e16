"""What must not happen: a crash, a silent wrong answer, an error that does not name its cause."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import has_fit_parameter

import rarewood
import rarewood as rw
from rarewood import TreeClassifier

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
Y = np.array([0, 0, 1, 1])


class Nonsense:
    """A value that no parameter accepts."""

    def __repr__(self):
        return "Nonsense()"


def classifiers():
    public = [getattr(rarewood, name) for name in rarewood.__all__]
    return [
        item for item in public if isinstance(item, type) and issubclass(item, BaseEstimator) and is_classifier(item())
    ]


def wrong_values(default):
    """Values of another kind than the default of a parameter has."""
    yield Nonsense()
    if isinstance(default, int) and not isinstance(default, bool):
        yield from (True, "3", 2.5, -1, np.nan, [2], None, 2**70)
    if isinstance(default, float):
        yield from (True, "0.5", -1.0, np.nan, np.inf, [0.5], None)
    if isinstance(default, str):
        yield from ("nonsense", 3.5, b"best", ["best", 1])


def wrong_parameters():
    return [
        pytest.param(cls, name, value, id=f"{cls.__name__}-{name}-{value!r}")
        for cls in classifiers()
        for name, default in cls().get_params(deep=False).items()
        for value in wrong_values(default)
    ]


@pytest.mark.parametrize(("cls", "name", "value"), wrong_parameters())
def test_wrong_parameter_is_named(cls, name, value):
    model = cls().set_params(**{name: value})
    with pytest.raises((TypeError, ValueError), match=re.escape(name)):
        model.fit(X, Y)


@pytest.mark.parametrize("value", ["third", 0, -2, 0.0, 1.5, 3, True])
def test_max_features_is_checked(value):
    with pytest.raises((TypeError, ValueError), match="max_features"):
        TreeClassifier(max_features=value).fit(X, Y)


class TestTables:
    @pytest.mark.parametrize(
        "table", [np.empty((0, 2)), [], pd.DataFrame({"a": [], "b": []})], ids=["array", "list", "frame"]
    )
    def test_no_rows(self, table):
        with pytest.raises(ValueError, match=r"0 sample|2D array"):
            TreeClassifier().fit(table, [])
        with pytest.raises(ValueError, match=r"0 sample|2D array"):
            TreeClassifier().fit(X, Y).predict(np.empty((0, 2)))

    def test_no_columns(self):
        with pytest.raises(ValueError, match=r"0 feature"):
            TreeClassifier().fit(np.empty((4, 0)), Y)

    def test_one_row(self):
        tree = TreeClassifier().fit(X[:1], Y[:1])
        assert tree.predict(X).tolist() == [0] * 4

    def test_all_missing(self):
        tree = TreeClassifier().fit(np.full((4, 2), np.nan), Y)
        assert tree.get_n_leaves() == 1
        np.testing.assert_allclose(tree.predict_proba([[1.0, 2.0], [np.nan, np.nan]]), 0.5)

    def test_a_column_of_missing_values_is_ignored(self):
        table = np.column_stack([np.full(4, np.nan), X])
        tree = TreeClassifier().fit(table, Y)
        assert tree.score(table, Y) == 1.0
        assert tree.feature_importances_[0] == 0.0

    @pytest.mark.parametrize("bad", [np.inf, -np.inf])
    def test_infinity(self, bad):
        table = X.copy()
        table[1, 1] = bad
        with pytest.raises(ValueError, match="infinity"):
            TreeClassifier().fit(table, Y)
        with pytest.raises(ValueError, match="infinity"):
            TreeClassifier().fit(X, Y).predict(table)

    def test_largest_floats(self):
        table = np.array([[-1.7e308], [1.7e308], [1.6e308], [-1.6e308]])
        assert TreeClassifier().fit(table, [0, 1, 1, 0]).score(table, [0, 1, 1, 0]) == 1.0

    @pytest.mark.parametrize("columns", [1, 3])
    def test_other_number_of_columns(self, columns):
        tree = TreeClassifier().fit(X, Y)
        for ask in (tree.predict, tree.predict_proba, tree.apply, tree.decision_path):
            with pytest.raises(ValueError, match=f"X has {columns} features, but TreeClassifier is expecting 2"):
                ask(np.ones((2, columns)))

    def test_rows_of_x_and_y_differ(self):
        with pytest.raises(ValueError, match="inconsistent numbers of rows: 4 and 3"):
            TreeClassifier().fit(X, Y[:3])

    def test_strings(self):
        with pytest.raises(ValueError, match=r"'town'.*categorical_features=\['town'\]"):
            TreeClassifier(categorical_features=None).fit(pd.DataFrame({"town": list("abab")}), Y)
        tree = TreeClassifier().fit(pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]}), Y)
        with pytest.raises(ValueError, match="not numbers: 'a'"):
            tree.predict(pd.DataFrame({"a": ["x"]}))

    def test_mixed_categories(self):
        table = np.array([[1], ["a"], [2.5], [None]], dtype=object)
        with pytest.raises(TypeError, match="mix types"):
            TreeClassifier(categorical_features=[0]).fit(table, Y)

    def test_complex_numbers(self):
        with pytest.raises(ValueError, match="Complex"):
            TreeClassifier().fit(X + 1j, Y)


class TestLabels:
    def test_one_class(self):
        tree = TreeClassifier().fit(X, np.zeros(4))
        assert tree.predict_proba(X).tolist() == [[1.0]] * 4

    @pytest.mark.parametrize("y", [[0.1, 0.2, 0.3, 0.4], [[0, 1]] * 4, [0, 1, np.nan, 1], None])
    def test_not_labels(self, y):
        with pytest.raises(ValueError, match=r"label|1d|NaN|requires y"):
            TreeClassifier().fit(X, y)

    def test_labels_not_seen_score_zero(self):
        assert TreeClassifier().fit(X, Y).score(X, [7, 7, 7, 7]) == 0.0

    def test_class_weight_for_a_class_not_seen(self):
        with pytest.raises(ValueError, match="class 7, which is not in y"):
            TreeClassifier(class_weight={7: 2.0}).fit(X, Y)

    def test_many_classes(self):
        rows, labels = np.arange(400.0)[:, None], np.repeat(np.arange(100), 4)
        for criterion in ("gini", "hellinger", "hellinger_ova"):
            np.testing.assert_array_equal(TreeClassifier(criterion).fit(rows, labels).predict(rows), labels)


class TestWeights:
    @pytest.mark.parametrize(
        ("weights", "words"),
        [
            ([1, 1, 1, -1], "Negative"),
            ([0, 0, 0, 0], "zero"),
            ([1, 1, 1], "expected"),
            ([1, 1, 1, np.nan], "NaN"),
            ([1, 1, 1, np.inf], "infinity"),
        ],
    )
    def test_bad_weights(self, weights, words):
        with pytest.raises(ValueError, match=words):
            TreeClassifier().fit(X, Y, sample_weight=weights)

    def test_tiny_and_huge_weights(self):
        for scale in (1e-300, 1e-12, 1e12, 1e300):
            tree = TreeClassifier(smoothing=0).fit(X, Y, sample_weight=np.full(4, scale))
            assert tree.score(X, Y) == 1.0
            assert np.isfinite(tree.predict_proba(X)).all()


@pytest.mark.parametrize("weight", [1e308, 1e306])
@pytest.mark.parametrize(
    "cls", [cls for cls in classifiers() if has_fit_parameter(cls(), "sample_weight")], ids=lambda cls: cls.__name__
)
def test_weights_that_overflow_are_refused(cls, weight):
    with pytest.raises(ValueError, match="sample_weight has values as large as"):
        cls().fit(X, Y, sample_weight=np.full(4, weight))


def test_class_weights_that_overflow_are_refused():
    with pytest.raises(ValueError, match="class_weight has values as large as"):
        TreeClassifier(class_weight={0: 1e308, 1: 1e308}).fit(X, Y)


@pytest.mark.parametrize("parameters", [{"a": 1e18}, {"a": 1e-8, "b": 1e-9}, {"b": 1e7}])
def test_alphas_that_could_not_be_drawn_are_refused(parameters):
    with pytest.raises(ValueError, match=r"at least 0[.]001 and at most 1e"):
        rarewood.BEATClassifier(**parameters).fit(X, Y)


@pytest.mark.parametrize("parameters", [{"a": 1e-3, "b": 1e-3}, {"a": 1e6, "b": 1e-3}, {"a": 1e-3, "b": 1e6}])
def test_the_outermost_alphas_can_be_drawn(parameters):
    alphas = rarewood.BEATClassifier(3, random_state=0, **parameters).fit(X, Y).alphas_
    assert np.all((alphas > 0) & (alphas < 2))


def test_more_cuts_than_memory_are_refused():
    with pytest.raises(ValueError, match="n_cuts=2147483647"):
        rarewood.HeDExClassifier(n_cuts=2**31 - 1).fit(X, Y)


@pytest.mark.parametrize("cls", classifiers(), ids=lambda cls: cls.__name__)
def test_no_jobs_are_refused_by_fit(cls):
    if "n_jobs" in cls().get_params():
        with pytest.raises(ValueError, match="n_jobs=0"):
            cls().set_params(n_jobs=0).fit(X, Y)


class TestFoundByFuzzing:
    """Each was accepted, or refused without a clear word, until `make fuzz` came across it."""

    X = np.random.default_rng(0).normal(size=(30, 3))

    def test_smoothing_beyond_all_sums_is_refused(self):
        y = np.arange(30) % 5
        for smoothing in (1e308, 10**400):
            with pytest.raises(ValueError, match="smoothing"):
                rw.HeDExClassifier(3, smoothing=smoothing).fit(self.X, y)

    def test_large_whole_numbers_are_kept(self):
        model = rw.HeDExClassifier(3, smoothing=2**70, random_state=0).fit(self.X, np.arange(30) % 2)
        again = rw.export.from_bytes(rw.export.to_bytes(model))
        assert again.smoothing == 2**70
        np.testing.assert_array_equal(again.predict_proba(self.X), model.predict_proba(self.X))

    def test_a_ranking_of_one_class_is_kept(self):
        model = rw.BiasedRankingClassifier(n_estimators=3, random_state=0).fit(self.X, np.ones(30))
        again = rw.export.from_bytes(rw.export.to_bytes(model))
        np.testing.assert_array_equal(again.predict_proba(self.X), np.ones((30, 1)))

    def test_a_number_in_place_of_an_estimator_is_refused(self):
        with pytest.raises(TypeError, match="estimator"):
            rw.OneVsAllClassifier(7).fit(self.X, np.arange(30) % 3)
        assert rw.OneVsAllClassifier(7).__sklearn_tags__() is not None

    def test_a_sampler_without_a_strategy_is_refused(self):
        for strategy in (None, b"x"):
            with pytest.raises(TypeError, match=f"sampling_strategy={strategy} is not accepted"):
                rw.PatternOversampler(sampling_strategy=strategy).fit_resample(self.X, np.arange(30) % 2)
