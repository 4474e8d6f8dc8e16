"""Reasons for scores, as `rarewood predict` writes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables import take_rows
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._model import ModelFile
from rarewood.inspection import explain

_PERMUTATIONS = 16  # half of what `explain` takes: the first few reasons of a row do not need more


def reasons_for(file: ModelFile, table: Any, most: int, rows: NDArray[np.intp]) -> list[str]:
    """Per row of a table, the columns that moved its score most, with what it has there and by how much; only for some `rows`."""
    texts = [""] * len(table)
    if not len(rows):
        return texts
    try:
        told = explain(file.model, take_rows(table, rows), positive=file.positive, n_permutations=_PERMUTATIONS)
    except TypeError as error:
        raise CommandError(ExitCode.USAGE, f"--reasons: {error}") from error
    for place, row in enumerate(rows.tolist()):
        texts[row] = " | ".join(
            f"{reason.column} = {reason.cell} ({reason.value:+.3g})"
            for reason in told.reasons(place, most, label=file.positive)
        )
    return texts
