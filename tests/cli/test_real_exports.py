"""Exports of other programs, taken from `fit` to `predict`, `report` and `rules`."""

import json

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.export import save
from rarewood.export.described import read_described

FIT = ("fit", "t.csv", "-m", "hddt", "--rules", 0)


def table(n=300, seed=0):
    """Amounts, shares and days, and a class that depends on all of them."""
    rng = np.random.default_rng(seed)
    amount, share = rng.integers(5, 90_000, n), rng.integers(0, 1000, n) / 10
    day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    rare = (amount > 60_000) & (share < 60) | (day < "2023-02-15") & (rng.random(n) < 0.9)
    return pd.DataFrame({"amount": amount, "share": share, "day": day, "bad": np.where(rare, "yes", "no")})


def as_american(frame):
    return frame.assign(
        amount=[f"${cell:,}" for cell in frame["amount"]],
        share=[f"{cell}%" for cell in frame["share"]],
        day=frame["day"].dt.strftime("%m/%d/%Y"),
    ).to_csv(index=False)


def as_german(frame):
    return frame.assign(
        amount=[f"{cell:,}".replace(",", ".") for cell in frame["amount"]],
        share=[f"{cell} %".replace(".", ",") for cell in frame["share"]],
        day=frame["day"].dt.strftime("%d/%m/%Y"),
    ).to_csv(index=False, sep=";")


@pytest.mark.parametrize("write", [as_american, as_german])
def test_the_same_table_gives_the_same_model(write, program):
    train, test = table(), table(200, 1)
    (program.folder / "t.csv").write_text(write(train))
    found = program(*FIT, "-o", "m.rarewood", "--json").json
    assert list(found["columns"].values()) == ["number", "number", "date"]
    model = rw.load(program.folder / "m.rarewood")
    wanted = rw.make("hddt", random_state=0).fit(train.drop(columns="bad"), train["bad"])
    np.testing.assert_array_equal(
        model.predict_proba(test.drop(columns="bad")), wanted.predict_proba(test.drop(columns="bad"))
    )
    (program.folder / "new.csv").write_text(write(test))
    program("predict", "m.rarewood", "new.csv", "-o", "scored.csv")
    scores = pd.read_csv(program.folder / "scored.csv")["score"]
    np.testing.assert_allclose(scores, wanted.predict_proba(test.drop(columns="bad"))[:, 1], rtol=1e-5)
    test.to_parquet(program.folder / "new.parquet")
    program("predict", "m.rarewood", "new.parquet", "-o", "plain.csv")
    np.testing.assert_array_equal(pd.read_csv(program.folder / "plain.csv")["score"], scores)


def test_a_few_rows_are_read_as_the_training_rows_were(program):
    """Alone, 01/02/2024 and 2.775 say nothing of how they are written."""
    (program.folder / "t.csv").write_text(as_german(table()))
    program(*FIT, "-o", "m.rarewood")
    (program.folder / "new.csv").write_text("amount;share;day\n2.775;5,5 %;01/02/2024\n")
    program("predict", "m.rarewood", "new.csv", "-o", "scored.csv")
    model = rw.load(program.folder / "m.rarewood")
    row = pd.DataFrame({"amount": [2775.0], "share": [5.5], "day": [pd.Timestamp("2024-02-01")]})
    score = pd.read_csv(program.folder / "scored.csv")["score"][0]
    assert score == pytest.approx(model.predict_proba(row)[0, 1], rel=1e-5)
    (program.folder / "new.csv").write_text("amount;share;day\n2.7;5,5 %;01/02/2024\n")
    answer = program("predict", "m.rarewood", "new.csv", code=6)
    assert "column 'amount' should hold numbers with points between thousands, decimal commas" in answer.err
    assert "row 1 has '2.7'" in answer.err


