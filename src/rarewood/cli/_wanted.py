"""What a model wants of a table in a file: its columns, the target, names of rows. Kept in the model file as metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rarewood._table_files.sources import Block, forms_of, table_of
from rarewood._tables import Columns
from rarewood._tables.cells import Form
from rarewood._tables.kinds import Kind, named_kind
from rarewood.cli._errors import CommandError, ExitCode

_NAMED = 5  # columns in a message; the others are counted


@dataclass(frozen=True, eq=False)
class Wanted:
    """The columns to learn from, which have names, and those that are not for learning."""

    columns: Columns
    target: str | None = None
    ids: tuple[str, ...] = ()
    spelling: tuple[str, ...] = ()
    """How labels are written that differ only by case or spaces; none if each spelling is a class of its own."""

    @classmethod
    def of(
        cls,
        kinds: dict[str, Kind],
        target: str | None = None,
        ids: tuple[str, ...] = (),
        spelling: tuple[str, ...] = (),
    ) -> Wanted:
        """From the kinds of columns; what else is known of them only the model knows."""
        return cls(_columns(kinds), target, ids, spelling)

    def only(self, kinds: dict[str, Kind]) -> Wanted:
        """The same with these columns to learn from."""
        return replace(self, columns=_columns(kinds))

    @property
    def names(self) -> list[str]:
        """Of the columns to learn from."""
        return [self.columns.name(index) for index in range(len(self.columns))]

    @property
    def nominal(self) -> dict[str, bool]:
        """Whether each of them is."""
        return dict(zip(self.names, self.columns.nominal.tolist(), strict=True))

    def forms(self, ids: Sequence[str]) -> dict[str, Form]:
        """How columns should be read: those of the model, and `ids`, which are copied as they are."""
        return forms_of(self.columns) | dict.fromkeys(ids, "text")

    def as_metadata(self) -> dict[str, Any]:
        """The columns, the target and the identifiers in a form that JSON can store."""
        words = [kind.word for kind in self.columns.kinds]
        told = {"columns": dict(zip(self.names, words, strict=True)), "target": self.target, "ids": list(self.ids)}
        return told | ({"spelling": list(self.spelling)} if self.spelling else {})

    def check(self, names: Sequence[str], where: str) -> None:
        """Raise unless a table with these columns can be given to the model."""
        wanted = self.names
        missing = [name for name in wanted if name not in names]
        if not missing:
            return
        from rarewood._validation import did_you_mean

        others = [name for name in names if name not in wanted and name != self.target]
        near = did_you_mean(missing[0], others).rstrip(".")
        has = f"{'' if near else '.'} It has others that the model does not use: {some(others)}" if others else ""
        raise CommandError(
            ExitCode.MISMATCH,
            f"{where} lacks {_count(len(missing))} that the model needs: {some(missing)}{near}{has}",
        )

    def table(self, block: Block, where: str) -> Any:
        """A data frame with the columns of the model; text where the model wants numbers is an error."""
        try:
            return table_of(self.columns, block, where)
        except ValueError as error:
            why = " The model was trained on numbers in this column." if "should hold numbers" in str(error) else ""
            raise CommandError(ExitCode.MISMATCH, f"{error}{why}") from error


def _columns(kinds: dict[str, Kind]) -> Columns:
    names = np.array(list(kinds), dtype=object)
    return Columns(tuple(kinds.values()), names, np.zeros(len(names), dtype=bool))


def wanted_by(model: Any, metadata: dict[str, Any]) -> Wanted:
    """From the metadata that `rarewood fit` keeps, or else from what the model itself remembers."""
    if isinstance(metadata.get("columns"), dict):
        kinds = {str(name): named_kind(word) for name, word in metadata["columns"].items()}
        listed = (tuple(metadata.get(key) or ()) for key in ("ids", "spelling"))
        return Wanted.of(kinds, metadata.get("target"), *listed)
    if getattr(model, "feature_names_in_", None) is None:
        raise CommandError(
            ExitCode.MISMATCH, "the model was fitted to an array and has no column names; fit it to a data frame"
        )
    known = _columns_of(model)
    if known is None:
        raise CommandError(
            ExitCode.MISMATCH,
            f"the file does not say which columns of its {type(model).__name__} are nominal; make the file with "
            "`rarewood fit`",
        )
    return Wanted(known)


def _columns_of(model: Any) -> Columns | None:
    """Of a tree or forest its own; of a pipeline or decomposition, those of what is inside."""
    columns = getattr(model, "_columns", None)
    if isinstance(columns, Columns):
        return columns
    inside = [step for _, step in getattr(model, "steps", [])][-1:] + list(getattr(model, "estimators_", []))[:1]
    return next((found for found in map(_columns_of, inside) if found is not None), None)


def some(names: Sequence[str]) -> str:
    """A few names, the others counted."""
    shown = ", ".join(map(repr, names[:_NAMED]))
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"


def _count(n: int) -> str:
    return "a column" if n == 1 else f"{n} columns"
