"""New rows against what a model remembers: slow twins of the figures, findings that should and should not come."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import rarewood as rw
from rarewood.export import from_bytes, to_bytes
from rarewood.monitoring import estimate_prior, monitor
from rarewood.monitoring.watching import Watch
from support.models import CASES


@pytest.fixture(scope="module")
def payments():
    return rw.datasets.make_planted_rules(5000, random_state=0)


@pytest.fixture(scope="module")
def new():
    return rw.datasets.make_planted_rules(5000, random_state=1)


@pytest.fixture(scope="module")
def model(payments):
    return rw.RareClassifier(60, random_state=0).fit(payments.X, payments.y)


def as_new_rows(model):
    """Out-of-bag probabilities as all trees would give them."""
    return model._sharpening.probabilities(model.oob_decision_function_[:, 1])


def more_rare(table, times):
    """The same rows with the rare ones so many times."""
    rows = np.concatenate([np.flatnonzero(table.y == 0), np.repeat(np.flatnonzero(table.y == 1), times)])
    rows = np.random.default_rng(0).permutation(rows)
    return table.X.iloc[rows].reset_index(drop=True), table.y[rows]


def test_the_share_lies_between_the_means_of_the_classes(model, payments, new):
    p, oob = model.predict_proba(new.X)[:, 1], as_new_rows(model)
    rare, rest = oob[payments.y == 1], oob[payments.y == 0]
    share = (p.mean() - rest.mean()) / (rare.mean() - rest.mean())
    error = p.var() / len(p) + share**2 * rare.var() / len(rare) + (1 - share) ** 2 * rest.var() / len(rest)
    half = 1.6448536 * math.sqrt(error * (1 + 15 / len(rare))) / (rare.mean() - rest.mean())
    found = estimate_prior(model, new.X)
    assert (found.value, found.low, found.high) == pytest.approx((share, share - half, share + half))
    assert found.before == pytest.approx(np.mean(payments.y))


def test_both_readings_follow_their_definitions(model, payments, new):
    p, oob, cut = (
        model.predict_proba(new.X)[:, 1],
        as_new_rows(model),
        model.decision_threshold_.value,
    )

    def log_odds(share):
        return math.log(share / (1 - share))

    def held(new_scores, old_scores, old_rare):
        share = (old_rare.sum() + 0.5) / (len(old_rare) + 1)
        z = log_odds(new_scores.mean()) + log_odds(share) - log_odds(old_scores.mean())
        return 1 / (1 + math.exp(-z))

    rare = payments.y == 1
    precision = held(p[p >= cut], oob[oob >= cut], rare[oob >= cut])
    missed = (p < cut).sum() * held(p[p < cut], oob[oob < cut], rare[oob < cut])
    hits = (p >= cut).sum() * precision
    share, recall, false = (
        estimate_prior(model, new.X).value,
        np.mean(oob[rare] >= cut),
        np.mean(oob[~rare] >= cut),
    )
    found = monitor(model, new.X).summary
    assert found["precision"]["if_probabilities_hold"] == pytest.approx(precision)
    assert found["recall"]["if_probabilities_hold"] == pytest.approx(hits / (hits + missed))
    assert found["precision"]["if_share_changed"] == pytest.approx(
        share * recall / (share * recall + (1 - share) * false)
    )
    assert found["recall"]["if_share_changed"] == pytest.approx(recall)
    assert found["alarms"]["n"] == (p >= cut).sum()
    assert found["alarms"]["expected"] == pytest.approx(len(p) * np.mean(oob >= cut))


def test_rows_like_those_of_the_fit_are_fine(model, new):
    found = monitor(model, new.X, new.y)
    assert found.ok
    assert found.findings == []
    assert found.summary["labels"]["n_rare"] == new.y.sum()
    assert "Nothing asks for attention" in str(found)
    assert json.loads(found.to_json())["n_rows"] == 5000
    frame = found.frame()
    assert list(frame["figure"][:2]) == ["alarms", "rare share"]
    assert not frame["finding"].any()


def test_readings_of_a_weak_signal_do_not_come_apart_by_chance():
    """In more than half of such tables they did, by a tenth and more."""
    asked = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)

        def draw(n, rng=rng):
            y = (rng.random(n) < 0.05).astype(int)
            return rng.normal(size=(n, 8)) + np.array([0.8, 0.6, 0.4, 0.2, 0, 0, 0, 0]) * y[:, np.newaxis], y

        model = rw.RareClassifier(30, random_state=0).fit(*draw(600))
        found = monitor(model, draw(1000)[0])
        assert "readings" not in {each.code for each in found.findings}
        precision = found.summary["precision"]
        if precision is not None:
            asked += abs(precision["if_probabilities_hold"] - precision["if_share_changed"]) > 0.15
    assert asked


def test_a_share_that_has_moved_is_noticed_with_two_readings(model, new):
    found = monitor(model, more_rare(new, 4)[0])
    assert {"alarms", "share", "readings"} <= {each.code for each in found.findings}
    both = found.summary["precision"]
    assert both["if_share_changed"] > both["if_probabilities_hold"] + 0.1
    assert "label 200 rows" in str(found).lower()
    assert "attention" in repr(found)


def test_labels_tell_what_scores_cannot(model, new):
    X, y = more_rare(new, 4)
    known = pd.Series(y, dtype=object).where(np.arange(len(y)) % 2 == 0, None)
    found = monitor(model, X, known)
    assert found.summary["labels"]["n_rows"] == (len(y) + 1) // 2
    assert "calibration" in {each.code for each in found.findings}
    assert "recalibrate" in found.summary["next"]
    blind = monitor(model, new.X.assign(**{name: new.X[name].iloc[0] for name in new.X.columns[:9]}), new.y)
    assert {"recall", "drift"} <= {each.code for each in blind.findings}
    assert "fit it again" in blind.summary["next"]


def test_a_broken_promise_is_told(payments, new):
    model = rw.RareClassifier(60, threshold="recall=0.6@90%", random_state=0).fit(payments.X, payments.y)
    assert model.decision_threshold_.promised
    swapped = np.where(np.arange(5000) % 3 == 0, 1 - new.y, new.y)
    assert "promise" in {each.code for each in monitor(model, new.X, swapped).findings}
    assert "promise" not in {each.code for each in monitor(model, new.X, new.y).findings}


def test_blocks_add_up_to_the_table(model, new):
    whole, watch = monitor(model, new.X, new.y, times=np.datetime64("2026-01-30") + np.arange(5000) // 40), Watch(model)
    days = (np.datetime64("2026-01-30") + np.arange(5000) // 40).astype(np.int64)
    for begin in range(0, 5000, 1234):
        part = slice(begin, begin + 1234)
        watch.add(new.X[part], new.y[part], days[part])
    same = json.loads(watch.finish().to_json())
    assert same["periods"]["unit"] == "month"
    assert len(same["periods"]["groups"]) == 6
    assert sum(each["n_rows"] for each in same["periods"]["groups"]) == 5000
    assert same["columns"] == whole.summary["columns"]
    assert same["alarms"] == pytest.approx(whole.summary["alarms"])
    assert same["precision"] == pytest.approx(whole.summary["precision"])
    assert same["labels"]["expected_rare"] == pytest.approx(whole.summary["labels"]["expected_rare"])


def test_few_alarms_say_nothing_of_precision(model, new):
    found = monitor(model, new.X[:100])
    assert found.summary["precision"] is None
    assert any("too few" in note for note in found.summary["notes"])


def test_a_prior_moves_what_is_expected(model, new):
    told = from_bytes(to_bytes(model)).set_prior({1: 0.08})
    found = monitor(told, more_rare(new, 4)[0])
    assert not {"alarms", "share"} & {each.code for each in found.findings}
    assert found.summary["share"]["before"] == pytest.approx(0.08)


@pytest.mark.parametrize("case", [case for case in CASES if case.mode.essential], ids=str)
def test_every_model_that_remembers(case):
    model = case.fitted()
    X, _ = case.rows()
    if getattr(model, "memory_", None) is None:
        with pytest.raises((ValueError, TypeError), match=r"remembers nothing|is not accepted"):
            monitor(model, X)
        return
    if hasattr(model, "label_rate_"):
        with pytest.raises(ValueError, match="on a copy of it"):
            monitor(model, X)
        model = from_bytes(to_bytes(model)).set_label_rate(None)
    found = monitor(model, X)
    assert found.text()
    assert found.summary["n_rows"] == len(X)
    assert monitor(from_bytes(to_bytes(model)), X).to_json() == found.to_json()


def test_bad_input_is_named(model, new):
    with pytest.raises(ValueError, match=r"y_new has the label 'odd'.*its classes are \[0, 1\]"):
        monitor(model, new.X[:3], [0, "odd", 1])
    with pytest.raises(ValueError, match="one label for each row"):
        monitor(model, new.X[:3], [0, 1])
    with pytest.raises(ValueError, match="times has 2 entries"):
        monitor(model, new.X[:3], times=np.array(["2026-01-01", "2026-01-02"], dtype="M8[D]"))
    with pytest.raises(ValueError, match="memory=False"):
        monitor(from_bytes(to_bytes(model, memory=False)), new.X)
    with pytest.raises(TypeError, match="LogisticRegression is not accepted"):
        monitor(LogisticRegression(), new.X)


def test_the_page_holds_the_figures_and_nothing_hostile(model, new):
    X = new.X.rename(columns={"amount": "<script>alert(1)</script>"})
    other = rw.RareClassifier(12, random_state=0).fit(X, new.y)
    page = monitor(other, X, new.y, times=np.datetime64("2026-01-30") + np.arange(5000) // 40).html
    assert page.count("<script") == 1  # its own
    assert "&lt;script&gt;" in page
    assert "Over time" in page
    assert "2026-02" in page
    assert "Content-Security-Policy" in page
