"""Data sets in files of the caller's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._table_files.csv import CsvBlocks
from rarewood._table_files.dialects import told_dialect
from rarewood._table_files.formats import READABLE_SUFFIXES, split_table, suffix_of
from rarewood._table_files.labels import as_labels, factor_labels, notes_on_unlabelled
from rarewood._table_files.packing import DAMAGED
from rarewood._table_files.reading import ColumnRoles, guess, read
from rarewood._table_files.sources import Source, target_name
from rarewood._tables import Rows
from rarewood._tables.kinds import Kind, Moments, Numbers
from rarewood._tables.notes import OF_FILE, Note, NoteCode
from rarewood._validation import did_you_mean, import_optional
from rarewood._warnings import warn
from rarewood.datasets._dataset import Dataset, check_rare


def read_file(
    path: str | Path,
    *,
    target: str | int = -1,
    nominal: Sequence[str] | None = None,
    rare: Any = None,
    name: str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    date_format: str | Mapping[str, str] | None = None,
    missing: str | Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    sheet: str | None = None,
    skip: int | None = None,
    strict: bool = False,
) -> Dataset:
    r"""Read a data set from a file, as ``rarewood fit`` does.

    The whole column decides what its cells are: numbers also if they are written with thousands, a currency or a percent
    sign, and dates in the usual ways to write them. Rows without a label are left out. A warning says so, and how cells were
    read that could be read otherwise.

    Parameters
    ----------
    path : str or Path
        A file that ends in ``.csv``, ``.tsv``, ``.parquet``, ``.arrow``, ``.feather``, ``.xlsx``, ``.sqlite``, ``.db``,
        ``.duckdb``, ``.jsonl``, ``.json`` or ``.arff``; ``.gz`` may follow. Its contents tell what it is. ``"book.xlsx::May"``
        names a sheet of a workbook, or a table of a database. A CSV file starts with the names of its columns; an empty cell,
        ``?``, ``NA``, ``N/A``, ``nan`` and ``null`` are missing values.
    target : str or int, default=-1
        The column of labels, by name or position.
    nominal : sequence of str, optional
        Names of the nominal columns. By default, those with a value that is neither a number nor a date. If they are given,
        all other columns of a CSV file must hold numbers or dates. Columns that a Parquet or ARFF file declares nominal are
        nominal in any case.
    rare : object, optional
        The label to find; by default the least frequent one.
    name : str, optional
        Name of the data set; by default the name of the file.
    sep, decimal, thousands, encoding : str, optional
        How a text file is written: what stands between cells, the decimal mark ("." or ","), the mark between thousands (".",
        ",", "'" or " "), the encoding. By default, what the file looks like.
    date_format : str or dict, optional
        How dates are written: "dmy", "mdy", or a format such as "%d/%m/%Y"; a dictionary has one for each column it names.
    missing : str, sequence of str or dict, optional
        Words for missing cells besides those above, such as ``["k.A.", "-"]``; a dictionary has some for each column it names.
        A number such as "-999" is one, too, however it is written.
    sheet : str, optional
        The sheet of a workbook or the table of a database; by default the first sheet that has a table.
    skip : int, optional
        Lines or rows above the names of the columns. By default, a title and empty rows are recognised.
    strict : bool, default=False
        Whether to refuse a file with a few cells that are not of the kind of their column, such as "unknown" among numbers. By
        default they are missing, and a warning counts them.

    Returns
    -------
    Dataset
        The table, its labels, and where they come from. Numbers are float64, dates are datetime64, and times of day and
        durations timedelta64. Nominal columns are categories of text, in alphabetical order unless the file declares an
        order.

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
    path, inside = split_table(str(path))
    dialect = told_dialect(
        sep=sep,
        decimal=decimal,
        encoding=encoding,
        thousands=thousands or "",
        date_format=_by_column(date_format),
        missing={name: [words] if isinstance(words, str) else words for name, words in _by_column(missing).items()},
        sheet=sheet,
        skip=skip,
        strict=strict,
    )
    source = Source(_checked(Path(path)), Path(path).name, dialect, inside)
    X, cells, label, notes = read_table(source, target, nominal)
    for note in notes:
        text = note.text if note.code in OF_FILE else f"{source.where}: {note.text}"
        warn(text)
    labels = as_labels(cells, label, source.where)
    return Dataset(
        name=name or source.where.removesuffix(".gz").rsplit(".", 1)[0],
        X=X,
        y=labels,
        rare=check_rare(rare, labels, source.where),
        target=label,
        source=source.where,
    )


