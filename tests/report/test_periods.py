"""Figures over time against pandas, the test for trend against its definition row by row."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from rarewood.report import summarise
from rarewood.report._charts import draw
from rarewood.report._charts.periods import found_over_time, share_over_time
from rarewood.report._scores import ScoredRows
from rarewood.report._sections.periods import periods, trend
from support.subjects import subject_of

PANDAS = {"day": "D", "week": "W-SUN", "month": "M", "quarter": "Q", "year": "Y"}


def made(n, n_days, share=0.1, seed=0, start="2023-11-15"):
    """Scored rows on days at random; a score says something about the class, and so do the days about neither."""
    rng = np.random.default_rng(seed)
    is_rare = rng.random(n) < share
    scores = np.clip(rng.normal(0.3, 0.2, n) + 0.3 * is_rare, 0, 1)
    days = (np.datetime64(start) + rng.integers(0, n_days, n)).astype("M8[D]")
    return ScoredRows(scores, is_rare), days, days.astype(np.int64)


def slow_index(others, inside):
    """The stability index of the definition: tenths of the others, half a row added to each bin."""
    ordered = sorted(others)
    ends = sorted({ordered[math.ceil(len(ordered) * i / 10) - 1] for i in range(1, 10)})
    edges = list(zip([-math.inf, *ends], [*ends, math.inf]))
    counts = [[sum(low < value <= high for value in values) for low, high in edges] for values in (others, inside)]
    used = [i for i in range(len(edges)) if counts[0][i] + counts[1][i]]
    total = 0.0
    for i in used:
        p, q = ((each[i] + 0.5) / (sum(each) + 0.5 * len(used)) for each in counts)
        total += (q - p) * math.log(q / p)
    return total


@pytest.mark.parametrize(
    ("n_days", "unit"), [(4, "day"), (60, "week"), (200, "month"), (1200, "quarter"), (4000, "year")]
)
def test_periods_are_those_of_pandas(n_days, unit):
    rows, dates, days = made(2500, n_days)
    found = periods(subject_of(rows, days=days, threshold=0.5))
    assert found["unit"] == unit
    assert (found["first"], found["last"]) == (str(dates.min()), str(dates.max()))
    data = pd.DataFrame({"rare": rows.is_rare, "score": rows.scores, "alarm": rows.scores >= 0.5})
    data["period"] = pd.Series(pd.DatetimeIndex(dates)).dt.to_period(PANDAS[unit])
    expected = dict(list(data.groupby("period")))
    assert len(found["groups"]) == len(expected)
    for group, (period, inside) in zip(found["groups"], expected.items(), strict=True):
        named = period.start_time.date().isoformat() if unit == "week" else str(period).replace("Q", " Q")
        assert group["label"] == named
        assert group["place"] == (period - data["period"].min()).n
        n_found = int((inside["alarm"] & inside["rare"]).sum())
        for key, hits, n in (
            ("share", inside["rare"].sum(), len(inside)),
            ("recall", n_found, inside["rare"].sum()),
            ("precision", n_found, inside["alarm"].sum()),
        ):
            if n:
                ends = binomtest(int(hits), int(n)).proportion_ci(method="wilson")
                assert group[key] == pytest.approx([hits / n, ends.low, ends.high])
            else:
                assert group[key] is None
        assert group["mean_score"] == pytest.approx(inside["score"].mean())
        others = data["score"][data["period"] != period]
        assert group["scores"]["psi"] == pytest.approx(slow_index(others.tolist(), inside["score"].tolist()))
    assert found["whole"]["n_rows"] == 2500
    assert found["whole"]["mean_score"] == pytest.approx(rows.scores.mean())


@pytest.mark.parametrize(
    ("n_days", "share", "unit"),
    [
        (31, 0.3, "day"),  # 750 rare rows, 24 a day
        (31, 0.05, "week"),
        (40, 0.3, "week"),  # more than 31 days would be too many to read
        (300, 0.02, "quarter"),  # 50 rare rows in eleven months
        (20, 0.002, "month"),  # 5 rare rows from November to December: the longest unit of which there are two
    ],
)
def test_the_unit_leaves_enough_rare_rows(n_days, share, unit):
    rows, _, days = made(2500, n_days, share)
    assert periods(subject_of(rows, days=days, threshold=0.5))["unit"] == unit


def test_without_days_or_within_one_there_are_none():
    rows, _, days = made(100, 3)
    assert periods(subject_of(rows, days=None, threshold=0.5)) is None
    assert periods(subject_of(rows, days=np.full_like(days, 19_000), threshold=0.5)) is None


def test_days_before_1970_and_gaps_have_their_places():
    rows, _, _ = made(400, 1, share=0.3)
    days = np.repeat([-5, -4, 3], [100, 100, 200])  # 1969-12-27 is a Saturday
    found = periods(subject_of(rows, days=days, threshold=0.5))
    assert [(group["label"], group["place"]) for group in found["groups"]] == [
        ("1969-12-27", 0),
        ("1969-12-28", 1),
        ("1970-01-04", 8),
    ]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 9)), min_size=1, max_size=6))
def test_the_trend_is_a_correlation_of_rows(groups):
    hits, misses, places = zip(*groups, strict=True)
    n = [a + b for a, b in zip(hits, misses)]
    outcome = [value for a, b in zip(hits, misses) for value in [1] * a + [0] * b]
    place = [at for at, count in zip(places, n) for _ in range(count)]
    found = trend(hits, n, places)
    if len(set(outcome)) < 2 or len(set(place)) < 2:
        assert found == 0.0
    else:
        assert found == pytest.approx(math.sqrt(len(outcome)) * np.corrcoef(outcome, place)[0, 1], abs=1e-9)


def test_chance_makes_a_trend_in_one_case_of_a_hundred():
    rng = np.random.default_rng(0)
    found = [trend(rng.binomial(12, 0.7, 10), [12] * 10, range(10)) for _ in range(2000)]
    assert 0.004 <= np.mean(np.abs(found) > 2.5758) <= 0.018


def test_what_rises_and_what_falls():
    rows, _, days = made(4000, 200, share=0.15)
    assert periods(subject_of(rows, days=days, threshold=0.4))["trends"] == []
    late = (days - days.min()) / 200
    weaker = ScoredRows(np.where(rows.is_rare, rows.scores - 0.3 * late, rows.scores), rows.is_rare)
    assert [each["direction"] for each in periods(subject_of(weaker, days=days, threshold=0.4))["trends"]] == [
        "falls",
        "falls",
    ]
    assert [each["key"] for each in periods(subject_of(weaker, days=days, threshold=0.4))["trends"]] == [
        "recall",
        "precision",
    ]
    rng = np.random.default_rng(1)
    more = ScoredRows(rows.scores, rng.random(4000) < 0.05 + 0.2 * late)
    assert {"key": "share", "direction": "rises"} in periods(subject_of(more, days=days, threshold=0.4))["trends"]


def test_a_month_of_other_scores_is_marked():
    rows, dates, days = made(1500, 200, share=0.15)
    january = dates.astype("M8[M]") == np.datetime64("2024-01")
    moved = ScoredRows(np.clip(rows.scores + 0.3 * january, 0, 1), rows.is_rare)
    levels = {
        group["label"]: group["scores"]["level"]
        for group in periods(subject_of(moved, days=days, threshold=0.5))["groups"]
    }
    assert levels.pop("2024-01") == "much"
    assert "much" not in levels.values()
    still = {group["scores"]["level"] for group in periods(subject_of(rows, days=days, threshold=0.5))["groups"]}
    assert still == {"none"}


def test_a_period_without_alarms_is_drawn_without_a_dot():
    rows, _, days = made(4000, 200, share=0.15)
    first = days < days.min() + 10
    silent = ScoredRows(np.where(first, 0.0, rows.scores), rows.is_rare)
    found = periods(subject_of(silent, days=days, threshold=0.5))
    assert found["groups"][0]["precision"] is None
    summary = {"periods": found}
    chart = found_over_time(summary)
    n = len(found["groups"])
    assert (len(chart["recall"]["dots"]), len(chart["precision"]["dots"])) == (n, n - 1)
    assert len(chart["ticks"]) <= 4
    for x, y, high, low in [*chart["recall"]["dots"], *share_over_time(summary)["share"]["dots"]]:
        assert chart["axes"].left <= x <= chart["axes"].left + chart["axes"].width
        assert chart["axes"].top <= high <= y <= low <= chart["axes"].top + chart["axes"].height


class TestPage:
    def test_shows_the_figures(self, payments_report):
        found = payments_report.summary["periods"]
        assert found["unit"] == "week"
        assert [group["label"] for group in found["groups"]] == ["2024-07-01", "2024-07-08", "2024-07-15"]
        page = payments_report.html
        assert '<h2 id="periods">Over time</h2>' in page
        assert ">Week from</th>" in page
        assert all(f">{group['label']}</th>" in page for group in found["groups"])

    def test_says_what_falls(self, payments):
        _, test, model = payments
        order = np.argsort(
            -model.predict_proba(test.X)[:, 1] * (test.y == 1), kind="stable"
        )  # the best hits come first
        days = np.empty(1500, dtype="M8[D]")
        days[order] = np.datetime64("2024-07-01") + np.minimum(np.arange(1500) // 3, 20)
        summary = summarise(model, test.X, test.y, threshold=0.25, times=days, n_rules=0)
        assert {"key": "precision", "direction": "falls"} in summary["periods"]["trends"]
        assert any("in the course of the time" in sentence for sentence in summary["card"]["limits"])

    def test_has_no_such_section_without_times(self, payments):
        _, test, model = payments
        summary = summarise(model, test.X, test.y, threshold=0.25, n_rules=0)
        assert summary["periods"] is None
        assert "found_over_time" not in draw(summary)
