"""New rows obey their pattern and the training table, come in the caller's container, and pass the tree or are dropped."""

import itertools
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from rarewood import HeDExClassifier, PatternOversampler
from rarewood.datasets import make_planted_rules
from rarewood.exceptions import RarewoodWarning
from rarewood.inspection import extract_patterns
from support.strategies import problems


@pytest.fixture(scope="module")
def payments():
    return make_planted_rules(1200, random_state=0)


def small(**params):
    return PatternOversampler(**{"n_estimators": 10, "random_state": 0, **params})


def resampled(sampler, X, y):
    """The new rows alone, too; falling short is another test's subject."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RarewoodWarning)
        X_new, y_new = sampler.fit_resample(X, y)
    return X_new, y_new, X_new[len(y) :], y_new[len(y) :]


def check_rows(sampler, X, y, nominal=()):
    X_res, y_res, new, labels = resampled(sampler, X, y)
    np.testing.assert_array_equal(X_res[: len(y)], X)
    np.testing.assert_array_equal(y_res[: len(y)], y)
    made_by = sampler.pattern_of_row_
    assert len(made_by) == len(y_res)
    assert np.all(made_by[: len(y)] == -1)
    made_by = made_by[len(y) :]
    if len(new) == 0:
        return
    assert np.all(made_by >= 0)
    used, place = np.unique(made_by, return_inverse=True)
    assert np.all(sampler.patterns_[used].covers(new)[np.arange(len(new)), place])
    assert all(sampler.patterns_[i].label == label for i, label in zip(made_by.tolist(), labels.tolist()))
    for label, j in itertools.product(np.unique(labels), range(X.shape[1])):
        have = new[labels == label, j]
        given_ = X[y == label, j] if sampler.values_of == "class" else X[:, j]
        assert np.isnan(given_).any() or not np.isnan(have).any()
        if j in nominal:
            assert set(have[~np.isnan(have)]) <= set(given_[~np.isnan(given_)])
        elif not np.isnan(have).all():
            assert np.nanmin(given_) <= np.nanmin(have)
            assert np.nanmax(have) <= np.nanmax(given_)


@settings(max_examples=60)
@given(
    problems(max_rows=40, max_classes=3),
    st.sampled_from([np.float64, np.float32]),
    st.sampled_from(["histogram", "observed"]),
    st.sampled_from(["class", "all"]),
    st.booleans(),
    st.booleans(),
)
def test_rows_obey_their_pattern_and_the_training_range(
    problem, dtype, free_values, values_of, validate, until_balanced
):
    assume(problem.n_classes > 1)
    sampler = small(
        n_estimators=5,
        free_values=free_values,
        values_of=values_of,
        validate=validate,
        until_balanced=until_balanced,
        categorical_features=list(problem.nominal),
    )
    check_rows(sampler, problem.X.astype(dtype), problem.y, problem.nominal)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e4])
def test_no_rounding_leaves_an_interval(dtype, scale):
    """Bounds lie between two values that a narrow type can hold; a draw must not be rounded across one."""
    rng = np.random.default_rng(0)
    X = (scale * (1.0 + 0.01 * rng.random((300, 3)))).astype(dtype)
    y = (X[:, 0] > np.median(X[:, 0])) & (X[:, 1] > np.median(X[:, 1]))
    sampler = small(validate=False)
    check_rows(sampler, X, y)
    assert sampler.fit_resample(X, y)[0].dtype == dtype


def test_whole_numbers_stay_whole():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 30, size=(400, 3))
    y = (X[:, 0] > 22) & (X[:, 1] < 15)
    sampler = small(validate=False)
    _, _, new, _ = resampled(sampler, X, y)
    assert new.dtype == X.dtype
    check_rows(sampler, X.astype(float), y)
    assert set(new[:, 2]) == set(range(30))
    assert new[:, 0].min() >= 0
    frame = pd.DataFrame({"n": X[:, 0], "b": X[:, 1] < 15, "z": X[:, 2].astype(np.uint8)})
    _, _, new, _ = resampled(sampler, frame, y)
    assert new.dtypes.equals(frame.dtypes)
    assert new["b"].any()


def test_columns_of_few_values_or_without_fractions_do_not_give_new_rows_away():
    """Drawn between the values that occur, every new row could be told from the original ones."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.choice([0.5, 1.0, 2.5], 600), rng.integers(0, 40, 600), rng.integers(0, 5, 600)]).astype(
        float
    )
    y = rng.random(600) < np.where(X[:, 1] > 25, 0.6, 0.05)
    sampler = small()
    _, _, new, _ = resampled(sampler, X, y)
    assert sampler.acceptance_rate_ > 0.5
    assert set(new[:, 0]) == {0.5, 1.0, 2.5}
    assert np.all(new == np.round(new, 1))