def _by_column(told: Any) -> dict[str | None, Any]:
    """What is told of columns by name, or under None of all."""
    if told is None:
        return {}
    return dict(told) if isinstance(told, Mapping) else {None: told}


def read_table(
    source: Source, target: str | int, nominal: Sequence[str] | None, *, ordered: bool = True
) -> tuple[Any, NDArray[Any], str, list[Note]]:
    """The rows of a file that have a label: a data frame, the labels, the name of their column, and notes.

    Categories are `ordered` by the alphabet, or else as they appear, unless the file declares an order.
    """
    where = source.where
    try:
        with source.blocks(1) as (names, blocks):
            is_typed = not isinstance(blocks, CsvBlocks)
        label = target_name(target, names, where)
        _check_columns(nominal, names, where)
        for parameter, told in (("date_format", source.dialect.dates), ("missing", source.dialect.missing)):
            _check_columns([name for name in told if name is not None], names, where, parameter)
        declared = {name: values for name, values in source.categories().items() if name != label}
        roles = ColumnRoles(nominal=[*(nominal or ()), *declared], text=[label], label=label)
        if nominal is not None and not is_typed:
            kinds = guess(source, roles).kinds
            roles = replace(
                roles, numeric=[name for name, kind in kinds.items() if _must_be_number(name, kind, nominal)]
            )
        columns = read(source, roles)
    except DAMAGED as error:
        raise ValueError(f"{where} is a damaged or incomplete gzip file: {error}") from error
    except OSError as error:
        if error.errno is not None:  # of the system, not of a reader
            raise
        raise ValueError(f"{where} cannot be read: {error}") from error
    levels, codes = factor_labels(columns.text[label], label, where)
    if not len(codes):
        raise ValueError(f"{where} holds no rows.")
    labelled = codes >= 0
    notes = [note for note in columns.notes if note.code is not NoteCode.DIALECT or suffix_of(source.path) != ".tsv"]
    if not labelled.any():
        raise ValueError(f"{where}: no row has a label in column {label!r}; name another with target.")
    if not labelled.all():
        notes += notes_on_unlabelled(labelled, label, tuple(notes))
    rows = columns.learned.build(None if labelled.all() else labelled, ordered=ordered)
    return _frame(rows, declared, where), np.asarray(levels)[codes[labelled]], label, notes


def _must_be_number(name: str, kind: Kind, nominal: Sequence[str]) -> bool:
    return name not in nominal and not isinstance(kind, Moments)


def _check_columns(nominal: Sequence[str] | None, names: Sequence[str], where: str, parameter: str = "nominal") -> None:
    for name in nominal or ():
        if name not in names:
            raise ValueError(f"{where}: {parameter} names {name!r}, which is not a column{did_you_mean(name, names)}")


def _frame(rows: Rows, declared: Mapping[str, Sequence[str]], where: str) -> Any:
    """A data frame with the categories that the file declares; without pandas, an array if there are only numbers."""
    if find_spec("pandas") is None and all(isinstance(kind, Numbers) for kind in rows.columns.kinds):
        return rows.matrix
    import_optional("pandas", "data", f"a table with dates or nominal columns ({where})")
    frame = rows.frame()
    for name, values in declared.items():
        found = frame[name].cat.categories
        frame[name] = frame[name].cat.set_categories(list(dict.fromkeys([*values, *found])))
    return frame


def _checked(path: Path) -> Path:
    """The path of a file that is there and whose name says that it is a table."""
    if suffix_of(path) not in READABLE_SUFFIXES:
        raise ValueError(
            f"cannot tell the format of {path.name!r}: its name should end in {', '.join(READABLE_SUFFIXES)}, plain or .gz."
        )
    if not path.is_file():
        raise FileNotFoundError(f"no file {str(path)!r}")
    return path
