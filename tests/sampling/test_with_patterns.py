""" "+patterns" behind the name of a recipe."""

import numpy as np
import pandas as pd
import pytest
from imblearn.pipeline import Pipeline
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import rarewood as rw
from rarewood.datasets import make_planted_rules

METHODS = ["bagged-lr", "bagged-c4.5", "extra-trees", "bagged-hddt", "hedex", "hedexh", "hddt", "c4.5"]


@pytest.fixture(scope="module")
def payments():
    return make_planted_rules(800, random_state=0)


def small(name, **params):
    trees = {"n_estimators": 5} if "n_estimators" in rw.recipes()[name.removesuffix("+patterns")].parameters else {}
    return rw.make(name, **{"random_state": 0, "patterns__n_estimators": 5, **trees, **params})


@pytest.mark.parametrize("method", METHODS)
def test_oversampling_comes_before_the_method(method, payments):
    model = small(f"{method}+patterns").fit(payments.X, payments.y)
    X, y = rw.PatternOversampler(n_estimators=5, random_state=0).fit_resample(payments.X, payments.y)
    by_hand = clone(model.named_steps["model"]).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(payments.X), by_hand.predict_proba(payments.X))
    assert model.predict(payments.X).mean() >= payments.y.mean() / 2


@pytest.mark.several_threads
def test_parameters_go_where_they_belong():
    model = rw.make(
        "bagged-hddt+patterns",
        n_estimators=7,
        n_jobs=2,
        random_state=3,
        categorical_features=[1],
        patterns__n_jobs=1,
        patterns__validate=False,
    )
    patterns, forest = model.named_steps["patterns"], model.named_steps["model"]
    assert isinstance(model, Pipeline)
    assert (forest.n_estimators, forest.n_jobs, forest.random_state, forest.categorical_features) == (7, 2, 3, [1])
    assert (patterns.n_estimators, patterns.n_jobs, patterns.random_state) == (100, 1, 3)
    assert (patterns.categorical_features, patterns.validate) == ([1], False)
    assert patterns.sampling_strategy == "minority"
    assert (
        rw.make("hddt+patterns", patterns__sampling_strategy="auto").named_steps["patterns"].sampling_strategy == "auto"
    )
    assert (
        rw.make("hddt+patterns", n_jobs=2).named_steps["patterns"].n_jobs == 2
    )  # a tree has no threads, patterns have
    assert rw.make("alpha-tree+patterns", alpha=1.5).named_steps["model"].criterion.alpha == 1.5


def test_arrays_with_nominal_columns_named(payments):
    codes = payments.X.assign(
        **{name: payments.X[name].cat.codes.replace(-1, np.nan) for name in payments.X.select_dtypes("category")}
    ).to_numpy(dtype=float)
    nominal = [j for j, dtype in enumerate(payments.X.dtypes) if isinstance(dtype, pd.CategoricalDtype)]
    model = small("hedex+patterns", categorical_features=nominal).fit(codes, payments.y)
    assert model.predict_proba(codes).shape == (800, 2)


def test_inside_other_tools(payments):
    X, y = payments.X, payments.y
    model = small("hedex+patterns")
    assert cross_val_score(model, X, y, cv=3, scoring="roc_auc").mean() > 0.7
    search = GridSearchCV(model, {"patterns__validate": [True, False]}, cv=2).fit(X, y)
    assert search.best_params_.keys() == {"patterns__validate"}


def test_unknown_names():
    with pytest.raises(
        ValueError, match=r"unknown recipe 'hdt\+patterns', did you mean 'hddt'\?.*each may end in '\+patterns'"
    ):
        rw.make("hdt+patterns")
    with pytest.raises(TypeError, match=r"recipe 'hddt\+patterns' has no parameter 'depth'.*patterns__validate"):
        rw.make("hddt+patterns", depth=3)
    with pytest.raises(TypeError, match="'patterns__depth'"):
        rw.make("hddt+patterns", patterns__depth=3)
