"""RareClassifier: the same as its slow twin, whatever it is given, and decisions that follow the threshold."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import f1_score, log_loss, roc_auc_score

import rarewood as rw
from oracle.rare import blunt, out_of_bag, predicted
from rarewood._decisions import mixture_weights
from rarewood.ensemble import fit_threshold
from rarewood.exceptions import RarewoodWarning


def problem(n_rows=400, n_rare=40, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    sizes = [n_rare] * (n_classes - 1)
    y = np.repeat(np.arange(n_classes), [n_rows - sum(sizes), *sizes])
    X = rng.normal(size=(n_rows, 6))
    for label in range(1, n_classes):
        X[y == label, label - 1] += 2.0
    order = rng.permutation(n_rows)
    return X[order], y[order]


def fitted(X, y, n_estimators=60, **params):
    return rw.RareClassifier(n_estimators, random_state=0, **params).fit(X, y)


@pytest.fixture(scope="module")
def model():
    return fitted(*problem())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_its_slow_twin(n_classes):
    X, y = problem(n_classes=n_classes)
    model = fitted(X, y, n_estimators=61)
    np.testing.assert_allclose(model.predict_proba(X), predicted(model, X), rtol=1e-9)
    scores, parts = out_of_bag(model, X, y)
    np.testing.assert_allclose(model.oob_decision_function_, scores, rtol=1e-9)
    scored = ~np.isnan(parts).any(axis=(0, 2))
    shares = mixture_weights([part[scored] for part in parts], y[scored])
    np.testing.assert_allclose(list(model.family_weights_.values()), shares, atol=1e-6)
    np.testing.assert_allclose(model.class_prior_, np.bincount(y) / len(y))
    if n_classes == 2:
        assert model.oob_score_ == pytest.approx(roc_auc_score(y, scores[:, 1]))


def test_predict_acts_on_the_threshold(model):
    X, _ = problem(seed=1)
    value = model.decision_threshold_.value
    assert 0.0 < value <= 0.5
    np.testing.assert_array_equal(model.predict(X), (model.predict_proba(X)[:, 1] >= value).astype(int))
    assert (model.predict(X) == 1).sum() > (model.predict_proba(X)[:, 1] >= 0.5).sum()


def test_better_decisions_and_probabilities_than_trees_as_they_come(model):
    X, y = problem(5000, 500, seed=2)
    hedex = rw.HeDExClassifier(random_state=0).fit(*problem())
    assert f1_score(y, model.predict(X)) > f1_score(y, hedex.predict(X)) + 0.03
    assert log_loss(y, model.predict_proba(X)) < log_loss(y, hedex.predict_proba(X))


@pytest.mark.several_threads
def test_the_number_of_threads_does_not_matter(model):
    X, y = problem()
    other = fitted(X, y, n_jobs=2)
    np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(other.oob_decision_function_, model.oob_decision_function_)
    assert other.decision_threshold_ == model.decision_threshold_


def test_warm_start_is_a_larger_forest(model):
    X, y = problem()
    grown = fitted(X, y, n_estimators=20, warm_start=True)
    grown.set_params(n_estimators=60).fit(X, y)
    np.testing.assert_array_equal(grown.predict_proba(X), model.predict_proba(X))
    assert grown.family_weights_ == model.family_weights_
    assert grown.decision_threshold_ == model.decision_threshold_
    with pytest.warns(RarewoodWarning, match="no tree was added"):
        grown.fit(X, y)
    np.testing.assert_array_equal(grown.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ValueError, match="can only add trees"):
        grown.set_params(n_estimators=30).fit(X, y)


@pytest.mark.parametrize("n_estimators", [1, 2, 4, 5])
def test_a_few_trees(n_estimators):
    X, y = problem()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RarewoodWarning)
        model = fitted(X, y, n_estimators=n_estimators)
        more = fitted(X, y, n_estimators=1, warm_start=True).set_params(n_estimators=n_estimators)
        again = more.fit(X, y)
    assert len(model.estimators_) == n_estimators
    assert len(model.family_weights_) == min(4, n_estimators)
    np.testing.assert_allclose(model.predict_proba(X), predicted(model, X), rtol=1e-9)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_rows_without_scores_are_told():
    X, y = problem()
    with pytest.warns(RarewoodWarning, match="rows were seen by every tree and have no out-of-bag score"):
        model = fitted(X, y, n_estimators=6)
    assert np.isnan(model.oob_decision_function_).any()


def test_trees_are_those_of_their_families(model):
    kinds = [(tree.criterion, tree.splitter, tree.n_cuts, tree.min_samples_leaf) for tree in model.estimators_]
    lines, cuts = ("entropy", "hyperplane", 30, 5), ("hellinger", "random", 10, 1)
    families = [lines, ("hellinger", "hyperplane", 30, 1), cuts, lines]
    assert kinds == [kind for kind in families for _ in range(15)]
    smallest = [tree.tree_.value[tree.tree_.children_left < 0].sum(axis=1).min() for tree in model.estimators_]
    assert min(smallest[:15] + smallest[45:]) >= 5
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_.argmax() == 0
    assert model.apply(problem()[0]).shape == (400, 60)
    counts = np.array([tree.tree_.value[0] for tree in model.estimators_])
    np.testing.assert_array_equal(counts, np.tile([288, 32], (60, 1)))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_larger_leaves(n_classes):
    X, y = problem(n_classes=n_classes)
    model = fitted(X, y, n_estimators=24, min_samples_leaf=12)
    assert {tree.min_samples_leaf for tree in model.estimators_} == {12}
    leaves = [tree.tree_.value[tree.tree_.children_left < 0].sum(axis=1).min() for tree in model.estimators_]
    assert 12 <= min(leaves) < 24
    few = fitted(X, y, n_estimators=24, min_samples_leaf=3)
    own = (5, 3, 3, 5) if n_classes == 2 else (3, 3, 3)
    assert [tree.min_samples_leaf for tree in few.estimators_] == np.repeat(own, 24 // len(own)).tolist()


def test_larger_tables_get_fewer_cuts():
    X, y = problem(5100, 300)
    model = rw.RareClassifier(32, max_features=1, random_state=0).fit(X, y)
    assert [model.estimators_[tree].n_cuts for tree in (0, 8, 16, 24)] == [10, 10, 10, 10]


@pytest.mark.parametrize("n_rare", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("seed", range(2))
def test_a_handful_of_rare_rows(n_rare, seed):
    X, y = problem(200, n_rare, seed=seed)
    X_new, y_new = problem(1000, 100, seed=10)
    if n_rare == 1:
        with pytest.warns(RarewoodWarning, match="class 1 has 0 out-of-bag rows, too few"):
            model = fitted(X, y, n_estimators=150)
        assert model.calibration_ is None
        assert model.decision_threshold_ is None
        np.testing.assert_array_equal(model.predict(X_new), model.predict_proba(X_new).argmax(axis=1))
    else:
        model = fitted(X, y, n_estimators=150)
        assert model.calibration_ is not None
        assert 0.0 < model.decision_threshold_.value <= 0.5
    hedex = rw.HeDExClassifier(random_state=0).fit(X, y)
    ours, theirs = (roc_auc_score(y_new, each.predict_proba(X_new)[:, 1]) for each in (model, hedex))
    assert ours > 0.5 or theirs < 0.5
    assert ours > theirs - 0.15


def test_a_number_is_kept_where_nothing_can_be_learned():
    X, y = problem(200, 1)
    with pytest.warns(RarewoodWarning, match="too few to learn from"):
        model = fitted(X, y, threshold=0.01)
    np.testing.assert_array_equal(model.predict(X), (model.predict_proba(X)[:, 1] >= 0.01).astype(int))


@pytest.mark.parametrize(
    ("threshold", "held"),
    [
        ("precision=0.6", lambda t: t.n_hits >= 0.6 * t.n_alarms and t.floor == 0.6),
        ("recall=0.9", lambda t: t.n_hits >= 0.9 * 40),
        ("recall=0.8@90%", lambda t: t.promised and t.confidence == 0.9 and t.lower >= 0.8),
        ("cost=1:20", lambda t: t.value == pytest.approx(1 / 21) and t.cost is not None),
        ("alerts=5%", lambda t: t.alerts == 0.05),
        ("alerts=30", lambda t: t.alerts == pytest.approx(30 / 400)),
        (0.25, lambda t: t.value == 0.25),
        ("0.25", lambda t: t.value == 0.25),
    ],
)
def test_words_for_thresholds(model, threshold, held):
    X, y = problem()
    chosen = fitted(X, y, threshold=threshold)
    assert held(chosen.decision_threshold_)
    assert fit_threshold(clone(model).fit(X, y), X, y, rule=threshold) == chosen.decision_threshold_
    value = chosen.decision_threshold_.value
    if chosen.decision_threshold_.rule in (
        "precision",
        "recall",
        "alerts",
    ):  # counted on out-of-bag rows, carried to new ones
        value = blunt(chosen, np.array([[1 - value, value]]))[0, 1] - 1e-12
    called = chosen.oob_decision_function_[:, 1] >= value
    assert chosen.decision_threshold_.n_hits == called[y == 1].sum()
    if chosen.decision_threshold_.alerts is not None:
        assert called.sum() <= chosen.decision_threshold_.alerts * 400 + 1e-9


def test_the_most_probable_class():
    X, y = problem()
    model = fitted(X, y, threshold=None)
    assert model.decision_threshold_ is None
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    assert repr(model) == "RareClassifier(n_estimators=60, random_state=0, threshold=None)"


def test_the_repr_says_how_it_decides(model):
    assert repr(model).startswith("RareClassifier(n_estimators=60, random_state=0)  # calls 1 at or above 0.")
    assert repr(model).endswith("(best F1)")


def test_a_precision_that_cannot_be_reached():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), (rng.random(300) < 0.1).astype(int)
    with pytest.warns(RarewoodWarning, match=r"no threshold reaches a precision of 0\.99"):
        model = fitted(X, y, threshold="precision=0.99")
    assert 0.0 < model.decision_threshold_.precision < 0.99
    assert "(highest precision; 0.99 is out of reach)" in str(model.decision_threshold_)


@pytest.mark.parametrize("threshold", ["f2", "precision=2", 1.5, True, ["f1"]])
def test_thresholds_that_make_no_sense(threshold):
    with pytest.raises((ValueError, TypeError), match=r"threshold|floor"):
        rw.RareClassifier(threshold=threshold).fit(*problem())


def test_more_classes():
    X, y = problem(600, 30, n_classes=4)
    model = fitted(X, y, threshold=None)
    assert model.decision_threshold_ is None
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    watched = fitted(X, y, threshold="recall=0.9")
    called = watched.oob_decision_function_[:, watched.positive_] >= watched.decision_threshold_.value
    assert called[y == watched.positive_].mean() >= 0.9


def test_the_best_f1_is_that_of_the_class_to_find_against_all_others():
    X, y = problem(600, 30, n_classes=4)
    model = fitted(X, y)
    threshold, column = model.decision_threshold_, model.positive_
    assert (threshold.rule, threshold.positive) == ("f1", column)
    others = np.where(np.arange(4) == column, -1.0, model.predict_proba(X)).argmax(axis=1)
    expected = np.where(model.predict_proba(X)[:, column] >= threshold.value, column, others)
    np.testing.assert_array_equal(model.predict(X), expected)
    two = fit_threshold(model, X, y, rule="f1")
    assert two == threshold


def test_another_class_to_find():
    X, y = problem(600, 30, n_classes=4)
    rarest = fitted(X, y)
    other = (rarest.positive_ + 1) % 4
    model = fitted(X, y, positive=other)
    assert (model.positive_, model.decision_threshold_.positive) == (other, other)
    np.testing.assert_array_equal(model.predict_proba(X), rarest.predict_proba(X))
    with pytest.raises(ValueError, match="positive='x' is not among the classes"):
        fitted(X, y, positive="x")


def test_strings_categories_and_missing_values():
    rng = np.random.default_rng(0)
    X, y = problem()
    table = pd.DataFrame(X, columns=list("abcdef"))
    table["kind"] = pd.Categorical(np.where(rng.random(400) < 0.8, np.where(y == 1, "odd", "plain"), "other"))
    table = table.mask(rng.random(table.shape) < 0.1)
    labels = np.where(y == 1, "fraud", "ok")
    model = fitted(table, labels)
    assert model.positive_ == "fraud"
    assert model.classes_.tolist() == ["fraud", "ok"]
    assert model.decision_threshold_.positive == "fraud"
    assert set(model.predict(table)) == {"fraud", "ok"}
    assert model.oob_score_ > 0.85


def test_weights_count_as_rows_in_what_is_learned():
    """A population in which the rare class is four times as frequent."""
    X, y = problem(1200, 60)
    heavy = rw.RareClassifier(60, random_state=0).fit(X, y, sample_weight=np.where(y == 1, 4.0, 1.0))
    by_class = fitted(X, y, class_weight={1: 4.0})
    np.testing.assert_allclose(heavy.class_prior_, np.array([1140, 240]) / 1380)
    np.testing.assert_allclose(by_class.class_prior_, heavy.class_prior_)
    # not the same: to leaves of at least five rows, a row of weight four is four
    np.testing.assert_allclose(by_class.predict_proba(X), heavy.predict_proba(X), atol=0.15)
    weights = np.where(y == 1, 4.0, 1.0)
    means = np.average(heavy.oob_decision_function_, axis=0, weights=weights)
    np.testing.assert_allclose(means, heavy.class_prior_, atol=0.02)


def test_rows_of_weight_zero_are_not_learned_from():
    X, y = problem()
    noise = np.random.default_rng(1).normal(size=(200, 6))
    X_more, y_more = np.vstack([X, noise]), np.r_[y, np.ones(200, int)]
    weights = np.r_[np.ones(400), np.zeros(200)]
    model = rw.RareClassifier(60, random_state=0).fit(X_more, y_more, sample_weight=weights)
    assert model.positive_ == 1
    assert model.calibration_.n_rows == 400
    np.testing.assert_allclose(model.class_prior_, [0.9, 0.1])
    scores, _ = out_of_bag(model, X_more, y_more, weights)
    np.testing.assert_allclose(model.oob_decision_function_, scores, rtol=1e-9)


def test_a_single_class():
    with pytest.warns(RarewoodWarning, match="y has a single class, 0.0: the model can only predict that"):
        model = fitted(np.arange(20.0).reshape(10, 2), np.zeros(10))
    np.testing.assert_array_equal(model.predict_proba([[1.0, 2.0]]), [[1.0]])
    assert model.predict([[1.0, 2.0]]).tolist() == [0.0]


def test_costs_of_each_row(model):
    X, _ = problem(seed=3)
    losses = np.random.default_rng(0).lognormal(3.0, 2.0, size=400)
    labels = model.decide(X, costs=(5.0, losses))
    p = model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(labels == 1, p * losses >= (1 - p) * 5.0)
    cheap = model.decide(X, costs=(1.0, 20.0))
    np.testing.assert_array_equal(cheap, fitted(*problem(), threshold="cost=1:20").predict(X))
    with pytest.raises(ValueError, match=r"the cost of a miss has shape \(3,\)"):
        model.decide(X, costs=(5.0, [1.0, 2.0, 3.0]))


def test_another_prior(model):
    X, _ = problem(seed=3)
    before, decided = model.predict_proba(X), model.predict(X)
    told = pickle.loads(pickle.dumps(model)).set_prior({1: 0.001})
    shifted = before * np.array([0.999 / 0.9, 0.001 / 0.1])
    np.testing.assert_allclose(told.predict_proba(X), shifted / shifted.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(told.predict(X), decided)
    assert "for the prior 0 0.999, 1 0.001" in repr(told)
    np.testing.assert_allclose(told.set_prior(None).predict_proba(X), before)
    assert told.decision_threshold_.value == pytest.approx(model.decision_threshold_.value)
    by_cost = fitted(*problem(), threshold="cost=1:20").set_prior({1: 0.001})
    assert by_cost.decision_threshold_.value == 1 / 21
    assert by_cost.predict(X).sum() < fitted(*problem(), threshold="cost=1:20").predict(X).sum()


def test_probabilities_are_right_for_another_prior():
    """A model of a table with every third row rare, asked about a population with one in fifty."""
    X, y = problem(3000, 1000)
    X_new, y_new = problem(20_000, 400, seed=5)
    model = rw.RareClassifier(90, random_state=0).fit(X, y)
    as_it_comes = log_loss(y_new, model.predict_proba(X_new))
    assert log_loss(y_new, model.set_prior({1: 0.02}).predict_proba(X_new)) < 0.5 * as_it_comes
    assert model.predict_proba(X_new)[:, 1].mean() == pytest.approx(0.02, rel=0.2)


def test_make_classification_as_in_the_readme():
    X, y = make_classification(n_samples=600, weights=[0.95], random_state=0)
    assert rw.make("rare", n_estimators=30, random_state=0).fit(X, y).oob_score_ > 0.7


def test_rules_are_read_from_the_trees_that_cut_along_columns(model):
    X, y = problem()
    found = rw.inspection.extract_patterns(model, X, y)
    assert len(found) > 0
    assert list(model._readable()) == list(range(30, 45))
    report = rw.report.summarise(model, *problem(seed=1), train=(X, y), baseline=False)
    assert report["rules"]["source"] == "find_rules"
    assert report["threshold"]["rule"] == "f1"
    watched = rw.report.summarise(model, *problem(seed=1), threshold="recall=0.9", baseline=False)
    assert watched["decisions"]["recall"] >= 0.9
    assert watched["threshold"]["origin"].endswith("on the rows of this page")


def test_a_number_of_alerts_is_a_number_of_rows():
    """Neither rows without out-of-bag scores nor small weights change what 20 of 400 rows are."""
    X, y = problem()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RarewoodWarning)  # six trees leave rows without scores
        few = fitted(X, y, n_estimators=6, threshold="alerts=20")
    assert np.isnan(few.oob_decision_function_[:, 1]).sum() > 20
    light = rw.RareClassifier(60, threshold="alerts=20", random_state=0)
    light.fit(X, y, sample_weight=np.random.default_rng(0).uniform(0.005, 0.015, 400))
    for model in (few, light):
        assert model.decision_threshold_.alerts == pytest.approx(0.05)
        assert 0 < model.decision_threshold_.n_alarms <= 30
    assert (light.predict(problem(4000, 400, seed=1)[0]) == 1).mean() < 0.09
