"""What a model wants to know of a table: its columns, their kinds, the target. Kept in the model file as metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rarewood.cli._errors import CommandError, ExitCode
from rarewood.datasets._blocks import Block, as_numbers, as_text
from rarewood.datasets._dataset import MISSING, levels, make_table
from rarewood.datasets._plain_lines import Kind

_NUMBER, _NOMINAL = "number", "nominal"
_NAMED = 5  # columns in a message; the others are counted


@dataclass(frozen=True)
class Schema:
    """The columns of a model in their order, whether each is nominal, and those that are not for learning.

    `values` translates the text of nominal columns where a model was fitted to categories that are not text.
    """

    nominal: dict[str, bool]
    target: str | None = None
    ids: tuple[str, ...] = ()
    values: dict[str, dict[str, Any]] | None = None

    @property
    def columns(self) -> list[str]:
        return list(self.nominal)

    def kinds(self, ids: Sequence[str]) -> dict[str, Kind]:
        """How columns should be read: those of the model, and `ids`, which are copied as they are."""
        nominal: Kind = "nominal" if self.values is None else "text"
        wanted: dict[str, Kind] = {
            name: nominal if is_nominal else "number" for name, is_nominal in self.nominal.items()
        }
        return wanted | dict.fromkeys(ids, "text")

    def as_metadata(self) -> dict[str, Any]:
        """What JSON can keep."""
        kinds = {name: _NOMINAL if nominal else _NUMBER for name, nominal in self.nominal.items()}
        return {"columns": kinds, "target": self.target, "ids": list(self.ids)}

    def check(self, names: Sequence[str], where: str) -> None:
        """Raise unless a table with these columns can be given to the model."""
        missing = [name for name in self.nominal if name not in names]
        if not missing:
            return
        from rarewood._validation import did_you_mean

        others = [name for name in names if name not in self.nominal and name != self.target]
        near = did_you_mean(missing[0], others).rstrip(".")
        has = f"; it has {some(others)} instead" if others else ""
        raise CommandError(
            ExitCode.MISMATCH,
            f"{where} lacks {_count(len(missing))} that the model was fitted to: {some(missing)}{near}{has}",
        )

    def table(self, block: Block, where: str) -> Any:
        """A data frame with the columns of the model; text where the model wants numbers is an error."""
        columns: dict[str, Any] = {}
        categories: dict[str, Any] = {}
        for name, is_nominal in self.nominal.items():
            cells = block.columns[name]
            if is_nominal and hasattr(cells, "categories"):
                columns[name] = cells
            elif is_nominal:
                columns[name] = self._categories(name, as_text(cells))
                categories[name] = list(dict.fromkeys(columns[name])) if self.values else levels(columns[name])
            else:
                columns[name] = self._numbers(cells, name, where, block.first)
        return make_table(columns, categories, where)

    def _numbers(self, cells: Any, name: str, where: str, first: int) -> Any:
        try:
            return as_numbers(cells, name, where, first)
        except ValueError as error:
            raise CommandError(ExitCode.MISMATCH, f"{error} The model was fitted to numbers there.") from error

    def _categories(self, name: str, cells: list[str]) -> list[Any]:
        if self.values is None:
            return cells
        known = self.values[name]
        return [None if cell in MISSING else known.get(cell, cell) for cell in cells]


def schema_of(model: Any, metadata: dict[str, Any]) -> Schema:
    """From the metadata that `rarewood fit` keeps, or else from what the model itself remembers."""
    if isinstance(metadata.get("columns"), dict):
        return Schema(
            {str(name): kind == _NOMINAL for name, kind in metadata["columns"].items()},
            metadata.get("target"),
            tuple(metadata.get("ids") or ()),
        )
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise CommandError(
            ExitCode.MISMATCH, "the model was fitted to an array and knows no column names; fit it to a data frame"
        )
    known = _categories_of(model)
    if known is None:
        raise CommandError(
            ExitCode.MISMATCH,
            f"the file does not say which columns of its {type(model).__name__} are nominal; make it with `rarewood fit`",
        )
    nominal = {str(name): found is not None for name, found in zip(names, known)}
    text = all(isinstance(level, str) for found in known if found is not None for level in found)
    values = {
        str(name): {as_text([level])[0]: level for level in found.tolist()}
        for name, found in zip(names, known)
        if found is not None
    }
    return Schema(nominal, values=None if text else values)


def _categories_of(model: Any) -> Any:
    """Per column its categories, None for numbers; of a pipeline or decomposition, those of what is inside."""
    if hasattr(model, "categories_"):
        return model.categories_
    inside = [step for _, step in getattr(model, "steps", [])][-1:] + list(getattr(model, "estimators_", []))[:1]
    return next((found for found in map(_categories_of, inside) if found is not None), None)


def some(names: Sequence[str]) -> str:
    """A few names, the others counted."""
    shown = ", ".join(map(repr, names[:_NAMED]))
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"


def _count(n: int) -> str:
    return "a column" if n == 1 else f"{n} columns"
