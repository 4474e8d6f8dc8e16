"""Cells and types that few tables have mean the same in every container, or are refused by name."""

import datetime as dt
import uuid
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.evaluation import time_split
from support.versions import EARLY_PANDAS

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

N = 60
Y = np.arange(N) % 3 == 0
LATE = hasattr(pa, "json_")  # a pyarrow that has types of extensions by name
IDENTIFIERS = [uuid.UUID(int=number) for number in range(3)]


def repeated(cells):
    return [cells[row % len(cells)] for row in range(N)]


def array_of_cells(cells):
    found = np.empty((N, 1), dtype=object)
    for row, cell in enumerate(repeated(cells)):
        found[row, 0] = cell
    return found


CELLS_IN = {
    "array": array_of_cells,
    "lists": lambda cells: [[cell] for cell in repeated(cells)],
    "pandas": lambda cells: pd.DataFrame({"c": pd.Series(repeated(cells), dtype=object)}),
    "polars": lambda cells: pl.DataFrame({"c": pl.Series(repeated(cells), dtype=pl.Object)}),
}
NO_CELLS = {
    "list": [[1, 2], [3]],
    "list among words": ["a", "b", [3]],
    "list among numbers": [1.0, 2.0, [3]],
    "tuple": [(1, 2), [3]],
    "dict": [{"a": 1}, {"b": 2}],
    "set": [{1}, {2}],
    "array": [np.array([1, 2]), np.array([3])],
    "memory": [memoryview(b"ab"), memoryview(b"b")],
    "range": [range(3), range(2)],
    "complex": [1j, 2.0],
    "object": [object(), object()],
}
STORAGE = pa.array(repeated([each.bytes for each in IDENTIFIERS]), pa.binary(16))
RUNS = pa.array([20, 40, 60], pa.int32())
NUMBERS = [1.5, None, 2.5]

# A column of an Arrow type, and the plain cells it stands for.
ARROW = {
    "runs of numbers": (pa.RunEndEncodedArray.from_arrays(RUNS, pa.array(NUMBERS)), np.repeat([1.5, np.nan, 2.5], 20)),
    "runs of words": (
        pa.RunEndEncodedArray.from_arrays(RUNS, pa.array(["a", None, "b"])),
        np.repeat(np.array(["a", None, "b"], dtype=object), 20),
    ),
    "hundreds": (
        pa.array(repeated([Decimal(100), Decimal(1200), None]), pa.decimal128(5, -2)),
        repeated([100.0, 1200.0, None]),
    ),
    "views of bytes": (pa.array(repeated([b"a", b"b", None]), pa.binary_view()), repeated([b"a", b"b", None])),
}
if LATE:
    ARROW |= {
        "uuid": (pa.ExtensionArray.from_storage(pa.uuid(), STORAGE), repeated([str(each) for each in IDENTIFIERS])),
        "bool8": (
            pa.ExtensionArray.from_storage(pa.bool8(), pa.array(np.array(repeated([0, 1, 1]), np.int8))),
            repeated([False, True, True]),
        ),
        "json": (
            pa.ExtensionArray.from_storage(pa.json_(), pa.array(repeated(['{"a":1}', "[1]"]))),
            repeated(['{"a":1}', "[1]"]),
        ),
        "opaque": (
            pa.ExtensionArray.from_storage(pa.opaque(pa.int64(), "t", "v"), pa.array(range(N))),
            list(range(N)),
        ),
    }
NO_ARROW = {
    "tensor": pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.int64(), (2,)), pa.array(repeated([[1, 2], [2, 3]]), pa.list_(pa.int64(), 2))
    ),
    "union": pa.UnionArray.from_sparse(
        pa.array(repeated([0, 1]), pa.int8()), [pa.array(range(N)), pa.array([str(row) for row in range(N)])]
    ),
    "map": pa.array(repeated([[("a", 1)], [("b", 2)]]), pa.map_(pa.string(), pa.int64())),
}
FRAMES = {
    "arrow": lambda table: table,
    "pandas of Arrow types": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
}


