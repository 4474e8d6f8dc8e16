"""Weak spots that nobody asked about: groups of rows, by one column or two, on which the model does worse than on all others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom, poisson

from rarewood.report._sections.segments import SHARES, figures_of, groups_of
from rarewood.report._subject import Subject
from rarewood.report._tables import ReportTables

Mask = NDArray[np.bool_]

_MOST_COLUMNS, _PAIRED = 30, 6  # columns looked at alone, the most important first, and in pairs
_FEWEST_ROWS = 20
_FEWEST_CASES = 5  # rare rows, alarms or expected rare rows; with fewer, nothing can be shown
_BY_CHANCE = 0.05  # that a table without any weak spot shows one, of all that were looked at
_SHOWN = 10
_MOST_CANDIDATES = 200  # to look at a second time


class _Slice(NamedTuple):
    """A group of a column, or where a group of one column meets one of another; with its sums."""

    columns: tuple[int, ...]
    groups: tuple[int, ...]
    n_rows: int
    n_rare: int
    n_alarms: int
    n_found: int
    expected: float


class _Look(NamedTuple):
    """One figure of one slice, and how probable one so bad is if the slice is like all other rows."""

    kind: str
    where: _Slice
    p_value: float


class _Grouping(NamedTuple):
    """The groups of a column: their names, and the number of each row's group."""

    labels: list[str]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, tables: ReportTables, j: int) -> _Grouping:
        groups = groups_of(tables, j)
        codes = np.zeros(len(tables.test), dtype=np.intp)
        for number, (_, inside) in enumerate(groups):
            codes[inside] = number
        return cls([label for label, _ in groups], codes)


def slices(subject: Subject) -> dict[str, Any]:
    """The slices that are worse by more than chance, the most certain first, and how many looks were taken.

    Three figures are looked at: recall and precision against those of all other rows, and rare rows against what the scores add up to.
    Holm's correction allows for all looks together.
    """
    order = np.argsort(-subject.importances.sizes, kind="stable")[:_MOST_COLUMNS].tolist()
    groupings = {j: _Grouping.of(subject.tables, j) for j in order}
    whole = _summed(subject, np.ones(len(subject.alarms), dtype=np.bool_))
    looks = [look for where in _slices(subject, groupings) for look in _looks(where, whole)]
    found = _news(subject, _significant(looks), groupings, len(looks))
    return {
        "n_looks": len(looks),
        "n_columns": len(order),
        "found": [_described(subject, groupings, look, p_value) for look, p_value in found],
    }


def _slices(subject: Subject, groupings: Mapping[int, _Grouping]) -> Iterator[_Slice]:
    order = list(groupings)
    for columns in [*((j,) for j in order), *combinations(order[:_PAIRED], 2)]:
        yield from _crossed(subject, columns, [groupings[j] for j in columns])


def _crossed(subject: Subject, columns: tuple[int, ...], groupings: Sequence[_Grouping]) -> Iterator[_Slice]:
    """Every combination of the groups of some columns, summed up in one pass over the rows."""
    rows, alarm = subject.rows, subject.alarms
    shape = tuple(len(grouping.labels) for grouping in groupings)
    cells = np.ravel_multi_index([grouping.codes for grouping in groupings], shape)
    weights = (None, rows.is_rare, alarm, alarm & rows.is_rare, rows.scores)
    sums = [np.bincount(cells, each, minlength=int(np.prod(shape))) for each in weights]
    for cell in range(len(sums[0])):
        n_rows, n_rare, n_alarms, n_found = (int(each[cell]) for each in sums[:-1])
        groups = tuple(int(group) for group in np.unravel_index(cell, shape))
        yield _Slice(columns, groups, n_rows, n_rare, n_alarms, n_found, float(sums[-1][cell]))


def _looks(of: _Slice, whole: _Slice) -> Iterator[_Look]:
    """Recall, precision and scores that are too low or too high, where the slice has enough cases to tell."""
    if not _FEWEST_ROWS <= of.n_rows <= whole.n_rows - _FEWEST_ROWS:
        return
    for kind, n, n_all in (("recall", of.n_rare, whole.n_rare), ("precision", of.n_alarms, whole.n_alarms)):
        if _FEWEST_CASES <= n < n_all:
            yield _Look(kind, of, float(hypergeom.cdf(of.n_found, n_all, whole.n_found, n)))
    if max(of.expected, of.n_rare) >= _FEWEST_CASES:
        # A Poisson number varies more than a sum of chances does, so neither is found too easily.
        low, high = float(poisson.cdf(of.n_rare, of.expected)), float(poisson.sf(of.n_rare - 1, of.expected))
        yield _Look("scores too high" if low < high else "scores too low", of, min(1.0, 2.0 * min(low, high)))


def _significant(looks: list[_Look]) -> list[tuple[_Look, float]]:
    """Looks below the level after Holm's correction, with the corrected probability."""
    ranked = sorted(looks, key=lambda look: look.p_value)
    found, corrected = [], 0.0
    for place, look in enumerate(ranked):
        corrected = max(corrected, min(1.0, (len(ranked) - place) * look.p_value))
        if corrected >= _BY_CHANCE:
            break
        found.append((look, corrected))
    return found


def _news(
    subject: Subject, found: list[tuple[_Look, float]], groupings: Mapping[int, _Grouping], n_looks: int
) -> list[tuple[_Look, float]]:
    """Of slices with the same fault, those whose fault remains when the rows of the more certain ones are put aside."""
    kept: list[tuple[_Look, float]] = []
    aside = {kind: np.zeros(len(subject.alarms), dtype=np.bool_) for kind in {look.kind for look, _ in found}}
    for look, p_value in found[:_MOST_CANDIDATES]:
        inside, others = _inside(look.where, groupings), ~aside[look.kind]
        again = _looks(_summed(subject, inside & others), _summed(subject, others))
        if any(each.kind == look.kind and each.p_value < _BY_CHANCE / n_looks for each in again):
            kept.append((look, p_value))
            aside[look.kind] |= inside
        if len(kept) == _SHOWN:
            break
    return kept


def _summed(subject: Subject, inside: Mask) -> _Slice:
    rows, alarm = subject.rows, subject.alarms
    n_rare, n_alarms, n_found = (
        int(np.count_nonzero(each[inside])) for each in (rows.is_rare, alarm, alarm & rows.is_rare)
    )
    return _Slice((), (), int(np.count_nonzero(inside)), n_rare, n_alarms, n_found, float(rows.scores[inside].sum()))


def _inside(where: _Slice, groupings: Mapping[int, _Grouping]) -> Mask:
    """True for each row of the slice."""
    inside = [groupings[j].codes == group for j, group in zip(where.columns, where.groups, strict=True)]
    return np.asarray(np.logical_and.reduce(inside))


def _described(subject: Subject, groupings: Mapping[int, _Grouping], look: _Look, p_value: float) -> dict[str, Any]:
    where, names = look.where, subject.tables.names
    label = ", ".join(f"{names[j]}: {groupings[j].labels[group]}" for j, group in zip(where.columns, where.groups))
    inside = _inside(where, groupings)
    others = figures_of("all other rows", ~inside, subject.rows, subject.alarms)
    return {
        **figures_of(label, inside, subject.rows, subject.alarms),
        "kind": look.kind,
        "p_value": p_value,
        "expected_rare": where.expected,
        "elsewhere": {key: others[key] for key in SHARES},
    }