def test_what_a_user_says_overrules(program):
    frame = table().assign(day=lambda frame: frame["day"].dt.strftime("%d/%m/%Y"))
    frame = frame[frame["day"].str[:2].astype(int) <= 12]
    frame.assign(share=1 + frame["share"] / 1000).to_csv(program.folder / "t.csv", index=False, float_format="%.3f")
    in_doubt = program(*FIT, "--json").json["notes"]
    assert any("'day' is read as dates, month before day" in note and "--date-format dmy" in note for note in in_doubt)
    assert any("'share' is read as numbers, decimal points" in note and "--decimal ," in note for note in in_doubt)
    told = program(*FIT, "--date-format", "day=%d/%m/%Y", "--decimal", ",", "--json").json["notes"]
    assert any("'day' is read as dates, written as %d/%m/%Y" in note for note in told)
    assert any("'share' is read as numbers, points between thousands" in note for note in told)
    assert "no format of dates" in program(*FIT, "--date-format", "day", code=2).err
    assert "should be . , ' or space" in program(*FIT, "--thousands", "x", code=2).err


def test_later_rows_refute_how_a_column_is_written(program, monkeypatch):
    monkeypatch.setattr("rarewood._table_files.reading._ROWS_AT_ONCE", 50)
    frame = table()
    early = [f"{1 + i % 12:02d}/{1 + i % 11:02d}/2024" for i in range(50)]
    days = [*early, *(f"{13 + i % 15}/{1 + i % 12:02d}/2024" for i in range(250))]
    amounts = [*(str(i) for i in range(50)), *(f"${cell:,}" for cell in frame["amount"][50:])]
    both = [*("31/12/2024" for _ in range(50)), *("12/31/2024" for _ in range(250))]
    frame.assign(day=days, amount=amounts, both=both).loc[:, ["amount", "day", "both", "bad"]].to_csv(
        program.folder / "t.csv", index=False
    )
    found = program(*FIT, "--json").json
    assert found["columns"] == {"amount": "number", "day": "date", "both": "nominal"}
    assert any("'day' is read as dates, day before month" in note for note in found["notes"])


def test_dates_in_another_order_divide_by_time(program):
    (program.folder / "t.csv").write_text(as_american(table()))
    found = program(*FIT, "--time", "day", "-o", "m.rarewood", "--json").json
    assert "from day 20" in found["judged_by"]
    later = table(200, 3)
    (program.folder / "later.csv").write_text(as_american(later.assign(day=later["day"] + pd.Timedelta(days=900))))
    program("report", "m.rarewood", "later.csv", "-o", "r.html")
    assert "All of these rows are later than the last training row" in (program.folder / "r.html").read_text()


def test_times_with_a_zone_are_known_to_the_report(program):
    frame, later = table(), table(200, 3)
    frame["day"] = frame["day"].dt.strftime("%Y-%m-%d 10:00:00+02:00")
    later["day"] = (later["day"] + pd.Timedelta(days=900)).dt.strftime("%Y-%m-%d 10:00:00+02:00")
    frame.to_csv(program.folder / "t.csv", index=False)
    later.to_csv(program.folder / "later.csv", index=False)
    program(*FIT, "--time", "day", "-o", "m.rarewood")
    program("report", "m.rarewood", "later.csv", "-o", "r.html")
    assert "No dates are known" not in (program.folder / "r.html").read_text()


def test_rows_without_a_label_are_left_out_everywhere(program):
    text = as_american(table()) + "Total,1350,,\n"
    (program.folder / "t.csv").write_text(text)
    notes = program("fit", "t.csv", "-s", "n_estimators=20", "-o", "m.rarewood", "--json").json["notes"]
    assert "the last row looks like a total ('Total') and is left out" in notes
    assert not any("no label" in note for note in notes)
    (program.folder / "new.csv").write_text(as_american(table(300, 1)) + "$5,5%,01/02/2023,\nTotal,1350,,\n")
    for command in (("rules", "m.rarewood", "new.csv"), ("report", "m.rarewood", "new.csv", "-o", "r.html")):
        out = program(*command).out
        assert "1 of 301 rows has no label in column 'bad' and is left out" in out
        assert "the last row looks like a total ('Total') and is left out" in out
    out = program("predict", "m.rarewood", "new.csv", "-o", "scored.csv").out
    assert "the last row looks like a total ('Total'), and is scored like the others" in out


