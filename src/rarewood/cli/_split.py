"""The columns of --time and --group: rows that chance must not divide between learning and judging."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables import Rows, take_rows
from rarewood._tables.delays import delay_in_words
from rarewood._tables.kinds import Kind, named_kind, writing_of, written_kind
from rarewood._tables.notes import as_option
from rarewood._tables.row_numbers import row_in_file
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.evaluation.divisions import Division, Fold

FOLDS = 5


@dataclass(frozen=True, eq=False)
class RowSplit:
    """A division by columns of a file, and the cells of these columns."""

    division: Division
    cells: tuple[Any, Any]

    @property
    def time_kind(self) -> Kind | None:
        """How moments are written in the file."""
        return None if self.division.time is None else self.division.time_kind

    @property
    def left_out(self) -> str:
        """What the rows have in common whose labels are not known at the end of the table."""
        return f"of the last {self.division.delay_in_words}"

    def take(self, rows: NDArray[np.bool_]) -> RowSplit:
        """Some of the rows."""
        numbers = np.flatnonzero(rows)
        time, groups = (None if cells is None else take_rows(cells, numbers) for cells in self.cells)
        return RowSplit(self.division.take(rows), (time, groups))

    @property
    def names(self) -> tuple[str | None, str | None]:
        """Of the columns of time and of groups."""
        of = self.division
        return of.time_name if of.time is not None else None, of.groups_name if of.groups is not None else None

    @property
    def dates(self) -> NDArray[Any] | None:
        """When rows are of; None if that is not told, or by numbers."""
        seconds = self.division.time
        return seconds.astype("M8[s]") if seconds is not None and is_point(self.time_kind) else None

    def moment(self, value: float) -> str:
        """A moment as the file would write it."""
        return f"{value:g}" if self.time_kind is None else self.time_kind.in_words(value, 6)

    def folds(self, y: NDArray[Any], positive: Any, seed: int) -> tuple[str, list[Fold]]:
        """What to judge a model by, in words and as rows: the last rows in the order of time, or folds of whole groups."""
        try:
            how, folds = self._by_time() if self.division.time is not None else self._by_groups(y, seed)
        except ValueError as error:
            raise CommandError(ExitCode.DATA, str(error)) from error
        for rows, purpose in [(train, "train on") for train, _ in folds] + [
            (np.concatenate([test for _, test in folds]), "test on")
        ]:
            if len(np.unique(y[rows] == positive)) < 2:
                what = "no rows" if not (y[rows] == positive).any() else "only rows"
                advice = self._for_panels() or "; split by another column, or add rows"
                raise CommandError(
                    ExitCode.DATA,
                    f"{self._in_words()} leaves {what} of class {str(positive)!r} to {purpose}{advice}",
                )
        return how, folds

    def groups(self, y: NDArray[Any], positive: Any) -> tuple[NDArray[np.intp], str]:
        """The group of each row, for a model that leaves whole groups out of its trees, and how it is judged, in words."""
        numbers, name = self.division.groups, self.names[1]
        assert numbers is not None
        if len(np.unique(numbers)) < 2:
            raise CommandError(
                ExitCode.DATA, f"column {name!r} of --group has a single value, so it cannot split the rows"
            )
        if len(np.unique(numbers[y == positive])) < 2:
            raise CommandError(
                ExitCode.DATA,
                f"{self._in_words()} leaves no rows of class {str(positive)!r} to train on where its only {name} is tested; split by "
                "another column, or add rows",
            )
        return numbers, f"out-of-bag, by trees that saw no row of the same {name}"

    def _in_words(self) -> str:
        time, group = self.names
        told = {"--time": time, "--group": group}
        return " with ".join(as_option(option, name) for option, name in told.items() if name is not None)

    def _by_time(self) -> tuple[str, list[Fold]]:
        assert self.division.time is not None
        name, groups = self.names
        try:
            train, test = self.division.last_part()
        except ValueError as error:
            raise ValueError(f"{error}{self._for_panels()}") from None
        apart = f", with no {groups} on both sides" if groups is not None else ""
        earlier = (
            f"rows at least {self.division.delay_in_words} earlier, whose labels were known"
            if self.division.delay
            else "earlier rows"
        )
        how = (
            f"the {len(test):,} rows from {name} {self.moment(self.division.time[test].min())} on, scored by a model "
            f"of {len(train):,} {earlier}{apart}"
        )
        return how, [(train, test)]

    def _for_panels(self) -> str:
        """What to do where groups have rows at all times, so that hardly any earlier row is of a group that is not tested."""
        time, group = self.names
        if time is None or group is None:
            return ""
        return (
            f" Where each {group} has rows at all times, choose one: {as_option('--time', time)} alone if new rows will be later ones of "
            f"the same {group}, {as_option('--group', group)} alone if they will be of another {group}"
        )

    def _by_groups(self, y: NDArray[Any], seed: int) -> tuple[str, list[Fold]]:
        assert self.division.groups is not None
        n_folds = min(FOLDS, len(np.unique(self.division.groups)))
        if n_folds < 2:
            raise ValueError(f"column {self.names[1]!r} of --group has a single value, so it cannot split the rows")
        how = f"{n_folds}-fold cross-validation, no {self.names[1]} in two folds"
        return how, self.division.group_folds(y, 1, n_folds, seed)

    def as_metadata(self) -> dict[str, Any]:
        """What a report asks for later: the columns, the last moment learned from, and how late labels are known."""
        time, group = self.names
        told: dict[str, Any] = {"time": time, "group": group}
        if self.division.time is not None and self.time_kind is not None:
            told |= {"time_kind": self.time_kind.word, "last": float(self.division.time.max())}
            writing = writing_of(self.time_kind)
            told |= {"time_written": writing.to_json()} if writing is not None else {}
            told |= {"delay": self.division.delay} if self.division.delay else {}
        return told


def take_split(
    apart: Rows,
    kinds: dict[str, Kind],
    time: str | None,
    group: str | None,
    delay: str | None,
    labelled: NDArray[np.bool_],
    where: str,
) -> RowSplit | None:
    """What the columns that divide rows say of the labelled rows of a file; `kinds` are those of the file.

    The table ends at the last moment of any row: where rows of the last days have no label yet, the others do.
    """
    if time is None and group is None:
        return None
    for name, option in ((time, "time"), (group, "group")):
        if name is not None:
            missing = labelled & np.isnan(apart.matrix[:, apart.names.index(name)])
            _check_cells(missing, kinds[name], name, option, where)
    end = None if time is None else float(np.nanmax(apart.matrix[:, apart.names.index(time)]))
    frame = take_rows(apart, np.flatnonzero(labelled)).frame()
    cells = None if time is None else frame[time], None if group is None else frame[group]
    try:
        division = Division.read(*cells, time or "", group or "", delay, None if time is None else kinds[time])
    except ValueError as error:
        raise CommandError(ExitCode.USAGE, f"--{error}") from error
    assert division is not None
    return RowSplit(replace(division, end=end), cells)


def is_point(kind: Kind | None) -> bool:
    """Whether cells of a column say when something was."""
    return kind is not None and kind.word in ("date", "datetime", "datetime_utc")


def known_rows(split: RowSplit | None, labelled: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of the labelled rows of a file, those whose labels are known at the end of the table."""
    if split is None:
        return np.ones(int(labelled.sum()), dtype=bool)
    try:
        return split.division.known()
    except ValueError as error:
        raise CommandError(ExitCode.DATA, f"--delay: {error}") from error