def framed(column, container):
    try:
        return FRAMES[container](pa.table({"c": column}))
    except Exception as error:
        pytest.skip(f"does not apply: {container} holds no such column ({error})")


@pytest.mark.parametrize("categorical", ["from_dtype", [0]], ids=["as it is", "as categories"])
@pytest.mark.parametrize("container", list(CELLS_IN))
@pytest.mark.parametrize("cells", list(NO_CELLS))
def test_cells_without_a_value_are_refused_by_name(cells, container, categorical):
    with pytest.raises((TypeError, ValueError)) as caught:
        rw.TreeClassifier(categorical_features=categorical).fit(CELLS_IN[container](NO_CELLS[cells]), Y)
    words = str(caught.value)
    assert "'c'" in words or "column 0" in words.lower() or "columns of X" in words or "Complex data" in words
    assert any(advice in words for advice in ("can hold one number", "Convert", "give real and imaginary"))


@pytest.mark.parametrize("categorical", ["from_dtype", [0]], ids=["as it is", "as categories"])
@pytest.mark.parametrize("container", list(CELLS_IN))
def test_a_decimal_that_signals_nan_is_missing(container, categorical):
    X = CELLS_IN[container]([Decimal("1.5"), Decimal("sNaN"), Decimal("2.5")])
    if container == "pandas" and EARLY_PANDAS:
        with pytest.raises(ValueError, match="Column 'c' of type Object cannot be read"):
            rw.TreeClassifier(categorical_features=categorical).fit(X, Y)
        return
    plain = CELLS_IN[container]([Decimal("1.5"), None, Decimal("2.5")])
    model = rw.TreeClassifier(categorical_features=categorical, random_state=0)
    np.testing.assert_array_equal(model.fit(X, Y).predict_proba(X), model.fit(plain, Y).predict_proba(plain))


@pytest.mark.parametrize("container", ["arrow", "pandas of Arrow types"])  # polars has other types for these, or none
@pytest.mark.parametrize("kind", list(ARROW))
def test_an_odd_arrow_type_holds_plain_values(kind, container):
    column, cells = ARROW[kind]
    X, plain = framed(column, container), pd.DataFrame({"c": pd.Series(cells)})
    model = rw.TreeClassifier(random_state=0)
    expected = model.fit(plain, Y).predict_proba(plain)
    found = model.fit(X, Y)
    np.testing.assert_array_equal(found.predict_proba(X), expected)
    np.testing.assert_array_equal(found.predict_proba(plain), expected)


@pytest.mark.parametrize("container", list(FRAMES))
@pytest.mark.parametrize("kind", list(NO_ARROW))
def test_an_arrow_type_without_values_is_refused_by_name(kind, container):
    X = framed(NO_ARROW[kind], container)
    for categorical in ("from_dtype", [0]):
        with pytest.raises((TypeError, ValueError), match=r"'c'.*(can hold one number|Convert it)"):
            rw.TreeClassifier(categorical_features=categorical).fit(X, Y)


@pytest.mark.skipif(not LATE, reason="does not apply: this pyarrow has no such types")
def test_groups_and_times_have_the_same_types():
    days = pa.array([dt.date(2024, 1, 1) + dt.timedelta(row // 20) for row in range(N)])
    runs = pa.RunEndEncodedArray.from_arrays(RUNS, pa.array([days[0], days[20], days[40]], days.type))
    identifiers = pa.array([IDENTIFIERS[row // 30].bytes for row in range(N)], pa.binary(16))
    groups = pa.chunked_array([pa.ExtensionArray.from_storage(pa.uuid(), identifiers)])
    found = time_split(pa.chunked_array([runs]), groups=groups)
    expected = time_split(days, groups=[row // 30 for row in range(N)])
    assert len(expected.same_groups) == 10
    np.testing.assert_array_equal(found.later, expected.later)
    np.testing.assert_array_equal(found.same_groups, expected.same_groups)
