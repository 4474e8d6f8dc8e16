"""Other priors: Bayes' rule, and thresholds that move along."""

import copy

import numpy as np
import pytest

import rarewood as rw
from rarewood._decisions import carry_threshold, read_prior, shift_prior
from rarewood.metrics import choose_threshold

CLASSES = np.array(["fraud", "ok"])
WAS = np.array([0.2, 0.8])


def test_bayes():
    """Two normal densities: the posterior under one prior becomes that under the other."""
    x = np.linspace(-3, 5, 50)
    densities = np.c_[np.exp(-((x - 2) ** 2) / 2), np.exp(-(x**2) / 2)]

    def posterior(prior):
        return densities * prior / (densities * prior).sum(axis=1, keepdims=True)

    now = np.array([0.01, 0.99])
    np.testing.assert_allclose(shift_prior(posterior(WAS), WAS, now), posterior(now), rtol=1e-12)
    np.testing.assert_allclose(shift_prior(posterior(WAS), WAS, WAS), posterior(WAS), rtol=1e-12)


def test_certainties_stay():
    p = np.array([[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_array_equal(shift_prior(p, WAS, np.array([0.5, 0.5])), p)


def test_what_is_left_out_shares_the_rest():
    np.testing.assert_allclose(read_prior({"fraud": 0.01}, CLASSES, WAS), [0.01, 0.99])
    three = np.array(["a", "b", "c"])
    np.testing.assert_allclose(read_prior({"a": 0.1}, three, np.array([0.4, 0.4, 0.2])), [0.1, 0.6, 0.3])
    np.testing.assert_allclose(read_prior({2: 0.1, 1: 0.9}, np.array([1, 2]), WAS), [0.9, 0.1])


@pytest.mark.parametrize(
    ("prior", "error", "message"),
    [
        ("0.1", TypeError, "prior='0.1' is not accepted; give a share, such as 0.01, or a dictionary"),
        ({}, TypeError, "or a dictionary"),
        ({np.str_("fraud"): 1.5}, ValueError, "prior of 'fraud' is 1.5; give a share above 0"),
        ({"fraud": 0.0}, ValueError, "prior of 'fraud' is 0.0; give a share above 0"),
        ({"fraud": 2}, ValueError, "give a share above 0 and at most 1"),
        ({"theft": 0.1}, ValueError, "prior names 'theft', which is not a class of the model"),
        ({"fraud": 0.1, "ok": 0.8}, ValueError, "sum to 0.9; they should sum to 1"),
        ({"fraud": 1.0}, ValueError, "should sum to less than 1"),
    ],
)
def test_priors_that_make_no_sense(prior, error, message):
    with pytest.raises(error, match=message):
        read_prior(prior, CLASSES, WAS)


def drawn(n_rows, share, seed):
    rng = np.random.default_rng(seed)
    bad = rng.random(n_rows) < share
    x = rng.normal(size=n_rows) + 1.5 * bad
    odds = np.exp(1.5 * x - 1.125) * share / (1 - share)
    return np.where(bad, "fraud", "ok"), odds / (1 + odds)


def test_a_carried_threshold_calls_the_same_rows():
    y, p = drawn(4000, 0.2, 0)
    chosen = choose_threshold(y, p, positive="fraud")
    now = np.array([0.02, 0.98])
    moved = carry_threshold(chosen, CLASSES, WAS, now, back=False)
    shifted = shift_prior(np.c_[p, 1 - p], WAS, now)[:, 0]
    np.testing.assert_array_equal(moved.apply(shifted), chosen.apply(p))
    assert moved.recall == chosen.recall
    y_new, p_new = drawn(400_000, 0.02, 1)
    called = moved.apply(p_new)
    assert moved.precision == pytest.approx(np.mean(y_new[called] == "fraud"), rel=0.15)
    assert moved.f1 == pytest.approx(2 / (1 / moved.precision + 1 / moved.recall))


def test_figures_for_other_shares_than_the_probabilities():
    """A model of balanced classes speaks of half and half, its threshold of the rows as they are: 4 of 100."""
    y, p = drawn(20_000, 0.04, 0)
    balanced = shift_prior(np.c_[p, 1 - p], np.array([0.04, 0.96]), np.array([0.5, 0.5]))[:, 0]
    chosen = choose_threshold(y, balanced, rule="precision=0.5", positive="fraud")
    even, true = np.array([0.5, 0.5]), np.array([0.04, 0.96])
    moved = carry_threshold(chosen, CLASSES, even, true, back=False)
    np.testing.assert_array_equal(moved.apply(p), chosen.apply(balanced))
    assert moved.precision == pytest.approx(chosen.precision, rel=0.02)  # the rows are 4 % frauds, more or less
    assert "out of reach" not in str(moved)
    back = carry_threshold(moved, CLASSES, true, even, back=True)
    assert back.value == pytest.approx(chosen.value)
    assert back.precision == pytest.approx(chosen.precision)
    assert back.carried_from is None


def test_what_is_still_promised():
    y, p = drawn(4000, 0.2, 0)
    now = np.array([0.02, 0.98])
    for rule, kept in (("recall=0.8@90%", True), ("precision=0.6@90%", False), ("alerts=5%@90%", False)):
        chosen = choose_threshold(y, p, rule=rule, positive="fraud")
        assert chosen.promised
        moved = carry_threshold(chosen, CLASSES, WAS, now, back=False)
        assert moved.promised == kept
        assert ("not promised" in str(moved)) != kept
        if rule.startswith("precision"):
            assert moved.lower < chosen.lower


@pytest.mark.parametrize("rule", ["cost=1:20", 0.25])
def test_thresholds_on_probabilities_stay(rule):
    y, p = drawn(500, 0.2, 0)
    chosen = choose_threshold(y, p, rule=rule, positive="fraud")
    moved = carry_threshold(chosen, CLASSES, WAS, np.array([0.02, 0.98]), back=False)
    assert moved.value == chosen.value
    assert np.isnan(moved.precision)


def test_more_classes():
    classes, was = np.array(["a", "b", "c"]), np.array([0.5, 0.3, 0.2])
    chosen = choose_threshold(list("abcabc"), [0.1, 0.2, 0.9, 0.2, 0.3, 0.4], positive="c")
    assert carry_threshold(chosen, classes, was, np.array([0.25, 0.15, 0.6]), back=False).value > chosen.value
    assert carry_threshold(chosen, classes, was, np.array([0.3, 0.5, 0.2]), back=False) is None


def test_a_number_is_the_share_of_the_class_to_find():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] > 1, "bad", "fine")
    for model in (rw.RareClassifier(8, random_state=0), rw.HeDExClassifier(8, random_state=0)):
        model.fit(X, y)
        wanted = copy.deepcopy(model).set_prior({"bad": 0.3}).predict_proba(X)
        np.testing.assert_array_equal(model.set_prior(0.3).predict_proba(X), wanted)
    with pytest.raises(ValueError, match=r"prior of 'bad' is 1.5"):
        model.set_prior(1.5)
    three = rw.HeDExClassifier(4, random_state=0).fit(X, np.digitize(X[:, 0], [0, 1]))
    with pytest.raises(ValueError, match="which class the share is about; give a dictionary"):
        three.set_prior(0.3)