def _check_cells(missing: NDArray[np.bool_], kind: Kind, name: str, option: str, where: str) -> None:
    if option == "time" and kind.word == "nominal":
        raise CommandError(
            ExitCode.DATA,
            f"{where}: column {name!r} of --time holds words; it should hold numbers, dates as 2024-01-31 or times as 23:59:59",
        )
    if missing.any():
        first = row_in_file(np.flatnonzero(missing)[0])
        raise CommandError(
            ExitCode.DATA,
            f"{where}: {int(missing.sum()):,} rows have no value in column {name!r} of --{option}, the first is row {first}; fill them in, "
            "or leave those rows out",
        )


# ---------------------------------------------------------------------------------------------------------
# what a report says of the rows it is about


def time_kind_of(told: Mapping[str, Any]) -> Kind:
    """The kind of the column of --time, as the metadata of a model file tells it; an error if these make no sense."""
    written, word = told.get("time_written"), str(told.get("time_kind"))
    try:
        return named_kind(word) if written is None else written_kind(word, written)
    except ValueError as error:
        raise CommandError(ExitCode.MODEL_FILE, f"the model file cannot be used: {error}") from error


def split_in_words(
    metadata: dict[str, Any], test: Mapping[str, Sequence[Any]], train: Mapping[str, Sequence[Any]] | None
) -> str:
    """How the model was judged when fitted, and whether the rows of a report are as far from its rows as its user asked for.

    `test` and `train` hold the cells of the columns that divide, as far as the tables have them.
    """
    told = metadata.get("split") or {}
    judged = metadata.get("judged_by")
    time, group = told.get("time"), told.get("group")
    sentences = []
    if time:
        sentences.append(_about_time(time, told, test))
    if group:
        sentences.append(_about_groups(group, test, train))
    if judged:
        by_chance = "" if time or group else ", with rows split at random"
        scores = " scores" if judged == "out-of-bag" else ""
        sentences.append(f"How the model was tested when it was fitted: {judged}{scores}{by_chance}.")
    return " ".join(filter(None, sentences))


