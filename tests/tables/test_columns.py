"""Tables: what reaches the core, and the words when it cannot."""

import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import rarewood as rw
from rarewood._tables import Columns, Rows, read_table
from rarewood.datasets import make_planted_rules

NAN = np.nan


class Estimator(SimpleNamespace):
    """Takes the place of a scikit-learn estimator where only names and counts of features are kept."""

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=InputTags())


def encode(X, categorical_features="from_dtype", then=None):
    """The encoded matrix of X, or of the table `then` after learning from X, and the columns."""
    estimator = Estimator()
    table = read_table(estimator, X, reset=True)
    columns, matrix = Columns.learn(table, categorical_features, getattr(estimator, "feature_names_in_", None))
    return (matrix if then is None else columns.read(estimator, then)), columns


class TestNumericArrays:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("view", [np.ascontiguousarray, np.asfortranarray, lambda x: x[::2, ::-1]])
    def test_floats_pass_without_a_copy(self, dtype, view):
        X = view(np.arange(24.0).reshape(6, 4).astype(dtype))
        matrix, columns = encode(X)
        assert matrix.dtype == dtype
        assert np.shares_memory(matrix, X)
        assert matrix.strides == X.strides
        assert columns.categories == [None] * 4

    @pytest.mark.parametrize(
        ("dtype", "becomes"),
        [("int8", "float32"), ("uint16", "float32"), ("bool", "float32"), ("float16", "float32"), ("int64", "float64")],
    )
    def test_other_numbers_become_a_float_that_holds_them(self, dtype, becomes):
        matrix, _ = encode(np.array([[0, 1], [1, 0]], dtype=dtype))
        assert matrix.dtype == becomes
        assert matrix.tolist() == [[0, 1], [1, 0]]

    def test_values_beyond_float32_stay(self):
        X = np.array([[1e300], [1.0 + 1e-15]])
        assert encode(X)[0] is X

    def test_nested_lists_and_objects_hold_numbers(self):
        assert encode([[1, 2.5], [3, None]])[0].tolist()[0] == [1, 2.5]
        matrix, columns = encode(np.array([[1, None], [2.5, pd.NA]], dtype=object))
        np.testing.assert_array_equal(matrix, [[1, NAN], [2.5, NAN]])
        assert columns.has_missing.tolist() == [False, True]

    @pytest.mark.parametrize("bad", [np.inf, -np.inf])
    def test_infinity_is_refused(self, bad):
        for X in (np.array([[bad]]), np.array([[bad]], dtype=object), pd.DataFrame({"a": [bad]}), [[bad]]):
            with pytest.raises(ValueError, match="infinity"):
                encode(X)

    def test_infinity_is_refused_on_the_quick_path(self):
        with pytest.raises(ValueError, match="infinity"):
            encode(np.ones((2, 2)), then=np.array([[np.inf, 1.0]]))

    def test_sparse_complex_lazy_flat_and_empty_are_refused(self):
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            encode(sparse.csr_matrix(np.eye(2)))  # the stand-in does not say that it takes them
        with pytest.raises(ValueError, match="Complex"):
            encode(np.array([[1j]]))
        with pytest.raises(TypeError, match="collect"):
            encode(pl.DataFrame({"a": [1]}).lazy())
        with pytest.raises(ValueError, match="2D array"):
            encode([1.0, 2.0])
        for X in (np.empty((0, 2)), pd.DataFrame({"a": []}), pl.DataFrame({"a": []})):
            with pytest.raises(ValueError, match=r"0 sample\(s\)"):
                encode(X)
        for X in (np.empty((2, 0)), pd.DataFrame(index=[0, 1])):
            with pytest.raises(ValueError, match=r"0 feature\(s\)"):
                encode(X)


