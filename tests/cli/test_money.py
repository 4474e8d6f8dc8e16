"""Costs that rows have themselves: in `predict` and `report`."""

import numpy as np
import pandas as pd
import pytest

import rarewood as rw


@pytest.fixture
def payments(tables, program):
    """Payments that all have an amount."""
    frame = pd.read_csv(tables / "test.csv")
    frame["amount"] = frame["amount"].fillna(12.5)
    frame.to_csv(program.folder / "payments.csv", index=False)
    return frame


@pytest.fixture
def scored(tables, program, payments):
    """Predicts with options; the output as a frame."""

    def run(*options):
        program("predict", tables / "m.rarewood", "payments.csv", "-o", "s.csv", *options)
        return pd.read_csv(program.folder / "s.csv")

    return run


def test_the_loss_to_expect_and_labels_by_it(scored, tables, payments):
    amounts = payments["amount"].to_numpy()
    plain, beside = scored(), scored("--cost-column", "amount")
    assert (plain["label"] == beside["label"]).all()
    np.testing.assert_allclose(beside["expected_loss"], plain["score"] * amounts, rtol=1e-4)
    by_row = scored("--threshold", "cost=5:amount")
    p = rw.load(tables / "m.rarewood").predict_proba(payments.drop(columns=["payment_id", "fraud"]))[:, 1]
    assert ((by_row["label"] == "yes") == (p * amounts >= (1 - p) * 5.0)).all()
    assert by_row.equals(scored("--threshold", "cost=5", "--cost-column", "amount"))


def test_a_column_beside_the_model(scored, tables, program, payments):
    payments.assign(loss=7.5).to_csv(program.folder / "more.csv", index=False)
    told = program("predict", tables / "m.rarewood", "more.csv", "--cost-column", "loss", "-o", "s.csv", "--json").json
    assert told["expected_loss"] == pytest.approx(7.5 * scored()["score"].sum(), rel=1e-3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--cost-column", "amout"), "no column 'amout' of costs, did you mean 'amount'?"),
        (("--cost-column", "country"), "column 'country' of costs"),
        (("--cost-column", "amount"), "column 'amount' of costs has no number in row 22"),
        (("--threshold", "cost=5:amount", "--cost-column", "hour"), "both name a column of costs"),
        (("--threshold", "cost=dear", "--cost-column", "hour"), "give the cost of a false alarm alone"),
    ],
)
def test_what_makes_no_sense_is_told(tables, program, options, words):
    assert (
        words in program("predict", tables / "m.rarewood", tables / "test.csv", "-o", "s.csv", *options, code=None).err
    )


def test_fit_says_where_such_costs_belong(tables, program):
    told = program("fit", tables / "train.csv", "--threshold", "cost=5:amount", code=2).err
    assert "a threshold is one number for all rows" in told


@pytest.mark.usefixtures("payments")
def test_the_report_counts_in_money(tables, program):
    pytest.importorskip("jinja2")
    program("report", tables / "m.rarewood", "payments.csv", "--costs", "5:amount", "-o", "page.html")
    assert "Which alarms pay" in (program.folder / "page.html").read_text()
    told = program("report", tables / "m.rarewood", tables / "test.csv", "--costs", "5:amonut", code=None).err
    assert "no column 'amonut' of costs" in told
