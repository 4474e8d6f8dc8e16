"""Weak spots: a planted one is found, a table without any shows none, and sums agree with counting by hand."""

import numpy as np
import pandas as pd

from rarewood.report._scores import ScoredRows
from rarewood.report._sections.slices import slices
from rarewood.report._tables import read_tables
from support.subjects import subject_of


def table_of(rng, n):
    return pd.DataFrame(
        {
            "country": pd.Categorical(rng.choice(["AT", "DE", "FR"], n)),
            "channel": pd.Categorical(rng.choice(["web", "shop"], n)),
            "amount": np.where(rng.random(n) < 0.05, np.nan, rng.lognormal(size=n)),
        }
    )


def found_in(frame, rows):
    tables = read_tables(None, frame, None, None)
    return slices(subject_of(rows, tables, importances=np.ones(frame.shape[1])))


def test_a_planted_weak_spot_is_found_with_its_fault():
    rng = np.random.default_rng(0)
    frame = table_of(rng, 4000)
    true = rng.beta(0.3, 2.0, 4000)
    weak = (frame["country"] == "AT") & (frame["channel"] == "web")
    rows = ScoredRows(np.where(weak, true / 4, true), rng.random(4000) < true)
    found = found_in(frame, rows)["found"]
    assert {"recall", "scores too low"} <= {each["kind"] for each in found}
    first = next(each for each in found if each["kind"] == "scores too low")
    assert set(first["label"].split(", ")) == {"country: AT", "channel: web"}
    assert (first["n_rows"], first["n_rare"]) == (weak.sum(), rows.is_rare[weak].sum())
    assert np.isclose(first["expected_rare"], rows.scores[weak].sum())
    others = rows.is_rare & ~weak
    assert np.isclose(first["elsewhere"]["recall"][0], (others & (rows.scores >= 0.5)).sum() / others.sum())


def test_chance_alone_shows_a_weak_spot_in_at_most_one_table_of_twenty():
    n_shown = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        frame, true = table_of(rng, 800), rng.beta(0.5, 4.0, 800)
        n_shown += bool(found_in(frame, ScoredRows(true, rng.random(800) < true))["found"])
    assert n_shown <= 5  # 3 expected at most; Holm and Poisson err on the safe side


def test_a_part_of_a_listed_group_is_no_news():
    rng = np.random.default_rng(1)
    frame, true = table_of(rng, 6000), rng.beta(0.3, 2.0, 6000)
    weak = (frame["country"] == "AT").to_numpy()
    rows = ScoredRows(np.where(weak, true / 4, true), rng.random(6000) < true)
    labels = [each["label"] for each in found_in(frame, rows)["found"] if each["kind"] == "scores too low"]
    assert labels == ["country: AT"]
