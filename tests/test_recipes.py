"""Methods by name: all there, set as their papers say, and fit for a table as users have it."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier
from sklearn.metrics import roc_auc_score

import rarewood as rw
from rarewood.criteria import AlphaDivergence

# The methods of the papers that are trees or forests.
TREES = ["c4.4", "c4.5", "gini", "entropy", "gain-ratio", "dcsm", "hddt", "ccpdt", "ihd", "ihdw", "alpha-tree"]
ENSEMBLES = [
    "beat",
    "hedex",
    "hedexh",
    "extra-trees",
    "bagged-hddt",
    "bagged-c4.5",
    "bagged-lr",
    "brf",
    "biased-ranking",
]
DECOMPOSITIONS = ["ova-hddt", "ova-c4.4", "ecoc-hddt", "ecoc-c4.4"]
# What a recipe sets apart from the defaults of `TreeClassifier` and of the forests.
C45 = {"criterion": "c45", "nominal": "multiway"}
SETTINGS = {
    "c4.4": C45 | {"pruning": None, "smoothing": 1.0},
    "c4.5": C45 | {"pruning": "pessimistic", "confidence": 0.25, "smoothing": 0.0},
    "gini": {"criterion": "gini", "pruning": None, "smoothing": 1.0},
    "entropy": {"criterion": "entropy", "pruning": None, "smoothing": 1.0},
    "gain-ratio": {"criterion": "gain_ratio", "pruning": None, "smoothing": 1.0},
    "dcsm": {"criterion": "dcsm", "pruning": None, "smoothing": 1.0},
    "hddt": {"criterion": "hellinger", "pruning": None, "smoothing": 1.0, "nominal": "multiway"},
    "ccpdt": {"criterion": "ccp_entropy", "pruning": None, "smoothing": 1.0},
    "ihd": {"criterion": "ihd", "pruning": None, "smoothing": 1.0},
    "ihdw": {"criterion": "ihdw", "pruning": None, "smoothing": 1.0},
    "alpha-tree": {"criterion": AlphaDivergence(0.5, "marginal"), "smoothing": 0.0, "nominal": "one_vs_rest"},
    "beat": {"n_estimators": 30, "a": 1.0, "b": 1.0, "reference": "marginal", "smoothing": 0.0, "max_features": None},
    "hedex": {"n_estimators": 100, "n_cuts": 10, "max_features": "sqrt", "min_samples_split": 2, "smoothing": 1.0},
    "hedexh": {"n_estimators": 100, "n_cuts": 10, "max_features": "sqrt", "min_samples_split": 2, "smoothing": 1.0},
    "extra-trees": {
        "criterion": "gini",
        "splitter": "random",
        "n_cuts": 1,
        "sampling": "all",
        "max_features": "sqrt",
        "smoothing": 1.0,
    },
    "bagged-hddt": {"n_estimators": 100, "criterion": "hellinger", "sampling": "bootstrap", "max_features": None},
    "bagged-c4.5": C45
    | {"n_estimators": 100, "sampling": "bootstrap", "max_features": None, "pruning": "pessimistic", "smoothing": 1.0},
    "brf": {"n_estimators": 100, "criterion": "gini", "max_features": "sqrt"},
    "biased-ranking": C45
    | {"n_iterations": 5, "n_estimators": 50, "ratio": 5.0, "threshold": 0.5, "clean": True, "pruning": None},
}


@pytest.fixture(scope="module")
def table():
    """Numbers, categories, whole numbers, truth values; missing values everywhere; one row in ten is rare."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(400) < 0.1, "rare", "common")
    rare = y == "rare"
    frame = pd.DataFrame(
        {
            "amount": rng.lognormal(size=400) + 2.0 * rare,
            "country": pd.Categorical(np.where(rare & (rng.random(400) < 0.7), "RO", rng.choice(["DE", "FR"], 400))),
            "visits": rng.poisson(3, 400),
            "known": rng.random(400) < 0.5,
        }
    )
    frame.loc[rng.random(400) < 0.1, "amount"] = np.nan
    frame.loc[rng.random(400) < 0.1, "country"] = None
    return frame, y


def small(name, **params):
    """The recipe with few trees."""
    params["random_state"] = 0
    if "n_estimators" in rw.recipes()[name].parameters:
        params["n_estimators"] = 10
    return rw.make(name, **params)


def test_every_tree_and_forest_of_the_papers_has_a_recipe():
    assert set(TREES + ENSEMBLES + DECOMPOSITIONS) <= set(rw.recipes())


@pytest.mark.parametrize("name", SETTINGS)
def test_settings(name):
    params = rw.make(name).get_params()
    assert {key: params[key] for key in SETTINGS[name]} == SETTINGS[name]


def test_settings_of_bagged_regression():
    bagging = rw.make("bagged-lr").steps[-1][1]
    assert (bagging.n_estimators, bagging.bootstrap, bagging.max_features) == (100, True, 1.0)
    assert type(bagging.estimator).__name__ == "LogisticRegression"


