"""Columns of a table that should perhaps not be learned from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rarewood._tables.divisions import moments_or_nan
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._training import LabelledTable
from rarewood.report.problems import problems_of_table

_SUSPECT = ("leak", "identifiers", "same columns")
_SHOWN = (*_SUSPECT, "contradictions")


def examine(table: LabelledTable, drop: bool) -> LabelledTable:
    """The table with notes on columns that give the class away, name rows or repeat another; without these if asked."""
    if not hasattr(table.X, "columns"):
        return table
    found = problems_of_table(table.X, table.y == table.positive, _SHOWN)
    notes = tuple(
        f"{problem.title}{_listed(problem)}. {problem.text}"
        for problem in found
        if not all(any(f"column {name!r} " in note for note in table.notes) for name in problem.columns)
        or not problem.columns
    )
    suspects = [name for problem in found if problem.kind in _SUSPECT for name in problem.columns]
    late = dates_after(table)
    notes += tuple(late.values())
    suspects += late
    if not suspects:
        return replace(table, notes=(*table.notes, *notes))
    if not drop:
        n = len(set(suspects))
        told = "1 column is suspect; --drop-suspects leaves it out"
        hint = told if n == 1 else f"{n} columns are suspect; --drop-suspects leaves them out"
        return replace(table, notes=(*table.notes, *notes, hint))
    left = {name: kind for name, kind in zip(table.wanted.names, table.wanted.columns.kinds) if name not in suspects}
    if not left:
        raise CommandError(ExitCode.DATA, f"--drop-suspects leaves no column of {table.name} to train on")
    said = f"left out as suspect: {', '.join(dict.fromkeys(suspects))}"
    X: Any = table.X[list(left)]
    return replace(table, X=X, wanted=table.wanted.only(left), notes=(*table.notes, *notes, said))


def dates_after(table: LabelledTable) -> dict[str, str]:
    """Columns of dates that lie after the moment of --time in some row, with what to say of each.

    What happens later is not known at that moment, unless it is planned: an end is no reason, a due date may be one.
    """
    divided = table.divided
    if divided is None or divided.division.time is None or not _is_point(divided.time_kind):
        return {}
    found: dict[str, str] = {}
    for name, kind in zip(table.wanted.names, table.wanted.columns.kinds):
        if not _is_point(kind):
            continue
        later = moments_or_nan(table.X[name]) > divided.division.time
        if later.any():
            found[name] = (
                f"{name} is later than {divided.names[0]} in {int(later.sum()):,} of {len(later):,} rows: a later "
                "event is not known at that time, unless it is planned"
            )
    return found


def _is_point(kind: Any) -> bool:
    return kind is not None and kind.word in ("date", "datetime", "datetime_utc")


def _listed(problem: Any) -> str:
    return f" ({', '.join(problem.columns)})" if problem.kind == "identifiers" else ""