def test_a_total_is_seen_in_columns_that_are_not_read(program):
    frame = table()
    frame.insert(0, "number", [f"N{row}" for row in range(len(frame))])
    (program.folder / "t.csv").write_text(frame.to_csv(index=False) + "Sum,,,,\n")
    notes = program(*FIT, "--id", "number", "-o", "m.rarewood", "--json").json["notes"]
    assert "the last row looks like a total ('Sum') and is left out" in notes


def test_a_nearly_pure_cut_is_named_with_its_rule(program):
    rng = np.random.default_rng(0)
    n = 1000
    rare = rng.random(n) < 0.1
    recoveries = np.where(rare & (rng.random(n) < 0.9), rng.integers(4, 90, n), rng.integers(0, 4, n))
    frame = pd.DataFrame({"x": rng.normal(size=n) + rare, "recoveries": recoveries, "bad": np.where(rare, "y", "n")})
    frame.to_csv(program.folder / "t.csv", index=False)
    out = program(*FIT).out
    assert "recoveries >= 5" in out
    assert "1 column is suspect; --drop-suspects leaves it out" in out
    assert "left out as suspect: recoveries" in program(*FIT, "--drop-suspects").out


def test_whole_numbers_that_identify_rows_are_named_and_dates_are_not(program):
    frame = table(200)
    rng = np.random.default_rng(1)
    frame.insert(0, "policy", rng.permutation(np.arange(700_000, 900_000))[:200])
    frame["day"] = pd.date_range("2023-01-01", periods=200)[rng.permutation(200)]
    frame[["policy", "day", "share", "bad"]].to_csv(program.folder / "t.csv", index=False)
    out = program(*FIT).out
    assert "1 column looks like an identifier (policy)" in out


def test_a_hostile_model_file(program):
    (program.folder / "t.csv").write_text(as_american(table()))
    program(*FIT, "-o", "m.rarewood")
    model, description = read_described(program.folder / "m.rarewood")
    assert description.metadata["written"]["day"] == {"order": "mdy", "format": ""}
    for wrong in ({"amount": {"decimal": "x"}}, {"day": 5}, [1], {"amount": None}):
        metadata = json.loads(json.dumps({**description.metadata, "written": wrong}))
        save(model, program.folder / "bad.rarewood", metadata=metadata)
        answer = program("predict", "bad.rarewood", "t.csv", code=None)
        assert answer.err.startswith("rarewood: the model file cannot be used")


def test_sentinels_and_categories_alike_are_named(program):
    frame = table(200)
    frame["share"] = frame["share"].where(np.arange(200) % 20 > 0, -999)
    frame["town"] = np.where(np.arange(200) % 3 == 0, "Bern", np.where(np.arange(200) % 3 == 1, "bern ", "Aix"))
    frame[["share", "amount", "town", "bad"]].to_csv(program.folder / "t.csv", index=False)
    out = program(*FIT, "-o", "m.rarewood").out
    assert "column 'share' has -999 in 10 rows, far from all other numbers" in out
    assert "the categories 'Bern', 'bern' of column 'town' differ only by case" in out
    assert out.count("far from all other numbers") == 1
    assert "Model written to m.rarewood" in out
    assert "Model replaced: m.rarewood" in program(*FIT, "-o", "m.rarewood").out


