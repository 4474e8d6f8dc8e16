"""From an encoded table to a `RuleSet`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._rules._finding import Findings, MoreTrees, find
from rarewood._rules._growing import Encoded
from rarewood._rules._limits import Limits
from rarewood._rules._refining import is_whole
from rarewood._rules._search import Purpose
from rarewood._rules._set import RuleSet, Together, found_of
from rarewood._tables import Columns
from rarewood._tables.kinds import Numbers, WholeNumbers
from rarewood._validation import rarest_class

Flags = NDArray[np.bool_]
DECIMALS = 6


@dataclass(frozen=True)
class LabelledTable:
    """Encoded rows with their columns and labels, and the class that rules are wanted for."""

    columns: Columns
    matrix: NDArray[Any]
    classes: NDArray[Any]
    codes: NDArray[Any]
    label: int  # position in `classes`
    backend: Any = None

    @property
    def is_rare(self) -> Flags:
        return np.asarray(self.codes == self.label)


def make_rules(
    table: LabelledTable,
    limits: Limits,
    *,
    purpose: Purpose,
    seed: int,
    n_threads: int,
    more: MoreTrees | None = None,
    held_out: tuple[NDArray[Any], Flags] | None = None,
) -> tuple[RuleSet, Findings]:
    """The rules of a table as a reader meets them, and as they were found; `held_out` are encoded rows to count them on."""
    columns, is_rare = table.columns, table.is_rare
    encoded = Encoded(np.asfortranarray(table.matrix), is_rare, columns.n_categories, columns.has_missing)
    found = find(encoded, limits, purpose=purpose, seed=seed, n_threads=n_threads, more=more)
    fires = found.fires(table.matrix)
    together = Together(
        n_rare=int(is_rare.sum()),
        n_rows=len(is_rare),
        training_rare=int(fires[is_rare].any(axis=1).sum()),
        training_rows=int(fires.any(axis=1).sum()),
        unseen_rare=int(found.fired[is_rare].sum()),
        unseen_rows=int(found.fired.sum()),
    )
    held_counts = None
    if held_out is not None:
        held_counts, together = _counted(found, *held_out, together)
    counts = np.bincount(table.codes, minlength=len(table.classes))
    rules = RuleSet(
        found_of(found.rules, table.label, found.rare, found.rows, held_counts),
        with_whole_numbers(columns, table.matrix),
        table.classes,
        rarest_class(counts),
        table.backend,
        DECIMALS,
        table.matrix[is_rare],
        figures=found.figures,
        together=together,
        reason=found.reason,
    )
    return rules, found


def _counted(found: Findings, matrix: NDArray[Any], is_rare: Flags, together: Together) -> tuple[Any, Together]:
    """Rare and other held-out rows of each rule, and of all together."""
    fires = found.fires(matrix)
    rare = fires[is_rare].sum(axis=0)
    told = replace(
        together,
        held_out_rare=int(fires[is_rare].any(axis=1).sum()),
        held_out_rows=int(fires.any(axis=1).sum()),
        held_out_all_rare=int(is_rare.sum()),
    )
    return (rare, fires.sum(axis=0) - rare), told


def with_whole_numbers(columns: Columns, matrix: NDArray[Any]) -> Columns:
    """The columns, those known as whole numbers of which the rows have no other."""
    kinds = tuple(
        WholeNumbers() if type(kind) is Numbers and _has_whole(matrix[:, number]) else kind
        for number, kind in enumerate(columns.kinds)
    )
    return replace(columns, kinds=kinds)


def _has_whole(values: NDArray[Any]) -> bool:
    return is_whole(values[~np.isnan(values)])
