"""Data sets in files of the caller's."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from rarewood._table_files.formats import DATA_SET_FORMATS
from rarewood._table_files.labels import as_labels, is_unlabelled
from rarewood._table_files.packing import UnreadableFileError
from rarewood._table_files.sources import target_name
from rarewood._tables.cells import make_table
from rarewood.datasets._dataset import Dataset, check_rare
from rarewood.exceptions import RarewoodWarning


def read_file(
    path: str | Path,
    *,
    target: str | int = -1,
    nominal: Sequence[str] | None = None,
    rare: Any = None,
    name: str | None = None,
) -> Dataset:
    r"""Read a data set from a CSV, Parquet or ARFF file.

    Parameters
    ----------
    path : str or Path
        A file that ends in ``.csv``, ``.tsv``, ``.parquet`` or ``.arff``; ``.gz`` may follow. A CSV file starts with the
        names of its columns; an empty cell, ``?``, ``NA``, ``N/A``, ``nan`` and ``null`` are missing values.
    target : str or int, default=-1
        The column of labels, by name or position.
    nominal : sequence of str, optional
        Names of the nominal columns. By default, those with a value that is not a number in a CSV file, and those that
        the file itself declares in other formats.
    rare : object, optional
        The label to find; by default the least frequent one.
    name : str, optional
        Name of the data set; by default the name of the file.

    Returns
    -------
    Dataset
        The table, its labels, and where they come from.

    See Also
    --------
    load : A data set of the catalogue by its name.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rarewood.datasets import read_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "payments.csv"
    ...     _ = file.write_text("amount,country,fraud\n12.5,FR,no\n990,NG,yes\n30,FR,no\n")
    ...     data = read_file(file)
    >>> data
    Dataset('payments', 3 rows, 2 columns, 2 classes, rare 'yes': 1 rows)
    >>> data.nominal
    ['country']
    """
    path = Path(path)
    columns, categories = _columns_of(path)(path, nominal, target)
    label = target_name(target, list(columns), path.name)
    columns = _labelled(columns, label, path.name)
    labels = as_labels(columns.pop(label), label, path.name)
    categories = {column: values for column, values in categories.items() if column != label}
    return Dataset(
        name=name or path.name.removesuffix(".gz").rsplit(".", 1)[0],
        X=make_table(columns, categories, path.name),
        y=labels,
        rare=check_rare(rare, labels, path.name),
        target=label,
        source=path.name,
    )


def _labelled(columns: dict[str, Any], label: str, where: str) -> dict[str, Any]:
    """The columns without rows that have no label, of which the caller is told."""
    cells = np.asarray(columns[label], dtype=object)
    labelled = np.array(
        [not is_unlabelled(cell.strip() if isinstance(cell, str) else cell) for cell in cells], dtype=bool
    )
    if labelled.all():
        return columns
    if not labelled.any():
        raise ValueError(f"{where}: no row has a label in column {label!r}; name another with target.")
    warnings.warn(
        f"{where}: {int((~labelled).sum()):,} of {len(labelled):,} rows have no label in column {label!r} and are left out",
        RarewoodWarning,
        stacklevel=3,
    )
    return {
        name: column[labelled] if isinstance(column, np.ndarray) else list(compress(column, labelled.tolist()))
        for name, column in columns.items()
    }


def _columns_of(path: Path) -> Any:
    """The reader of a file, whose name says what it is."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    found = DATA_SET_FORMATS.get(suffixes[-1] if suffixes else "")
    if found is None:
        accepted = ", ".join(DATA_SET_FORMATS)
        raise UnreadableFileError(
            f"cannot tell the format of {path.name!r}: its name should end in {accepted}, plain or .gz."
        )
    if not path.is_file():
        raise FileNotFoundError(f"no file {str(path)!r}")
    return found.columns
