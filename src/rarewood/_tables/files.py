"""Tables in files: CSV, Parquet and ARFF, compressed by gzip or not."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.blocks import CsvBlocks
from rarewood._tables.cells import MISSING, Cells, are_exact, is_number, levels, numbers
from rarewood._tables.dialects import Dialect
from rarewood._validation import did_you_mean, import_optional

Contents = tuple[dict[str, Any], dict[str, Sequence[str]]]
"""Columns by name, and the categories of those that the file itself calls nominal."""

_ROWS_AT_ONCE = 50_000
_GZIP = b"\x1f\x8b"


class UnreadableFileError(ValueError):
    """A file that is damaged, cut off, or not what its name says."""


def read_contents(path: Path, nominal: Sequence[str] | None, target: str | int) -> Contents:
    """All columns of a file; its name says what it is."""
    kind = _kind(path)
    if not path.is_file():
        raise FileNotFoundError(f"no file {str(path)!r}")
    return _READERS[kind](path, nominal, target)


def as_labels(values: Any, label: str, where: str) -> NDArray[Any]:
    """The labels as an array: whole numbers where all are, text otherwise; a missing one is an error."""
    labels = np.asarray(values)
    unlabelled = [row for row, value in enumerate(labels.tolist()) if is_unlabelled(value)]
    if unlabelled:
        raise ValueError(f"{where}: row {unlabelled[0] + 1} has no label in column {label!r}; leave such rows out.")
    if labels.dtype.kind in "OU":
        labels = labels.astype(str)
    try:
        whole = labels.astype(np.int64)
    except ValueError:
        return labels
    same = whole.astype(str) == labels if labels.dtype.kind == "U" else whole == labels
    return whole if np.all(same) else labels


def is_unlabelled(value: Any) -> bool:
    """Whether a cell of a target says nothing."""
    return value is None or value != value or value in MISSING


def _kind(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    kind = suffixes[-1] if suffixes else ""
    if kind not in _READERS:
        accepted = ", ".join(_READERS)
        raise UnreadableFileError(
            f"cannot tell the format of {path.name!r}: its name should end in {accepted}, plain or .gz."
        )
    return kind


def target_name(target: str | int, names: list[str], where: str) -> str:
    if isinstance(target, str):
        if target not in names:
            raise ValueError(
                f"{where}: no column target={target!r}{did_you_mean(target, names)} The columns are {', '.join(names)}."
            )
        return target
    if not -len(names) <= target < len(names):
        raise ValueError(f"{where}: target={target} is out of range; the table has {len(names)} columns.")
    return names[target]


def read_bytes(path: Path) -> bytes:
    """The contents of a file, unpacked if it was packed by gzip, whatever its name says."""
    contents = path.read_bytes()
    if not contents.startswith(_GZIP):
        return contents
    try:
        return gzip.decompress(contents)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFileError(f"{path.name} is a damaged or incomplete gzip file: {error}") from error


def read_csv(path: Path, nominal: Sequence[str] | None, target: str | int) -> Contents:
    """The columns of a CSV file; the labels stay text."""
    cells = _read_cells(path)
    label = target_name(target, list(cells), path.name)
    if nominal is None:
        nominal = _looking_nominal(cells)
    absent = [name for name in nominal if name not in cells]
    if absent:
        raise ValueError(
            f"{path.name}: nominal names {absent[0]!r}, which is not a column{did_you_mean(absent[0], cells)}"
        )
    columns = {
        name: column if name in nominal or name == label else numbers(column, name, path.name)
        for name, column in cells.items()
    }
    return columns, {name: levels(cells[name]) for name in nominal}


def _read_cells(path: Path) -> dict[str, list[str]]:
    """The text of a CSV file, column by column."""
    dialect = Dialect("\t" if ".tsv" in path.suffixes else None)
    with io.BufferedReader(io.BytesIO(read_bytes(path))) as file:
        parts = [block.columns for block in CsvBlocks(file, path.name, _ROWS_AT_ONCE, dialect=dialect)]
    if not parts:
        raise ValueError(f"{path.name} holds no rows.")
    return {name: [cell.strip() for part in parts for cell in part[name]] for name in parts[0]}


def _looking_nominal(cells: Mapping[str, Cells]) -> list[str]:
    return [name for name, column in cells.items() if not all(map(is_number, column))]


def _read_parquet(path: Path, nominal: Sequence[str] | None, target: str | int) -> Contents:  # noqa: ARG001
    parquet = import_optional("pyarrow.parquet", "data", "reading Parquet")
    contents = io.BytesIO(read_bytes(path))
    try:
        table = parquet.read_table(contents)
        frame = table.to_pandas()
    except (ValueError, OSError) as error:
        raise UnreadableFileError(f"{path.name} is not a valid Parquet file: {error}") from error
    columns: dict[str, Any] = {}
    categories: dict[str, Sequence[str]] = {}
    for name in map(str, frame.columns):
        column = frame[name]
        if str(column.dtype) == "category":
            categories[name] = list(column.cat.categories)
        elif (nominal and name in nominal) or not _is_numeric(column.dtype):
            if not are_exact(column.to_numpy()):  # whole numbers that missing cells have made floats of
                columns[name] = table.column(name).to_pylist()
                categories[name] = list(dict.fromkeys(value for value in columns[name] if value is not None))
                continue
            categories[name] = list(dict.fromkeys(value for value in column if value is not None and value == value))
        columns[name] = column.to_numpy()
    return columns, categories


def _is_numeric(dtype: Any) -> bool:
    return getattr(dtype, "kind", "O") in "biuf"


def _read_arff(path: Path, nominal: Sequence[str] | None, target: str | int) -> Contents:  # noqa: ARG001
    arff = import_optional("arff", "data", "reading ARFF")
    try:
        contents = arff.loads(read_bytes(path).decode("utf-8"))
    except arff.ArffException as error:
        raise UnreadableFileError(f"{path.name} is not a valid ARFF file: {error}") from error
    names = [name for name, _ in contents["attributes"]]
    columns: dict[str, Any] = dict(zip(names, map(list, zip(*contents["data"]))))
    categories: dict[str, Sequence[str]] = {}
    for name, kind in contents["attributes"]:
        if isinstance(kind, list):
            categories[name] = kind
        elif kind == "STRING" or (nominal and name in nominal):
            columns[name] = [None if cell is None else str(cell) for cell in columns[name]]
            categories[name] = levels([cell for cell in columns[name] if cell is not None])
        else:
            columns[name] = np.array([np.nan if cell is None else cell for cell in columns[name]], dtype=float)
    return columns, categories


_READERS: dict[str, Callable[[Path, Sequence[str] | None, str | int], Contents]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".parquet": _read_parquet,
    ".arff": _read_arff,
}
