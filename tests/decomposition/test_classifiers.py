"""Decompositions over any classifier, on any table."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import rarewood as rw
from rarewood import ECOCClassifier, HeDExClassifier, OneVsAllClassifier, TreeClassifier
from support.strategies import make_problem

BOTH = [OneVsAllClassifier, ECOCClassifier]
PROBLEM = make_problem("continuous", n_classes=4, n_rows=160)
X, Y = PROBLEM.X, PROBLEM.y


def mixed_table(n_rows=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["common", "rare", "usual"], p=[0.5, 0.1, 0.4], size=n_rows)
    frame = pd.DataFrame(
        {
            "amount": rng.normal(size=n_rows) + 2 * (y == "rare"),
            "country": pd.Categorical(np.where(y == "usual", rng.choice(["FR", "DE"], n_rows), "DE")),
        }
    )
    frame.loc[::7, "amount"] = np.nan
    frame.loc[::9, "country"] = None
    return frame, y


@pytest.mark.parametrize("decomposition", BOTH)
@pytest.mark.parametrize(
    "estimator",
    [
        None,
        TreeClassifier("gini", class_weight={"rare": 3.0}, max_depth=3),
        HeDExClassifier(5, random_state=0),
        DecisionTreeClassifier(random_state=0),
    ],
    ids=lambda each: type(each).__name__,
)
def test_two_classes_are_exactly_the_estimator(decomposition, estimator):
    table, y = mixed_table()
    table = table[["amount"]]
    two = np.where(y == "rare", "rare", "common")
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=len(two))
    model = decomposition(estimator).fit(table, two, sample_weight=weights)
    alone = clone(estimator or TreeClassifier()).fit(table, two, sample_weight=weights)
    np.testing.assert_array_equal(model.predict_proba(table), alone.predict_proba(table))
    np.testing.assert_array_equal(model.predict(table), alone.predict(table))
    assert model.classes_.tolist() == ["common", "rare"]
    assert len(model.estimators_) == 1


@pytest.mark.several_threads
@pytest.mark.parametrize("decomposition", BOTH)
@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        DecisionTreeClassifier(max_depth=4, random_state=0),
        KNeighborsClassifier(),
        GaussianNB(),
        make_pipeline(StandardScaler(), SVC(probability=True, random_state=0)),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.filterwarnings("ignore:The `probability` parameter was deprecated:FutureWarning")
def test_any_classifier_with_probabilities(decomposition, estimator):
    model = decomposition(estimator).fit(X, Y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert model.score(X, Y) > 0.5
    assert model.n_features_in_ == 3
    threaded = clone(model).set_params(n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(threaded.predict_proba(X), p)


def test_agrees_with_scikit_learns_own():
    ours = OneVsAllClassifier(LogisticRegression()).fit(X, Y)
    theirs = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("decomposition", BOTH)
def test_tables_with_categories_missing_values_and_string_labels(decomposition):
    table, y = mixed_table()
    model = decomposition().fit(table, y)
    assert model.classes_.tolist() == ["common", "rare", "usual"]
    assert model.feature_names_in_.tolist() == ["amount", "country"]
    assert model.score(table, y) > 0.6
    np.testing.assert_array_equal(
        decomposition().fit(pl.from_pandas(table), y).predict_proba(pl.from_pandas(table)), model.predict_proba(table)
    )
    strange = table[:3].assign(country=pd.Categorical(["XX"] * 3))
    assert np.isfinite(model.predict_proba(strange)).all()
    with pytest.raises(ValueError, match="feature names"):
        model.predict_proba(table[["country", "amount"]])


@pytest.mark.parametrize(
    "code", [[[1, 1], [1, 0], [0, 1], [0, 0]], [[1, 1], [1, 0], [0, -1], [-1, 0]]], ids=["all", "some"]
)
@pytest.mark.parametrize("container", [list, pd.DataFrame, pl.DataFrame, sparse.csr_matrix, sparse.coo_matrix])
def test_containers_reach_the_estimator(code, container):
    """Problems that leave classes out take rows of whatever container the table is."""
    table = X.tolist() if container is list else container(X)
    expected = ECOCClassifier(LogisticRegression(), code=code).fit(X, Y).predict_proba(X)
    model = ECOCClassifier(LogisticRegression(), code=code).fit(table, Y)
    np.testing.assert_allclose(model.predict_proba(table), expected, atol=1e-4)


@pytest.mark.parametrize("decomposition", BOTH)
def test_integer_weights_repeat_rows(decomposition):
    weights = np.random.default_rng(0).integers(0, 3, size=len(Y))
    weights[np.unique(Y, return_index=True)[1]] = 1
    weighted = decomposition().fit(X, Y, sample_weight=weights)
    repeated = decomposition().fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.parametrize("decomposition", BOTH)
@pytest.mark.parametrize("estimator", [TreeClassifier(max_depth=2), LogisticRegression()], ids=["ours", "another's"])
def test_class_weights_are_sample_weights(decomposition, estimator):
    names = np.array(["a", "b", "c", "d"])[Y]
    by_class = decomposition(estimator, class_weight={"a": 5.0, "c": 0.5}).fit(X, names)
    by_row = decomposition(estimator).fit(X, names, np.choose(Y, [5.0, 1.0, 0.5, 1.0]))
    np.testing.assert_array_equal(by_class.predict_proba(X), by_row.predict_proba(X))
    balanced = decomposition(estimator, class_weight="balanced").fit(X, names)
    sizes = np.bincount(Y)
    by_row = decomposition(estimator).fit(X, names, (len(Y) / (4 * sizes))[Y])
    np.testing.assert_allclose(balanced.predict_proba(X), by_row.predict_proba(X), rtol=1e-6)


def test_weights_for_a_classifier_that_takes_none():
    model = OneVsAllClassifier(KNeighborsClassifier())
    for fit in (
        lambda: model.fit(X, Y, np.full(len(Y), 2.0)),
        lambda: clone(model).set_params(class_weight={0: 2}).fit(X, Y),
    ):
        with pytest.raises(TypeError, match=r"KNeighborsClassifier\.fit takes no sample_weight"):
            fit()
    assert model.fit(X, Y, np.ones(len(Y))).score(X, Y) > 0.5


def test_weights_reach_the_steps_of_a_pipeline_that_ask_for_them():
    weights = np.random.default_rng(0).uniform(0.5, 3.0, size=len(Y))
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    with pytest.raises(TypeError, match="enable metadata routing"):
        OneVsAllClassifier(pipeline).fit(X, Y, weights)
    with config_context(enable_metadata_routing=True):
        pipeline[0].set_fit_request(sample_weight=False)
        pipeline[1].set_fit_request(sample_weight=True)
        routed = OneVsAllClassifier(pipeline).fit(X, Y, weights)
    scaled = StandardScaler().fit_transform(X)
    direct = OneVsAllClassifier(LogisticRegression()).fit(scaled, Y, weights)
    np.testing.assert_allclose(routed.predict_proba(X), direct.predict_proba(scaled), rtol=1e-9)


@pytest.mark.parametrize("estimator", [None, LogisticRegression()], ids=["ours", "another's"])
def test_a_class_without_weight(estimator):
    weights = np.where(Y == 2, 0.0, 1.0)
    model = OneVsAllClassifier(estimator).fit(X, Y, sample_weight=weights)
    p = model.predict_proba(X)
    assert p.shape == (len(Y), 4)
    assert (p.argmax(axis=1) != 2).all()
    assert p[:, 2].mean() < 0.03
    ecoc = ECOCClassifier(estimator, code=[[1, 1, 1], [1, 0, 1], [0, 0, 1], [1, 0, 0]]).fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(ecoc.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("decomposition", BOTH)
def test_a_class_missing_from_a_fold(decomposition):
    fold = Y != 3
    model = decomposition().fit(X[fold], Y[fold])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(X).shape == (len(X), 3)


@pytest.mark.parametrize("decomposition", BOTH)
def test_nested_parameters_in_grids_and_pipelines(decomposition):
    table, y = mixed_table()
    search = GridSearchCV(
        decomposition(TreeClassifier()),
        {"estimator__criterion": ["hellinger", "c45"], "estimator__min_samples_leaf": [1, 8]},
        cv=3,
    ).fit(table, y)
    assert set(search.best_params_) == {"estimator__criterion", "estimator__min_samples_leaf"}
    columns = make_column_transformer((OneHotEncoder(), ["country"]), remainder="passthrough")
    assert make_pipeline(columns, decomposition()).fit(table, y).score(table, y) > 0.6


@pytest.mark.parametrize("decomposition", BOTH)
@pytest.mark.parametrize("travel", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_fitted_models_travel_light(decomposition, travel):
    table, y = mixed_table(600)
    model = decomposition().fit(table, y)
    again = travel(model)
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    single = len(pickle.dumps(TreeClassifier().fit(table, y == "rare")))
    assert len(pickle.dumps(model)) < 3 * len(model.estimators_) * single


def test_one_row_is_as_its_place_among_many():
    model = ECOCClassifier().fit(X, Y)
    p = model.predict_proba(X)
    for row in range(0, len(X), 20):
        np.testing.assert_array_equal(model.predict_proba(X[row : row + 1]), p[row : row + 1])


@pytest.mark.parametrize("estimator", [TreeClassifier(), GaussianNB()], ids=["ours", "another's"])
def test_progress_is_shown(estimator, capsys):
    OneVsAllClassifier(estimator, verbose=1).fit(X, Y)
    assert "4" in capsys.readouterr().err


def test_repr_and_parameters():
    assert repr(OneVsAllClassifier()) == "OneVsAllClassifier()"
    model = ECOCClassifier(TreeClassifier(max_depth=3), code="dense")
    assert repr(model) == "ECOCClassifier(code='dense', estimator=TreeClassifier(max_depth=3))"
    assert model.get_params()["estimator__max_depth"] == 3


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = OneVsAllClassifier().fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X, Y[:-1])
    np.testing.assert_array_equal(model.predict_proba(X), before)


@pytest.mark.parametrize(
    ("model", "y", "error", "words"),
    [
        (OneVsAllClassifier(), np.zeros(160), ValueError, r"at least two classes, y has one class: \[0\.0\]"),
        (ECOCClassifier(), ["a"] * 160, ValueError, r"ECOCClassifier needs at least two classes, .* \['a'\]"),
        (OneVsAllClassifier(5), Y, TypeError, "estimator=5 is not accepted; give a classifier with predict_proba"),
        (OneVsAllClassifier(TreeClassifier), Y, TypeError, "is not accepted"),
        (ECOCClassifier(RidgeClassifier()), Y, TypeError, "no predict_proba.*CalibratedClassifierCV"),
        (OneVsAllClassifier(normalize="max"), Y, ValueError, "normalize='max' is not accepted; give 'sum' or 'weka'"),
        (OneVsAllClassifier(n_jobs=0), Y, ValueError, "n_jobs=0 is not accepted"),
        (OneVsAllClassifier(class_weight={9: 2}), Y, ValueError, "class_weight names the class 9"),
    ],
)
def test_bad_arguments(model, y, error, words):
    with pytest.raises(error, match=words):
        model.fit(X, y)


@pytest.mark.several_threads
@pytest.mark.parametrize(
    ("name", "criterion", "decomposition"),
    [
        ("ova-hddt", "hellinger", OneVsAllClassifier),
        ("ova-c4.4", "c45", OneVsAllClassifier),
        ("ecoc-hddt", "hellinger", ECOCClassifier),
        ("ecoc-c4.4", "c45", ECOCClassifier),
    ],
)
def test_recipes(name, criterion, decomposition):
    model = rw.make(name, min_samples_leaf=2, n_jobs=2)
    assert type(model) is decomposition
    assert model.estimator.get_params() == rw.make(name.split("-")[1], min_samples_leaf=2).get_params()
    assert (model.estimator.criterion, model.n_jobs) == (criterion, 2)
    assert rw.make(name, random_state=4).estimator.random_state == 4
    assert rw.make(name, class_weight={"a": 2}).class_weight == {"a": 2}
