"""One search: from forests on halves of some rows to a short list of rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rarewood._rules._asking import CodedRule
from rarewood._rules._candidates import collect
from rarewood._rules._choosing import choose
from rarewood._rules._evidence import Evidence
from rarewood._rules._growing import Encoded, Grown
from rarewood._rules._limits import Limits
from rarewood._rules._ranking import rank

Flags = NDArray[np.bool_]
Purpose = Literal["cover", "rank"]


def search(
    table: Encoded, rows: Flags, grown: Sequence[Grown], limits: Limits, purpose: Purpose, rest_weight: float
) -> list[CodedRule]:
    """The list found on some rows of a table; the others are not looked at."""
    order = np.concatenate([np.flatnonzero(rows & table.is_rare), np.flatnonzero(rows & ~table.is_rare)])
    inside = replace(table, matrix=np.asfortranarray(table.matrix[order]), is_rare=table.is_rare[order])
    candidates = collect(inside, grown, limits.max_conditions, rest_weight)
    if candidates is None:
        return []
    evidence = Evidence.of(inside.is_rare, [each.in_bag[order] for each in grown], rest_weight)
    chosen = (choose if purpose == "cover" else rank)(candidates, evidence, inside.matrix, limits)
    return [each.rule for each in chosen]