def notes_on(program, cells, *options):
    """Kinds of a column with these texts, and notes on it."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"v w": cells, "x": rng.normal(size=len(cells)).round(3), "y": np.arange(len(cells)) % 7 == 0})
    frame.to_csv(program.folder / "t.csv", index=False)
    found = program(*FIT, *options, "-o", "m.rarewood", "--json").json
    return found["columns"]["v w"], " | ".join(note for note in found["notes"] if "'v w'" in note)


@pytest.mark.parametrize(
    ("write", "kind", "words"),
    [
        (lambda row: f"2024{row % 12 + 1:02d}{row % 28 + 1:02d}", "number", "use --date-format 'v w=%Y%m%d'"),
        (lambda row: f"20{row % 24:02d}-{row % 12 + 1:02d}", "nominal", "use --date-format 'v w=%Y-%m'|holds months"),
        (lambda row: f"{row * 1.5:.1f} kg", "nominal", "holds numbers with 'kg' behind them"),
        (lambda row: f"{row / 4}%" if row % 3 else f"{row / 400}", "number", "Some cells have no percent sign, such as '0.0'"),
        (lambda row: "00/00/0000" if row % 50 == 7 else f"{row % 28 + 1}/{row % 12 + 1}/2023", "date", "'00/00/0000' in row 8"),
        (lambda row: f"{row % 2 * 7}.0-", "number", "'7.0-' is -7"),
        (lambda row: -999 if row % 40 == 3 else row % 90, "number", "use --missing 'v w=-999'"),
    ],
)  # fmt: skip
def test_cells_that_could_mean_something_else_are_told(write, kind, words, program):
    found, notes = notes_on(program, [write(row) for row in range(200)])
    assert found == kind
    assert words.split("|")[-1] in notes


def test_numbers_and_months_are_read_as_dates_where_that_is_told(program):
    days = [f"2024{row % 12 + 1:02d}{row % 28 + 1:02d}" for row in range(200)]
    assert notes_on(program, days, "--date-format", "v w=%Y%m%d")[0] == "date"
    assert notes_on(program, [f"{day[:4]}-{day[4:6]}" for day in days], "--date-format", "v w=%Y-%m")[0] == "date"


def test_decimal_commas_stay_where_a_file_must_be_read_carefully(program):
    """A word among numbers has the file read cell by cell."""
    rng = np.random.default_rng(0)
    cells = [f"{value:.1f}".replace(".", ",") for value in rng.gamma(2, 5, 300)]
    cells[::41] = ["-999"] * len(cells[::41])
    lines = [f"{cell};{number};{'bad' if number % 9 == 0 else 'good'}" for number, cell in enumerate(cells)]
    (program.folder / "t.csv").write_text("\n".join(["share;amount;y", *lines, ";Summe;", ""]))
    found = program(*FIT, "-o", "m.rarewood", "--json").json
    assert found["columns"] == {"share": "number", "amount": "number"}


TRUTHS = {
    "words": np.array(["False", "True"], dtype=object),
    "capitals": np.array(["FALSE", "TRUE"], dtype=object),
    "numbers": np.array([0, 1]),
    "truth values": np.array([False, True]),
}


def table_of_truths(seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"new": rng.integers(0, 2, 400), "x": rng.normal(size=400)})


@pytest.mark.parametrize("learned", ["words", "truth values"])
@pytest.mark.parametrize("given", TRUTHS)
def test_truth_values_are_known_however_they_are_written(learned, given, program):
    table, new = table_of_truths(0), table_of_truths(1)
    y = (table["new"] == 1) & (table["x"] > 0.8)
    model = rw.TreeClassifier().fit(table.assign(new=TRUTHS[learned][table["new"]]), y)
    wanted = model.predict_proba(new.assign(new=TRUTHS[learned][new["new"]]))
    assert len(np.unique(wanted)) > 1
    np.testing.assert_array_equal(model.predict_proba(new.assign(new=TRUTHS[given][new["new"]])), wanted)
    save(model, program.folder / "m.rarewood")
    for name in ("new.csv", "new.parquet"):
        path = program.folder / name
        rows = new.assign(new=TRUTHS[given][new["new"]])
        rows.to_csv(path, index=False) if name == "new.csv" else rows.to_parquet(path)
        program("predict", "m.rarewood", name, "-o", "scored.csv")
        np.testing.assert_allclose(pd.read_csv(program.folder / "scored.csv")["score"], wanted[:, 1], rtol=1e-5)
