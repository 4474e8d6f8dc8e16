"""Words, truth values, dates and times in the tables of callers, and errors that name the cell."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import rarewood as rw
from rarewood._tables import _sparse
from rarewood._tables.moments import moment_in_words, moments_in, seconds_of
from rarewood.exceptions import RarewoodWarning
from rarewood.inspection import export_text

NAN = np.nan
N = 120


def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "amount": rng.normal(size=N),
            "town": rng.choice(["Aix", "Bern", "Cork"], N),
            "flag": rng.random(N) < 0.5,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, N), unit="D"),
        }
    )


X = frame()
Y = np.where((X["day"] < "2024-01-20") & X["flag"], "bad", "good")
CONTAINERS = {
    "pandas": X,
    "objects": X.astype({"town": object, "flag": object}),
    "nullable": X.convert_dtypes(),
    "arrow-backed": X.convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.from_pandas(X),
    "pyarrow": pa.Table.from_pandas(X, preserve_index=False),
}


@pytest.mark.parametrize("table", CONTAINERS.values(), ids=CONTAINERS)
def test_every_container_gives_the_same_tree(table):
    tree = rw.TreeClassifier().fit(table, Y)
    text = export_text(tree)
    assert text == export_text(rw.TreeClassifier().fit(X, Y))
    assert "day <= 2024-01-1" in text
    assert "flag = True" in text
    assert [kind.word for kind in tree._columns.kinds] == ["number", "nominal", "nominal", "date"]
    assert (tree.predict(table) == Y).all()


@pytest.mark.parametrize(
    "model",
    [
        rw.ForestClassifier(5, random_state=0),
        rw.RareClassifier(40, random_state=0),
        rw.HeDExClassifier(5, random_state=0),
        rw.BiasedRankingClassifier(n_estimators=3, n_iterations=2, random_state=0),
        rw.OneVsAllClassifier(rw.TreeClassifier()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_estimator_takes_words_and_dates(model):
    scores = model.fit(X, Y).predict_proba(X)[:, 0]
    assert rw.metrics.rare_auc(Y, scores, positive="bad") > 0.9


def test_dates_may_come_as_text_or_as_other_types_later():
    tree = rw.TreeClassifier().fit(X, Y)
    for day in (
        X["day"].astype(str),
        X["day"].dt.strftime("%d.%m.%Y"),
        X["day"].dt.date,
        X["day"].dt.tz_localize("UTC"),
    ):
        assert (tree.predict(X.assign(day=day)) == Y).all()
    with pytest.raises(ValueError, match=r"Column 'day' should hold dates or times, but row 7 has 'soon'"):
        tree.predict(X.assign(day=["2024-01-01"] * 7 + ["soon"] * (N - 7)))
    with pytest.raises(ValueError, match="not numbers: 'day'"):
        tree.predict(X.assign(day=X["amount"]))


def test_dates_survive_a_model_file(tmp_path):
    tree = rw.TreeClassifier().fit(X, Y)
    rw.save(tree, tmp_path / "m.rarewood")
    again = rw.load(tmp_path / "m.rarewood")
    assert export_text(again) == export_text(tree)
    assert (again.predict(X) == Y).all()


def test_patterns_speak_of_dates():
    forest = rw.ForestClassifier(5, random_state=0).fit(X, Y)
    rules = [str(pattern) for pattern in rw.inspection.extract_patterns(forest)]
    assert any("2024-01-" in rule for rule in rules)


@pytest.mark.parametrize(
    ("values", "word", "seconds"),
    [
        ([dt.date(1970, 1, 3), None], "date", [172_800, NAN]),
        ([dt.datetime(1970, 1, 1, 0, 0, 1, 500_000), None], "datetime", [1.5, NAN]),
        ([dt.time(1, 0, 2), None], "time", [3602, NAN]),
        ([dt.timedelta(days=1, seconds=1), None], "duration", [86_401, NAN]),
        ([dt.datetime(1970, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))), None], "datetime_utc", [0, NAN]),
    ],
)
@pytest.mark.parametrize("container", [pd.Series, pl.Series, pa.array], ids=["pandas", "polars", "pyarrow"])
def test_seconds(values, word, seconds, container):
    cells = pd.Series(values, dtype=object) if container is pd.Series else container(values)
    table = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}.get(container, pa.table)({"when": cells})
    tree = rw.TreeClassifier().fit(table, [0, 1])
    assert tree._columns.kinds[0].word == word
    np.testing.assert_array_equal(tree._encode(table)[:, 0], seconds)


@pytest.mark.parametrize(
    ("moment", "seconds", "words"),
    [
        ("date", 86_400 * 1.5, "1970-01-02"),
        ("date", -1, "1969-12-31"),
        ("datetime", 0.5, "1970-01-01 00:00:00.5"),
        ("datetime_utc", 3600, "1970-01-01 01:00:00 UTC"),
        ("time", 3661, "01:01:01"),
        ("duration", 90_061, "1 days 01:01:01"),
        ("duration", -60, "-00:01:00"),
    ],
)
def test_moments_in_words(moment, seconds, words):
    assert moment_in_words(moment, seconds, 3) == words


def test_text_that_is_a_moment():
    assert moments_in(["2024-01-31", "2024-2-1"]) == "date"
    assert moments_in(["31.1.2024", "2024-02-01 10:00"]) == "datetime"
    assert moments_in(["2024-01-31T10:00:00Z"]) == "datetime_utc"
    assert moments_in(["23:59", "7:05:01"]) == "time"
    for no_moments in (["2024-13-01"], ["2024"], ["10.0.0.1"], ["2024-01-31", "10:00"], ["now"]):
        assert moments_in(no_moments) is None
    assert seconds_of("1970-01-01T01:00:00+01:00") == 0


class TestWarnings:
    def fit(self, words):
        rw.TreeClassifier().fit(pd.DataFrame({"word": words}), np.arange(len(words)) % 2)

    def test_identifiers(self):
        with pytest.warns(RarewoodWarning, match=r"Column 'word' looks like an identifier: 985 values in 1,000 rows"):
            self.fit([f"P{min(i, 984)}" for i in range(1000)])

    def test_numbers_as_text(self):
        with pytest.warns(RarewoodWarning, match=r"'word' holds numbers written as text, such as '0,5'"):
            self.fit([f"{i},5" for i in range(60)])

    def test_dates_as_text(self):
        with pytest.warns(RarewoodWarning, match=r"'word' holds dates or times written as text"):
            self.fit([f"2024-01-{1 + i % 28:02d}" for i in range(60)])

    def test_ordinary_words_give_none(self):
        self.fit([f"town {i % 30}" for i in range(60)])


class TestErrorsNameTheCell:
    def refuses(self, table, words, y=(0, 1)):
        with pytest.raises((TypeError, ValueError), match=words):
            rw.TreeClassifier().fit(table, list(y))

    def test_lists_in_cells(self):
        self.refuses(pd.DataFrame({"a": [1, 2], "tags": [None, [1, 2]]}), r"'tags' \(.*row 1 has \[1, 2\]")
        self.refuses(pl.DataFrame({"tags": [[1], [2]]}), r"'tags' \(List.*row 0")
        self.refuses([[1, 2], [3, [4]]], r"Column 1 of X holds a list in row 1")
        self.refuses([[1, 2], [3]], r"Row 1 of X has 1 cells, but row 0 has 2")

    def test_infinities(self):
        self.refuses(np.array([[0.0, 1.0], [0.0, np.inf]]), "Column 1 of X contains infinity in row 1")
        self.refuses(pd.DataFrame({"a": [1.0, np.inf]}), "Column 'a' of X contains infinity in row 1")

    def test_decimals(self):
        table = pd.DataFrame({"a": [Decimal("1.5"), Decimal("2.5")]})
        assert rw.TreeClassifier().fit(table, [0, 1]).predict(table).tolist() == [0, 1]
        self.refuses(
            pd.DataFrame({"a": [Decimal(1), Decimal("Infinity")]}), "Column 'a' of X contains infinity in row 1"
        )
        self.refuses(pd.DataFrame({"a": [1, 10**400]}, dtype=object), "Column 'a' of X should hold numbers, but row 1")

    def test_labels(self):
        self.refuses([[1], [2]], "row 1 has no label", y=(0.0, NAN))
        self.refuses([[1], [2]], "row 0 has no label", y=(None, "a"))
        self.refuses([[1], [2], [3]], "row 0 and in 1 other rows has no label", y=(pd.NA, pd.NA, "a"))

    def test_names_that_come_twice(self):
        table = pd.DataFrame([[1, 2, 3], [3, 4, 5]], columns=["a", "b", "a"])
        self.refuses(table, r"more than one column named 'a' \(positions 0, 2\)")

    def test_hints_are_not_cut(self):
        table = pd.DataFrame({f"word{i}": ["a", "b"] for i in range(30)})
        with pytest.raises(ValueError, match=r"categorical_features=\['word0', .*'word29'\]"):
            rw.TreeClassifier(categorical_features=None).fit(table, [0, 1])


class TestSparse:
    dense = np.where(np.random.default_rng(0).random((60, 5)) < 0.3, 1.5, 0.0)
    y = dense[:, 2] > 0

    @pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
    def test_same_as_dense(self, kind, monkeypatch):
        monkeypatch.setattr(_sparse, "_CELLS_AT_ONCE", 35)
        tree = rw.TreeClassifier().fit(kind(self.dense), self.y)
        assert export_text(tree) == export_text(rw.TreeClassifier().fit(self.dense, self.y))
        assert (tree.predict(kind(self.dense)) == self.y).all()

    def test_too_large_is_refused_with_its_size(self):
        with pytest.raises(
            ValueError, match=r"it would take 80,000\.0 GB \(100,000,000 rows x 100,000 columns of 8 bytes\)"
        ):
            rw.TreeClassifier().fit(sparse.csr_matrix((10**8, 10**5)), np.zeros(10**8, dtype=bool))


@pytest.mark.parametrize(
    "model",
    [
        rw.TreeClassifier(),
        rw.ForestClassifier(3, random_state=0),
        rw.RareClassifier(40, random_state=0),
        rw.BiasedRankingClassifier(n_estimators=3, n_iterations=2, random_state=0),
        rw.OneVsAllClassifier(rw.TreeClassifier()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_failed_refit_keeps_the_old_model(model):
    before = model.fit(X, Y).predict_proba(X)
    with pytest.raises(ValueError, match="no label"):
        model.fit(X[["amount"]], np.where(Y == "bad", None, Y))
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X[["amount"]], Y[:5])
    np.testing.assert_array_equal(model.predict_proba(X), before)
