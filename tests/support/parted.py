"""Tables in parts, and the comparison that every test makes."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

import rarewood as rw


def make_frame(n_rows, seed, n_classes=2, missing=False, categories=False, weights=False):
    """Columns a to d of numbers; c of categories, w of weights; the label y."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["a", "b", "d"])
    frame["b"] = frame["b"].round(1)
    frame["d"] = frame["d"].astype(np.float32)
    score = frame["a"] + frame["b"] * frame["d"] + rng.normal(size=n_rows) / 2
    frame["y"] = np.searchsorted(np.quantile(score, np.linspace(0.6, 0.95, n_classes - 1)), score)
    if categories:
        frame["c"] = pd.Categorical(
            [f"k{k}" for k in rng.integers(0, 6, n_rows)], categories=[f"k{k}" for k in (3, 0, 1, 2, 5, 4, 9)]
        )
    if missing:
        for column in frame.columns.drop("y"):
            frame.loc[rng.random(n_rows) < 0.1, column] = None
    if weights:
        frame["w"] = rng.integers(0, 4, n_rows)
    return frame


def make_smooth_frame(n_rows=2500, seed=0):
    """A smooth, additive signal, for which effects of columns are kept: numbers, categories, weights w, customers g, the label y."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 9)), columns=list("abdefhijk"))
    frame["c"] = pd.Categorical(rng.choice(["red", "green", "blue"], n_rows))
    own = rng.normal(size=n_rows)[np.arange(n_rows) // 3] / 2
    score = (frame[list("abdefhij")] ** 2).sum(axis=1) + 2 * (frame["c"] == "red") + own
    frame["y"] = (score > np.quantile(score, 0.8)).astype(int)
    frame.loc[rng.random(n_rows) < 0.05, "a"] = None
    frame["w"] = rng.integers(0, 4, n_rows)
    frame["g"] = np.arange(n_rows) // 3
    return frame


def parted(frame, cuts):
    """The rows between neighbouring cuts: some parts are empty."""
    edges = [0, *sorted(cuts), len(frame)]
    return [frame[begin:end] for begin, end in pairwise(edges)]


def check_same(model, expected, saved=True):
    """Trees, importances and the bytes of the file are the same."""
    if hasattr(expected, "forest_"):
        ours, theirs = model.forest_.__getstate__(), expected.forest_.__getstate__()
        assert ours.keys() == theirs.keys()
        for name, array in theirs.items():
            assert ours[name].dtype == array.dtype, name
            assert ours[name].tobytes() == array.tobytes(), name
    assert model.feature_importances_.tobytes() == expected.feature_importances_.tobytes()
    assert model.classes_.tolist() == expected.classes_.tolist()
    if not saved:
        return
    with tempfile.TemporaryDirectory() as folder, mock.patch("rarewood.export._file.datetime") as clock:
        clock.now.return_value = datetime(2026, 1, 1, tzinfo=UTC)  # a file says when it was saved
        files = [Path(folder) / name for name in ("a.rw", "b.rw")]
        for file, each in zip(files, (model, expected)):
            rw.save(each, file)
        assert files[0].read_bytes() == files[1].read_bytes()