def _about_time(name: str, told: dict[str, Any], test: Mapping[str, Sequence[Any]]) -> str:
    if name not in test or told.get("last") is None:
        return f"These rows have no column {name}, so it is not known whether they are later than the training rows."
    kind = time_kind_of(told)
    cells = kind.parse(test[name], name, "the table", 1)
    moments = cells.astype(np.int64) / 1e6 if cells.dtype.kind in "mM" else np.asarray(cells, dtype=np.float64)
    last = float(told["last"])
    known = moments[~np.isnat(cells)] if cells.dtype.kind in "mM" else moments[~np.isnan(moments)]
    early = int((known <= last).sum())
    until = kind.in_words(last, 6)
    if early:
        order = (
            f"{early:,} of these {len(moments):,} rows are not later than the last training row ({name} {until}): figures on them say "
            "little about the future."
        )
    else:
        order = f"All of these rows are later than the last training row ({name} {until})."
    return f"{order}{_about_delay(float(told.get('delay') or 0.0), kind, name, known)}"


def _about_delay(delay: float, kind: Kind, name: str, moments: NDArray[np.float64]) -> str:
    """What a late label means for the last rows, where the model was fitted with --delay."""
    recent = int((moments + delay > moments.max(initial=-np.inf)).sum()) if delay else 0
    if not recent:
        return ""
    return (
        f" Labels are known {delay_in_words(delay, kind, name)} later: those of the last {recent:,} of these rows may not have "
        "been known yet."
    )


def _about_groups(name: str, test: Mapping[str, Sequence[Any]], train: Mapping[str, Sequence[Any]] | None) -> str:
    if name not in test:
        return f"These rows have no column {name}, so it is not known whether the model was trained on rows of the same {name}."
    if train is None or name not in train:
        return f"Without the training rows, it is not known whether the model was trained on rows of the same {name}."
    known = set(map(str, train[name]))
    shared = sum(str(cell) in known for cell in test[name])
    if shared:
        return f"{shared:,} of these {len(test[name]):,} rows have a {name} that also occurs in the training rows."
    return f"No {name} of these rows occurs in the training rows."
