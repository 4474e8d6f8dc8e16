"""New rows have dates and times as their columns hold them."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rarewood import PatternOversampler


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.12).astype(int)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(100, size=300) + 40 * y, unit="D")
    table = pd.DataFrame(
        {
            "day": day,
            "point": day + pd.to_timedelta(rng.integers(86400, size=300), unit="s"),
            "zoned": day.tz_localize("Europe/Berlin"),
            "length": pd.to_timedelta(rng.integers(86400, size=300) + 5000 * y, unit="s"),
            "clock": [datetime.time(int(hour), 30) for hour in rng.integers(24, size=300)],
            "date": [each.date() for each in day],
        }
    )
    table.loc[rng.random(300) < 0.05, "day"] = None
    return table, y


def kinds(rows):
    return [{type(cell) for cell in column if cell is not None and cell == cell} for column in zip(*rows)]


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "pyarrow"]
)
def test_frames(frame, make):
    X, y = frame
    table = make(X)
    more, labels = PatternOversampler(random_state=0).fit_resample(table, y)
    assert type(more) is type(table)
    assert labels.sum() > y.sum()
    if isinstance(table, pd.DataFrame):
        assert more.dtypes.equals(table.dtypes)
        rows = list(more.astype(object).itertuples(index=False))
    else:
        assert more.schema == table.schema
        rows = more.rows() if hasattr(more, "rows") else [tuple(row.values()) for row in more.to_pylist()]
    new = rows[len(y) :]
    assert kinds(new) == kinds(rows[: len(y)])
    days = [row[5] for row in rows[: len(y)]]
    assert min(days) <= min(row[5] for row in new)
    assert max(row[5] for row in new) <= max(days)


def test_arrays(frame):
    X, y = frame
    for array in (X[["clock", "date"]].to_numpy(), X[["day"]].to_numpy()):
        more, _ = PatternOversampler(random_state=0).fit_resample(array, y)
        assert more.dtype == array.dtype
        assert kinds(more[len(y) :].tolist()) == kinds(array.tolist())
