"""A model decides in a file as it did before: calibration, mixtures, priors, and scikit-learn's wrappers around our models."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

import rarewood as rw
from rarewood.datasets import make_planted_rules
from rarewood.ensemble import fit_threshold
from rarewood.exceptions import ModelFileError
from rarewood.export import from_bytes, to_bytes
from rarewood.export._container import pack, unpack
from support.forms import FORMS
from support.tables import mixed_table

FEW = {"n_estimators": 30, "random_state": 0}


@pytest.fixture(scope="module")
def payments():
    data = make_planted_rules(600, random_state=0)
    return data.X, np.where(data.y == 1, "fraud", "ok")


def assert_same_decisions(again, model, X):
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("threshold", ["f1", "alerts=20", "cost=1:20", 0.2, None])
def test_a_mixture(payments, threshold):
    X, y = payments
    model = rw.RareClassifier(threshold=threshold, **FEW).fit(X, y)
    again = from_bytes(to_bytes(model))
    assert_same_decisions(again, model, X)
    assert repr(again) == repr(model)
    assert again.decision_threshold_ == model.decision_threshold_
    assert again.family_weights_ == model.family_weights_
    assert str(again.calibration_) == str(model.calibration_)
    assert again.positive_ == model.positive_
    assert [tree.n_cuts for tree in again.estimators_] == [tree.n_cuts for tree in model.estimators_]
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
    np.testing.assert_array_equal(again.decide(X, costs=(1.0, 9.0)), model.decide(X, costs=(1.0, 9.0)))


def test_a_loaded_mixture_grows_on(payments):
    X, y = payments
    model = rw.RareClassifier(warm_start=True, **FEW).fit(X, y)
    again = from_bytes(to_bytes(model)).set_params(n_estimators=45).fit(X, y)
    assert_same_decisions(again, model.set_params(n_estimators=45).fit(X, y), X)


def test_a_model_with_a_threshold_decides_by_it_after_load(payments):
    X, y = payments
    model = rw.HeDExClassifier(**FEW).fit(X, y)
    before = model.predict(X)
    fit_threshold(model, X, y, rule="recall=0.9")
    again = from_bytes(to_bytes(model))
    assert_same_decisions(again, model, X)
    assert (again.predict(X) == "fraud").sum() > (before == "fraud").sum()
    assert "calls fraud at or above" in repr(again)


@pytest.mark.parametrize("cls", [rw.ForestClassifier, rw.BalancedForestClassifier, rw.BEATClassifier])
def test_calibrated_forests_and_priors(payments, cls):
    X, y = payments
    X = X.drop(columns=[name for name in X if X[name].dtype.name == "category"])
    model = cls(calibration="beta", **FEW).fit(X, y).set_prior({"fraud": 0.001})
    again = from_bytes(to_bytes(model))
    assert_same_decisions(again, model, X)
    assert repr(again) == repr(model)
    assert_same_decisions(again.set_prior(None), model.set_prior(None), X)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_calibration_by_cross_validation(payments, method, ensemble, n_classes):
    X, y = payments
    if n_classes == 3:
        y = np.where((y == "ok") & (np.arange(len(y)) % 3 == 0), "odd", y)
    wrapped = CalibratedClassifierCV(rw.HeDExClassifier(5, random_state=0), method=method, cv=3, ensemble=ensemble)
    model = wrapped.fit(X, y)
    again = from_bytes(to_bytes(model))
    assert isinstance(again, CalibratedClassifierCV)
    assert again.method == method
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), rtol=1e-14, atol=1e-300)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(from_bytes(to_bytes(again)).predict_proba(X), again.predict_proba(X))


def test_calibration_of_a_frozen_model(payments):
    X, y = payments
    inside = rw.HeDExClassifier(5, random_state=0).fit(X, y)
    model = CalibratedClassifierCV(FrozenEstimator(inside)).fit(X, y)
    np.testing.assert_array_equal(from_bytes(to_bytes(model)).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("positive", ["fraud", "ok"])
def test_tuned_thresholds(payments, positive):
    X, y = payments
    inside = rw.HeDExClassifier(5, random_state=0)
    scoring = make_scorer(f1_score, pos_label=positive)
    model = TunedThresholdClassifierCV(inside, scoring=scoring, cv=3, random_state=0).fit(X, y)
    again = from_bytes(to_bytes(model))
    assert isinstance(again, rw.HeDExClassifier)
    assert again.decision_threshold_.positive == positive
    assert again.decision_threshold_.value == model.best_threshold_
    assert_same_decisions(again, model, X)


@pytest.mark.parametrize("threshold", [0.1, 0.7, 0.5, "auto"])
@pytest.mark.parametrize("positive", ["fraud", "ok"])
def test_fixed_thresholds(payments, threshold, positive):
    X, y = payments
    inside = rw.TreeClassifier(max_depth=4)
    model = FixedThresholdClassifier(clone(inside), threshold=threshold, pos_label=positive).fit(X, y)
    assert_same_decisions(from_bytes(to_bytes(model)), model, X)


def test_wrappers_around_models_of_others(payments):
    _, y = payments
    numbers = np.random.default_rng(0).normal(size=(len(y), 2))
    for model in (
        CalibratedClassifierCV(LogisticRegression(), cv=3),
        FixedThresholdClassifier(LogisticRegression(), threshold=0.3, pos_label="fraud"),
    ):
        with pytest.raises(ModelFileError, match="LogisticRegression"):
            to_bytes(model.fit(numbers, y))


def changed(model, change):
    """The bytes of a model whose description has been changed."""
    contents = unpack(to_bytes(model))
    arrays = [np.array(array) for array in contents.arrays]
    header = {name: value for name, value in contents.header.items() if name != "arrays"}
    change(header["model"], arrays)
    return pack(header, arrays)


def set_array(*path):
    def change(told, arrays):
        *names, values = path
        for name in names:
            told = told[name]
        arrays[told] = np.array(values)

    return change


HOSTILE = {
    "positive": lambda told, _: told.update(positive=7),
    "families": lambda told, _: told.update(families=told["families"][:2]),
    "names": lambda told, _: told["families"][0].__setitem__(0, "oak"),
    "weights": lambda told, _: told["families"][0].__setitem__(1, -0.5),
    "n_cuts": lambda told, _: told.update(n_cuts=[1, "2", 3]),
    "class_prior": set_array("class_prior", [0.5, 0.6]),
    "slopes": set_array("calibration", "slopes", [1.0, -1.0]),
    "offsets": set_array("calibration", "offsets", [np.nan, 0.0]),
    "offsets' shape": set_array("calibration", "offsets", [0.0]),
    "n_rows": lambda told, _: told["calibration"].update(n_rows=-1),
    "no calibration": lambda told, _: told.update(calibration=3),
    "prior": set_array("prior", "told", [-0.5, 1.5]),
    "alerts": lambda told, _: told["threshold"].update(alerts="many"),
    "costs": lambda told, _: told["threshold"].update(costs=[1.0, 2.0]),
    "rule": lambda told, _: told["threshold"].update(rule=5),
    "a field": lambda told, _: told["threshold"].update(colour="red"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_makes_no_sense_is_refused(payments, name):
    X, y = payments
    model = rw.RareClassifier(9, random_state=0, threshold=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.exceptions.RarewoodWarning)
        model.fit(X, y).set_prior({"fraud": 0.01})
    assert from_bytes(changed(model, lambda *_: None)).prior_[0] == 0.01
    with pytest.raises(ModelFileError):
        from_bytes(changed(model, HOSTILE[name]))


RATES = {
    "no rate": lambda told, _: told["prior"].pop("label_rate"),  # all that an older release sees
    "zero": lambda told, _: told["prior"].update(label_rate=0.0),
    "text": lambda told, _: told["prior"].update(label_rate="0.5"),
    "class": lambda told, _: told["prior"].update(positive=2),
    "no calibration": lambda told, _: told.pop("calibration"),
    "with a prior": lambda told, _: told["prior"].update(own=told["class_prior"], told=told["class_prior"]),
}


@pytest.mark.parametrize("name", RATES)
def test_label_rates_that_make_no_sense(payments, name):
    X, y = payments
    model = rw.RareClassifier(threshold=0.3, **FEW).fit(X, y).set_label_rate(0.5)
    again = from_bytes(changed(model, lambda *_: None))
    assert again.label_rate_ == {"fraud": 0.5}
    assert repr(again) == repr(model)
    with pytest.raises(ModelFileError):
        from_bytes(changed(model, RATES[name]))


def test_thresholds_of_the_first_release_lack_a_field(payments):
    X, y = payments
    model = rw.RareClassifier(threshold=0.3, **FEW).fit(X, y)
    older = from_bytes(changed(model, lambda told, _: told["threshold"].pop("alerts")))
    assert older.decision_threshold_ == model.decision_threshold_


@pytest.mark.parametrize(
    "change",
    [
        lambda told, _: told.update(pairs=[]),
        lambda told, _: told["pairs"][0].update(calibrators=[]),
        lambda told, _: told["pairs"][0]["calibrators"].__setitem__(0, {"sigmoid": ["a", 1.0]}),
        lambda told, _: told["pairs"][0]["calibrators"].__setitem__(0, {"spline": [1.0, 1.0]}),
    ],
)
def test_calibrated_models_that_make_no_sense(payments, change):
    X, y = payments
    model = CalibratedClassifierCV(rw.TreeClassifier(max_depth=3), cv=3).fit(X, y)
    with pytest.raises(ModelFileError):
        from_bytes(changed(model, change))


@pytest.mark.parametrize(("name", "n_scores"), [("ONNX", 8), ("C", 5)])
def test_a_rule_set_whose_threshold_is_a_score_decides_so_in_other_programs(name, n_scores):
    """Rows that meet the same rules have one score; an exponential of another library gives it another last digit."""
    form = next(form for form in FORMS if form.name == name)
    X, y = mixed_table(2, 900)
    model = rw.RuleSetClassifier(random_state=0).fit(X, y)
    scores = np.unique(model.predict_proba(X)[:, 1])
    assert len(scores) > n_scores
    for score in scores[:n_scores].tolist():
        fit_threshold(model, X, y, rule=score, held_out=True)
        np.testing.assert_array_equal(form.answer(model, X)[1], model.predict(X), err_msg=f"{score}")
