"""Every public estimator keeps scikit-learn's contract and works inside other people's tools."""

import copy
import inspect
import io
import pickle

import joblib
import numpy as np
import pytest
from imblearn.base import is_sampler
from imblearn.pipeline import make_pipeline
from imblearn.under_sampling import RandomUnderSampler
from imblearn.utils.estimator_checks import estimator_checks_generator as sampler_checks_generator
from sklearn import config_context
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

import rarewood

# Checks of scikit-learn that an estimator cannot pass, with the reason.
PURE_LEAVES = (
    "class weights scale the counts of a leaf, so they cannot change the decision of the pure leaves of a fully grown "
    "tree; scikit-learn's own trees pass because the check limits their leaves by weight, a parameter we do not have"
)
DRAWS = (
    "every tree draws rows and weights multiply the draws: a row of weight 2 is drawn as often as a row of weight 1, not as "
    "often as two rows, and bags are counted in rows; scikit-learn expects the same of its own bagged forests"
)
ROWS_AND_WEIGHTS = {f"check_sample_weight_equivalence_on_{kind}_data": DRAWS for kind in ("dense", "sparse")}
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "TreeClassifier": {"check_class_weight_classifiers": PURE_LEAVES},
    "OneVsAllClassifier": {"check_class_weight_classifiers": PURE_LEAVES},
    "ECOCClassifier": {"check_class_weight_classifiers": PURE_LEAVES},
    "ForestClassifier": ROWS_AND_WEIGHTS,
    "BEATClassifier": {
        "check_class_weight_classifiers": PURE_LEAVES,
        **ROWS_AND_WEIGHTS,
    },
    "BalancedForestClassifier": {
        "check_class_weight_classifiers": PURE_LEAVES,
        **ROWS_AND_WEIGHTS,
    },
    "BiasedForestCleaner": {
        "check_samplers_fit_resample": (
            "expects of a cleaning method that every class but the smallest loses rows; a class without dangerous rows keeps all"
        )
    },
    "PatternOversampler": {
        "check_samplers_fit_resample": (
            "expects equally large classes; by default, rows that a tree can tell from the original ones are not replaced"
        )
    },
    "RareClassifier": ROWS_AND_WEIGHTS,
    "BiasedRankingClassifier": ROWS_AND_WEIGHTS,
}


def public_estimators():
    public = [getattr(rarewood, name) for name in rarewood.__all__]
    return [item() for item in public if inspect.isclass(item) and issubclass(item, BaseEstimator)]


def expected_failures(estimator):
    return EXPECTED_FAILURES.get(type(estimator).__name__, {})


# Checks of estimators that know categories round their tables of 20 rows, and leave a class with one row.
@pytest.mark.filterwarnings("ignore:class 3 has 0 out-of-bag rows:rarewood.exceptions.RarewoodWarning")
@pytest.mark.filterwarnings("ignore:y has a single class:rarewood.exceptions.RarewoodWarning")
@parametrize_with_checks(public_estimators(), expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def sampler_checks():
    """imbalanced-learn's checks; with a seed, because some of them compare two runs."""
    for sampler in [item.set_params(random_state=0) for item in public_estimators() if is_sampler(item)]:
        yield from sampler_checks_generator(sampler, expected_failed_checks=expected_failures(sampler), mark="xfail")
    yield from sampler_checks_generator(rarewood.PatternOversampler(until_balanced=True, random_state=0))


# The check of missing values has labels at random and one column of two values: no leaf is mostly of the smaller class.
@pytest.mark.filterwarnings("ignore:Class 0 has no patterns:rarewood.exceptions.RarewoodWarning")
@pytest.mark.parametrize(
    ("sampler", "check"), list(sampler_checks()), ids=lambda item: getattr(item, "func", type(item)).__name__
)
def test_imbalanced_learn_checks(sampler, check):
    check(sampler)


@pytest.fixture(scope="module")
def problem():
    return make_classification(n_samples=300, weights=[0.85], n_informative=4, random_state=0)


@pytest.fixture(
    params=[item for item in public_estimators() if is_classifier(item)], ids=lambda item: type(item).__name__
)
def classifier(request):
    model = clone(request.param)
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


def test_scores_are_not_declared_poor(classifier):
    assert not classifier.__sklearn_tags__().classifier_tags.poor_score


def test_clone_keeps_parameters_only(classifier, problem):
    copy_ = clone(classifier.fit(*problem))
    assert copy_.get_params() == classifier.get_params()
    assert not hasattr(copy_, "classes_")


def by_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    return joblib.load(file)


@pytest.mark.parametrize("travel", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)), by_joblib])
def test_fitted_models_travel(classifier, problem, travel):
    X, y = problem
    model = classifier.fit(X, y)
    np.testing.assert_array_equal(travel(model).predict_proba(X), model.predict_proba(X))


def test_cross_validation(classifier, problem):
    X, y = problem
    assert cross_val_score(classifier, X, y, scoring="roc_auc").mean() > 0.6
    assert cross_val_predict(classifier, X, y, method="predict_proba").shape == (300, 2)


@pytest.mark.several_threads
def test_grid_search(classifier, problem):
    X, y = problem
    grid = {name: values for name, values in SEARCHED.items() if name in classifier.get_params()}
    search = GridSearchCV(classifier, grid, scoring="average_precision", cv=3, n_jobs=2).fit(X, y)
    assert search.best_params_.keys() == grid.keys()


SEARCHED = {"criterion": ["hellinger", "gini"], "min_samples_leaf": [1, 10]}


def test_calibration(classifier, problem):
    X, y = problem
    model = CalibratedClassifierCV(classifier, cv=3).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_pipelines_of_both_libraries(classifier, problem):
    X, y = problem
    plain = Pipeline([("scale", StandardScaler()), ("model", clone(classifier))]).fit(X, y)
    resampled = make_pipeline(RandomUnderSampler(random_state=0), clone(classifier)).fit(X, y)
    for model in (plain, resampled):
        assert model.predict_proba(X).shape == (300, 2)


def test_metadata_routing(classifier, problem):
    if not has_fit_parameter(classifier, "sample_weight"):
        pytest.skip("does not apply: rules have honest counts of rows, and take no weights")
    X, y = problem
    weights = np.where(y == 1, 5.0, 0.0)
    with config_context(enable_metadata_routing=True):
        model = clone(classifier).set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        results = cross_validate(model, X, y, params={"sample_weight": weights}, cv=3, return_estimator=True)
        for fitted in results["estimator"]:
            assert set(fitted.predict(X)) == {1}
        pipeline = Pipeline([("scale", StandardScaler().set_fit_request(sample_weight=False)), ("model", model)]).fit(
            X, y, sample_weight=weights
        )
        assert set(pipeline.predict(X)) == {1}
