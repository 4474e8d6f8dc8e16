"""A few rows of a frame take a short way; what they become is what the long way makes of them."""

import numpy as np
import pandas as pd
import pytest

from rarewood import TreeClassifier
from rarewood._tables import read_table

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(40, 3))
FRAMES = {
    "float64": pd.DataFrame(NUMBERS, columns=["a", "b", "c"]),
    "float32": pd.DataFrame(NUMBERS.astype(np.float32), columns=["a", "b", "c"]),
    "float16": pd.DataFrame(NUMBERS.astype(np.float16), columns=["a", "b", "c"]),
    "whole": pd.DataFrame(RNG.integers(1000, size=(40, 3)), columns=["a", "b", "c"]),
    "mixed": pd.DataFrame(
        {"a": NUMBERS[:, 0].astype(np.float32), "b": np.arange(40, dtype=np.int16), "c": np.arange(40) + 2**40}
    ),
    "short": pd.DataFrame(
        {
            "a": NUMBERS[:, 0].astype(np.float32),
            "b": np.arange(40, dtype=np.int16),
            "c": NUMBERS[:, 0].astype(np.float16),
        }
    ),
    "truths": pd.DataFrame({"a": NUMBERS[:, 0], "b": NUMBERS[:, 0] > 0, "c": NUMBERS[:, 1]}),
    "nullable": pd.DataFrame(
        {
            "a": pd.array([1.5, None] * 20, dtype="Float64"),
            "b": pd.array([1, None] * 20, dtype="Int32"),
            "c": NUMBERS[:, 0],
        }
    ),
    "missing": pd.DataFrame(np.where(NUMBERS > 1, np.nan, NUMBERS), columns=["a", "b", "c"]),
    "objects": pd.DataFrame(NUMBERS, columns=["a", "b", "c"]).astype(object),
    "dates": pd.DataFrame({"a": NUMBERS[:, 0], "b": pd.date_range("2024-01-01", periods=40), "c": NUMBERS[:, 1]}),
    "categories": pd.DataFrame({"a": NUMBERS[:, 0], "b": pd.Categorical(["x", "y"] * 20), "c": NUMBERS[:, 1]}),
}


@pytest.mark.parametrize("name", FRAMES)
def test_the_short_way_gives_what_the_long_way_gives(name):
    frame = FRAMES[name]
    model = TreeClassifier().fit(frame, np.arange(40) % 2)
    long = model._columns.encode(read_table(model, frame, reset=False))
    short = model._encode(frame)
    assert short.dtype == long.dtype
    np.testing.assert_array_equal(short, long)
    np.testing.assert_array_equal(model._encode(frame.iloc[7:8]), long[7:8])


def test_bad_frames_are_told_as_ever():
    frame = FRAMES["float64"]
    model = TreeClassifier().fit(frame, np.arange(40) % 2)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["b", "a", "c"]])
    with pytest.raises(ValueError, match="Column 'b' of X contains infinity in row 1"):
        model.predict(frame.head(3).assign(b=[1.0, np.inf, 2.0]))
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        model.predict(frame.head(0))
    with pytest.warns(UserWarning, match="valid feature names"), pytest.raises(ValueError, match="Expected"):
        model.predict(frame["a"])
