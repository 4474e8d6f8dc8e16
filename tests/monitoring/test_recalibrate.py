"""New calibrations: trees untouched, the user's model untouched, and what cannot be had is refused."""

import numpy as np
import pytest
from scipy.special import expit, logit

import rarewood as rw
from rarewood.exceptions import RarewoodWarning
from rarewood.export import from_bytes, to_bytes
from rarewood.monitoring import monitor, recalibrate
from rarewood.monitoring._recalibrate import fit_stretch
from support.models import effects_at_any_price


@pytest.fixture(scope="module")
def rows():
    return rw.datasets.make_planted_rules(4000, random_state=0)


@pytest.fixture(scope="module")
def new():
    table = rw.datasets.make_planted_rules(6000, random_state=1)
    kept = np.flatnonzero((table.y == 1) | (np.arange(6000) % 4 == 0))  # four times the share
    return table.X.iloc[kept].reset_index(drop=True), table.y[kept]


@pytest.fixture(scope="module")
def model(rows):
    return rw.RareClassifier(45, threshold="precision=0.5@90%", random_state=0).fit(rows.X, rows.y)


def test_slope_and_offset_minimise_the_penalised_loss():
    rng = np.random.default_rng(0)
    z = rng.normal(-2, 2, 400)
    y = rng.random(400) < expit(1.5 * z + 0.7)
    weights = rng.uniform(0.5, 3.0, 400)
    scale = weights / weights.mean()

    def loss(s, b):
        p = expit(s * z + b)
        return -(scale * np.where(y, np.log(p), np.log1p(-p))).sum() + (s - 1) ** 2 + b**2 / 2

    slope, offset = fit_stretch(z, y, weights)
    best = loss(slope, offset)
    for step in (1e-2, -1e-2):
        assert best <= loss(slope + step, offset)
        assert best <= loss(slope, offset + step)
    assert fit_stretch(np.zeros(0), np.zeros(0, dtype=bool)) == pytest.approx((1.0, 0.0))


@pytest.mark.parametrize("how", ["plain", "prior", "effects", "calibrated forest"])
def test_probabilities_are_stretched_and_files_keep_them(rows, new, model, how):
    X, y = new
    if how == "prior":
        model = from_bytes(to_bytes(model)).set_prior({1: 0.05})
    elif how == "effects":
        with effects_at_any_price():
            model = rw.RareClassifier(12, random_state=0).fit(rows.X, rows.y)
    elif how == "calibrated forest":
        model = rw.ForestClassifier(20, calibration="beta", random_state=0).fit(rows.X, rows.y)
    before = model.predict_proba(X)
    later = recalibrate(model, X, y)
    told = later.recalibration_
    expected = expit(told.slope * logit(np.clip(before[:, 1], 1e-9, 1 - 1e-9)) + told.offset)
    assert later.predict_proba(X)[:, 1] == pytest.approx(expected, abs=1e-6)
    assert told.log_loss[1] < told.log_loss[0]
    assert np.array_equal(model.predict_proba(X), before)
    again = from_bytes(to_bytes(later))
    assert np.array_equal(again.predict_proba(X), later.predict_proba(X))
    assert not hasattr(later, "prior_")
    assert hasattr(model, "prior_") == (how == "prior")
    assert later.forest_ is model.forest_
    moved = later.set_prior({1: told.share}).predict_proba(X)
    assert moved == pytest.approx(again.predict_proba(X), abs=1e-9)  # it is about that share already


def test_enough_rare_rows_choose_a_threshold_that_promises(new, model):
    X, y = new
    later = recalibrate(model, X, y)
    assert later.recalibration_.threshold == "chosen"
    assert later.decision_threshold_.promised
    assert later.decision_threshold_.n_alarms == (later.predict(X) == 1).sum()
    assert monitor(later, X, y).ok
    assert "chosen anew" in str(later.recalibration_)


def test_few_rare_rows_carry_the_threshold(new, model):
    X, y = new
    few = np.arange(150)
    later = recalibrate(model, X.iloc[few], y[few])
    assert later.recalibration_.threshold == "carried"
    assert np.array_equal(later.predict(X), model.predict(X))
    assert not later.decision_threshold_.promised
    assert np.isnan(later.decision_threshold_.precision)
    assert later.triage_ is None
    assert model.triage_ is not None


def test_rows_that_were_labelled_for_their_alarm_are_refused_without_chances(new, model):
    X, y = new
    alarms = model.predict(X) == 1
    with pytest.raises(ValueError, match=r"100% of the labelled rows are alarms"):
        recalibrate(model, X[alarms], y[alarms])
    mostly = alarms | (np.arange(len(y)) % 400 == 0)
    with pytest.raises(ValueError, match="labelled because they raised one"):
        recalibrate(model, X[mostly], y[mostly])
    later = recalibrate(model, X[mostly], y[mostly], sample_weight=np.where(alarms, 1.0, 400.0)[mostly])
    assert later.recalibration_.log_loss[1] <= later.recalibration_.log_loss[0]


def test_bad_input_is_named(new, model):
    X, y = new
    with pytest.raises(ValueError, match=r"labels that the model does not know: \[7\]"):
        recalibrate(model, X[:4], [0, 7, 1, 1])
    with pytest.raises(ValueError, match="4 rows and y 3 labels"):
        recalibrate(model, X[:4], [0, 1, 1])
    with pytest.raises(ValueError, match="for two classes"):
        recalibrate(rw.HeDExClassifier(2, random_state=0).fit(X, y), X, y)
    with pytest.warns(RarewoodWarning, match="all 20 labelled rows are of class 0"):
        recalibrate(model, X[y == 0][:20], y[y == 0][:20])
