"""Groups that a nominal column names: what is said of rows is what rows of new groups get."""

import warnings

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood._tables.found_groups import are_groups, together_of
from rarewood._tables.rows import Rows
from rarewood.ensemble.left_out import fitted_rows
from rarewood.evaluation import compare
from rarewood.exceptions import RarewoodWarning
from support.parted import check_same, parted
from support.tables import noise


def households(rng, sizes, alike=0.0, strength=1.5, first=0):
    """Rows by household, in any order: with a chance of `alike` a row has the label of its household, rare or not."""
    of_row = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    own, shared = rng.random(len(of_row)) < 0.05, (rng.random(len(sizes)) < 0.05)[of_row]
    y = np.where(rng.random(len(of_row)) < alike, shared, own).astype(int)
    X = rng.normal(size=(len(y), 2)) + strength * y[:, np.newaxis]
    return pd.DataFrame(X, columns=["a", "b"]).assign(household=[f"h{first + each}" for each in of_row]), y


def plain(frame, y, **options):
    """A model that was told to take rows one by one."""
    return rw.RareClassifier(40, random_state=0).fit(frame, y, groups=range(len(y)), **options)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        (lambda rng: np.full(1000, 2), True),
        (lambda rng: np.full(40, 5), True),
        (lambda rng: rng.integers(1, 6, 1000), True),
        (lambda rng: rng.integers(1, 3, 500), True),
        (lambda rng: np.full(20, 2), False),  # too few to tell
        (lambda rng: np.full(1000, 1), False),  # an identifier of rows: what is left out is new anyway
        (lambda rng: np.full(50, 200), False),  # quotas: new rows have known values
        (lambda rng: np.bincount(rng.integers(0, 1000, 2000)), False),
        (lambda rng: np.bincount(rng.integers(0, 100_000, 2000)), False),
        (lambda rng: np.bincount(rng.zipf(1.5, 3000).clip(max=10_000)), False),
        (lambda rng: rng.geometric(0.4, 2000), False),
        (lambda rng: np.array([], dtype=int), False),
    ],
)
def test_groups_are_told_from_rows_drawn_one_by_one(sizes, expected):
    for seed in range(5):
        assert are_groups(sizes(np.random.default_rng(seed))) is expected


@pytest.mark.parametrize("alike", [0.0, 1.0])
def test_what_is_said_is_what_new_values_get(alike):
    """Trees send values that they do not know to the larger side, so rows of a known value are no measure for them."""
    excess, means = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        frame, y = households(rng, np.full(1000, 2), alike)
        with pytest.warns(RarewoodWarning, match="'household' seem to be groups"):
            model = rw.RareClassifier(40, random_state=0).fit(frame, y)
        assert model.n_groups_ == 1000
        new, truth = households(rng, np.ones(4000, dtype=int), first=1000)
        excess.append(model.decision_threshold_.recall - model.predict(new)[truth == 1].mean())
        means.append(model.predict_proba(new)[:, 1].mean() / truth.mean())
    assert np.mean(excess) < 0.03  # rows one by one: 0.11 and 0.16
    assert np.mean(means) == pytest.approx(1.0, abs=0.2)  # rows one by one: 0.66 and 0.58


def test_folds_and_rules_keep_values_together():
    frame, y = households(np.random.default_rng(0), np.full(1000, 2), alike=1.0, strength=0.0)
    model = rw.HeDExClassifier(20, random_state=0).fit(frame, y)
    with pytest.warns(RarewoodWarning, match="'household' seem to be groups"):
        threshold = rw.ensemble.fit_threshold(model, frame, y, rule="recall=0.5")
    assert threshold.precision < 0.1
    assert not len(rw.inspection.find_rules(frame, y, random_state=0))
    trees = {"tree": rw.TreeClassifier()}
    found = {
        copies: compare(trees, {"noise": (frame, y)}, "1x3", "auc", copies=copies, progress=False).means("auc").mean()
        for copies in ("together", "apart")
    }
    assert found["apart"] > 0.6
    assert abs(found["together"] - 0.5) < 0.1


def check_parts(frame, model, warning):
    """The model of a table in parts warns as that of the whole table does, and is the same."""
    with pytest.warns(RarewoodWarning, match=warning):
        in_parts = rw.distributed.fit(model, parted(frame, [100, 100, 500]), "y", finish_rows=30)
    with pytest.warns(RarewoodWarning, match=warning):
        expected = model.fit(frame.drop(columns="y"), frame["y"])
    check_same(in_parts, expected, saved=False)
    np.testing.assert_array_equal(in_parts.oob_decision_function_, expected.oob_decision_function_)