def test_one_pass_does_not_replace_rows(payments):
    """A warning would be an error here: fewer rows than asked for are what was asked for."""
    sampler = small()
    _, y = sampler.fit_resample(payments.X, payments.y)
    rare, others = np.bincount(payments.y)[[1, 0]]
    assert sampler.sampling_strategy_ == {1: others - rare}
    assert sampler.n_made_ == {1: others - rare}
    assert sampler.n_passed_ == {1: np.sum(y == 1) - rare}
    assert 0.1 < sampler.acceptance_rate_ == sampler.n_passed_[1] / sampler.n_made_[1] < 0.9
    assert np.sum(sampler.pattern_of_row_ >= 0) == sampler.n_passed_[1]


def test_balanced_exactly(payments):
    sampler = small(until_balanced=True)
    _, y = sampler.fit_resample(payments.X, payments.y)
    assert np.bincount(y)[0] == np.bincount(y)[1]
    assert 0 < sampler.acceptance_rate_ < 1
    assert sampler.n_made_[1] > sampler.n_passed_[1] >= sampler.sampling_strategy_[1]


def test_whose_values():
    """The rare class lies in a corner: its own rows reach less far than those of the table."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = (X[:, 0] > 1) & (np.abs(X[:, 1]) < 0.5)
    for values_of, rows in (("class", X[y]), ("all", X)):
        _, _, new, _ = resampled(small(values_of=values_of, validate=False), X, y)
        np.testing.assert_allclose(np.ptp(new[:, 1:], axis=0), np.ptp(rows[:, 1:], axis=0), rtol=0.05)
        assert np.all((new.min(axis=0) >= rows.min(axis=0)) & (new.max(axis=0) <= rows.max(axis=0)))


@pytest.mark.parametrize(
    ("strategy", "counts"),
    [
        ("auto", {"a": 60, "b": 60, "c": 60}),
        ("not majority", {"a": 60, "b": 60, "c": 60}),
        ("all", {"a": 60, "b": 60, "c": 60}),
        ("minority", {"a": 60, "b": 30, "c": 60}),
        ({"b": 41}, {"a": 20, "b": 41, "c": 60}),
        (lambda y: {"a": 25, "b": 30 + (y == "c").sum() // 60}, {"a": 25, "b": 31, "c": 60}),
    ],
    ids=["auto", "not majority", "all", "minority", "dict", "callable"],
)
def test_strategies_and_classes(strategy, counts):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [20, 30, 60])
    X = rng.normal(size=(110, 3)) + 2 * (y[:, None] == np.array(["a", "b", "c"]))
    sampler = small(sampling_strategy=strategy, until_balanced=True)
    _, y_res = sampler.fit_resample(X, y)
    assert dict(zip(*np.unique(y_res, return_counts=True))) == counts
    check_rows(sampler, X, y)
    for i in np.unique(sampler.pattern_of_row_[110:]).tolist():
        pattern = sampler.patterns_[i]
        covered = sampler.patterns_[i : i + 1].covers(X)[:, 0]
        assert (y[covered] == pattern.label).sum() > (y[covered] != pattern.label).sum()


def test_a_ratio():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] > 1.0
    n_wanted = int(0.5 * (~y).sum())
    _, y_res = small(sampling_strategy=0.5, until_balanced=True).fit_resample(X, y)
    assert y_res.sum() == n_wanted
    sampler = small(sampling_strategy=0.5)
    sampler.fit_resample(X, y)
    assert sampler.n_made_ == {True: n_wanted - y.sum()}


def test_nothing_to_do():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    sampler = small()
    X_res, y_res = sampler.fit_resample(X, y)
    np.testing.assert_array_equal(X_res, X)
    np.testing.assert_array_equal(y_res, y)
    assert len(sampler.patterns_) == 0
    assert np.isnan(sampler.acceptance_rate_)
    assert np.all(sampler.pattern_of_row_ == -1)


def test_patterns_are_those_of_a_hedex_forest(payments):
    sampler = small()
    sampler.fit_resample(payments.X, payments.y)
    forest = HeDExClassifier(10, random_state=0).fit(payments.X, payments.y)
    expected = extract_patterns(forest, payments.X, payments.y, deduplicate=False)
    assert sampler.patterns_.text(None) == expected.text(None)


# ---------------------------------------------------------------------------------------------------------
# tables


def mixed_frame(n=300):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(n) < 0.15, "rare", "common")
    rare = y == "rare"
    frame = pd.DataFrame(
        {
            "amount": rng.lognormal(size=n) + 2.0 * rare,
            "country": pd.Categorical(np.where(rare, "RO", rng.choice(["DE", "FR"], n)), ["DE", "FR", "RO", "XX"]),
            "visits": rng.poisson(3, n),
            "known": rng.random(n) < 0.5,
            "small": rng.normal(size=n).astype(np.float32),
        }
    )
    frame.loc[rng.random(n) < 0.1, "amount"] = np.nan
    frame.loc[rng.random(n) < 0.1, "country"] = None
    frame.index = rng.permutation(n) + 1000
    return frame, y


def nullable(frame):
    return frame.astype({"visits": "Int16", "known": "boolean", "amount": "Float64", "small": "Float32"})


def with_enum(frame):
    return pl.from_pandas(frame).with_columns(pl.col("country").cast(pl.Enum(["DE", "FR", "RO", "XX"])))


@pytest.mark.parametrize(
    "convert",
    [lambda X: X, nullable, pl.from_pandas, with_enum, lambda X: pa.Table.from_pandas(X, preserve_index=False)],
    ids=["pandas", "pandas nullable", "polars", "polars enum", "pyarrow"],
)
def test_the_table_comes_back_as_it_was(convert):
    frame, y = mixed_frame()
    X = convert(frame)
    sampler = small()
    X_res, y_res = sampler.fit_resample(X, y)
    assert type(X_res) is type(X)
    assert (y_res == "rare").sum() == (y == "rare").sum() + sampler.n_passed_["rare"]
    if isinstance(X, pd.DataFrame):
        assert X_res.dtypes.equals(X.dtypes)
        assert X_res.index.equals(pd.RangeIndex(len(y_res)))
        pd.testing.assert_frame_equal(X_res[:300], X.reset_index(drop=True))
        countries = X_res["country"]
        new = countries[300:]
        assert not new.isin(["XX"]).any()  # declared, but no row has it
        assert new.isna().any()
    else:
        assert X_res.schema == X.schema
        assert X_res[:300].equals(X)
    used, place = np.unique(sampler.pattern_of_row_[300:], return_inverse=True)
    assert np.all(sampler.patterns_[used].covers(X_res[300:])[np.arange(len(place)), place])


def test_the_same_rows_in_every_library():
    frame, y = mixed_frame()
    by_pandas = small().fit_resample(frame, y)[0]
    by_polars = small().fit_resample(with_enum(frame), y)[0]
    pd.testing.assert_series_equal(by_polars["amount"].to_pandas(), by_pandas["amount"])
    assert by_polars["visits"].to_list() == by_pandas["visits"].tolist()


def test_labels_come_back_as_they_were():
    frame, y = mixed_frame(200)
    for given_ in (
        y,
        list(y),
        pd.Series(y, name="class", index=frame.index),
        pd.Series(y, dtype="category"),
        pl.Series("class", y),
        pd.DataFrame({"class": y}),
    ):
        _, y_res = small(n_estimators=3, until_balanced=True).fit_resample(frame, given_)
        assert type(y_res) is type(given_)
        assert getattr(y_res, "name", None) == getattr(given_, "name", None)
        assert str(getattr(y_res, "dtype", None)) == str(getattr(given_, "dtype", None))
        flat = np.asarray(y_res).ravel()
        assert (flat == "rare").sum() == (flat == "common").sum()


def test_nested_lists_and_objects():
    frame, y = mixed_frame(200)
    rows = frame.astype(object).where(frame.notna(), None).to_numpy()
    X_res, _ = small(categorical_features=[1]).fit_resample(rows, y)
    assert X_res.dtype == object
    assert (X_res[:200] == rows)[frame.notna()].all()
    assert set(X_res[200:, 1]) <= {"DE", "FR", "RO", None}
    lists = rows.tolist()
    assert small(categorical_features=[1]).fit_resample(lists, y)[0][:200] == lists


def test_all_columns_nominal():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: pd.Categorical(rng.choice(list("abcde"), 400)) for name in "uvw"})
    y = (X["u"].isin(["a", "b"]) & (X["v"] == "c")).to_numpy()
    sampler = small(until_balanced=True)
    X_res, y_res = sampler.fit_resample(X, y)
    assert y_res.sum() * 2 == len(y_res)
    assert X_res.dtypes.equals(X.dtypes)


def test_missing_values_stay_missing():
    """Admitted by a condition or free: as often as in training. Never where the pattern excludes them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    X[rng.random(3000) < 0.3, 1] = np.nan
    y = X[:, 0] > 1.5
    for values_of, share in (("all", 0.3), ("class", np.isnan(X[y, 1]).mean())):
        _, _, new, _ = resampled(small(validate=False, max_features=None, values_of=values_of), X, y)
        assert not np.isnan(new[:, 0]).any()
        assert np.isnan(new[:, 1]).mean() == pytest.approx(share, abs=0.03)
    y = np.isnan(X[:, 1]) & (X[:, 0] > 0)
    sampler = small(validate=False, max_features=None)
    _, _, new, _ = resampled(sampler, X, y)
    assert np.isnan(new[:, 1]).mean() > 0.5
    only_missing = ["x1 is missing" in pattern.rule for pattern in sampler.patterns_]
    assert np.isnan(new[np.array(only_missing)[sampler.pattern_of_row_[3000:]], 1]).all()
    assert "x1 is missing" in sampler.patterns_.text(None)


