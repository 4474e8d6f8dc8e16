"""Effects of columns against doing it by hand: one value for all rows, columns shuffled, distributions counted."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import rarewood as rw
from rarewood.metrics.areas import area, difference_with_interval, loss_with_interval
from rarewood.report._distributions import Places
from rarewood.report._options import Options
from rarewood.report._perturbed import with_cells_of
from rarewood.report._sections.effects import effects
from rarewood.report._subject import read_subject
from rarewood.report._tables import read_tables


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame(
        {
            "size": rng.lognormal(3, 2, n),
            "noise": rng.normal(size=n),
            "shop": pd.Categorical(rng.choice(["a", "b", "c"], n)),
            "same": np.ones(n),
        }
    )
    frame.loc[:30, "noise"] = np.nan
    y = (rng.random(n) < np.where(frame["shop"] == "b", 0.5, 0.05)) | (frame["size"] > 300)
    return frame, y.to_numpy().astype(int)


@pytest.fixture(scope="module")
def models(table):
    frame, y = table
    linear = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["shop"]), ("passthrough", ["size"])),
        LogisticRegression(max_iter=1000),
    )
    return {"ours": rw.ForestClassifier(20, max_depth=4, random_state=0).fit(frame, y), "linear": linear.fit(frame, y)}


@pytest.mark.parametrize("name", ["ours", "linear"])
def test_a_mean_score_is_that_of_rows_with_one_value_in_the_column(table, models, name):
    frame, y = table
    model = models[name]
    found = effects(read_subject(model, frame, y, Options()))
    columns = {each["name"]: each for each in found["columns"]}
    assert set(columns) == {"size", "noise", "shop"}  # one value says nothing
    is_rare = y == 1
    kept = found["n_averaged"]
    assert kept == min(100, is_rare.sum()) + 200
    share, shop = is_rare.mean(), columns["shop"]
    for level, mean in zip(shop["levels"], shop["mean_scores"], strict=True):
        all_rows = frame.assign(shop=pd.Categorical([level] * len(frame), categories=["a", "b", "c"]))
        scores = model.predict_proba(all_rows)[:, 1]
        whole = share * scores[is_rare].mean() + (1 - share) * scores[~is_rare].mean()
        assert mean == pytest.approx(whole, abs=0.05)  # a sample of the rows
    assert shop["mean_scores"][shop["levels"].index("b")] > 2 * shop["mean_scores"][shop["levels"].index("a")]
    assert columns["size"]["logarithmic"]
    assert columns["noise"]["if_missing"] is not None if name == "ours" else True
    assert found["columns"][0]["name"] in ("shop", "size")
    assert abs(columns["noise"]["loss"][0]) < 0.05 < columns["shop"]["loss"][0]


def test_losses_are_of_out_of_bag_rows_where_the_rows_of_the_fit_are_given(table):
    frame, y = table
    model = rw.RareClassifier(n_estimators=40, random_state=0).fit(frame, y)
    new, truth = frame[:200], y[:200]
    found = effects(read_subject(model, new, truth, Options(train=(frame, y))))
    assert (found["shuffled"], found["n_shuffled"]) == ("out-of-bag", len(y))
    losses = {each["name"]: each["loss"][0] for each in found["columns"]}
    assert abs(losses["noise"]) < 0.05 < losses["shop"]
    page = rw.report.build(model, new, truth, train=(frame, y)).html
    assert "the 600 rows that the model was trained on, each scored by the trees that had not seen it" in page
    elsewhere = effects(read_subject(model, new, truth, Options(train=(frame[::-1], y[::-1]))))
    assert (elsewhere["shuffled"], elsewhere["n_shuffled"]) == ("page", 200)


def test_cells_of_other_rows_in_every_container(table):
    frame, _ = table
    rows = np.arange(len(frame))[::-1]
    told = with_cells_of(frame, 2, rows)
    assert told["shop"].tolist() == frame["shop"].tolist()[::-1]
    pd.testing.assert_frame_equal(told.drop(columns="shop"), frame.drop(columns="shop"))
    matrix = frame[["size", "noise"]].to_numpy()
    told = with_cells_of(matrix, 0, rows)
    np.testing.assert_array_equal(told[:, 0], matrix[::-1, 0])
    np.testing.assert_array_equal(told[:, 1], matrix[:, 1])


def test_a_loss_is_the_mean_difference_of_areas():
    rng = np.random.default_rng(0)
    is_rare = rng.random(300) < 0.2
    whole = rng.normal(size=300) + is_rare
    spoiled = [rng.normal(size=300) + 0.3 * is_rare for _ in range(3)]
    loss = loss_with_interval(whole, spoiled, is_rare)
    by_hand = roc_auc_score(is_rare, whole) - np.mean([roc_auc_score(is_rare, each) for each in spoiled])
    assert loss.value == pytest.approx(by_hand)
    assert area(whole, is_rare) == pytest.approx(roc_auc_score(is_rare, whole))
    once = loss_with_interval(whole, spoiled[:1], is_rare)
    alone = difference_with_interval(whole, spoiled[0], is_rare)
    assert (once.low, once.high) == pytest.approx((alone.low, alone.high))


def test_places_hold_every_value_once(table):
    frame, _ = table
    tables = read_tables(None, frame, None, None)
    for j, name in enumerate(frame):
        places = Places.of(tables, j)
        assert sum(places.shares(tables.test[:, j])) == pytest.approx(1.0), name
    shares = dict(
        zip(Places.of(tables, 2).in_words(tables, 2)["levels"], Places.of(tables, 2).shares(tables.test[:, 2]))
    )
    assert shares == pytest.approx(frame["shop"].value_counts(normalize=True).to_dict())


def test_column_effects_that_a_model_keeps_are_drawn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 10))
    y = (X**2).sum(axis=1) > 16.0
    model = rw.RareClassifier(n_estimators=30, random_state=0).fit(X, y)
    found = effects(read_subject(model, X, y, Options()))["added"]
    assert len(found) == 6
    for each in found:
        assert len(each["values"]) == len(each["bounds"]) + 1
        np.testing.assert_array_equal(each["values"], model.column_effects_.values[int(each["name"][1:])][:-1])
    flipped = effects(read_subject(model, X, y, Options(positive=False, threshold=0.5)))["added"]
    assert flipped[0]["values"] == [-value for value in found[0]["values"]]
