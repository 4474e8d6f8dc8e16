"""Methods of other libraries by name: the tables that trees take, each encoded as its library wants it."""

import pickle
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import rarewood as rw
from rarewood._recipes import OTHERS
from rarewood._recipes._others import as_frame, as_words
from rarewood.cli._errors import ExitCode
from support.command_line import Program

FEW = {
    "lightgbm": {"n_estimators": 20},
    "xgboost": {"n_estimators": 20},
    "catboost": {"iterations": 30},
    "random-forest": {"n_estimators": 30},
    "logistic-regression": {"C": 0.5},
}


@pytest.fixture(scope="module")
def table():
    """Numbers, words, truth values and days; missing values everywhere; one row in eight is rare, by a word and a day."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(400) < 0.12, "rare", "common")
    rare = y == "rare"
    frame = pd.DataFrame(
        {
            "amount": rng.lognormal(size=400) + rare,
            "country": np.where(rare & (rng.random(400) < 0.7), "RO", rng.choice(["DE", "FR"], 400)),
            "known": rng.random(400) < 0.5,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(100, size=400) + 30 * rare, unit="D"),
            "empty": np.nan,
        }
    )
    for name in ("amount", "country", "day"):
        frame.loc[rng.random(400) < 0.1, name] = None
    return frame, y


def few(name):
    if OTHERS[name].name not in ("random-forest", "logistic-regression"):
        pytest.importorskip(name)
    return rw.make(name, settings=FEW[name], random_state=0)


@pytest.mark.parametrize("name", OTHERS)
class TestEveryLibrary:
    def test_learns_a_mixed_table(self, name, table):
        X, y = table
        model = few(name).fit(X[:300], y[:300])
        p = model.predict_proba(X[300:])
        np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-6)
        assert list(model.classes_) == ["common", "rare"]
        assert roc_auc_score(y[300:] == "rare", p[:, 1]) > 0.7
        assert set(model.predict(X[300:])) <= {"common", "rare"}

    def test_takes_categories_never_seen(self, name, table):
        X, y = table
        model = few(name).fit(X, y)
        strange = X[:5].assign(country="XX")
        assert np.isfinite(model.predict_proba(strange)).all()

    def test_containers_make_no_difference(self, name, table):
        X, y = table
        by_pandas = few(name).fit(X, y).predict_proba(X)
        frame = pl.from_pandas(X)
        np.testing.assert_allclose(few(name).fit(frame, y).predict_proba(frame), by_pandas, atol=1e-6)

    def test_travels_and_is_the_same_again(self, name, table):
        X, y = table
        model = few(name).fit(X, y)
        np.testing.assert_allclose(
            pickle.loads(pickle.dumps(model)).predict_proba(X), clone(model).fit(X, y).predict_proba(X), atol=1e-9
        )

    def test_three_classes_and_numbers_alone(self, name, table):
        X, y = table
        three = np.where((y == "common") & X["known"], "frequent", y)
        numbers = X[["amount"]].to_numpy()
        assert few(name).fit(numbers, three).predict_proba(numbers).shape == (400, 3)

    def test_says_what_it_is_of(self, name):
        assert few(name).release == version(
            {"random-forest": "scikit-learn", "logistic-regression": "scikit-learn"}.get(name, name)
        )

    def test_a_library_that_is_not_there_is_named(self, name, monkeypatch):
        module = "sklearn" if "-" in name else name
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(
            ImportError, match=f"the method {name!r} needs the package .*; install it with: pip install "
        ):
            rw.make(name)


def test_categories_in_the_forms_of_libraries(table):
    X, y = table
    model = rw.make("random-forest", settings={"n_estimators": 1}).fit(X[["country", "amount"]], y)
    columns = model._columns
    new = pd.DataFrame({"country": ["DE", "XX", None, "RO"], "amount": [1.0, 2.0, np.nan, 4.0]})
    matrix = columns.read(model, new)
    frame = as_frame(matrix, columns)
    assert frame["x0"].isna().tolist() == [False, True, True, False]
    assert frame["x0"].cat.categories.tolist() == [0, 1, 2]
    assert as_words(matrix, columns)["x0"].tolist() == [0, -1, -1, 2]


def test_compare_by_name(tmp_path, monkeypatch, capfd, table):
    X, y = table
    X.assign(label=y).to_csv(tmp_path / "t.csv", index=False)
    program = Program(tmp_path, monkeypatch, capfd)
    methods = "hddt,random-forest,logistic-regression"
    few = ("--protocol", "1x3", "--metric", "auc", "-j", 1)
    found = program("compare", "t.csv", "-m", methods, *few, "--json").json
    assert list(found["means"]["auc"]["t"]) == methods.split(",")
    assert min(found["means"]["auc"]["t"].values()) > 0.6
    monkeypatch.setitem(sys.modules, "catboost", None)
    answer = program("compare", "t.csv", "-m", "catboost", *few, code=ExitCode.NOT_INSTALLED)
    assert answer.err == (
        "rarewood: the method 'catboost' needs the package catboost; install it with: pip install catboost\n"
    )
    answer = program("fit", "t.csv", "-m", "random-forest", code=ExitCode.USAGE)
    assert "it works only in `rarewood compare`" in answer.err


@pytest.mark.parametrize("name", ["bagged-lr", "hddt+patterns", "bagged-lr+patterns"])
def test_dates_in_the_recipes(name, table):
    """Dates alone tell the classes apart here: regression and oversampling must read them as trees do."""
    X, y = table
    few = {"n_estimators": 10} if "lr" in name else {}
    X = X[["day", "country"]]
    model = rw.make(name, **few, random_state=0).fit(X, y)
    assert roc_auc_score(y == "rare", model.predict_proba(X)[:, 1]) > 0.75
    frame = pl.from_pandas(X)
    again = rw.make(name, **few, random_state=0).fit(frame, y)
    np.testing.assert_allclose(again.predict_proba(frame), model.predict_proba(X), atol=1e-6)