def test_a_column_without_any_value():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), np.full(200, np.nan)])
    _, _, new, _ = resampled(small(), X, X[:, 0] > 1)
    assert np.isnan(new[:, 1]).all()


# ---------------------------------------------------------------------------------------------------------
# randomness, long work


@pytest.mark.several_threads
def test_the_same_rows_for_any_number_of_threads(payments):
    one, two = small(n_jobs=1), small(n_jobs=2)
    X_one, y_one = one.fit_resample(payments.X, payments.y)
    X_two, y_two = two.fit_resample(payments.X, payments.y)
    pd.testing.assert_frame_equal(X_one, X_two)
    np.testing.assert_array_equal(y_one, y_two)
    np.testing.assert_array_equal(one.pattern_of_row_, two.pattern_of_row_)
    assert one.acceptance_rate_ == two.acceptance_rate_


def test_seeds(payments):
    X, y = payments.X, payments.y
    first = small().fit_resample(X, y)[0]
    pd.testing.assert_frame_equal(first, clone(small()).fit_resample(X, y)[0])
    assert not first.equals(small(random_state=1).fit_resample(X, y)[0])
    random_state = np.random.RandomState(0)
    pd.testing.assert_frame_equal(first, small(random_state=random_state).fit_resample(X, y)[0])
    assert not first.equals(small(random_state=random_state).fit_resample(X, y)[0])


