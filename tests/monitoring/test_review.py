"""Rows to label: the most probable ones, and some that are drawn so that all rows can be judged."""

import numpy as np
import pytest

import rarewood as rw
from rarewood.monitoring import estimate, review
from rarewood.monitoring._review import choose_rows


@pytest.fixture(scope="module")
def pool():
    rng = np.random.default_rng(0)
    z = rng.normal(-4, 1.5, 4000)
    p = 1 / (1 + np.exp(-z))
    return p, rng.random(4000) < p


def test_four_fifths_are_the_most_probable_and_the_rest_is_drawn(pool):
    p, _ = pool
    rows, weights, drawn = choose_rows(p, 100, np.random.RandomState(0))
    assert len(set(rows.tolist())) == len(rows) == 100
    assert drawn.sum() == 20
    assert sorted(p[rows[~drawn]]) == sorted(np.sort(p)[-80:])
    rest = np.sort(p)[:-80]
    q = (p[rows[drawn]] / rest.sum() + 1 / len(rest)) / 2
    assert weights[drawn] == pytest.approx(1 / (20 * q))
    assert (weights[~drawn] == 1).all()


def test_weights_make_sums_right_on_average(pool):
    p, rare = pool
    totals, found = [], []
    for seed in range(400):
        rows, weights, _ = choose_rows(p, 200, np.random.RandomState(seed))
        totals.append(weights.sum())
        found.append(weights[rare[rows]].sum())
    assert np.mean(totals) == pytest.approx(4000, rel=0.02)
    assert np.mean(found) == pytest.approx(rare.sum(), rel=0.05)


def test_estimates_cover_the_truth(pool):
    p, rare = pool
    cut, covered = 0.3, []
    recall = np.mean(p[rare] >= cut)
    for seed in range(150):
        rows, weights, drawn = choose_rows(p, 400, np.random.RandomState(seed))
        columns = {"chosen": np.where(drawn, "drawn", "highest"), "weight": weights, "alarm": p[rows] >= cut}
        found = estimate({**columns, "label": rare[rows].astype(int)})
        (_, low, high), (_, bottom, top) = found.base_rate, found.recall
        covered.append((low <= rare.mean() <= high, bottom <= recall <= top))
    assert (np.mean(covered, axis=0) >= 0.9).all()


def test_small_pools_and_odd_scores():
    rng = np.random.RandomState(0)
    rows, weights, drawn = choose_rows(np.array([0.1, 0.9, 0.5]), 7, rng)
    assert rows.tolist() == [1, 2, 0]
    assert weights.tolist() == [1, 1, 1]
    assert not drawn.any()
    for scores in (np.zeros(50), np.append(np.zeros(49), 1.0), np.ones(50)):
        rows, weights, drawn = choose_rows(scores, 49, rng)
        assert len(set(rows.tolist())) == len(rows)
        assert (weights >= 1 - 1e-9).all()


def test_a_review_can_be_labelled_in_a_frame():
    table = rw.datasets.make_planted_rules(2000, random_state=0)
    model = rw.RareClassifier(15, random_state=0).fit(table.X[:1000], table.y[:1000])
    chosen = review(model, table.X[1000:], 60, random_state=1)
    again = review(model, table.X[1000:], 60, random_state=1)
    assert chosen.rows.tolist() == again.rows.tolist()
    frame = chosen.frame()
    frame["label"] = table.y[1000:][chosen.rows]
    found = estimate(frame, positive=1)
    assert found.n_drawn == 12
    assert found.n_rare == frame["label"].sum()
    assert "void" in str(chosen)
    assert "by 12 rows that were drawn" in str(found)
    for broken, words in (
        (frame.drop(columns="weight"), "no column 'weight'"),
        (frame.assign(weight=-1.0), "above 0"),
        (frame.assign(chosen="odd"), "must say 'highest' or 'drawn'"),
        (frame.assign(label=np.nan), "have no label"),
    ):
        with pytest.raises(ValueError, match=words):
            estimate(broken)
    with pytest.raises(ValueError, match="n=0"):
        review(model, table.X, 0)
