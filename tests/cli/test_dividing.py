"""--time and --group: learning from the past and judging on the future, no customer on both sides."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.cli._errors import ExitCode
from rarewood.cli._split import split_in_words

FEW = ("-m", "brf", "-s", "n_estimators=20", "--rules", 0, "-j", 1)


@pytest.fixture(scope="module")
def frame():
    """Payments of 60 customers, of whom some are bad; `tail` gives the customer away."""
    rng = np.random.default_rng(0)
    customer = rng.integers(60, size=900)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.sort(rng.integers(200, size=900)), unit="D")
    bad = (customer % 8 == 0) & (rng.random(900) < 0.6)
    return pd.DataFrame(
        {
            "day": day.strftime("%Y-%m-%d"),
            "customer": [f"C{number}" for number in customer],
            "tail": customer,
            "amount": rng.lognormal(size=900).round(3),
            "fraud": np.where(bad, "yes", "no"),
        }
    ).sample(frac=1, random_state=0)


@pytest.fixture
def table(frame, tmp_path):
    frame.to_csv(tmp_path / "pay.csv", index=False)
    return frame.reset_index(drop=True)


def test_groups_are_judged_by_models_that_do_not_know_them(program, table):
    by_chance = program("fit", "pay.csv", "--drop", "customer", *FEW, "--json").json
    by_group = program("fit", "pay.csv", "--group", "customer", *FEW, "-s", "n_estimators=60", "--json").json
    assert by_group["judged_by"] == "out-of-bag, by trees that saw no row of the same customer"
    assert by_group["split"] == {"time": None, "group": "customer"}
    assert "customer" not in by_group["columns"]
    assert by_chance["measures"]["auc"] > by_group["measures"]["auc"] + 0.15
    assert program("describe", "pay.rarewood").out.count("no row of the same customer") == 1


def test_the_future_is_judged_by_a_model_of_the_past(program, table):
    found = program("fit", "pay.csv", "--time", "day", "--drop", "customer", *FEW, "--json").json
    order = np.sort(table["day"].to_numpy())
    begin = order[int(len(order) * 0.75)]
    past = (table["day"] < begin).to_numpy()
    assert found["judged_by"] == (
        f"the {(~past).sum()} rows from day {begin} on, scored by a model of {past.sum()} earlier rows"
    )
    X, y = table[["tail", "amount"]], table["fraud"].to_numpy()
    model = rw.BalancedForestClassifier(20, random_state=0).fit(X[past], y[past])
    scores = model.predict_proba(X[~past])[:, 1]
    assert found["measures"]["auc"] == pytest.approx(rw.metrics.rare_auc(y[~past], scores, positive="yes"))
    assert found["split"]["last"] == pd.Timestamp(table["day"].max()).timestamp()


@pytest.mark.parametrize("group", [None, "card"])
def test_labels_that_come_late_are_left_out(program, table, group):
    """The same as time_split and fit_threshold(held_out=True), and a final model of all rows with known labels."""
    table["card"] = table.index // 3
    table.to_csv("pay.csv", index=False)
    by = ("--target", "fraud", "--drop", "customer", *(("--group", "card") if group else ("--drop", "card")))
    options = ("fit", "pay.csv", "--time", "day", "--delay", "20d", *by, *FEW, "--threshold", "recall=0.5")
    found = program(*options, "--json").json
    split = rw.evaluation.time_split(table["day"], delay="20d", groups=None if group is None else table[group])
    assert min(len(split.gap), len(split.unknown), len(split.train), len(split.same_groups) if group else 1) > 0
    begin = table["day"][split.later].min()
    apart = ", with no card on both sides" if group else ""
    assert found["judged_by"] == (
        f"the {len(split.later)} rows from day {begin} on, scored by a model of {len(split.train)} rows at least 20 days earlier, "
        f"whose labels were known{apart}"
    )
    assert found["rows"] == 900 - len(split.unknown)
    assert (
        f"{len(split.unknown)} rows of the last 20 days are left out: their labels were not known yet" in found["notes"]
    )
    known = np.setdiff1d(np.arange(900), split.unknown)
    X, y = table[["tail", "amount"]], table["fraud"].to_numpy()
    assert found["split"]["delay"] == 20 * 86_400
    assert found["split"]["last"] == pd.Timestamp(table["day"][known].max()).timestamp()
    model = rw.BalancedForestClassifier(20, random_state=0).fit(X.iloc[split.train], y[split.train])
    chosen = rw.ensemble.fit_threshold(model, X.iloc[split.later], y[split.later], rule="recall=0.5", held_out=True)
    assert found["threshold"] == pytest.approx(dataclasses.asdict(chosen))
    final = rw.BalancedForestClassifier(20, random_state=0).fit(X.iloc[known], y[known])
    kept = rw.load("pay.rarewood")
    np.testing.assert_array_equal(kept.predict_proba(X), final.predict_proba(X))
    assert kept.decision_threshold_.value == chosen.value
    out = program(*options).out
    assert (
        "The threshold was chosen on the later rows by a model of the earlier ones; the figures are that model's."
        in out
    )
    assert (
        f"The model in the file was trained on all {len(known)} rows with known labels and takes over the threshold;"
        in out
    )


def test_rows_without_labels_show_where_the_table_ends(program, table):
    """Who leaves the labels of the last days empty has waited for the others."""
    table.loc[table["day"] > "2024-06-27", "fraud"] = ""
    table.to_csv("pay.csv", index=False)
    options = ("fit", "pay.csv", "--time", "day", "--drop", "customer", *FEW, "--json")
    last = pd.Timestamp(table["day"].max())
    delay = (last - pd.Timestamp("2024-06-27")).days
    at_once, in_time = program(*options).json, program(*options, "--delay", f"{delay}d").json
    assert in_time["rows"] == at_once["rows"] == int((table["day"] <= "2024-06-27").sum())
    assert program(*options, "--delay", f"{delay + 5} days").json["rows"] == (table["day"] <= "2024-06-22").sum()


def test_a_delay_of_numbers(program, table):
    table["day"] = (pd.to_datetime(table["day"]) - pd.Timestamp("2024-01-01")).dt.days
    table.to_csv("pay.csv", index=False)
    found = program("fit", "pay.csv", "--time", "day", "--delay", "20", "--drop", "customer", *FEW, "--json").json
    assert found["rows"] == (table["day"] <= table["day"].max() - 20).sum()
    assert any("rows of the last 20 units of day are left out" in note for note in found["notes"])
    assert "rows at least 20 units of day earlier, whose labels were known" in found["judged_by"]


def test_models_without_out_of_bag_scores_are_cross_validated_by_groups(program, table):
    found = program(
        "fit", "pay.csv", "--group", "customer", "-m", "hedex", "-s", "n_estimators=5", "--rules", 0, "--json"
    ).json
    assert found["judged_by"] == "5-fold cross-validation, no customer in two folds"


def test_the_default_model_leaves_out_whole_groups(program, table):
    answer = program("fit", "pay.csv", "--group", "customer", "-s", "n_estimators=60", "--rules", 3, "-j", 1)
    assert "(out-of-bag, by trees that saw no row of the same customer)" in " ".join(answer.out.split())
    assert "split by    customer" in answer.out
    assert "The model in the file was trained on all 900 rows." in answer.out
    model = rw.load("pay.rarewood")
    assert type(model).__name__ == "RareClassifier"
    assert model.decision_threshold_.rule == "f1"


def test_compare_by_time_and_by_group(program, table):
    few = (
        "-m",
        "hddt,gini",
        "--metric",
        "auc",
        "-j",
        1,
        "--seed",
        1,
    )  # of 0, scikit-learn 1.6 makes a fold without frauds
    by_group = program("compare", "pay.csv", "--group", "customer", "--protocol", "1x3", *few, "--json").json
    assert by_group["protocol"] == "1x3, no customer on both sides"
    assert set(by_group["folds"]["auc"]["methods"]["hddt"]) == {"mean", "spread", "low", "high", "n_folds"}
    by_chance = program("compare", "pay.csv", "--drop", "customer", "--protocol", "1x3", *few, "--json").json
    means = [found["means"]["auc"]["pay"]["hddt"] for found in (by_chance, by_group)]
    assert means[0] > means[1] + 0.15
    answer = program("compare", "pay.csv", "--time", "day", *few, "-o", "page.html")
    assert "AUC of the rare class of pay, 5fold, in the order of day" in answer.out
    assert "rank" not in answer.out + (program.folder / "page.html").read_text()
    late = program("compare", "pay.csv", "--time", "day", "--delay", "2w", *few, "--json").json
    assert late["protocol"] == "5fold, in the order of day, labels known after 14 days"


def test_the_report_says_how_rows_were_divided(program, frame):
    past = frame["day"] < "2024-05-15"
    frame[past].to_csv("past.csv", index=False)
    frame[~past].to_csv("future.csv", index=False)
    frame[frame["day"] >= "2024-05-01"].to_csv("mixed.csv", index=False)
    program("fit", "past.csv", "--time", "day", "--delay", "7d", "--drop", "customer", *FEW, "-o", "late.rarewood")
    program("report", "late.rarewood", "future.csv", "-o", "late.html", "-j", 1)
    late = (program.folder / "late.html").read_text()
    recent = (pd.to_datetime(frame["day"]) > pd.Timestamp(frame["day"].max()) - pd.Timedelta(days=7)).sum()
    assert "All of these rows are later than the last training row (day 2024-05-07)." in late
    assert (
        f"Labels are known 7 days later: those of the last {recent} of these rows may not have been known yet." in late
    )
    assert "rows at least 7 days earlier, whose labels were known" in late
    program("fit", "past.csv", "--time", "day", "--drop", "customer", *FEW)
    pages = {}
    for name in ("future", "mixed"):
        program("report", "past.rarewood", f"{name}.csv", "-o", f"{name}.html", "-j", 1)
        pages[name] = (program.folder / f"{name}.html").read_text()
    assert "All of these rows are later than the last training row (day 2024-05-14)." in pages["future"]
    assert "rows are not later than the last training row (day 2024-05-14)" in pages["mixed"]
    assert "How the model was tested when it was fitted: the " in pages["future"]
    assert "Labels are known" not in pages["future"]


def test_groups_in_the_words_of_a_report():
    told = {"judged_by": "folds", "split": {"time": None, "group": "customer"}}
    both = {"customer": ["a", "b"]}, {"customer": ["b", "c"]}
    assert "1 of these 2 rows have a customer that also occurs in the training rows" in split_in_words(told, *both)
    assert "No customer of these rows" in split_in_words(told, {"customer": ["a"]}, {"customer": ["b"]})
    assert "Without the training rows, it is not known" in split_in_words(told, {"customer": ["a"]}, None)
    assert "have no column customer" in split_in_words(told, {}, None)
    assert split_in_words({"judged_by": "out-of-bag"}, {}, None) == (
        "How the model was tested when it was fitted: out-of-bag scores, with rows split at random."
    )
    assert split_in_words({}, {}, None) == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--time", "dya"), "no column 'dya' (--time), did you mean 'day'"),
        (("--time", "customer"), "column 'customer' of --time holds words"),
        (("--group", "fraud", "--target", "fraud"), "the target 'fraud' is left out by --time or --group"),
        (("--group", "customer", "--id", "customer"), "--group customer is left out by --drop or --id"),
        (("--time", "day", "--group", "day"), "--time and --group both name 'day'"),
        (("--group", "hole"), "2 rows have no value in column 'hole' of --group, the first is row 1"),
        (("--time", "hole"), "column 'hole' of --time, the first is row 1"),
        (("--group", "same"), "column 'same' of --group has a single value"),
        (("--group", "gives"), "--group gives leaves"),
        (("--time", "same"), "leaves no earlier rows to train on"),
        (("--delay", "7d"), "--delay 7d needs --time"),
        (("--time", "day", "--delay", "7"), "--delay='7' has no unit, but column 'day' holds dates or times"),
        (("--time", "tail", "--delay", "7d"), "--delay='7d' has a unit, but column 'tail' holds numbers"),
        (
            ("--time", "day", "--delay", "soon"),
            "--delay='soon' is not understood; give a number and a unit, such as '7d'",
        ),
        (("--time", "day", "--delay=-7d"), "--delay='-7d' is not accepted"),
        (
            ("--time", "day", "--delay", "300d"),
            "--delay: no row in the order of 'day' is 300 days older than the last one",
        ),
        (
            ("--time", "day", "--delay", "120d"),
            "leaves no earlier rows to train on whose label was known by then (120 days",
        ),
        (("--time", "day", "--delay", "7d", "--memory", "1GB"), "--time does not work with --memory and --cluster"),
    ],
)
def test_what_cannot_be_divided_is_told_before_any_work(program, table, options, message, monkeypatch):
    monkeypatch.setattr(rw.BalancedForestClassifier, "fit", None)  # no fit may come before the error
    table.insert(0, "hole", np.where(np.arange(900) % 800 == 0, np.nan, 1.0))
    table.insert(0, "same", 1)
    table.insert(0, "gives", (table["fraud"] == "yes").astype(int))
    table.to_csv("pay.csv", index=False)
    answer = program("fit", "pay.csv", *options, *FEW, code=None)
    assert message in answer.err
    assert answer.err.count("\n") == 1


def test_dates_after_the_moment_are_suspect(program, table):
    """An end is later than the payment in all rows that have one, a birthday never."""
    day = pd.to_datetime(table["day"])
    table.insert(0, "closed", (day + pd.Timedelta(days=9)).where(table.index % 3 > 0))
    table.insert(0, "birthday", day - pd.Timedelta(days=9000))
    table.to_csv("pay.csv", index=False)
    options = ("fit", "pay.csv", "--drop", "customer", *FEW, "--json")
    notes = program(*options, "--time", "day").json["notes"]
    later = [note for note in notes if "is later than" in note]
    assert later == [
        "closed is later than day in 600 of 900 rows: a later event is not known at that time, unless it is planned"
    ]
    assert not [note for note in program(*options).json["notes"] if "is later than" in note]
    found = program(*options, "--time", "day", "--drop-suspects").json
    assert "closed" not in found["columns"]
    assert "birthday" in found["columns"]


def test_every_error_has_its_code(program, table):
    program("fit", "pay.csv", "--time", "customer", *FEW, code=ExitCode.DATA)
    program("fit", "pay.csv", "--time", "day", "--group", "day", *FEW, code=ExitCode.USAGE)
