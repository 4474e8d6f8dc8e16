"""Figures of groups against pandas, and the test of whether they differ against its definition."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, hypergeom

from rarewood.report._scores import ScoredRows
from rarewood.report._sections.segments import differs, segments
from rarewood.report._tables import read_tables
from support.subjects import subject_of


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 2000
    frame = pd.DataFrame(
        {
            "country": pd.Categorical(rng.choice(["AT", "DE", "FR"], n, p=[0.1, 0.6, 0.3])),
            "amount": np.where(rng.random(n) < 0.05, np.nan, rng.lognormal(size=n)),
            "level": rng.integers(0, 3, n).astype(float),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), unit="D"),
        }
    )
    is_rare = rng.random(n) < np.where(frame["country"] == "AT", 0.3, 0.05)
    rows = ScoredRows(np.clip(rng.normal(0.3, 0.2, n) + 0.3 * is_rare, 0, 1), is_rare)
    return frame, rows, read_tables(None, frame, None, None)


def test_groups_are_those_of_pandas(table):
    frame, rows, tables = table
    (found,) = segments(subject_of(rows, tables, segments=["country"]))
    data = frame.assign(rare=rows.is_rare, alarm=rows.scores >= 0.5)
    for group in found["groups"]:
        inside = data[data["country"] == group["label"]]
        n_alarms, n_found = inside["alarm"].sum(), (inside["alarm"] & inside["rare"]).sum()
        assert (group["n_rows"], group["n_rare"], group["n_alarms"]) == (len(inside), inside["rare"].sum(), n_alarms)
        for key, hits, n in (
            ("share", group["n_rare"], len(inside)),
            ("recall", n_found, group["n_rare"]),
            ("precision", n_found, n_alarms),
        ):
            ends = binomtest(int(hits), int(n)).proportion_ci(method="wilson")
            assert group[key] == pytest.approx([hits / n, ends.low, ends.high])
    assert [group["label"] for group in found["groups"]] == ["AT", "DE", "FR"]
    assert found["whole"]["n_rows"] == 2000
    assert "share" in found["groups"][0]["differs"]


def test_numbers_are_cut_in_quarters_and_missing_ones_are_a_group(table):
    frame, rows, tables = table
    (found,) = segments(subject_of(rows, tables, segments=["amount"]))
    *quarters, missing = found["groups"]
    assert (missing["label"], missing["n_rows"]) == ("missing", frame["amount"].isna().sum())
    sizes = [group["n_rows"] for group in quarters]
    assert len(sizes) == 4
    assert max(sizes) - min(sizes) <= 1
    assert sum(sizes) + missing["n_rows"] == 2000
    first = frame["amount"].sort_values()[: sizes[0]]
    assert quarters[0]["n_rare"] == rows.is_rare[first.index].sum()


def test_few_values_and_dates_are_called_by_their_names(table):
    _, rows, tables = table
    level, day = segments(subject_of(rows, tables, segments=["level", "day"]))
    assert [group["label"] for group in level["groups"]] == ["0", "1", "2"]
    assert day["groups"][0]["label"].startswith("2024-01-01 to 2024-01-")


def test_columns_beside_the_table(table):
    _, rows, tables = table
    region = np.array(["north", "south", None, "north"] * 500, dtype=object)
    many = np.arange(2000) % 40
    found = segments(
        subject_of(rows, tables, segments={"region": region, "branch": [f"b{i:02d}" for i in many], "country": None})
    )
    assert [(group["label"], group["n_rows"]) for group in found[0]["groups"]] == [
        ("north", 1000),
        ("south", 500),
        ("missing", 500),
    ]
    labels = [group["label"] for group in found[1]["groups"]]
    assert len(labels) == 12
    assert labels[-1] == "29 others"
    assert found[2]["name"] == "country"


@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_groups_differ_where_chance_hardly_explains_it(n, n_others, data):
    hits, others = data.draw(st.integers(0, n)), data.draw(st.integers(0, n_others))
    chance = hypergeom(n + n_others, hits + others, n)
    alike = [chance.pmf(k) for k in range(n + 1) if chance.pmf(k) <= chance.pmf(hits) * (1 + 1e-7)]
    assert differs((hits, n), (hits + others, n + n_others)) == (sum(alike) < 0.01)


def test_a_group_of_no_rows_or_of_all_does_not_differ():
    assert not differs((0, 0), (3, 10))
    assert not differs((3, 10), (3, 10))


@pytest.mark.parametrize(
    ("wanted", "error", "message"),
    [
        (["contry"], ValueError, "'contry', which is not a column of X, did you mean 'country'"),
        ("country", TypeError, r"give a list of columns: \['country'\]"),
        ({"region": ["a"]}, ValueError, "1 values for 2000 rows"),
    ],
)
def test_mistakes(table, wanted, error, message):
    _, rows, tables = table
    with pytest.raises(error, match=message):
        segments(subject_of(rows, tables, segments=wanted))


def test_nothing_wanted(table):
    _, rows, tables = table
    assert segments(subject_of(rows, tables, segments=None)) == []
