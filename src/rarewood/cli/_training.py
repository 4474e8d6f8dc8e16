"""A table to learn from: which column is the target, which are nominal, what is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._files import sha256_of
from rarewood._table_files.dialects import ORDINARY, Dialect
from rarewood._table_files.labels import as_labels, is_unlabelled
from rarewood._table_files.reading import Gathered, frame_of, gather
from rarewood._table_files.sources import Block, Source
from rarewood._tables.cells import is_number
from rarewood._validation import did_you_mean, rarest_label
from rarewood.cli._dividing import Divided, take_division
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._files import as_file, name_of, reading, split_table
from rarewood.cli._labels import alike, find_label, frequent_spelling, notes_on_labels, spelled_as
from rarewood.cli._wanted import Wanted, some

_MOST_LABELS = 100
_FEWEST_ROWS = 10  # of a label on average, if there are more labels than that
_MANY_CATEGORIES = 20


@dataclass(frozen=True)
class Said:
    """What a user says about the columns of a table."""

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

    @property
    def apart(self) -> tuple[str, ...]:
        """Columns that are not learned from."""
        dividing = [name for name in (self.time, self.group) if name is not None]
        return (*self.drop, *self.ids, *dividing)


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """Rows with their labels, and how they were read.

    `room` is a matrix in which the numbers of `X` lie, with places for the other columns: see `encode_in_place`.
    """

    X: Any
    y: NDArray[Any]
    positive: Any
    wanted: Wanted
    name: str
    notes: tuple[str, ...] = ()
    divided: Divided | None = None
    room: NDArray[np.float64] | None = None
    beside: dict[str, Sequence[Any]] = field(default_factory=dict)
    sha256: str | None = None

    @property
    def class_counts(self) -> dict[Any, int]:
        """Rows of each class, most frequent first."""
        labels, counts = np.unique(self.y, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return {labels[i].item(): int(counts[i]) for i in order}


def read_training(source: str, said: Said, positive: str | None, *, with_hash: bool = True) -> LabelledTable:
    """Read a table and its target; without a name, the target is the last column. A hash takes another pass over the file."""
    name = name_of(source)
    with as_file(source) as path:
        file = Source(path, name, said.dialect, split_table(source)[1])
        names = _names(file)
        target = said.target or next((each for each in reversed(names) if each not in said.apart), names[-1])
        _check_names(said, target, names, name)
        found = _gathered(file, said, target)
        sha256 = sha256_of(path) if with_hash else None
    levels, codes = _factor(found.as_they_are.pop(target), target, name)
    if not len(codes):
        raise CommandError(ExitCode.DATA, f"{name} holds no rows")
    if not found.kinds:
        raise CommandError(ExitCode.DATA, f"{name} has no column to train on except {target!r}")
    notes = list(found.notes)
    labelled = codes >= 0
    if not labelled.all():
        _check_labelled(labelled, target, said, name)
        found.keep(labelled)
        codes = codes[labelled]
        notes.append(
            f"{int((~labelled).sum()):,} of {len(labelled):,} rows have no label in column {target!r} and are left out"
        )
    table, room = frame_of(found)
    labels = as_labels(levels, target, name)[codes]
    spelling = frequent_spelling(labels) if said.merge_labels and labels.dtype.kind not in "iufb" else ()
    if spelling:
        same = [", ".join(map(repr, each)) for each in alike(np.unique(labels))]
        notes += [f"the labels {each} of {target!r} count as one class" for each in same]
        labels = spelled_as(labels, spelling)
    _check_labels(labels, target, name)
    table, kinds, divided = take_division(table, found.kinds, said.time, said.group, np.flatnonzero(labelled), name)
    wanted = Wanted.of(kinds, target, said.ids, spelling)
    chosen = find_label(positive, labels, name)
    notes += [*notes_on_labels(labels, target, chosen), *_notes(table, wanted, said), *_note_on_dates(wanted, said)]
    return LabelledTable(table, labels, chosen, wanted, name, tuple(notes), divided, room, sha256=sha256)


def _gathered(file: Source, said: Said, target: str) -> Gathered:
    with reading(file.where):
        try:
            return gather(file, nominal=said.nominal, numeric=said.numeric, text=[target], drop=[*said.drop, *said.ids])
        except ValueError as error:
            raise CommandError(ExitCode.DATA, _about_numeric(str(error), said)) from error


def _factor(cells: Sequence[Any], target: str, where: str) -> tuple[list[Any], NDArray[np.int32]]:
    """Distinct labels, and which of them each row has; -1 for none."""
    places: dict[Any, int] = {}
    codes = np.empty(len(cells), dtype=np.int32)
    try:
        for row, cell in enumerate(cells):
            label = cell.strip() if isinstance(cell, str) else cell
            if isinstance(label, bytes):
                raise TypeError
            codes[row] = -1 if is_unlabelled(label) else places.setdefault((type(label), label), len(places))
    except (TypeError, ValueError):  # a list or an array
        raise CommandError(
            ExitCode.DATA,
            f"{where}: row {row + 1} of the target {target!r} has {cell!r:.60}, which is not a label; a label is a word or a number",
        ) from None
    return [label for _, label in places], codes


def _check_labelled(labelled: NDArray[np.bool_], target: str, said: Said, where: str) -> None:
    first = int(np.argmin(labelled)) + 1
    if said.unlabelled == "error":
        raise CommandError(
            ExitCode.DATA,
            f"{where}: {int((~labelled).sum()):,} rows have no label in column {target!r}, the first is row {first}; fill them in, or "
            "leave out --unlabelled=error to drop them",
        )
    if not labelled.any():
        raise CommandError(
            ExitCode.DATA, f"{where}: no row has a label in column {target!r}; name another with --target"
        )


def read_labelled(
    source: str,
    wanted: Wanted,
    target: str | None,
    positive: Any,
    dialect: Dialect = ORDINARY,
    also: Sequence[str] = (),
) -> LabelledTable:
    """Read a table whose columns are those of a model, with their kinds, and the labels; cells of `also` as they are."""
    name = name_of(source)
    label = target or wanted.target
    if label is None:
        raise CommandError(ExitCode.USAGE, "the model file does not say which column is the target; use --target")
    with as_file(source) as path:
        file = Source(path, name, dialect, split_table(source)[1])
        names = _names(file)
        wanted.check(names, name)
        if label not in names:
            raise CommandError(ExitCode.MISMATCH, _no_column(label, names, name, "target"))
        sha256 = sha256_of(path)
        beside = [each for each in dict.fromkeys(also) if each in names and each not in (*wanted.names, label)]
        kept = [*wanted.names, label, *beside]
        forms = wanted.forms([label, *beside])
        with reading(name), file.blocks(50_000, forms) as (_, blocks):
            parts = [{each: block.columns[each] for each in kept} for block in blocks]
    if not parts:
        raise CommandError(ExitCode.DATA, f"{name} holds no rows")
    whole = Block(1, {each: [cell for part in parts for cell in part[each]] for each in kept})
    cells: Any = whole.columns[label]
    try:
        labels = as_labels([cell.strip() if isinstance(cell, str) else cell for cell in cells], label, name)
    except ValueError as error:
        raise CommandError(ExitCode.DATA, str(error)) from error
    if wanted.spelling:
        labels = spelled_as(labels, wanted.spelling)
    cells_beside = {each: whole.columns[each] for each in beside}
    return LabelledTable(wanted.table(whole, name), labels, positive, wanted, name, beside=cells_beside, sha256=sha256)


def _names(file: Source) -> list[str]:
    with reading(file.where), file.blocks(1) as (names, _):
        return list(names)


def _check_names(said: Said, target: str, names: Sequence[str], where: str) -> None:
    asked = {"target": [target], "nominal": said.nominal, "numeric": said.numeric, "drop": said.drop, "id": said.ids}
    asked |= {"time": [said.time] if said.time else [], "group": [said.group] if said.group else []}
    for option, given in asked.items():
        for name in given:
            if name not in names:
                raise CommandError(ExitCode.DATA, _no_column(name, names, where, option))
    both = [name for name in said.nominal if name in said.numeric]
    if both:
        raise CommandError(ExitCode.USAGE, f"--nominal and --numeric both name {both[0]!r}; choose one")
    if target in said.apart:
        option = "--time or --group" if target in (said.time, said.group) else "--drop or --id"
        raise CommandError(ExitCode.USAGE, f"the target {target!r} is left out by {option}; name another --target")
    for option, column in (("time", said.time), ("group", said.group)):
        if column is not None and column in (*said.drop, *said.ids):
            raise CommandError(
                ExitCode.USAGE, f"--{option} {column} is left out by --drop or --id; it is not used for training anyway"
            )
    if said.time is not None and said.time == said.group:
        raise CommandError(ExitCode.USAGE, f"--time and --group both name {said.time!r}; choose one")


def _no_column(name: str, names: Sequence[str], where: str, option: str) -> str:
    return f"{where} has no column {name!r} (--{option}){did_you_mean(name, names)} It has {some(names)}"


def _about_numeric(message: str, said: Said) -> str:
    return f"{message} Leave it out of --numeric." if said.numeric and "should hold numbers" in message else message


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
        others = [other for same in alike(found) if single in same for other in same if other != single]
        what = f"use --merge-labels if it is the same as {others[0]!r}" if others else "add rows of it or leave it out"
        raise CommandError(
            ExitCode.DATA,
            f"class {single!r} of {target!r} has a single row, which cannot be used both to train and to test; {what}",
        )


def _notes(table: Any, wanted: Wanted, said: Said) -> tuple[str, ...]:
    """What looks odd: identifiers taken for information, numbers taken for categories, columns without information."""
    if not hasattr(table, "columns"):
        return ()
    kinds = wanted.nominal.items()
    odd = {name: _oddity(table[name], nominal and name not in said.nominal) for name, nominal in kinds}
    return tuple(f"column {name!r} {what}" for name, what in odd.items() if what)


def _note_on_dates(wanted: Wanted, said: Said) -> Iterator[str]:
    """A random split tests on the past what will be used on the future."""
    dates = [name for name, kind in zip(wanted.names, wanted.columns.kinds) if kind.word in ("date", "datetime")]
    if dates and said.time is None:
        yield f"column {dates[0]!r} holds dates: if new rows will be later ones, --time {dates[0]} tests the model on the latest rows"


def _oddity(column: Any, looks_nominal: bool) -> str | None:
    if not hasattr(column, "cat"):
        return _oddity_of_numbers(column)
    n_values, n_rows = int((np.bincount(column.cat.codes[column.cat.codes >= 0]) > 0).sum()), len(column)
    if n_values < 2:
        return "is constant" if n_values else "is empty"
    if looks_nominal and n_values > _MANY_CATEGORIES:
        unread = [level for level in column.cat.categories if not is_number(level)]
        if unread and n_values < 2 * sum(is_number(level.replace(",", "")) for level in column.cat.categories):
            return (
                f"was read as categories because of cells such as {unread[0]!r}: write numbers with a point and no commas, "
                "and leave missing cells empty"
            )
        if n_values > n_rows / 2:
            return f"has {n_values:,} categories in {n_rows:,} rows: use --id if it identifies rows, --drop otherwise"
    return None


def _oddity_of_numbers(column: Any) -> str | None:
    cells = column.to_numpy()
    present = cells[~column.isna().to_numpy()]
    if not len(present):
        return "is empty"
    if (present == present[0]).all():
        return "is constant"
    if len(cells) > 2 and cells.dtype.kind in "iuf" and (np.diff(cells) == 1).all():
        return "numbers the rows: use --id if it identifies rows, --drop otherwise"
    return None