def test_a_fitted_sampler_travels(payments):
    sampler = small()
    X, _ = sampler.fit_resample(payments.X, payments.y)
    copy = pickle.loads(pickle.dumps(sampler))
    assert copy.patterns_.text(None) == sampler.patterns_.text(None)
    np.testing.assert_array_equal(copy.patterns_[:5].covers(X), sampler.patterns_[:5].covers(X))


def test_fit_only_checks(payments):
    sampler = small().fit(payments.X, payments.y)
    assert sampler.sampling_strategy_.keys() == {1}
    assert not hasattr(sampler, "patterns_")
    assert list(sampler.feature_names_in_) == list(payments.X.columns)


def test_progress(payments, capsys):
    small(verbose=1).fit_resample(payments.X, payments.y)
    shown = capsys.readouterr().err
    assert "growing trees" in shown
    assert "making rows of class 1" in shown


# ---------------------------------------------------------------------------------------------------------
# falling short


def test_a_class_without_patterns():
    X, y = np.zeros((30, 2)), np.arange(30) < 5
    sampler = small()
    with pytest.warns(RarewoodWarning, match="Class True has no patterns") as caught:
        X_res, y_res = sampler.fit_resample(X, y)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(X_res, X)
    np.testing.assert_array_equal(y_res, y)
    assert len(sampler.patterns_) == 0


