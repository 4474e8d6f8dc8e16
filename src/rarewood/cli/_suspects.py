"""Columns of a table that should perhaps not be learned from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rarewood._tables.notes import Note, NoteCode
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._row_notes import notes_on_rows
from rarewood.cli._split import is_point
from rarewood.cli._training import TableFile
from rarewood.report.problems import problems_of_table

_SUSPECT = ("leak", "identifiers", "same columns")
_SHOWN = (*_SUSPECT, "contradictions")


def examine(table: TableFile, drop: bool) -> TableFile:
    """The table with notes on columns that give the class away, name rows or repeat another; without these if asked."""
    rows = table.data.rows
    found = problems_of_table(rows, table.data.is_rare, _SHOWN)
    mentioned = {name for note in table.notes if note.code is NoteCode.COLUMN for name in note.columns}
    notes = [
        Note(
            NoteCode.SUSPECT,
            f"{problem.title}{_listed(problem)}. {problem.text}",
            tuple(problem.columns),
            problem=problem.kind,
        )
        for problem in found
        if not problem.columns or not mentioned.issuperset(problem.columns)
    ]
    suspects = [name for problem in found if problem.kind in _SUSPECT for name in problem.columns]
    notes += notes_on_rows(rows, table.data.labels, table.data.is_rare, is_grouped=table.split is not None)
    late = dates_after(table)
    notes += [Note(NoteCode.SUSPECT, text, (name,)) for name, text in late.items()]
    suspects += late
    if not suspects:
        return replace(table, notes=(*table.notes, *notes))
    if not drop:
        n = len(set(suspects))
        one = "1 column is suspect; --drop-suspects leaves it out"
        hint = one if n == 1 else f"{n} columns are suspect; --drop-suspects leaves them out"
        return replace(table, notes=(*table.notes, *notes, Note(NoteCode.SUSPECT, hint)))
    left = {name: kind for name, kind in table.schema.kinds.items() if name not in suspects}
    if not left:
        raise CommandError(ExitCode.DATA, f"--drop-suspects leaves no column of {table.name} to train on")
    dropped = Note(NoteCode.SUSPECT, f"left out as suspect: {', '.join(dict.fromkeys(suspects))}")
    data = replace(table.data, rows=rows.keep_columns(list(left)))
    return replace(table, data=data, schema=table.schema.only(left), notes=(*table.notes, *notes, dropped))


def dates_after(table: TableFile) -> dict[str, str]:
    """Columns of dates that lie after the moment of --time in some row, with what to say of each.

    What happens later is not known at that moment, unless it is planned: an end is no reason, a due date may be one.
    """
    split = table.split
    if split is None or split.division.time is None or not is_point(split.time_kind):
        return {}
    found: dict[str, str] = {}
    for (name, kind), cells in zip(table.schema.kinds.items(), table.data.matrix.T, strict=True):
        if not is_point(kind):
            continue
        later = cells > split.division.time
        if later.any():
            found[name] = (
                f"{name} is later than {split.names[0]} in {int(later.sum()):,} of {len(later):,} rows: a later "
                "event is not known at that time, unless it is planned"
            )
    return found


def _listed(problem: Any) -> str:
    return f" ({', '.join(problem.columns)})" if problem.kind == "identifiers" else ""
