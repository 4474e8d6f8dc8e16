"""What a model wants of a table in a file: its columns, the target, names of rows. Kept in the model file as metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rarewood._table_files.dialects import Dialect
from rarewood._table_files.sources import Block, forms_of, table_of
from rarewood._tables import Columns
from rarewood._tables.cells import CellError, Form, NotNumbersError
from rarewood._tables.kinds import Categories, Kind, named_kind, writing_of, written_kind
from rarewood._tables.kinds.odd_cells import OddCells
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._kept import check_columns

_NAMED = 5  # columns in a message; the others are counted


@dataclass(frozen=True, eq=False)
class InputSchema:
    """The columns that a model wants of a table, which have names, its target, and columns that identify rows."""

    columns: Columns
    target: str | None = None
    ids: tuple[str, ...] = ()
    spelling: tuple[str, ...] = ()
    """How labels are written that differ only by case or spaces; none if each spelling is a class of its own."""
    missing: Mapping[str | None, frozenset[str]] = field(default_factory=dict)
    """Words for missing cells besides the usual ones, in all columns (under None) or by the name of a column."""

    @classmethod
    def of(
        cls,
        kinds: dict[str, Kind],
        target: str | None = None,
        ids: tuple[str, ...] = (),
        spelling: tuple[str, ...] = (),
        missing: Mapping[str | None, frozenset[str]] | None = None,
    ) -> InputSchema:
        """From the kinds of columns; what else is known of them only the model knows."""
        return cls(_columns(kinds), target, ids, spelling, missing or {})

    def only(self, kinds: dict[str, Kind]) -> InputSchema:
        """The same with these columns to learn from."""
        return replace(self, columns=_columns(kinds))

    @property
    def names(self) -> list[str]:
        """Of the columns to learn from."""
        return [self.columns.name(index) for index in range(len(self.columns))]

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kind of each of them."""
        return dict(zip(self.names, self.columns.kinds, strict=True))

    @property
    def nominal(self) -> dict[str, bool]:
        """Whether each of them is."""
        return dict(zip(self.names, self.columns.nominal.tolist(), strict=True))

    def written_as(self, told: Dialect) -> InputSchema:
        """The same for a file of which a user says how its numbers and dates are written."""
        kinds = {name: told.text_hints(told).written_as(name, kind) for name, kind in self.kinds.items()}
        return self if kinds == self.kinds else replace(self, columns=_columns(kinds))

    def forms(self, ids: Sequence[str]) -> dict[str, Form]:
        """How columns should be read: those of the model, and `ids`, which are copied as they are."""
        return forms_of(self.columns) | dict.fromkeys(ids, "text")

    def as_metadata(self) -> dict[str, Any]:
        """The columns, the target and the identifiers in a form that JSON can store."""
        metadata: dict[str, Any] = {
            "columns": {name: kind.word for name, kind in self.kinds.items()},
            "target": self.target,
            "ids": list(self.ids),
        }
        written = {name: writing.to_json() for name, kind in self.kinds.items() if (writing := writing_of(kind))}
        metadata |= {"written": written} if written else {}
        words = [{"column": name, "words": sorted(each)} for name, each in self.missing.items()]
        metadata |= {"missing": words} if words else {}
        return metadata | ({"spelling": list(self.spelling)} if self.spelling else {})

    def check(self, names: Sequence[str], where: str) -> None:
        """Raise unless a table with these columns can be given to the model."""
        missing = [name for name in self.names if name not in names]
        if not missing:
            return
        from rarewood._validation import did_you_mean

        others = [name for name in names if name not in self.names and name != self.target]
        near = did_you_mean(missing[0], others).rstrip(".")
        has = f"{'' if near else '.'} It has others that the model does not use: {some(others)}" if others else ""
        raise CommandError(
            ExitCode.MISMATCH,
            f"{where} lacks {_count(len(missing))} that the model needs: {some(missing)}{near}{has}",
        )

    def copied(self, asked: Sequence[str], names: Sequence[str], added: Sequence[str], where: str) -> list[str]:
        """The columns of a table to copy to an output: those asked for with --id, or the identifiers that are there.

        Beside them the output has the `added` columns, whose names they must not have: one of the two would be lost.
        """
        absent = [name for name in asked if name not in names]
        if absent:
            raise CommandError(ExitCode.DATA, f"{where} has no column {absent[0]!r} (--id); it has {some(names)}")
        kept = list(asked) or [name for name in self.ids if name in names]
        taken = [name for name in kept if name in added]
        if taken:
            raise CommandError(
                ExitCode.USAGE,
                f"the identifier {taken[0]!r} is also the name of an output column; name other columns with --id, or rename it in the "
                "table",
            )
        return kept

    def told(self, dialect: Dialect) -> Dialect:
        """What a user says of a file, with the words for missing cells of the file that the model was fitted to."""
        return dialect.with_missing(self.missing)

    def table(self, block: Block, where: str, odd: OddCells | None) -> Any:
        """A data frame with the columns of the model; text where the model wants numbers is counted as `odd`, or an error."""
        with self.reading():
            return table_of(self.columns, block, where, odd)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Cells that are not of the kind that the model was trained on, as an error for the user."""
        try:
            yield
        except NotNumbersError as error:
            why = "The model was trained on numbers in this column."
            raise CommandError(ExitCode.MISMATCH, f"{error} {why}") from error
        except CellError as error:
            raise CommandError(ExitCode.MISMATCH, str(error)) from error


def _columns(kinds: dict[str, Kind]) -> Columns:
    names = np.array(list(kinds), dtype=object)
    return Columns(tuple(kinds.values()), names, np.zeros(len(names), dtype=bool))


def schema_of(model: Any, metadata: dict[str, Any]) -> InputSchema:
    """From the metadata that `rarewood fit` keeps, or else from what the model itself remembers."""
    if isinstance(metadata.get("columns"), dict):
        written = metadata.get("written") or {}
        try:
            if not isinstance(written, dict):
                raise TypeError("how its columns are written is not valid")
            missing = _read_missing(metadata.get("missing") or [])
            kinds = {
                str(name): written_kind(word, written[name]) if name in written else named_kind(word)
                for name, word in metadata["columns"].items()
            }
        except (TypeError, ValueError) as error:
            raise CommandError(ExitCode.MODEL_FILE, f"the model file cannot be used: {error}") from error
        known = columns_of(model)
        check_columns(metadata["columns"], known)
        kinds |= {} if known is None else _truths(known, kinds)
        ids, spelling = (tuple(metadata.get(key) or ()) for key in ("ids", "spelling"))
        return InputSchema.of(kinds, metadata.get("target"), ids, spelling, missing)
    if getattr(model, "feature_names_in_", None) is None:
        raise CommandError(
            ExitCode.MISMATCH, "the model was fitted to an array and has no column names; fit it to a data frame"
        )
    known = columns_of(model)
    if known is None:
        raise CommandError(
            ExitCode.MISMATCH,
            f"the file does not say which columns of its {type(model).__name__} are nominal; make the file with "
            "`rarewood fit`",
        )
    return InputSchema(known)


def _truths(columns: Columns, kinds: dict[str, Kind]) -> dict[str, Kind]:
    """The columns of truth values that the model knows, which other files may write in other ways."""
    named = {columns.name(place): kind for place, kind in enumerate(columns.kinds)}
    return {
        name: kind for name, kind in named.items() if name in kinds and isinstance(kind, Categories) and kind.are_truths
    }


def _read_missing(told: Any) -> dict[str | None, frozenset[str]]:
    """Words for missing cells by column, as `as_metadata` writes them; TypeError for anything else."""
    if not isinstance(told, list) or not all(isinstance(each, dict) for each in told):
        raise TypeError("its words for missing cells are not valid")
    found = {}
    for each in told:
        column, words = each.get("column"), each.get("words")
        if not (column is None or isinstance(column, str)) or not isinstance(words, list):
            raise TypeError("its words for missing cells are not valid")
        found[column] = frozenset(map(str, words))
    return found


def columns_of(model: Any) -> Columns | None:
    """The model's columns; for a pipeline or decomposition, those of the estimator inside."""
    columns = getattr(model, "_columns", None)
    if isinstance(columns, Columns):
        return columns
    inside = [step for _, step in getattr(model, "steps", [])][-1:] + list(getattr(model, "estimators_", []))[:1]
    return next((found for found in map(columns_of, inside) if found is not None), None)


def some(names: Sequence[str]) -> str:
    """A few names, the others counted."""
    shown = ", ".join(map(repr, names[:_NAMED]))
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"


def _count(n: int) -> str:
    return "a column" if n == 1 else f"{n} columns"
