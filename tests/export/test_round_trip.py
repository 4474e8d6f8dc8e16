"""What is saved comes back: predictions bit for bit, parameters, names, threshold."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import rarewood as rw
from rarewood.criteria import AlphaDivergence, Criterion
from rarewood.datasets import make_planted_rules
from rarewood.ensemble import fit_threshold
from rarewood.exceptions import ModelFileError
from rarewood.export import describe, from_bytes, to_bytes
from rarewood.inspection import extract_patterns
from support.forests import assert_same_state

FOREIGN = {"bagged-lr"}  # a method of scikit-learn


@pytest.fixture(scope="module")
def payments():
    """Numbers, categories and missing values; two classes, and the same with three."""
    data = make_planted_rules(300, random_state=0)
    kinds = np.where(np.arange(300) % 3 == 0, "small", "large")
    return data.X, data.y, np.where(data.y == 1, "fraud", kinds)


def small(name):
    """A recipe with few trees, seeded."""
    model = rw.make(name)
    for parameter in model.get_params():
        if parameter.endswith("n_estimators"):
            model.set_params(**{parameter: 3})
        if parameter.endswith("random_state"):
            model.set_params(**{parameter: 0})
    return model


def quietly_fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.exceptions.RarewoodWarning)  # few trees find few patterns
        return model.fit(X, y)


OURS = [name for name in rw.recipes() if name not in FOREIGN]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", [*OURS, "hedex+patterns", "ova-hddt+patterns", "biased-ranking+patterns"])
def test_every_recipe_comes_back(name, n_classes, payments):
    if name == "rule-set" and n_classes > 2:
        pytest.skip("does not apply: two classes only")
    X, *labels = payments
    model = quietly_fit(small(name), X, labels[n_classes - 2])
    again = from_bytes(to_bytes(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert repr(again) == repr(model)
    assert type(again) is type(model)


@pytest.mark.parametrize("name", sorted(FOREIGN))
def test_every_other_recipe_is_refused(name, payments):
    X, y, _ = payments
    with pytest.raises(ModelFileError, match=r"step 'columntransformer' is sklearn\.compose.*ColumnTransformer"):
        to_bytes(small(name).fit(X, y))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, -7], dtype=np.int8),
        np.array([0, 2**40]),
        np.array([-1.0, 1.0], dtype=np.float32),
        np.array([False, True]),
        np.array(["ok", "fault"]),
        np.array(["", "naïve 欺诈 \ud800"], dtype=object),
    ],
    ids=lambda labels: f"{labels.dtype}-{labels[0]!r}",
)
def test_labels_keep_their_type(labels):
    X = np.arange(20.0).reshape(-1, 1)
    model = rw.TreeClassifier().fit(X, labels[(np.arange(20) > 12).astype(int)])
    again = from_bytes(to_bytes(model))
    assert again.classes_.dtype == model.classes_.dtype
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert list(map(type, again.classes_.tolist())) == list(map(type, model.classes_.tolist()))


@pytest.mark.parametrize(
    "levels",
    [["a", "b", "ü"], [1, 2, 3], [1.5, 2.5, 9.0], [False, True], [2.5, 1, "1"]],
    ids=["text", "integers", "floats", "truth", "mixed"],
)
@pytest.mark.parametrize("model", [rw.TreeClassifier(), rw.HeDExhClassifier(5, random_state=0)])
def test_categories_keep_their_type(levels, model):
    rng = np.random.default_rng(0)
    codes = rng.integers(len(levels), size=60)
    table = pd.DataFrame({"kind": pd.Categorical.from_codes(codes, levels), "x": rng.normal(size=60)})
    model.fit(table, codes == 0)
    again = from_bytes(to_bytes(model))
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    assert [None if each is None else each.tolist() for each in again.categories_] == [list(levels), None]
    assert again.feature_names_in_.tolist() == ["kind", "x"]
    unseen = table.astype({"kind": object}).assign(kind="never seen").astype({"kind": "category"})
    np.testing.assert_array_equal(again.predict_proba(unseen), model.predict_proba(unseen))


def test_polars_enums():
    table = pl.DataFrame({"kind": pl.Series(["a", "b", "c"] * 9, dtype=pl.Enum(["c", "b", "a"]))})
    model = rw.TreeClassifier().fit(table, [0, 1, 0] * 9)
    again = from_bytes(to_bytes(model))
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))


def test_parameters_come_back_as_they_were():
    parameters = {
        "criterion": AlphaDivergence(alpha=0.8, reference="uniform"),
        "max_features": 0.5,
        "class_weight": {"a": 2.0, "b": np.float64(0.5)},
        "categorical_features": np.array([True, False]),
        "max_depth": np.int64(4),
    }
    X = np.array([[0.0, 1.0], [1.0, 2.0], [0.0, 3.0], [1.0, 4.0]])
    again = from_bytes(to_bytes(rw.TreeClassifier(**parameters).fit(X, list("abab"))))
    restored = again.get_params()
    np.testing.assert_array_equal(restored.pop("categorical_features"), parameters.pop("categorical_features"))
    assert {name: restored[name] for name in parameters} == parameters


def test_nothing_but_single_rows_is_forgotten(payments):
    X, y, _ = payments
    model = rw.ForestClassifier(20, oob_score=True, random_state=0).fit(X, y)
    again = from_bytes(to_bytes(model))
    assert again.oob_score_ == model.oob_score_
    assert set(vars(model)) - set(vars(again)) == {
        "oob_decision_function_",
        "_sharpening",
    }  # the latter is about the former
    assert_same_state(again.forest_, model.forest_)
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)


def test_a_loaded_forest_grows_on(payments):
    X, y, _ = payments
    for forest in (rw.ForestClassifier, rw.BEATClassifier):
        model = forest(5, warm_start=True, random_state=0).fit(X, y)
        again = from_bytes(to_bytes(model))
        for grown in (model, again):
            grown.set_params(n_estimators=8).fit(X, y)
        assert_same_state(again.forest_, model.forest_)


def test_a_loaded_model_can_be_inspected(payments):
    X, y, _ = payments
    model = rw.HeDExClassifier(5, random_state=0).fit(X, y)
    again = from_bytes(to_bytes(model))
    assert extract_patterns(again, X, y).text(None) == extract_patterns(model, X, y).text(None)
    assert rw.inspection.export_text(again.estimators_[2]) == rw.inspection.export_text(model.estimators_[2])


def test_problems_share_one_table(payments):
    X, _, y = payments
    model = rw.OneVsAllClassifier(rw.HeDExClassifier(3, random_state=0)).fit(X, y)
    again = from_bytes(to_bytes(model))
    assert len({id(each._columns) for each in again.estimators_}) == 1
    np.testing.assert_array_equal(again.code_book_, model.code_book_)
    assert again.feature_names_in_.tolist() == model.feature_names_in_.tolist()


def test_problems_of_other_kinds(payments):
    X, _, y = payments
    for inside in (rw.make("hedex+patterns", random_state=0), rw.BiasedRankingClassifier(random_state=0)):
        inside.set_params(**{name: 3 for name in inside.get_params() if name.endswith("n_estimators")})
        model = quietly_fit(rw.OneVsAllClassifier(inside), X, y)
        again = from_bytes(to_bytes(model))
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert repr(again) == repr(model)


def test_a_problem_with_one_side_only():
    X, y = np.arange(30.0).reshape(-1, 1), np.repeat([0, 1, 2], 10)
    model = rw.OneVsAllClassifier(rw.BiasedRankingClassifier(n_estimators=3, random_state=0))
    model.fit(X, y, sample_weight=(y != 2).astype(float))
    again = from_bytes(to_bytes(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_pipeline_can_be_fitted_again(payments):
    X, y, _ = payments
    model = quietly_fit(small("hedex+patterns"), X, y)
    again = from_bytes(to_bytes(model))
    assert again.n_features_in_ == X.shape[1]
    assert again.named_steps["patterns"].sampling_strategy_ == model.named_steps["patterns"].sampling_strategy_
    np.testing.assert_array_equal(quietly_fit(again, X, y).predict_proba(X), model.predict_proba(X))


def test_a_pipeline_of_scikit_learn():
    X = np.arange(20.0).reshape(-1, 1)
    model = make_pipeline(rw.TreeClassifier()).fit(X, X[:, 0] > 12)
    again = from_bytes(to_bytes(model))
    assert type(again) is Pipeline
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("name", ["brf", "hedex", "hedex+patterns", "ova-hddt"])
def test_thresholds_come_along(name, payments, tmp_path):
    X, _, y = payments
    model = quietly_fit(small(name), X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.exceptions.RarewoodWarning)
        threshold = fit_threshold(model, X, y, rule="cost", costs=(1, 20), positive="fraud", cv=2)
    rw.save(model, tmp_path / "model.rarewood")
    assert rw.load(tmp_path / "model.rarewood").decision_threshold_ == threshold


def test_metadata_and_provenance(tmp_path):
    path = tmp_path / "tree.rarewood"
    metadata = {"target": "fraud", "columns": ["a", "b"], "nested": {"x": [1, None, 2.5, True]}}
    rw.save(rw.TreeClassifier().fit([[0], [1]], [0, 1]), str(path), metadata=metadata)
    told = describe(path)
    assert (told.model, told.metadata, told.format_version) == ("TreeClassifier", metadata, 1)
    assert {"rarewood", "numpy", "scikit-learn", "python", "platform", "saved"} <= told.provenance.keys()
    for wrong in ({"x": np.zeros(2)}, {"x": float("nan")}, {1: 2}, [1]):
        with pytest.raises(TypeError, match="metadata must be a dictionary of what JSON can express"):
            to_bytes(rw.load(path), metadata=wrong)


# ---------------------------------------------------------------------------------------------------------
# what a file cannot hold


class OwnCriterion(Criterion):
    name = "own"

    def _spec(self):
        return rw.criteria.get("gini")._spec()


class OwnTree(rw.TreeClassifier):
    pass


def gini_by_hand(left, right):
    return -(left.min(axis=1) + right.min(axis=1))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (rw.TreeClassifier(gini_by_hand), r"criterion of the model is the Python function 'gini_by_hand'.*set_params"),
        (rw.TreeClassifier(partial(gini_by_hand)), "criterion of the model is the Python function 'partial'"),
        (rw.TreeClassifier(OwnCriterion()), "criterion of the model is .*OwnCriterion"),
        (rw.TreeClassifier(random_state=np.random.RandomState(0)), "random_state of the model is a random generator"),
        (OwnTree(), "the model is .*OwnTree"),
        (RandomForestClassifier(3), r"the model is sklearn\.ensemble.*RandomForestClassifier.*Pickle"),
        (make_pipeline(StandardScaler(), rw.TreeClassifier()), "step 'standardscaler' is sklearn"),
        (
            rw.OneVsAllClassifier(LogisticRegression()),
            "estimator of the model is sklearn.linear_model.*LogisticRegression",
        ),
    ],
)
def test_refused_models(model, message):
    X, y = np.arange(30.0).reshape(-1, 1), np.repeat([0, 1, 2], 10)
    with pytest.raises(ModelFileError, match=message):
        to_bytes(model.fit(X, y))


def test_refused_categories_are_named():
    table = pd.DataFrame({"age": pd.Categorical([frozenset([row % 4]) for row in range(20)])})
    with pytest.warns(rw.exceptions.RarewoodWarning, match=r"'age' has the category frozenset.*cannot be saved"):
        model = rw.TreeClassifier().fit(table, np.arange(20) > 12)
    with pytest.raises(ModelFileError, match=r"column 'age' of the model has the value frozenset.*astype\(str\)"):
        to_bytes(model)


def test_refused_samplers_and_unfitted_models():
    with pytest.raises(ModelFileError, match="the model is a sampler, PatternOversampler"):
        to_bytes(rw.PatternOversampler())
    with pytest.raises(ValueError, match="not fitted"):
        to_bytes(rw.HeDExClassifier())


def test_refused_thresholds():
    model = rw.TreeClassifier().fit([[0], [1]], [0, 1])
    model.decision_threshold_ = 0.3
    with pytest.raises(ModelFileError, match="decision_threshold_ is float"):
        to_bytes(model)


# ---------------------------------------------------------------------------------------------------------
# the file on disk


def test_a_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "model.rarewood"
    model = rw.TreeClassifier().fit([[0], [1]], [0, 1])
    rw.save(model, path)
    before = path.read_bytes()

    def full(_):
        raise OSError("no space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        rw.save(model, path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["model.rarewood"]


def test_a_missing_file_is_an_ordinary_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        rw.load(tmp_path / "nowhere")
