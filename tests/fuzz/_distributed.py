"""A forest of any kind on a table in any parts: the bytes of its file are those of the fit in memory, or both refuse.

One seed in fifty is fitted by Dask, on workers that are threads of this process.
"""

import atexit
import functools
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.base import clone

import rarewood as rw
from fuzz._api import REFUSALS, SENSE, public_estimators
from support.parted import check_same, parted

DASK_EVERY = 50
CONTAINERS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "Arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


def run(seed):
    """One table, one forest, one way to divide the rows."""
    rng = np.random.default_rng(seed)
    frame, model = random_frame(rng), random_forest(rng)
    aside, options = random_roles(rng, frame), {}
    for name, pool in (("finish_rows", (0, 1, 40, 1000)), ("trees_at_once", (1, 2, 5))):
        if rng.random() < 0.7:
            options[name] = int(rng.choice(pool))
    container = str(rng.choice(list(CONTAINERS)))
    convert = CONTAINERS[container]
    parts = [convert(part) for part in parted(frame, rng.integers(0, len(frame) + 1, rng.integers(0, 7)).tolist())]
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        y = convert(frame[["y"]])["y"]
        if seed % DASK_EVERY == DASK_EVERY - 1:
            container, options["client"] = f"{container} on Dask", cluster()
        elif rng.random() < 0.2:
            container, parts = f"{container} in files", write(Path(folder), parts)
            frame, convert = as_read(frame), CONTAINERS["Arrow"]
            y = convert(frame[["y"]])["y"]
            if rng.random() < 0.5:
                options["memory"] = "2GB"
        expected = fit_at_once(model, convert(frame.drop(columns=["y", *aside.values()])), y, frame, aside)
        try:
            found = rw.distributed.fit(model, parts, "y", **aside, **options)
        except REFUSALS as error:
            found = error
        if isinstance(expected, REFUSALS) or isinstance(found, REFUSALS):
            assert type(found) is type(expected), f"{container}: {found!r} in parts, {expected!r} at once"
            return "refused"
        try:
            check_same(found, expected)
        except AssertionError as error:
            raise AssertionError(f"{container}: {model}, {options}, {aside}: {error}") from error
    return container


def fit_at_once(model, X, y, frame, aside):
    """The model, or why there is none."""
    try:
        return clone(model).fit(X, y, **{role: frame[column] for role, column in aside.items()})
    except REFUSALS as error:
        return error


def random_frame(rng):
    """Numbers of many kinds, holes, categories, words, dates; labels of any type."""
    n_rows = int(rng.choice([8, 30, 120, 300]))
    columns = {f"c{number}": random_column(rng, n_rows) for number in range(rng.integers(1, 7))}
    n_classes = int(rng.choice([2, 2, 3, 5]))
    codes = rng.choice(n_classes, n_rows, p=rng.dirichlet(np.full(n_classes, 2.0)))
    codes[:n_classes] = np.arange(n_classes)
    kinds = (codes, codes == 0, np.array(["no", "yes", "ä", "", "z z"])[codes], codes - 2)
    columns["y"] = rng.permutation(kinds[rng.integers(len(kinds))])
    return pd.DataFrame(columns)


def random_column(rng, n_rows):
    kind = rng.integers(10)
    if kind == 0:
        return np.full(n_rows, rng.choice([0.0, -0.0, 7.0, np.nan]))
    if kind == 1:
        return rng.integers(-3, 4, n_rows)
    if kind == 2:
        return rng.normal(size=n_rows).astype(np.float32)
    if kind == 3:
        return rng.normal(size=n_rows) * 10.0 ** rng.integers(-300, 300)
    if kind == 4:
        return rng.random(n_rows) < 0.3
    if kind == 5:
        levels = rng.permutation(["z", "y", "x", "w", "", "Ä"]).tolist()
        return pd.Categorical.from_codes(rng.integers(-1, 5, n_rows), levels)
    if kind == 6:
        words = rng.choice(["red", "green", "blue", ""], n_rows).astype(object)
        return np.where(rng.random(n_rows) < 0.2, None, words)
    if kind == 7:
        days = pd.Series(pd.Timestamp("2024-02-28") + pd.to_timedelta(rng.integers(0, 60, n_rows) * 43_200, unit="s"))
        return days.where(rng.random(n_rows) < 0.9)
    if kind == 8:
        return np.where(rng.random(n_rows) < 0.3, np.nan, rng.normal(size=n_rows).round(1))
    return rng.normal(size=n_rows)


def random_forest(rng):
    """A forest with some of its parameters drawn; seeded, because the fit at once must have the same seed."""
    forests = [kind for kind in public_estimators() if "warm_start" in kind().get_params()]
    model = forests[rng.integers(len(forests))]()
    known = model.get_params(deep=False)
    drawn = {
        name: pool[rng.integers(len(pool))] for name, pool in SENSE.items() if name in known and rng.random() < 0.3
    }
    drawn |= {"n_estimators": int(rng.choice([1, 3, 9])), "random_state": int(rng.integers(1000)), "n_jobs": 1}
    if "column_effects" in known:
        drawn["column_effects"] = bool(rng.random() < 0.7)
    return model.set_params(**drawn)


def random_roles(rng, frame):
    """Columns of weights and groups, added to the frame at times."""
    roles = {}
    if rng.random() < 0.2:
        roles["sample_weight"] = "weight"
        frame["weight"] = rng.integers(0, 4, len(frame))
    if rng.random() < 0.2:
        roles["groups"] = "customer"
        frame["customer"] = rng.integers(0, len(frame) // 3 + 1, len(frame))
    return roles


def write(folder, parts):
    """A Parquet file for each part."""
    for number, part in enumerate(parts):
        path = folder / f"{number}.parquet"
        if isinstance(part, pd.DataFrame):
            part.to_parquet(path, row_group_size=50)
        elif isinstance(part, pl.DataFrame):
            part.write_parquet(path, row_group_size=50)
        else:
            pq.write_table(part, path, row_group_size=50)
    return str(folder)


def as_read(frame):
    """Words as files have them: an empty one is missing there."""
    words = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name]) and (frame[name] == "").any()]
    return frame.assign(**{name: frame[name].where(frame[name] != "") for name in words})


@functools.cache
def cluster():
    """Workers for as long as the process lives."""
    from distributed import Client, LocalCluster

    workers = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0", silence_logs="ERROR"
    )
    client = Client(workers)
    atexit.register(workers.close)
    atexit.register(client.close)
    return client
