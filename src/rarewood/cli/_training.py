"""A table to learn from: which column is the target, which are nominal, what is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._files import sha256_of
from rarewood._table_files.dialects import ORDINARY, Dialect
from rarewood._table_files.formats import split_table
from rarewood._table_files.labels import as_labels, factor_labels, labels_alike, notes_on_unlabelled
from rarewood._table_files.reading import ColumnRoles, FileColumns, read
from rarewood._table_files.sources import Source
from rarewood._tables import LabelledRows
from rarewood._tables.cells import NotNumbersError
from rarewood._tables.notes import Note, NoteCode
from rarewood._tables.row_numbers import row_in_file
from rarewood._validation import Labels, did_you_mean, rarest_label
from rarewood.cli._column_notes import note_on_dates, notes_on_columns
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._files import as_file, name_of, reading
from rarewood.cli._labels import find_label, frequent_spelling, notes_on_labels, spelled_as
from rarewood.cli._schema import InputSchema, some
from rarewood.cli._split import RowSplit, known_rows, take_split

_MOST_LABELS = 100
_FEWEST_ROWS = 10  # of a label on average, if there are more labels than that


@dataclass(frozen=True)
class TableOptions:
    """What a user says about the columns of a table and how it is written."""

    target: str | None = None
    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    dialect: Dialect = ORDINARY
    unlabelled: str = "drop"
    time: str | None = None
    group: str | None = None
    merge_labels: bool = False
    delay: str | None = None

    @property
    def apart(self) -> tuple[str, ...]:
        """Columns that are not learned from."""
        dividing = [name for name in (self.time, self.group) if name is not None]
        return (*self.drop, *self.ids, *dividing)


@dataclass(frozen=True, eq=False)
class TableFile:
    """Labelled rows of a file, and how they were read.

    Rows that lie in parts have no columns here. `beside` has cells of columns that are not learned from, as they are in the file.
    """

    data: LabelledRows
    schema: InputSchema
    name: str
    notes: tuple[Note, ...] = ()
    split: RowSplit | None = None
    beside: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    sha256: str | None = None
    row_numbers: NDArray[np.intp] | None = None  # in the file; None where nobody asks for them
    sheet: str | None = None  # of a workbook, or table of a database, that has several

    @property
    def source(self) -> str:
        """The file, and the sheet where it has several."""
        return self.name if self.sheet is None else f"{self.name}::{self.sheet}"

    @cached_property
    def X(self) -> Any:
        """The rows as a data frame, for methods and functions that read frames; to look at only."""
        return self.data.rows.frame()

    @cached_property
    def y(self) -> NDArray[Any]:
        """The label of each row."""
        return self.data.y

    @property
    def positive(self) -> Any:
        """The label of the class to be found."""
        return self.data.positive

    @property
    def class_counts(self) -> dict[Any, int]:
        """Rows of each class, most frequent first."""
        labels = self.data.labels
        counts = np.bincount(labels.codes, minlength=labels.n_classes)
        classes = labels.classes.tolist()
        return {classes[i]: int(counts[i]) for i in np.argsort(-counts, kind="stable").tolist()}


def read_training(source: str, options: TableOptions, positive: str | None, *, with_hash: bool = True) -> TableFile:
    """Read a table and its target; without a name, the target is the last column. A hash takes another pass over the file."""
    name = name_of(source)
    with as_file(source) as path:
        file = Source(path, name, options.dialect, split_table(source)[1])
        names = _names(file)
        target = options.target or next((each for each in reversed(names) if each not in options.apart), names[-1])
        _check_names(options, target, names, name)
        columns = _read(file, options, target)
        sha256 = sha256_of(path) if with_hash else None
    levels, codes = _factor(columns.text.pop(target), target, name)
    if not len(codes):
        raise CommandError(ExitCode.DATA, f"{name} holds no rows")
    if not columns.learned.kinds and not columns.apart.kinds:
        raise CommandError(ExitCode.DATA, f"{name} has no column to train on except {target!r}")
    notes = list(columns.notes)
    labelled = codes >= 0
    if not labelled.all():
        _check_labelled(labelled, target, options, name)
        codes = codes[labelled]
        notes += notes_on_unlabelled(labelled, target, tuple(notes))
    kinds = columns.apart.kinds
    split = take_split(columns.apart.build(), kinds, options.time, options.group, options.delay, labelled, name)
    known = known_rows(split, labelled)
    if split is not None and not known.all():
        notes.append(
            Note(
                NoteCode.NOT_KNOWN,
                f"{int((~known).sum()):,} rows {split.left_out} are left out: their labels were not known yet",
            )
        )
        split, codes = split.take(known), codes[known]
        labelled[np.flatnonzero(labelled)] = known
    rows = columns.learned.build(None if labelled.all() else labelled)
    y = as_labels(levels, target, name)[codes]
    spelling = frequent_spelling(y) if options.merge_labels and y.dtype.kind not in "iufb" else ()
    if spelling:
        same = [", ".join(map(repr, labels)) for labels in labels_alike(np.unique(y))]
        notes += [Note(NoteCode.MERGED, f"the labels {labels} of {target!r} count as one class") for labels in same]
        y = spelled_as(y, spelling)
    _check_labels(y, target, name)
    if not columns.learned.kinds:
        raise CommandError(ExitCode.DATA, f"{name} has no column to train on except {', '.join(kinds)}")
    schema = InputSchema.of(columns.learned.kinds, target, options.ids, spelling, options.dialect.missing)
    chosen = find_label(positive, y, name)
    notes += [*notes_on_labels(y, target, chosen), *notes_on_columns(rows, schema, options.nominal)]
    if options.time is None:
        notes += note_on_dates(schema)
    data = LabelledRows(rows, _labels(y), chosen)
    return TableFile(data, schema, name, tuple(notes), split, sha256=sha256, sheet=columns.table)


def _labels(y: NDArray[Any]) -> Labels:
    """The classes and, in as few bytes as they fit in, the number of the class of each row."""
    classes, codes = np.unique(y, return_inverse=True)
    small: NDArray[Any] = codes.reshape(-1).astype(np.min_scalar_type(len(classes)))
    return Labels(classes, small)


def _read(file: Source, options: TableOptions, target: str) -> FileColumns:
    dividing = tuple(name for name in (options.time, options.group) if name is not None)
    with reading(file.where):
        declared = [name for name in file.nominal() if name not in (*options.numeric, target)]
        roles = ColumnRoles(
            [*options.nominal, *declared], options.numeric, [target], dividing, [*options.drop, *options.ids], target
        )
        try:
            return read(file, roles)
        except NotNumbersError as error:
            hint = " Leave it out of --numeric." if options.numeric else ""
            raise CommandError(ExitCode.DATA, f"{error}{hint}") from error
        except ValueError as error:
            raise CommandError(ExitCode.DATA, str(error)) from error


def _factor(cells: Sequence[Any], target: str, where: str) -> tuple[list[Any], NDArray[np.int32]]:
    """`factor_labels`, with an error for the user."""
    try:
        return factor_labels(cells, target, where)
    except ValueError as error:
        raise CommandError(ExitCode.DATA, str(error)) from None


def _check_labelled(labelled: NDArray[np.bool_], target: str, options: TableOptions, where: str) -> None:
    first, n_without = row_in_file(int(np.argmin(labelled))), int(np.count_nonzero(~labelled))
    rows = f"{n_without:,} rows have" if n_without > 1 else "1 row has"
    if options.unlabelled == "error":
        raise CommandError(
            ExitCode.DATA,
            f"{where}: {rows} no label in column {target!r}, the first is row {first}; fill in the labels, or leave out "
            "--unlabelled=error to drop such rows",
        )
    if not labelled.any():
        raise CommandError(
            ExitCode.DATA, f"{where}: no row has a label in column {target!r}; name another with --target"
        )


def read_labelled(
    source: str,
    schema: InputSchema,
    target: str | None,
    positive: Any,
    dialect: Dialect = ORDINARY,
    also: Sequence[str] = (),
) -> TableFile:
    """Read a table whose columns are those of a model, with their kinds, and the labels; cells of `also` as they are."""
    name = name_of(source)
    dialect = schema.told(dialect)
    schema = schema.written_as(dialect)
    label = target or schema.target
    if label is None:
        raise CommandError(ExitCode.USAGE, "the model file does not say which column is the target; use --target")
    with as_file(source) as path:
        file = Source(path, name, dialect, split_table(source)[1])
        names = _names(file)
        schema.check(names, name)
        if label not in names:
            raise CommandError(ExitCode.MISMATCH, _no_column(label, names, name, "target"))
        sha256 = sha256_of(path)
        beside = [each for each in dict.fromkeys(also) if each in names and each not in (*schema.names, label)]
        with reading(name), schema.reading():
            columns = read(file, ColumnRoles(text=[label, *beside], label=label), schema.kinds)
    if not columns.text[label]:
        raise CommandError(ExitCode.DATA, f"{name} holds no rows")
    levels, codes = _factor(columns.text.pop(label), label, name)
    labelled = codes >= 0
    notes, beside_rows = list(columns.notes), columns.text
    if not labelled.all():
        _check_labelled(labelled, label, TableOptions(), name)
        notes += notes_on_unlabelled(labelled, label, tuple(notes))
        beside_rows = {each: list(compress(cells, labelled.tolist())) for each, cells in columns.text.items()}
        codes = codes[labelled]
    y = as_labels(levels, label, name)[codes]
    if schema.spelling:
        y = spelled_as(y, schema.spelling)
    rows = columns.learned.build(None if labelled.all() else labelled, ordered=False)
    return TableFile(
        LabelledRows(rows, _labels(y), positive),
        schema,
        name,
        tuple(notes),
        beside=beside_rows,
        sha256=sha256,
        row_numbers=row_in_file(np.flatnonzero(labelled)),
        sheet=columns.table,
    )


def _names(file: Source) -> list[str]:
    with reading(file.where), file.blocks(1) as (names, _):
        return list(names)


def _check_names(options: TableOptions, target: str, names: Sequence[str], where: str) -> None:
    asked = {
        "target": [target],
        "nominal": options.nominal,
        "numeric": options.numeric,
        "drop": options.drop,
        "id": options.ids,
    }
    told = options.dialect
    asked |= {
        option: [name for name in names_told if name is not None]
        for option, names_told in (("date-format", told.dates), ("missing", told.missing))
    }
    asked |= {"time": [options.time] if options.time else [], "group": [options.group] if options.group else []}
    for option, given in asked.items():
        for name in given:
            if name not in names:
                raise CommandError(ExitCode.DATA, _no_column(name, names, where, option))
    both = [name for name in options.nominal if name in options.numeric]
    if both:
        raise CommandError(ExitCode.USAGE, f"--nominal and --numeric both name {both[0]!r}; choose one")
    if target in options.apart:
        option = "--time or --group" if target in (options.time, options.group) else "--drop or --id"
        raise CommandError(ExitCode.USAGE, f"the target {target!r} is left out by {option}; name another --target")
    for option, column in (("time", options.time), ("group", options.group)):
        if column is not None and column in (*options.drop, *options.ids):
            raise CommandError(
                ExitCode.USAGE, f"--{option} {column} is left out by --drop or --id; it is not used for training anyway"
            )
    if options.time is not None and options.time == options.group:
        raise CommandError(ExitCode.USAGE, f"--time and --group both name {options.time!r}; choose one")


def _no_column(name: str, names: Sequence[str], where: str, option: str) -> str:
    return f"{where} has no column {name!r} (--{option}){did_you_mean(name, names)} It has {some(names)}"


def _check_labels(labels: NDArray[Any], target: str, where: str) -> None:
    found, counts = np.unique(labels, return_counts=True)
    if len(found) == 1:
        raise CommandError(
            ExitCode.DATA,
            f"the target {target!r} of {where} is constant: all {len(labels):,} rows are {str(found[0])!r}, so there is nothing to "
            "tell apart; name another column with --target, or add rows of another class",
        )
    if len(found) > _MOST_LABELS and (labels.dtype.kind == "f" or len(found) > len(labels) / _FEWEST_ROWS):
        raise CommandError(
            ExitCode.DATA,
            f"the target {target!r} of {where} has {len(found):,} different values in {len(labels):,} rows, too many for classes; name "
            "the column of labels with --target",
        )
    if counts.min() < 2:
        single = str(rarest_label(labels))
        others = [other for same in labels_alike(found) if single in same for other in same if other != single]
        what = f"use --merge-labels if it is the same as {others[0]!r}" if others else "add rows of it or leave it out"
        raise CommandError(
            ExitCode.DATA,
            f"class {single!r} of {target!r} has a single row, which cannot be used both to train and to test; {what}",
        )