@pytest.mark.parametrize("name", rw.recipes())
class TestEveryRecipe:
    def test_is_described(self, name):
        recipe = rw.recipes()[name]
        assert recipe.name == name
        for text in (recipe.description, recipe.reference):
            assert text
            assert "\n" not in text

    def test_gives_a_classifier_each_time_anew(self, name):
        first, second = rw.make(name), rw.make(name)
        assert is_classifier(first)
        assert first is not second
        assert str(first) == str(second)

    def test_takes_every_parameter_it_lists(self, name):
        default = rw.make(name)
        for parameter in rw.recipes()[name].parameters:
            given = default.get_params().get(parameter, {"alpha": 0.7, "reference": "uniform"}.get(parameter))
            if given is not None:
                rw.make(name, **{parameter: given})

    def test_fits_and_predicts_a_mixed_table_with_missing_values(self, name, table):
        X, y = table
        model = small(name).fit(X[:300], y[:300])
        p = model.predict_proba(X[300:])
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        assert list(model.classes_) == ["common", "rare"]
        assert set(model.predict(X[300:])) <= {"common", "rare"}
        assert roc_auc_score(y[300:] == "rare", p[:, 1]) > 0.7

    def test_takes_categories_never_seen(self, name, table):
        X, y = table
        model = small(name).fit(X, y)
        strange = X[:5].assign(country=pd.Categorical(["XX"] * 5))
        assert np.isfinite(model.predict_proba(strange)).all()

    def test_takes_arrays_with_nominal_columns_named(self, name, table):
        X, y = table
        codes = X.assign(country=X["country"].cat.codes.replace(-1, np.nan)).to_numpy(dtype=float)
        nominal = [X.columns.get_loc(column) for column in ("country", "known")]  # words and truth values
        by_array = small(name, categorical_features=nominal).fit(codes, y)
        np.testing.assert_allclose(by_array.predict_proba(codes), small(name).fit(X, y).predict_proba(X), atol=1e-6)

    def test_takes_polars_frames(self, name, table):
        X, y = table
        frame = pl.from_pandas(X)
        by_pandas, by_polars = small(name).fit(X, y), small(name).fit(frame, y)
        np.testing.assert_allclose(by_polars.predict_proba(frame), by_pandas.predict_proba(X), atol=1e-6)

    def test_travels(self, name, table):
        X, y = table
        model = small(name).fit(X, y)
        np.testing.assert_array_equal(
            pickle.loads(pickle.dumps(model)).predict_proba(X), clone(model).fit(X, y).predict_proba(X)
        )

    def test_three_classes(self, name, table):
        X, y = table
        three = np.where((y == "common") & X["known"], "frequent", y)
        if name == "rule-set":
            with pytest.raises(ValueError, match=r"Only binary classification .* OneVsAllClassifier"):
                small(name).fit(X, three)
            return
        p = small(name).fit(X, three).predict_proba(X)
        assert p.shape == (400, 3)


def test_parameters_replace_settings():
    assert (
        rw.make("extra-trees", smoothing=0.0, n_estimators=7).get_params()
        == rw.ForestClassifier(
            7, criterion="gini", splitter="random", n_cuts=1, sampling="all", smoothing=0.0
        ).get_params()
    )


def test_parameters_of_the_criterion():
    assert rw.make("alpha-tree", alpha=1.5, reference="uniform").criterion == AlphaDivergence(1.5, "uniform")
    assert rw.make("alpha-tree").criterion == AlphaDivergence()
    with pytest.raises(ValueError, match=r"alpha must be in \(0, 2\]"):
        rw.make("alpha-tree", alpha=3)


def test_alpha_tree_of_one_half_is_the_ihd_tree(table):
    X, y = table
    same = rw.make("ihd", smoothing=0.0, nominal="one_vs_rest").fit(X, y)
    np.testing.assert_array_equal(rw.make("alpha-tree").fit(X, y).predict_proba(X), same.predict_proba(X))


@pytest.mark.parametrize(("given", "meant"), [("HDDT", "hddt"), ("bagged_hddt", "bagged-hddt"), ("c45", "c4.5")])
def test_unknown_name(given, meant):
    with pytest.raises(ValueError, match=f"unknown recipe '.*', did you mean '{meant}'") as caught:
        rw.make(given)
    for name in rw.recipes():
        assert name in str(caught.value)


def test_unknown_name_unlike_any():
    with pytest.raises(ValueError, match=r"unknown recipe 'perceptron'\. Choose from c4\.4"):
        rw.make("perceptron")


@pytest.mark.parametrize(("name", "wrong"), [("hddt", "n_estimators"), ("alpha-tree", "criterion"), ("bagged-lr", "c")])
def test_unknown_parameter(name, wrong):
    with pytest.raises(TypeError, match=f"recipe '{name}' has no parameter '{wrong}'") as caught:
        rw.make(name, **{wrong: 1})
    for accepted in rw.recipes()[name].parameters:
        assert accepted in str(caught.value)


def test_recipes_is_a_mapping():
    recipes = rw.recipes()
    assert "hddt" in recipes
    assert "perceptron" not in recipes
    assert recipes.get("perceptron") is None
    assert len(recipes) == len(list(recipes)) == len(repr(recipes).splitlines())
    with pytest.raises(KeyError):
        recipes["perceptron"]
    with pytest.raises(TypeError):
        recipes["hddt"].settings["nominal"] = "subset"


def test_a_bag_without_the_rare_class_is_no_error():
    """Two rare rows of a hundred: about one bootstrap in seven has none."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), np.arange(100) < 2
    model = rw.make("bagged-lr", n_estimators=30, random_state=0).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
