"""What `fit` accepts, `save` and `load` keep, whatever the type of labels and categories; where they cannot, `fit` says so at once."""

import datetime as dt
import enum
import uuid
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood._tables.kept_values import TAGS
from rarewood.exceptions import ModelFileError, RarewoodWarning
from rarewood.export import from_bytes, to_bytes
from rarewood.export._values import Reader
from support.versions import EARLY_PANDAS

N = 60


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Word(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


VALUES = {
    "text": ["a", "b"],
    "odd text": ["a\0", "\ud800"],
    "numpy text": [np.str_("a"), np.str_("b")],
    "words of an enum": [Word.RED, Word.BLUE],
    "bytes": [b"a", b"\xff"],
    "whole": [1, 2],
    "numpy whole": [np.int8(1), np.int64(2)],
    "large": [2**63, 2**64 - 1],
    "larger": [2**70 + 1, -(2**90) - 1],
    "numbers": [1.5, 2.5],
    "infinite": [float("inf"), -1.0],
    "truth": [True, False],
    "decimals": [Decimal("1.50"), Decimal("2E+5")],
    "fractions": [Fraction(1, 3), Fraction(1, 2)],
    "dates": [dt.date(2024, 1, 31), dt.date(1, 1, 1)],
    "moments": [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2, 3, 4, 5, 6)],
    "zoned": [
        dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
        dt.datetime(2024, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2))),
    ],
    "times": [dt.time(1), dt.time(23, 59, 59, 999999)],
    "durations": [dt.timedelta(-1, 5, 7), dt.timedelta(999999999)],
    "timestamps": [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-01 01:02:03.000004")],
    "nanoseconds": [pd.Timestamp("2024-01-01 00:00:00.000000001"), pd.Timestamp("2024-01-01")],
    "timedeltas": [pd.Timedelta("1s"), pd.Timedelta("2s")],
    "numpy days": [np.datetime64("2024-01-01"), np.datetime64("2024-01-02")],
    "numpy nanoseconds": [np.datetime64("2024-01-01", "ns"), np.datetime64("2024-01-02", "ns")],
    "identifiers": [uuid.UUID(int=1), uuid.UUID(int=2)],
    "tuples": [(1, 2), (1, (3, b"x"))],
    "intervals": list(pd.cut(pd.Series([1.0, 5.0]), 2)),
    "intervals of time": [
        pd.Interval(pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02"), "left"),
        pd.Interval(pd.Timestamp("2024-01-02"), pd.Timestamp("2024-01-03"), "left"),
    ],
    "periods": [pd.Period("2024-01"), pd.Period("2024-02")],
    "periods of other lengths": [pd.Period("2024Q1"), pd.Period("2024Q2")],
    "weeks": [pd.Period("2024-01-01", "W-WED"), pd.Period("2024-02-01", "W-WED")],
    "minutes": [pd.Period("2024-01-01 10:10", "5min"), pd.Period("2024-02-01 10:15", "5min")],
    "sets": [frozenset([1]), frozenset([2])],
    "complex": [1j, 2j],
    "enum": [Colour.RED, Colour.BLUE],
    "mixed": [1, "1"],
    "mixed with truth": [True, 2, "1"],
    "truth and numbers": [True, 2],
}


def repeated(cells):
    found = np.empty(N, dtype=object)
    for row in range(N):
        found[row] = cells[row % len(cells)]
    return found


def number_of(cells):
    return np.arange(N) % len(cells)


def checked(model, X, y):
    """Fit, and keep the promise; the model that was loaded, or None where it was refused in good time."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RarewoodWarning)
        try:
            model.fit(X, y)
        except (TypeError, ValueError):
            return None
    if any("cannot be saved" in str(each.message) for each in caught):
        with pytest.raises(ModelFileError, match="Convert the values"):
            to_bytes(model)
        return None
    again = from_bytes(to_bytes(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    found, expected = again.predict(X), model.predict(X)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()
    return again


KEPT_LABELS = {"text", "odd text", "numpy text", "words of an enum", "whole", "numpy whole", "large", "truth"}


@pytest.mark.parametrize("box", ["objects", "list", "series"])
@pytest.mark.parametrize("kind", list(VALUES))
def test_labels(kind, box):
    cells = repeated(VALUES[kind])
    if box == "series" and kind == "odd text":
        pytest.skip("does not apply: pandas has no such text")
    y = cells if box == "objects" else cells.tolist() if box == "list" else pd.Series(cells.tolist())
    X = number_of(VALUES[kind]).reshape(-1, 1).astype(float)
    again = checked(rw.TreeClassifier(), X, y)
    is_text_to_numpy = kind == "truth and numbers" and box == "list"  # NumPy and pandas read [True, 2] as [1, 2]
    assert (again is not None) == (kind in KEPT_LABELS or is_text_to_numpy)
    if again is not None:
        assert again.score(X, y) == 1.0


LOST_CATEGORIES = {"nanoseconds", "numpy days", "numpy nanoseconds", "sets", "complex", "enum"}


@pytest.mark.parametrize("kind", list(VALUES))
def test_categories(kind):
    if kind in {"odd text", "numpy days", "numpy nanoseconds", "tuples"} and EARLY_PANDAS:
        pytest.skip("does not apply: this pandas makes other values of these categories, or none")
    cells, y = repeated(VALUES[kind]), number_of(VALUES[kind]) == 0
    try:
        X = pd.DataFrame({"c": pd.Categorical(pd.Series(cells, dtype=object))})
    except UnicodeEncodeError:
        X = pd.DataFrame({"c": pd.Series(cells, dtype=object)})
    again = checked(rw.TreeClassifier(), X, y)
    assert (again is None) == (kind in LOST_CATEGORIES)
    if again is not None:
        assert again.score(X, y) == 1.0


@pytest.mark.parametrize("kind", ["intervals", "periods", "sets", "enum"])
def test_categories_of_rows_in_parts(kind):
    frame = pd.DataFrame({"c": pd.Categorical(repeated(VALUES[kind])), "y": number_of(VALUES[kind])})
    model = rw.HeDExClassifier(2, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RarewoodWarning)
        fitted = rw.distributed.fit(model, [frame[:30], frame[30:]], "y")
    is_lost = any("cannot be saved" in str(each.message) for each in caught)
    assert is_lost == (kind in LOST_CATEGORIES)
    if not is_lost:
        X = frame[["c"]]
        np.testing.assert_array_equal(from_bytes(to_bytes(fitted)).predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("kind", list(VALUES))
def test_listed_columns(kind):
    X = pd.DataFrame({"c": pd.Series(repeated(VALUES[kind]), dtype=object)})
    checked(rw.TreeClassifier(categorical_features=["c"]), X, number_of(VALUES[kind]) == 0)


@pytest.mark.parametrize(
    "text", ["", "nonsense", "NaN", "sNaN", "Infinity", "1/0", "9" * 5000, "é", 5, None, [], "2024-13-01"]
)
@pytest.mark.parametrize("tag", sorted({*TAGS, "interval", "period", "tuple"}))
def test_texts_of_values_in_files_are_checked(tag, text):
    try:
        found = Reader(None).values({"objects": [{tag: text}]})
    except ModelFileError:
        return
    assert found[0] == found[0]
    assert hash(found[0]) is not None


@pytest.mark.parametrize("parts", [[1], [1, 2, "up"], [2, 1, "left"], ["a", 1, "left"], [1, 2, 3, 4], [[], 2, "left"]])
def test_intervals_in_files_are_checked(parts):
    with pytest.raises(ModelFileError):
        Reader(None).values({"objects": [{"interval": parts}]})
    with pytest.raises(ModelFileError):
        Reader(None).values({"objects": [{"period": parts}]})


@pytest.mark.parametrize("tag", ["integer", "decimal", "fraction"])
def test_values_of_one_hash_are_refused(tag):
    """Hashes of numbers are remainders of 2**61 - 1, so anybody can make a file of numbers that share one."""
    texts = [str(number * (2**61 - 1) + 5) for number in range(100)]
    with pytest.raises(ModelFileError, match="hard to tell apart"):
        Reader(None).values({"objects": [{tag: text} for text in texts]})


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (["a", float("nan"), "b"], "row 1 has no label"),
        (["a", None, "b"], "row 1 has no label"),
        (["1", 1, "2"], "mix types that have no common order: int, str"),
        (np.array([True, 2, False], dtype=object), "mix types that have no common order: bool, int"),
        (np.array(["2024-01-01", "NaT", "2024-01-02"], dtype="M8[D]"), "row 1 has no label"),
    ],
)
def test_labels_that_numpy_would_make_text_of(y, words):
    """NumPy alone makes the class 'nan' of a missing label among words, and one class of 1 and '1'."""
    for read in (lambda y: rw.TreeClassifier().fit([[0.0], [1.0], [2.0]], y), rw.metrics.imbalance_ratio):
        with pytest.raises((TypeError, ValueError), match=words):
            read(y)
