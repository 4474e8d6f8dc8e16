"""Figures in money, against going through the rows one by one."""

import numpy as np
import pytest

import rarewood as rw
from rarewood.report import summarise
from rarewood.report._scores import ScoredRows
from rarewood.report._sections.money import money
from support.subjects import subject_of


@pytest.fixture(scope="module")
def subject():
    rng = np.random.default_rng(0)
    rows = ScoredRows(rng.random(120).round(2), rng.random(120) < 0.2)
    return subject_of(
        rows, threshold=0.6, costs=(5.0, 1.0), days=np.arange(120) // 30, amounts=rng.exponential(20.0, 120)
    )


def cost_of(called, subject):
    """What misses and false alarms cost together."""
    total = 0.0
    for is_called, is_rare, amount in zip(called, subject.rows.is_rare, subject.amounts):
        if is_rare and not is_called:
            total += amount
        if is_called and not is_rare:
            total += 5.0
    return total


def test_costs_of_both_ways_to_decide(subject):
    found = money(subject)
    by_row = [p * a >= (1 - p) * 5.0 for p, a in zip(subject.rows.scores, subject.amounts)]
    called = subject.rows.scores >= 0.6
    assert found["at_threshold"]["cost"] == pytest.approx(cost_of(called, subject))
    assert found["by_row"]["cost"] == pytest.approx(cost_of(by_row, subject))
    assert found["of_no_alarm"]["cost"] == found["at_stake"] == pytest.approx(cost_of([False] * 120, subject))
    assert found["alarms_that_pay"] == sum(c and b for c, b in zip(called, by_row))
    assert found["alarms_that_do_not"]["n_rows"] == sum(c and not b for c, b in zip(called, by_row))
    assert found["passed_though_they_pay"]["n_rows"] == sum(b and not c for c, b in zip(called, by_row))


def test_the_curve_is_the_cost_at_each_threshold(subject):
    curve = money(subject)["curve"]
    for threshold, cost in zip(curve["threshold"], curve["cost"]):
        assert cost == pytest.approx(cost_of(subject.rows.scores >= threshold, subject))
    every = [cost_of(subject.rows.scores >= threshold, subject) for threshold in np.unique(subject.rows.scores)]
    assert curve["cheapest"]["cost"] == pytest.approx(min(every))


def test_budgets_take_the_first_rows_of_each_day(subject):
    for budget in money(subject)["budgets"]:
        n = budget["n"]
        value = 0.0
        for day in range(4):
            rows = np.flatnonzero(subject.days == day)
            first = sorted(rows, key=lambda row: -subject.rows.scores[row] * subject.amounts[row])[:n]
            value += sum(subject.amounts[row] for row in first if subject.rows.is_rare[row])
        assert budget["by_value"] == pytest.approx(value)
        assert budget["by_value_a_day"] == pytest.approx(value / 4)


def test_the_page_has_the_section_where_rows_have_amounts():
    train, test = (rw.datasets.make_planted_rules(600, as_frame=True, random_state=seed) for seed in (0, 1))
    model = rw.BalancedForestClassifier(20, random_state=0).fit(train.X, train.y)
    amounts = np.linspace(1.0, 100.0, 600)
    plain = {"baseline": False, "n_rules": 0}
    page = rw.report.build(model, test.X, test.y, costs=(5.0, amounts), **plain)
    assert page.summary["costs"] == {"false_alarm": 5.0, "miss": pytest.approx(amounts[test.y == 1].mean())}
    assert "Which alarms pay" in page.html
    assert summarise(model, test.X, test.y, costs=(5.0, 20.0), **plain)["money"] is None
    with pytest.raises(ValueError, match="the cost of a miss has shape"):
        summarise(model, test.X, test.y, costs=(5.0, amounts[:10]), **plain)