CONTAINERS = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "polars": lambda columns: pl.DataFrame(columns),
    "pyarrow": lambda columns: pa.table(columns),
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS.keys())
class TestFrames:
    def test_numbers_and_booleans_in_fortran_order(self, container):
        X = container({"a": [1, 2, 3], "b": [0.5, None, 2.0], "c": [True, False, True]})
        matrix, columns = encode(X)
        np.testing.assert_array_equal(matrix, [[1, 0.5, 1], [2, NAN, 0], [3, 2, 1]])
        assert matrix.flags.f_contiguous
        assert columns.has_missing.tolist() == [False, True, False]

    def test_words_are_categories_unless_others_are_named(self, container):
        X = container({"a": [1, 2], "town": ["x", "y"], "land": ["v", "u"]})
        assert encode(X)[0].tolist() == [[1, 0, 1], [2, 1, 0]]
        with pytest.raises(ValueError, match=r"'town'.*'land'.*categorical_features=\['town', 'land'\]"):
            encode(X, None)
        with pytest.raises(ValueError, match=r"'land'.*categorical_features=\['land'\]"):
            encode(X, ["town"])

    @pytest.mark.parametrize(
        "chosen", [["town"], [1], np.array([1]), [False, True], np.array([False, True]), ("town",)]
    )
    def test_declared_by_name_index_or_mask(self, container, chosen):
        X = container({"a": [1, 2, 3], "town": ["y", None, "x"]})
        matrix, columns = encode(X, chosen)
        np.testing.assert_array_equal(matrix, [[1, 1], [2, NAN], [3, 0]])
        assert columns.categories[0] is None
        assert columns.categories[1].tolist() == ["x", "y"]
        assert columns.n_categories.tolist() == [0, 2]

    def test_unseen_and_missing_at_prediction(self, container):
        X = container({"town": ["y", "x", "y"]})
        matrix, _ = encode(X, ["town"], then=container({"town": ["x", "z", None]}))
        np.testing.assert_array_equal(matrix, [[0], [2], [NAN]])

    def test_a_column_of_none_is_missing(self, container):
        X = container({"a": [1.0, 2.0], "b": ["x", "y"]})
        matrix, _ = encode(X, ["b"], then=container({"a": [None, None], "b": [None, None]}))
        np.testing.assert_array_equal(matrix, np.full((2, 2), NAN))

    def test_numbers_declared_nominal(self, container):
        X = container({"code": [30, 10, None, 10]})
        matrix, columns = encode(X, ["code"])
        np.testing.assert_array_equal(matrix[:, 0], [1, 0, NAN, 0])
        assert columns.categories[0].tolist() == [10, 30]


class TestCategoricalDtypes:
    @pytest.mark.parametrize("ordered", [False, True])
    def test_the_order_and_length_of_a_declared_list_play_no_role(self, ordered):
        dtype = pd.CategoricalDtype(["low", "mid", "high"], ordered=ordered)
        matrix, columns = encode(pd.DataFrame({"c": pd.Series(["high", None, "low"], dtype=dtype)}))
        np.testing.assert_array_equal(matrix[:, 0], [0, NAN, 1])
        assert columns.categories[0].tolist() == ["high", "low"]

    def test_words_that_are_numbers_are_in_the_order_of_the_numbers(self):
        for cells in (["10", "9", "9.5"], [10, 9, 9.5]):
            assert encode(pd.DataFrame({"c": cells}), ["c"])[0][:, 0].tolist() == [2, 0, 1]
        assert encode(pd.DataFrame({"c": ["10", "9", "nan"]}), ["c"])[0][:, 0].tolist() == [0, 1, 2]

    def test_another_category_list_at_prediction_is_translated(self):
        X = pd.DataFrame({"c": pd.Series(["a", "b"], dtype=pd.CategoricalDtype(["a", "b"]))})
        then = pd.DataFrame({"c": pd.Series(["b", "c", "a"], dtype=pd.CategoricalDtype(["c", "b", "a"]))})
        assert encode(X, then=then)[0][:, 0].tolist() == [1, 2, 0]
        assert encode(X, then=then.astype(str))[0][:, 0].tolist() == [1, 2, 0]

    def test_polars_enums_and_categoricals_are_sorted(self):
        pl.Series(["other", "words"], dtype=pl.Categorical)  # a Categorical elsewhere must not leak into this one
        X = pl.DataFrame(
            {
                "enum": pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "c", "a"])),
                "cat": pl.Series(["b", None, "a"], dtype=pl.Categorical),
            }
        )
        matrix, columns = encode(X)
        np.testing.assert_array_equal(matrix, [[1, 1], [NAN, NAN], [0, 0]])
        assert [levels.tolist() for levels in columns.categories] == [["a", "b"], ["a", "b"]]

    def test_arrow_dictionaries_are_nominal(self):
        matrix, _ = encode(pa.table({"c": pa.array(["b", "a", None]).dictionary_encode()}))
        np.testing.assert_array_equal(matrix[:, 0], [1, 0, NAN])

    def test_none_declares_no_column(self):
        X = pd.DataFrame({"c": pd.Series(["a", "b"], dtype="category")})
        with pytest.raises(ValueError, match="not numbers: 'c'"):
            encode(X, None)

    def test_nullable_and_sparse_pandas_columns_are_numbers(self):
        X = pd.DataFrame(
            {
                "i": pd.array([1, None], dtype="Int64"),
                "f": pd.array([0.5, None], dtype="Float32"),
                "b": pd.array([True, None], dtype="boolean"),
                "s": pd.arrays.SparseArray([0.0, 1.0]),
                "o": pd.Series([1, None], dtype=object),
            }
        )
        np.testing.assert_array_equal(encode(X)[0], [[1, 0.5, 1, 0, 1], [NAN, NAN, NAN, 1, NAN]])

    def test_columns_may_be_named_by_numbers(self):
        X = pd.DataFrame({7: [1.0, 2.0], 0: pd.Categorical(["b", "a"])})
        assert encode(X)[0].tolist() == [[1, 1], [2, 0]]
        assert encode(X, [1])[0].tolist() == [[1, 1], [2, 0]]

    def test_dates_are_seconds(self):
        matrix, columns = encode(pd.DataFrame({"day": pd.to_datetime(["1970-01-02", None])}))
        np.testing.assert_array_equal(matrix[:, 0], [86_400, NAN])
        assert columns.kinds[0].word == "date"

    def test_small_types_give_float32(self):
        X = pd.DataFrame({"a": np.array([1, 2], dtype=np.int8), "c": pd.Categorical(["x", "y"])})
        assert encode(X)[0].dtype == np.float32
        assert encode(X.astype({"a": "int64"}))[0].dtype == np.float64


