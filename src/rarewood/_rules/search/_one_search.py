"""One search: from forests on halves of some rows to a short list of rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rarewood._rules._conditions import Conditions
from rarewood._rules.search._candidates import collect
from rarewood._rules.search._cover import find_cover
from rarewood._rules.search._evidence import Evidence
from rarewood._rules.search._forests import HalfForest
from rarewood._rules.search._limits import Limits
from rarewood._rules.search._rank import find_ranking
from rarewood._tables import LabelledRows, Rows

Flags = NDArray[np.bool_]
Purpose = Literal["cover", "rank"]


def search(
    table: LabelledRows, rows: Flags, grown: Sequence[HalfForest], limits: Limits, purpose: Purpose, rest_weight: float
) -> Conditions:
    """The list found on some rows of a table; the others are not looked at."""
    is_rare = table.is_rare
    order = np.concatenate([np.flatnonzero(rows & is_rare), np.flatnonzero(rows & ~is_rare)])
    inside = table.take(order)
    inside = replace(inside, rows=Rows(np.asfortranarray(inside.matrix), table.columns))
    candidates = collect(inside, grown, limits.max_conditions, rest_weight)
    if candidates is None:
        return Conditions.none()
    evidence = Evidence.of(is_rare[order], [half.in_bag[order] for half in grown], rest_weight)
    listed = (find_cover if purpose == "cover" else find_ranking)(candidates, evidence, inside.matrix, limits)
    return Conditions.of([each.rule for each in listed])
