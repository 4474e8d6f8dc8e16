"""Reasons for scores, as `rarewood predict` writes them."""

from __future__ import annotations

from typing import Any

from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._model import ModelFile
from rarewood.inspection import explain

_PERMUTATIONS = 16  # half of what `explain` takes: the first few reasons of a row do not need more


def reasons_for(file: ModelFile, table: Any, most: int) -> list[str]:
    """Per row, the columns that moved its score most, with what the row has there and by how much."""
    try:
        told = explain(file.model, table, positive=file.positive, n_permutations=_PERMUTATIONS)
    except TypeError as error:
        raise CommandError(ExitCode.USAGE, f"--reasons: {error}") from error
    return [
        " | ".join(
            f"{reason.column} = {reason.cell} ({reason.value:+.3g})"
            for reason in told.reasons(row, most, label=file.positive)
        )
        for row in range(len(told))
    ]