class TestCategoriesOfArrays:
    def test_object_array_with_strings(self):
        X = np.array([[1, "b"], [2, "a"], [3, None]], dtype=object)
        np.testing.assert_array_equal(encode(X, [1])[0], [[1, 1], [2, 0], [3, NAN]])

    def test_nested_list_with_strings(self):
        matrix, _ = encode([[1.5, "b"], [2, "a"]], [1])
        assert matrix.tolist() == [[1.5, 1], [2, 0]]
        assert encode([[1.5, "b"], [2, "a"]])[0].tolist() == [[1.5, 1], [2, 0]]
        with pytest.raises(ValueError, match=r"not numbers: 1 \(text, row 0 has 'b'\)"):
            encode([[1.5, "b"], [2, "a"]], None)

    def test_missing_markers_are_one(self):
        X = np.array([["a"], [None], [NAN], [float("nan")], [pd.NA], [pd.NaT]], dtype=object)
        matrix, _ = encode(X, [0])
        np.testing.assert_array_equal(matrix[:, 0], [0] + [NAN] * 5)

    def test_only_missing_values(self):
        matrix, columns = encode(np.array([[None], [None]], dtype=object), [0], then=np.array([["a"]], dtype=object))
        assert matrix.tolist() == [[1]]
        assert columns.n_categories.tolist() == [1]

    def test_mixed_types_without_an_order_are_refused(self):
        X = np.array([[1], ["a"]], dtype=object)
        with pytest.raises(TypeError, match=r"column 0 mix types.*int \(row 0 has 1\), str \(row 1 has 'a'\)"):
            encode(X, [0])

    def test_mixed_types_in_a_categorical_dtype_are_sorted_by_type(self):
        for listed in (["a", 1], [1, "a"]):
            X = pd.DataFrame({"c": pd.Categorical([1, "a"], categories=listed)})
            assert encode(X)[0][:, 0].tolist() == [0, 1]

    def test_unhashable_values_are_refused(self):
        X = np.empty((2, 1), dtype=object)
        X[:, 0] = [[1], [2]]
        with pytest.raises(TypeError, match="Column 0 holds values that cannot be categories"):
            encode(X, [0])

    def test_any_hashable_value_is_a_category(self):
        X = np.empty((3, 1), dtype=object)
        X[:, 0] = [(2, "b"), (1, "a"), (2, "b")]
        matrix, columns = encode(X, [0])
        assert matrix[:, 0].tolist() == [1, 0, 1]
        assert columns.categories[0].tolist() == [(1, "a"), (2, "b")]

    def test_a_million_categories(self):
        names = np.arange(1_000_000)
        matrix, columns = encode(names[::-1, None].astype(float), [0])
        assert columns.n_categories.tolist() == [1_000_000]
        assert matrix[0, 0] == 999_999
        words = pd.DataFrame({"c": names.astype(str)})
        matrix, columns = encode(words, ["c"])
        assert columns.n_categories.tolist() == [1_000_000]
        assert len(np.unique(matrix)) == 1_000_000


