"""Three piles by two promises."""

import numpy as np
import pytest

import rarewood as rw
from rarewood.ensemble import Triage


def problem(n_rows=3000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    y = rng.random(n_rows) < 1 / (1 + np.exp(6.5 - 3.0 * X[:, 0] - 3.0 * X[:, 1]))
    return X, y.astype(int)


@pytest.fixture(scope="module")
def model():
    return rw.RareClassifier(60, random_state=0).fit(*problem())


def test_piles_keep_their_promises(model):
    X, y = problem(20_000, 1)
    piles = model.triage(X)
    assert set(piles) == {"alarm", "look", "pass"}
    assert y[piles == "alarm"].mean() >= 0.6
    assert y[piles != "pass"].sum() >= 0.9 * y.sum()
    p = model.predict_proba(X)[:, 1]
    assert p[piles == "alarm"].min() >= p[piles == "look"].max()
    assert p[piles == "look"].min() > p[piles == "pass"].max()


def test_a_promise_of_the_threshold_takes_the_place_of_a_default():
    X, y = problem()
    strict = rw.RareClassifier(60, threshold="precision=0.8@95%", random_state=0).fit(X, y)
    assert (strict.triage_.precision, strict.triage_.confidence) == (0.8, (0.95, 0.9))
    assert strict.triage_.alarm == strict.decision_threshold_.value
    loose = rw.RareClassifier(60, threshold="recall=0.7@90%", random_state=0).fit(X, y)
    assert loose.triage_.recall == 0.7
    assert loose.triage_.look == loose.decision_threshold_.value


def test_what_cannot_be_promised_makes_no_pile():
    X, y = problem(400)
    y[:] = 0
    y[:12] = 1  # noise
    model = rw.RareClassifier(60, random_state=0).fit(X, y)
    assert model.triage_.alarm is None
    assert model.triage_.look is None
    assert set(model.triage(X)) == {"look"}
    assert "cannot be promised" in str(model.triage_)


def test_files_and_priors_keep_the_piles(model, tmp_path):
    X, _ = problem(500, 2)
    before = model.triage(X)
    rw.save(model, tmp_path / "m.rarewood")
    loaded = rw.load(tmp_path / "m.rarewood")
    assert loaded.triage_ == model.triage_
    loaded.set_prior({1: 0.001})
    np.testing.assert_array_equal(loaded.triage(X), before)
    loaded.set_prior(None)
    assert loaded.triage_.alarm == pytest.approx(model.triage_.alarm)


def test_an_alarm_below_the_look_cut_is_an_alarm():
    cuts = Triage(alarm=0.2, look=0.5, precision=0.6, recall=0.9, confidence=(0.9, 0.9))
    assert cuts.apply([0.1, 0.3, 0.6]).tolist() == ["pass", "alarm", "alarm"]


def test_a_model_without_cuts(model):
    import copy

    bare = copy.copy(model)
    bare.triage_ = None
    with pytest.raises(ValueError, match="has no cuts for a triage"):
        bare.triage(problem(10)[0])