def test_groups_found_in_parts_are_those_of_the_table():
    frame, y = households(np.random.default_rng(1), np.full(300, 3))
    frame.loc[::17, "household"] = None
    frame["y"] = np.where(y == 1, "yes", "no")
    check_parts(frame, rw.RareClassifier(30, column_effects=False, random_state=0), "'household' seem to be groups")


def test_what_names_nothing_stands_alone():
    """A word for "unknown", missing values, rows of weight 0; and copies are no other rows of a value."""
    frame, y = households(np.random.default_rng(2), np.full(500, 2))
    frame.loc[:99, "household"] = "unknown"
    frame.loc[100:149, "household"] = None
    groups, columns = together_of(frame, y)
    assert columns.name(groups.column) == "household"
    assert len(np.unique(groups.numbers[:150])) == 150
    value = frame["household"][150:]
    assert pd.Series(groups.numbers[150:]).groupby(value.to_numpy()).nunique().max() == 1
    assert len(np.unique(groups.numbers[150:])) == value.nunique()
    rows = np.repeat(np.arange(400), 2)
    copies, _ = together_of(frame[150:].drop_duplicates("household").iloc[rows % 300], y[rows])
    assert copies.column is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights = ~frame["household"].duplicated().to_numpy() * 1.0
        model = rw.RareClassifier(9, random_state=0).fit(frame, y, sample_weight=weights)
    assert not hasattr(model, "n_groups_")


def test_rows_one_by_one_where_that_is_told():
    frame, y = households(np.random.default_rng(3), np.full(300, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = plain(frame, y)
    assert model.n_groups_ == 600


def test_a_report_knows_the_rows_of_a_loaded_model_again(tmp_path):
    frame, y = households(np.random.default_rng(4), np.full(300, 2))
    with pytest.warns(RarewoodWarning, match="'household' seem to be groups"):
        model = rw.RareClassifier(30, column_effects=False, random_state=0).fit(frame, y)
    rw.save(model, tmp_path / "model.rarewood")
    loaded = rw.load(tmp_path / "model.rarewood")
    for each in (model, loaded):
        assert fitted_rows(each, Rows.of(each, frame), y) is not None


def numbered(times, name):
    """Noise, each row so many times, with a column that differs in every row."""
    X, y = noise(times=times)
    order = np.random.default_rng(0).permutation(len(y))
    frame = pd.DataFrame(X[order], columns=list("abcdef"))
    numbers = np.arange(len(y)) if name != "time" else np.random.default_rng(1).permutation(len(y)) / 7.0
    frame.insert(3, name, [f"row {number}" for number in numbers] if name == "key" else numbers)
    return frame, y[order]


@pytest.mark.parametrize("name", ["number", "time", "key"])
def test_copies_with_a_number_are_copies(name):
    frame, y = numbered(3, name)
    with pytest.warns(RarewoodWarning) as caught:
        model = rw.RareClassifier(60, random_state=0).fit(frame, y)
    assert any(f"equal another in all columns but '{name}'" in str(each.message) for each in caught)
    assert abs(model.oob_score_ - 0.5) < 0.12  # rows one by one: above 0.9
    assert (model.n_repeated_rows_, hasattr(model, "n_groups_")) == (len(y), False)
    alone, labels = numbered(1, name)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*looks like an identifier")
        assert together_of(alone, labels) is None


def test_copies_with_a_number_in_parts_are_those_of_the_table():
    frame, y = numbered(2, "number")
    frame["y"] = y
    check_parts(frame, rw.RareClassifier(20, column_effects=False, random_state=0), "all columns but 'number'")


def test_an_amount_beside_categories_makes_no_copies():
    rng = np.random.default_rng(0)
    cells = np.column_stack([rng.integers(0, 4, (2000, 3)), rng.normal(size=2000)])
    assert together_of(cells, rng.integers(0, 2, 2000)) is None
    few = np.column_stack([rng.normal(size=(400, 4))[np.append(np.arange(400), 7)], np.arange(401)])
    assert together_of(few, rng.integers(0, 2, 401)) is None  # a pair changes no figure