class TestCategoricalFeatures:
    X = np.ones((2, 3))

    @pytest.mark.parametrize(
        ("value", "error", "words"),
        [
            ("auto", ValueError, "from_dtype"),
            (1, TypeError, "categorical_features=1"),
            ([3], ValueError, r"indices \[3\].*0 to 2"),
            ([-1], ValueError, r"indices \[-1\]"),
            (["a"], ValueError, "X has none"),
            ([True], ValueError, "mask of length 1.*3 columns"),
            ([1.0], TypeError, "float"),
            (["a", 1], TypeError, "int, str"),
            ([None], TypeError, "NoneType"),
        ],
    )
    def test_bad_values_are_named(self, value, error, words):
        with pytest.raises(error, match=words):
            encode(self.X, value)

    def test_unknown_names_are_listed(self):
        with pytest.raises(ValueError, match=r"does not have: \['z'\]; X has \['a'\]"):
            encode(pd.DataFrame({"a": [1]}), ["z"])

    def test_empty_list_is_none(self):
        assert encode(self.X, [])[1].n_categories.tolist() == [0, 0, 0]


def test_names_and_counts_are_checked_as_in_scikit_learn():
    X = pd.DataFrame({"a": [1.0], "b": [2.0]})
    with pytest.raises(ValueError, match="feature names should match"):
        encode(X, then=X[["b", "a"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        encode(X, then=X.to_numpy())
    with pytest.raises(ValueError, match="X has 1 features, but Estimator is expecting 2"):
        encode(X.to_numpy(), then=np.ones((1, 1)))


def test_columns_travel_by_pickle():
    X = pd.DataFrame({"c": pd.Categorical(["b", "a"])})
    columns = encode(X)[1]
    again = pickle.loads(pickle.dumps(columns))
    assert again.read(again.put_on(Estimator()), X).tolist() == [[1], [0]]
    assert b"_codes" not in pickle.dumps(columns)


class TestMissing:
    @pytest.mark.parametrize("order", ["C", "F"])
    @pytest.mark.parametrize("frame", [False, True])
    def test_sums_that_overflow_are_not_missing(self, frame, order):
        X = np.zeros((256, 3), dtype=np.float32, order=order)
        X[:128, 0], X[128:, 0] = 3e38, -3e38
        X[:, 1] = 3e38
        X[7, 2] = NAN
        assert encode(pd.DataFrame(X) if frame else X)[1].has_missing.tolist() == [False, False, True]

    def test_rules_do_not_speak_of_missing_values_then(self):
        X = np.repeat(np.array([[3e38], [-3e38]], dtype=np.float32), 128, axis=0)
        tree = rw.TreeClassifier().fit(X, np.arange(256) < 128)
        assert "missing" not in rw.inspection.export_text(tree)

    def test_infinity_is_found_beside_an_overflow(self):
        X = pd.DataFrame({"a": np.full(256, 3e38, dtype=np.float32), "b": np.float32(1)})
        X.loc[5, "b"] = np.inf
        with pytest.raises(ValueError, match=r"Column 'b' of X contains infinity in row 5"):
            encode(X)


class TestWidened:
    X = pd.DataFrame({"town": ["y", "x"], "n": [1.0, 2.0]})

    def test_new_values_get_codes_of_their_own_behind_the_known_ones(self):
        columns = encode(self.X, ["town"])[1]
        then = read_table(Estimator(), pd.DataFrame({"town": ["z", "x", None, "w", "z"], "n": 1.0}), reset=True)
        wider = columns.widened(then)
        np.testing.assert_array_equal(wider.encode(then)[:, 0], [2, 0, NAN, 3, 2])
        np.testing.assert_array_equal(columns.encode(then)[:, 0], [2, 0, NAN, 2, 2])
        assert columns.n_categories.tolist() == [2, 0]
        assert wider.n_categories.tolist() == [4, 0]

    def test_predictions_take_all_of_them_for_unseen(self):
        data = make_planted_rules(800, rare_share=0.2, random_state=0)
        known = data.X["country"].isin(["DE", "FR", "NG", "RO"]).to_numpy()
        train = data.X[known].assign(country=data.X["country"][known].cat.remove_unused_categories())
        for model in (rw.TreeClassifier(), rw.TreeClassifier(nominal="multiway"), rw.HeDExhClassifier(random_state=0)):
            model.fit(train, data.y[known])
            wide = model._columns.widened(table := read_table(model, data.X, reset=False)).encode(table)
            assert np.nanmax(wide[:, 1]) > model._columns.n_categories[1]
            rows = Rows(wide, model._columns)
            np.testing.assert_array_equal(model.predict_proba(rows), model.predict_proba(data.X))


def test_rows_encoded_for_another_model_are_refused():
    one, other = encode(np.ones((300, 2)))[1], encode(np.ones((300, 2)))[1]
    rows = Rows(np.ones((300, 2)), one)
    assert one.read(None, rows) is rows.matrix
    with pytest.raises(ValueError, match="another model"):
        other.read(None, rows)


def test_infinite_cells_are_named():
    with pytest.raises(ValueError, match=r"Column 'b' of X contains infinity in row 1"):
        encode(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, -np.inf]}))
