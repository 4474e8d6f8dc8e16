"""What `rarewood fit` says of its figures: intervals, chance, and what rules leave out."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from sklearn.metrics import average_precision_score, roc_auc_score

import rarewood as rw
from rarewood.metrics.areas import area_with_interval
from rarewood.metrics.uncertainty import average_precision_with_interval, wilson


def noise(n=200, columns=3):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(n, columns)).round(3), columns=[f"x{i}" for i in range(columns)])
    return frame.assign(bad=rng.permutation(np.where(np.arange(n) % 10, "no", "yes")))


def test_intervals_and_chance(program):
    frame = noise()
    frame["x0"] += 2 * (frame["bad"] == "yes")
    frame.to_csv(program.folder / "t.csv", index=False)
    command = ("fit", "t.csv", "-m", "hddt", "--rules", 0, "-o", "m.rarewood")
    told = program(*command, "--json").json
    assert told["chance"]["auc"] == 0.5
    assert told["chance"]["average_precision"] == pytest.approx(0.1)
    assert told["chance"]["log_loss"] == pytest.approx(-0.1 * np.log(0.1) - 0.9 * np.log(0.9))
    low, high = told["intervals"]["auc"]
    assert 0.5 < low < told["measures"]["auc"] < high < 1
    assert told["intervals"]["log_loss"] == [None, None]
    text = program(*command).out
    assert "no better than chance" not in text
    assert "chance: 0.5" in text


def test_noise_is_no_better_than_chance(program):
    noise().to_csv(program.folder / "t.csv", index=False)
    told = program("fit", "t.csv", "-s", "n_estimators=20", "--rules", 0, "-o", "m.rarewood").out.replace("\n", " ")
    assert "no better than chance" in told


def test_more_columns_than_rows(program):
    noise(60, 80).to_csv(program.folder / "t.csv", index=False)
    told = program("fit", "t.csv", "-m", "hddt", "--rules", 0, "--json", "-o", "m.rarewood").json["notes"]
    assert any("80 columns for 60 rows" in note and "n_estimators=1000" in note for note in told)


def test_rows_that_belong_together_say_less():
    rng = np.random.default_rng(0)
    rare = rng.random(60) < 0.3
    scores = rng.normal(size=60) + rare
    alone = area_with_interval(scores, rare)
    copies = [np.repeat(each, 10) for each in (scores, rare, np.arange(60))]
    together = area_with_interval(*copies)
    as_rows = area_with_interval(*copies[:2])
    assert together.value == pytest.approx(alone.value)
    assert alone.value == pytest.approx(roc_auc_score(rare, scores))
    assert as_rows.high - as_rows.low < 0.5 * (alone.high - alone.low)
    assert together.low == pytest.approx(alone.low, abs=0.02)
    assert together.high == pytest.approx(alone.high, abs=0.02)


def test_average_precision_of_groups_is_that_of_tables_with_groups_drawn_again():
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 60, 900)
    rare = rng.random(900) < np.where(groups % 5, 0.02, 0.3)
    scores = (rng.normal(size=900) + rare + rng.normal(size=60)[groups]).round(1)  # with ties
    found = average_precision_with_interval(scores, rare, 0, groups)
    assert found.value == pytest.approx(average_precision_score(rare, scores))
    drawn = []
    for _ in range(300):
        rows = np.concatenate([np.flatnonzero(groups == group) for group in rng.integers(0, 60, 60)])
        drawn.append(average_precision_score(rare[rows], scores[rows]))
    half = 1.96 * np.std(logit(drawn))
    assert [found.low, found.high] == pytest.approx(expit(logit(found.value) + [-half, half]), abs=0.02)
    as_rows = average_precision_with_interval(scores, rare, 0)
    assert found.high - found.low > 1.2 * (as_rows.high - as_rows.low)
    one = average_precision_with_interval(scores, rare, 0, np.zeros(900, dtype=np.intp))
    assert (one.low, one.high) == (None, None)


def test_rows_of_a_group_say_less_of_a_fit(program):
    firms = noise(80, 1).assign(firm=np.arange(80))
    many = firms.loc[np.repeat(np.arange(80), 5)].reset_index(drop=True)
    many["x0"] += (many["bad"] == "yes") + np.random.default_rng(0).normal(size=400)
    many.to_csv(program.folder / "t.csv", index=False)
    fit = ("fit", "t.csv", "-t", "bad", "-s", "n_estimators=40", "--rules", 0, "-o", "m.rarewood")
    told = program(*fit, "--group", "firm", "--json").json
    low, high = told["intervals"]["average_precision"]
    assert low < told["measures"]["average_precision"] < high
    low, high = told["intervals"]["recall"]
    least, most = wilson(40 * told["threshold"]["recall"], 40)  # as if every row stood for itself
    assert high - low > 1.3 * (most - least)
    told = program(*fit, "--group", "firm").out.replace("\n", " ")
    assert "from 40 rare rows in 8 groups; about" in told


def test_figures_of_later_rows_count_these_alone(program):
    frame = noise(400).assign(day=np.repeat(np.arange(40), 10))
    frame["x0"] += 2 * (frame["bad"] == "yes")
    frame.to_csv(program.folder / "t.csv", index=False)
    fit = ("fit", "t.csv", "-t", "bad", "-s", "n_estimators=20", "--rules", 0, "-o", "m.rarewood", "--time", "day")
    n_later = int((frame["bad"][300:] == "yes").sum())
    assert f"from {n_later} rare rows; about" in program(*fit).out.replace("\n", " ")


def test_rules_leave_out_what_does_not_come_again(program):
    n = 600
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"number": np.arange(n), "day": pd.date_range("2024-01-01", periods=n)})
    frame["born"] = pd.Timestamp("1940-01-01") + pd.to_timedelta(rng.integers(0, 60 * 365, n), unit="D")
    frame["bad"] = np.where(
        (frame["number"] > 500) & (frame["born"] < "1960-01-01") & (rng.random(n) < 0.9), "yes", "no"
    )
    frame.to_csv(program.folder / "t.csv", index=False)
    told = program("fit", "t.csv", "-m", "hddt", "--rules", 3, "-o", "m.rarewood", "--json").json
    assert "Rules do not ask for number, day, whose values hardly ever come again in new rows" in told["rules_note"]
    assert told["rules"]
    assert all("number" not in rule["rule"] and "day" not in rule["rule"] for rule in told["rules"])
    assert any("born" in rule["rule"] for rule in told["rules"])


def test_a_panel_is_told_to_choose(program):
    n = 420
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"firm": np.arange(n) % 60, "year": 2015 + np.arange(n) // 60, "x": rng.normal(size=n)})
    frame.assign(bad=np.where(frame["x"] > 1.2, 1, 0)).to_csv(program.folder / "t.csv", index=False)
    told = program("fit", "t.csv", "-m", "hddt", "--time", "year", "--group", "firm", code=4).err
    assert "--time year alone if new rows will be later ones of the same firm" in told
    assert "--group firm alone if they will be of another firm" in told


def test_a_report_on_rows_of_the_training_warns():
    data = rw.datasets.make_planted_rules(1500, random_state=0)
    model = rw.RareClassifier(30, random_state=0).fit(data.X, data.y)
    new = rw.datasets.make_planted_rules(1500, random_state=1)
    for rows, warns in ((data, True), (new, False)):
        page = rw.report.build(model, rows.X, rows.y, n_rules=0, baseline=False)
        kinds = [problem["kind"] for problem in page.summary["problems"]]
        assert ("trained on" in kinds) is warns