@pytest.mark.parametrize(
    ("until_balanced", "told"),
    [(False, r"gets none\..*Raise min_samples_leaf"), (True, r"got 0, .*5 rounds in a row.*Raise max_rounds")],
)
def test_a_fully_grown_tree_tells_everything_apart(until_balanced, told):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] > 0.8) & (X[:, 1] > 0)
    sampler = small(min_samples_leaf=1, until_balanced=until_balanced)
    with pytest.warns(RarewoodWarning, match=rf"should get \d+ new rows but {told}") as caught:
        _, y_res = sampler.fit_resample(X, y)
    assert caught[0].filename == __file__
    assert len(y_res) == 300
    assert sampler.acceptance_rate_ == 0.0
    assert len(sampler.patterns_) > 0


def test_too_few_rounds(payments):
    sampler = small(max_rounds=2, until_balanced=True)
    with pytest.warns(RarewoodWarning, match="all 2 rounds were used") as caught:
        _, y = sampler.fit_resample(payments.X, payments.y)
    n_rare = payments.y.sum()
    assert n_rare < y.sum() <= 3 * n_rare
    assert f"got {y.sum() - n_rare}," in str(caught[0].message)
    assert sampler.acceptance_rate_ == pytest.approx((y.sum() - n_rare) / (2 * n_rare))
    once = small(max_rounds=2)
    once.fit_resample(payments.X, payments.y)
    assert once.n_made_ == {1: 2 * n_rare}


# ---------------------------------------------------------------------------------------------------------
# bad input


class TestBadInput:
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) < 5

    @pytest.mark.parametrize(
        ("params", "error", "words"),
        [
            ({"n_estimators": 0}, ValueError, "n_estimators=0"),
            ({"n_cuts": 1.5}, TypeError, "n_cuts=1.5"),
            ({"max_features": 3}, ValueError, "max_features=3 is more than the 2"),
            ({"free_values": "mean"}, ValueError, "free_values='mean'"),
            ({"n_bins": 0}, ValueError, "n_bins=0"),
            ({"max_rounds": 0}, ValueError, "max_rounds=0"),
            ({"validate": 1}, TypeError, "validate=1"),
            ({"until_balanced": 1}, TypeError, "until_balanced=1"),
            ({"values_of": "rare"}, ValueError, "values_of='rare'"),
            ({"n_jobs": 0}, ValueError, "n_jobs=0"),
            ({"sampling_strategy": {True: 3}}, ValueError, "number of samples"),
            ({"sampling_strategy": 2.0}, ValueError, "in the range"),
            ({"sampling_strategy": "some"}, ValueError, "sampling_strategy"),
            ({"categorical_features": [5]}, ValueError, "categorical_features"),
        ],
    )
    def test_parameters(self, params, error, words):
        with pytest.raises(error, match=words):
            small(**params).fit_resample(self.X, self.y)

    def test_tables(self):
        for X, y, words in (
            (self.X, None, "requires y"),
            (self.X, self.y[:5], "inconsistent"),
            (self.X, np.zeros(20), "class"),
            (self.X, np.linspace(0, 1, 20), "Unknown label type"),
            (self.X, np.ones((20, 2), dtype=int), "Multilabel"),
            (pd.DataFrame({"a": [[1], [2]] * 10}), self.y, "neither numbers nor words"),
        ):
            with pytest.raises(ValueError, match=words):
                small().fit_resample(X, y)
