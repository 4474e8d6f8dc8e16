"""From labelled rows to a `RuleSet`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._rules._pattern_table import PatternTable
from rarewood._rules._patterns import Origin
from rarewood._rules._rule_set import RuleSet
from rarewood._rules._together import Together
from rarewood._rules.search import Findings, Limits, MoreTrees, Purpose, SearchTable, find, is_whole
from rarewood._tables import Columns, LabelledRows
from rarewood._tables.kinds import Numbers, WholeNumbers
from rarewood._validation import column_of, rarest_class

Flags = NDArray[np.bool_]
DECIMALS = 6


def make_rules(
    table: SearchTable,
    limits: Limits,
    *,
    purpose: Purpose,
    seed: int,
    n_threads: int,
    more: MoreTrees | None = None,
    held_out: LabelledRows | None = None,
    backend: Any = None,
) -> tuple[RuleSet, Findings]:
    """The rules of a table as a reader meets them, and as they were found; they are counted on `held_out` as well."""
    is_rare, classes = table.is_rare, table.labels.classes
    findings = find(table, limits, purpose=purpose, seed=seed, n_threads=n_threads, more=more)
    held = table.covers(findings.rules)
    together = Together(
        n_rare=int(is_rare.sum()),
        n_rows=len(is_rare),
        training_rare=int(held[is_rare].any(axis=1).sum()),
        training_rows=int(held.any(axis=1).sum()),
        unseen_rare=int(findings.fired[is_rare].sum()),
        unseen_rows=int(findings.fired.sum()),
    )
    counts = None
    if held_out is not None:
        counts, together = _counted(findings, held_out, together)
    rare, rest = findings.rare, findings.rows - findings.rare
    sizes = np.bincount(table.labels.codes, minlength=len(classes))
    rules = RuleSet(
        PatternTable.of_no_leaf(findings.rules, column_of(table.positive, classes), rare, rest, counts),
        Origin(
            _with_whole_numbers(table),
            classes,
            rarest_class(sizes),
            backend,
            DECIMALS,
            table.source.rows(np.flatnonzero(is_rare)),
        ),
        figures=findings.figures,
        together=together,
        reason=findings.reason,
    )
    return rules, findings


def _counted(findings: Findings, rows: LabelledRows, together: Together) -> tuple[Any, Together]:
    """Rare and other held-out rows of each rule, and of all together."""
    held, is_rare = findings.rules.covers(rows.matrix), rows.is_rare
    rare = held[is_rare].sum(axis=0)
    together = replace(
        together,
        held_out_rare=int(held[is_rare].any(axis=1).sum()),
        held_out_rows=int(held.any(axis=1).sum()),
        held_out_all_rare=int(is_rare.sum()),
    )
    return (rare, held.sum(axis=0) - rare), together


def _with_whole_numbers(table: SearchTable) -> Columns:
    """The columns, where a column of numbers that are all whole is one of whole numbers."""
    whole = np.logical_and.reduce(table.source.map_rows(_have_whole), axis=0)
    kinds = tuple(
        WholeNumbers() if type(kind) is Numbers and are_whole else kind
        for kind, are_whole in zip(table.columns.kinds, whole.tolist(), strict=True)
    )
    return replace(table.columns, kinds=kinds)


def _have_whole(matrix: NDArray[Any]) -> Flags:
    """Of a block of rows, whether all numbers of each column are whole."""
    return np.array([[is_whole(values[~np.isnan(values)]) for values in matrix.T]])
