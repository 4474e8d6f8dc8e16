"""A column of any Arrow type in any container: the same tree as from plain Python objects, or the same refusal everywhere."""

import datetime as dt
import decimal
import io
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import rarewood as rw
from rarewood import distributed

START = dt.datetime(2024, 2, 29)


def _whole(low, high):
    return lambda rng, n: [
        int(cell) for cell in rng.integers(low, high, n, dtype=np.uint64 if low >= 0 else np.int64, endpoint=True)
    ]


def _floats(rng, n):
    return (rng.normal(size=n) * 10.0 ** rng.integers(-3, 4, n)).astype(np.float16).astype(float).tolist()


def _days(rng, n):
    return [dt.date.fromordinal(int(day)) for day in rng.choice([rng.integers(1, 3652060), 738000, 738001], n)]


def _points(rng, n):
    return [START + dt.timedelta(seconds=int(cell)) for cell in rng.integers(0, 10 ** int(rng.integers(1, 9)), n)]


def _words(rng, n):
    return rng.choice(["", "a", "B", "ä", "\x1b", "$x$", "'", '"', "1", " "], n).tolist()


TYPES = {
    **{
        str(kind): (kind, _whole(0, 2**bits - 1))
        for bits, kind in ((8, pa.uint8()), (16, pa.uint16()), (32, pa.uint32()), (64, pa.uint64()))
    },
    **{
        str(kind): (kind, _whole(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
        for bits, kind in ((8, pa.int8()), (16, pa.int16()), (32, pa.int32()), (64, pa.int64()))
    },
    **{str(kind): (kind, _floats) for kind in (pa.float32(), pa.float64())},
    "bool": (pa.bool_(), lambda rng, n: (rng.random(n) < 0.5).tolist()),
    **{str(kind): (kind, _days) for kind in (pa.date32(), pa.date64())},
    **{
        str(kind): (kind, _points)
        for unit in ("s", "ms", "us", "ns")
        for kind in (pa.timestamp(unit), pa.timestamp(unit, "UTC"))
    },
    **{
        str(kind): (kind, lambda rng, n: [point - START for point in _points(rng, n)])
        for unit in ("s", "ms", "us", "ns")
        for kind in (pa.duration(unit),)
    },
    **{
        str(kind): (kind, lambda rng, n: [point.time() for point in _points(rng, n)])
        for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"))
    },
    **{str(kind): (kind, _words) for kind in (pa.string(), pa.large_string())},
    **{
        f"dictionary {index}": (pa.dictionary(index, pa.string()), _words)
        for index in (pa.int8(), pa.int16(), pa.int32(), pa.int64())
    },
    **{
        str(kind): (
            kind,
            lambda rng, n: [decimal.Decimal(int(cell)) / 100 for cell in rng.integers(-(10**9), 10**9, n)],
        )
        for kind in (pa.decimal128(12, 2), pa.decimal128(30, 4))
    },
    "float16": (pa.float16(), _floats),
    "string_view": (pa.string_view(), _words),
    **{
        f"dictionary {index}": (pa.dictionary(index, pa.string()), _words)
        for index in (pa.uint8(), pa.uint16(), pa.uint32())
    },
    "dictionary of large strings": (pa.dictionary(pa.int32(), pa.large_string()), _words),
    "time64[ns]": (pa.time64("ns"), lambda rng, n: [point.time() for point in _points(rng, n)]),
    "null": (pa.null(), lambda rng, n: [None] * n),
    "binary": (pa.binary(), lambda rng, n: [b"x"] * n),
    "list": (pa.list_(pa.int64()), lambda rng, n: [[1, 2]] * n),
    "large list": (pa.large_list(pa.string()), lambda rng, n: [["a"]] * n),
    "struct": (pa.struct({"a": pa.int64()}), lambda rng, n: [{"a": 1}] * n),
}
CONTAINERS = {
    "pyarrow": lambda table: table,
    "pyarrow in chunks": lambda table: pa.Table.from_batches(table.to_batches(max_chunksize=5)),
    "pandas of Arrow types": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "Parquet": lambda table: pq.read_table(_parquet(table)),
}


def _parquet(table):
    file = io.BytesIO()
    pq.write_table(table, file, row_group_size=7)
    file.seek(0)
    return file


def run(seed):
    """One column, its cells missing here and there, in every container and, at times, in parts."""
    rng = np.random.default_rng(seed)
    name = list(TYPES)[rng.integers(len(TYPES))]
    kind, draw = TYPES[name]
    n_rows = int(rng.choice([4, 20, 60]))
    share = float(rng.choice([0.0, 0.2]))
    cells = [None if rng.random() < share else cell for cell in draw(rng, n_rows)]
    is_dictionary = pa.types.is_dictionary(kind)
    column = pa.array(cells, kind.value_type).dictionary_encode().cast(kind) if is_dictionary else pa.array(cells, kind)
    table = pa.table({"c": column, "number": rng.normal(size=n_rows)})
    y = rng.integers(0, 2, n_rows)
    y[:2] = 0, 1
    model = rw.ForestClassifier(n_estimators=2, random_state=int(rng.integers(100)), n_jobs=1)
    plain = pd.DataFrame({"c": pd.Series(_as_read(column), dtype=object), "number": table["number"].to_numpy()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = _answer(model, plain, y)
        for container, convert in CONTAINERS.items():
            try:
                held = convert(table)
                _ = held["c"].dtype.type if isinstance(held, pd.DataFrame) else None
            except NotImplementedError:  # an older pandas does not know the type
                continue
            found = _answer(model, held, y)
            assert found == expected, f"{name} in {container}"
        if rng.random() < 0.2 and not isinstance(expected, str):
            parts = [table.append_column("y", pa.array(y)).slice(begin, 7) for begin in range(0, n_rows, 7)]
            fitted = distributed.fit(model, parts, target="y")
            assert fitted.predict_proba(table).tobytes() == expected, f"{name} in parts"
    return name


def _as_read(column):
    """Nanoseconds are no objects of Python: those of pandas are, and whole microseconds are what a cell is."""
    if pa.types.is_timestamp(column.type) or pa.types.is_duration(column.type):
        unit = pa.timestamp("us", column.type.tz) if pa.types.is_timestamp(column.type) else pa.duration("us")
        column = column.cast(unit)
    return column.to_pylist()


def _answer(model, X, y):
    try:
        return model.fit(X, y).predict_proba(X).tobytes()
    except (ValueError, TypeError) as error:
        return type(error).__name__ if "'c'" in str(error) else f"an error that names no column: {error!r}"
