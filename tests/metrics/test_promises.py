"""Promises: exact bounds as the textbook writes them, and how often they are kept on new rows."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom, norm

from rarewood.exceptions import RarewoodWarning
from rarewood.metrics import _figures, choose_threshold
from rarewood.metrics._labelled_scores import LabelledScores
from rarewood.metrics._promises import _of_recall, find_promise
from rarewood.metrics._threshold_choice import _best, choose_by_rule
from rarewood.metrics._threshold_rules import read_rule

DISTANCE, SHARE = 2.0, 0.05  # of the classes, of the rare one


def table(n_rare, rng):
    n_other = round(n_rare / SHARE) - n_rare
    scores = np.concatenate([rng.normal(size=n_other), rng.normal(DISTANCE, size=n_rare)])
    return np.repeat([0, 1], [n_other, n_rare]), scores


def truth(value):
    """Precision, recall and share of alarms on new rows."""
    recall, false = norm.sf(value, DISTANCE), norm.sf(value)
    alarms = SHARE * recall + (1 - SHARE) * false
    return SHARE * recall / alarms, recall, alarms


def promised(rule, y, scores, groups=None):
    rows = LabelledScores.read(y, scores, positive=1, groups=groups)
    return rows, find_promise(rows, read_rule(rule))


@given(st.integers(0, 10**6), st.integers(5, 80), st.sampled_from([0.3, 0.6, 0.8]), st.sampled_from([0.8, 0.9, 0.95]))
@settings(max_examples=40)
def test_precision_as_the_binomial_says(seed, n_rare, floor, confidence):
    rng = np.random.default_rng(seed)
    y, scores = table(n_rare, rng)
    scores = np.round(scores, 1)  # with ties
    rows, found = promised(f"precision={floor}@{100 * confidence:g}%", y, scores)
    alpha = (1 - confidence) / (2 if n_rare < 50 else 1)
    best = None
    for value in sorted(set(scores), reverse=True):
        called = scores >= value
        k, tp = int(called.sum()), int(y[called].sum())
        if binom.sf(tp - 1, k, floor) <= alpha and (best is None or tp > best[0]):
            best = tp, beta.ppf(alpha, tp, k - tp + 1), value
    assert found.kept == (best is not None)
    if best is not None:
        assert rows.cuts.lowest_called[found.cut - 1] == best[2]
        assert found.lower == pytest.approx(best[1])
        assert found.lower >= floor - 1e-9


@given(st.integers(0, 10**6), st.integers(1, 80), st.sampled_from([0.5, 0.8, 0.9]), st.sampled_from([0.8, 0.9, 0.95]))
@settings(max_examples=40)
def test_recall_as_the_order_statistic_says(seed, n_rare, floor, confidence):
    rng = np.random.default_rng(seed)
    y, scores = table(n_rare, rng)
    rows, found = promised(f"recall={floor}@{100 * confidence:g}%", y, scores)
    lowest = np.sort(scores[y == 1])
    # new rows are at or above the j-th lowest of n with a share that has the distribution Beta(n - j + 1, j)
    kept = [j for j in range(1, n_rare + 1) if beta.sf(floor, n_rare - j + 1, j) >= confidence]
    assert found.kept == bool(kept)
    assert bool(kept) == (n_rare >= math.log(1 - confidence) / math.log(floor) - 1e-9)
    if kept:
        assert rows.cuts.lowest_called[found.cut - 1] == lowest[max(kept) - 1]


@given(st.integers(0, 10**6), st.integers(10, 60), st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=40)
def test_alarms_as_the_order_statistic_says(seed, n_rare, share):
    rng = np.random.default_rng(seed)
    y, scores = table(n_rare, rng)
    n = len(y)
    _, found = promised(f"alerts={100 * share}%@90%", y, scores)
    most = max([k for k in range(1, n + 1) if beta.cdf(share, k, n - k + 1) >= 0.9], default=0)
    assert found.cut == most
    assert found.kept == (most > 0)


@pytest.mark.parametrize("n_rare", [15, 60])
@pytest.mark.parametrize("rule", ["precision=0.5@90%", "recall=0.8@90%", "alerts=5%@90%"])
def test_promises_are_kept(rule, n_rare):
    """About nine times of ten, or more often; without the promise it is about every second time (docs/promises.md)."""
    rng = np.random.default_rng(0)
    kept, kept_without = [], []
    for _ in range(200):
        y, scores = table(n_rare, rng)
        rows, found = promised(rule, y, scores)
        value = rows.cuts.lowest_called[found.cut - 1] if found.cut else np.inf
        kept.append(not found.kept or _holds(rule, value))
        kept_without.append(_holds(rule, _point(rule, rows)))
    assert np.mean(kept) >= 0.87
    assert np.mean(kept_without) <= 0.75


def _holds(rule, value):
    precision, recall, alarms = truth(value)
    return {"precision": precision >= 0.5, "recall": recall >= 0.8, "alerts": alarms <= 0.05}[rule.split("=")[0]]


def _point(rule, rows):
    return _best(rows, read_rule(rule.split("@")[0]))


@pytest.mark.parametrize(("rule", "n_rare"), [("precision=0.5", 40), ("recall=0.8", 40), ("precision=0.5@90%", 100)])
def test_figures_are_those_of_new_rows(rule, n_rare, monkeypatch):
    monkeypatch.setattr(_figures, "_MOST_DRAWS", 30)
    rng = np.random.default_rng(1)
    told, true = [], []
    for seed in range(80):
        monkeypatch.setattr(_figures, "_SEED", seed)
        y, scores = table(n_rare, rng)
        chosen = choose_by_rule(read_rule(rule), y, scores, positive=1)
        told.append((chosen.precision, chosen.recall))
        true.append(truth(chosen.value)[:2])
    bias = np.mean(told, axis=0) - np.mean(true, axis=0)
    error = np.std(np.array(told) - np.array(true), axis=0) / math.sqrt(len(told))
    assert (np.abs(bias) < 0.01 + 2 * error).all()
    assert (error < 0.015).all()


def test_where_nothing_can_be_promised():
    y, scores = table(15, np.random.default_rng(0))
    with pytest.warns(
        RarewoodWarning,
        match=r"a precision of 0\.95 cannot be promised with 90% confidence .* At most a precision of 0\.",
    ):
        chosen = choose_threshold(y, scores, rule="precision=0.95@90%", positive=1)
    assert not chosen.promised
    assert chosen.confidence == 0.9
    assert chosen.value == choose_by_rule(read_rule("precision=0.95"), y, scores, positive=1).value
    assert 0 < chosen.most < 0.95
    assert "not promised" in str(chosen)
    with pytest.warns(RarewoodWarning, match=r"a recall of 0\.9 cannot be promised"):
        choose_threshold(y, scores, rule="recall=0.9@90%", positive=1)
    with pytest.warns(RarewoodWarning, match=r"alarms on at most 0\.1% of new rows cannot be promised"):
        chosen = choose_threshold(y, scores, rule="alerts=0.1%@90%", positive=1)
    assert chosen.n_alarms == 0


def test_what_a_promise_says():
    y, scores = table(200, np.random.default_rng(0))
    chosen = choose_threshold(y, scores, rule="precision=0.5@90%", positive=1)
    assert "(precision of at least 0.5, promised with 90% confidence)" in str(chosen)
    assert chosen.promised
    assert chosen.lower >= 0.5
    assert chosen.shortfall is None
    assert chosen.n_hits > chosen.n_alarms / 2


def test_weights_are_no_evidence():
    """A factor changes nothing, and rows of different weight say less than as many of the same."""
    rng = np.random.default_rng(0)
    y, scores = table(80, rng)
    alone = choose_threshold(y, scores, rule="precision=0.5@90%", positive=1)
    heavy = choose_threshold(y, scores, rule="precision=0.5@90%", positive=1, sample_weight=np.full(len(y), 100.0))
    assert heavy.lower == pytest.approx(alone.lower)
    assert heavy.value == alone.value
    weights = rng.exponential(size=len(y)) ** 2 + 0.01
    rows = LabelledScores.read(y, scores, positive=1, sample_weight=weights)
    trials = _of_recall(rows).trials[0]
    rare = weights[y == 1]
    assert trials == pytest.approx(rare.sum() ** 2 / (rare**2).sum())
    assert trials < 40


# ---------------------------------------------------------------------------------------------------------
# groups


def slow_design(y, scores, groups, floor, value):
    """k_eff and hits of the alarms at or above a score, from the formula, group by group."""
    called = scores >= value
    k, tp = called.sum(), y[called].sum()
    p = (tp + floor) / (k + 1)
    own = [(y[called & (groups == g)].sum(), (called & (groups == g)).sum()) for g in np.unique(groups[called])]
    squares = sum((t - p * n) ** 2 for t, n in own)
    variance = (squares + (1 - p) ** 2 + p**2) / (k + 1) ** 2 * (len(own) + 1) / len(own)
    size = min(k, max(p * (1 - p) / variance, k**2 / sum(n**2 for _, n in own)))
    return size, size * tp / k


@given(st.integers(0, 10**6), st.integers(6, 30))
@settings(max_examples=25)
def test_groups_as_the_formula_says(seed, n_groups):
    rng = np.random.default_rng(seed)
    y, scores = table(20, rng)
    groups = rng.integers(0, n_groups, size=len(y))
    scores = np.round(scores + rng.normal(size=n_groups)[groups], 1)
    rows, found = promised("precision=0.4@90%", y, scores, groups)
    passing = {}
    for place, value in enumerate(rows.cuts.lowest_called):
        size, hits = slow_design(y, scores, groups, 0.4, value)
        if hits > 0 and beta.cdf(0.4, hits, size - hits + 1) <= 0.05:
            passing[place + 1] = rows.cuts.tp[place + 1]
    enough = len(np.unique(groups[y == 1])) >= 5
    assert found.kept == (bool(passing) and enough)
    if found.kept:
        assert passing[found.cut] == max(passing.values())


def test_rows_that_are_alone_in_their_group_count_almost_as_much_as_without():
    y, scores = table(100, np.random.default_rng(0))
    with_groups = promised("recall=0.8@90%", y, scores, np.arange(len(y)))[1]
    without = promised("recall=0.8@90%", y, scores)[1]
    assert with_groups.kept
    assert without.lower == pytest.approx(with_groups.lower, abs=0.02)


def test_copies_are_no_evidence():
    y, scores = table(30, np.random.default_rng(0))
    four = [np.repeat(each, 4) for each in (y, scores)]
    groups = np.repeat(np.arange(len(y)), 4)
    once, copied = (promised("recall=0.7@90%", *each)[1] for each in ((y, scores), (*four, groups)))
    assert copied.lower <= once.lower + 0.02
    assert promised("recall=0.7@90%", *four)[1].cut < once.cut  # a stricter cut, if nobody says that they are copies


def test_too_few_groups_promise_nothing():
    y, scores = table(60, np.random.default_rng(0))
    groups = np.where(y == 1, np.arange(len(y)) % 4, 4 + np.arange(len(y)))
    for rule in ("precision=0.4@90%", "recall=0.5@90%", "alerts=20%@90%"):
        assert not promised(rule, y, scores, groups)[1].kept
