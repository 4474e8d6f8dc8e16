"""Figures of the page for groups of rows: the values of a column, or quarters of its range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import fisher_exact

from rarewood._validation import did_you_mean, unmasked
from rarewood.metrics.uncertainty import share_with_interval
from rarewood.report._scores import ScoredRows
from rarewood.report._subject import Subject
from rarewood.report._tables import ReportTables, read_tables

Groups = list[tuple[str, NDArray[np.bool_]]]

_MOST_GROUPS = 12
_QUARTERS = 4
BY_CHANCE = 0.01
SHARES = ("share", "recall", "precision")  # of a group


def segments(subject: Subject) -> list[dict[str, Any]]:
    """The groups of each column that the caller names, with rare share, recall, precision and their 95 % intervals."""
    rows, alarm = subject.rows, subject.alarms
    whole = figures_of("all rows", np.ones_like(alarm), rows, alarm)
    segments = []
    for name, (table, j) in _columns(subject.tables, subject.options.segments, len(alarm)).items():
        groups = [figures_of(label, inside, rows, alarm) for label, inside in groups_of(table, j)]
        for group in groups:
            group["differs"] = differences(group, whole)
        segments.append({"name": name, "groups": groups, "whole": whole})
    return segments


def _columns(
    tables: ReportTables, wanted: Sequence[str] | Mapping[str, Any] | None, n_rows: int
) -> dict[str, tuple[ReportTables, int]]:
    """The table and the number of each column to group by: a column of the page, or one that the caller gives beside it."""
    if wanted is None:
        return {}
    if isinstance(wanted, str):
        raise TypeError(f"segments={wanted!r} is not accepted; give a list of columns: [{wanted!r}].")
    if not isinstance(wanted, Mapping):
        return {str(name): (tables, _place(tables, name)) for name in wanted}
    columns = {}
    for name, values in wanted.items():
        if values is None:
            columns[str(name)] = tables, _place(tables, name)
            continue
        if len(values) != n_rows:
            raise ValueError(f"segments[{name!r}] has {len(values)} values for {n_rows} rows.")
        values = unmasked(values)
        column = np.asarray(values, dtype=object if np.asarray(values).dtype.kind in "OUS" else None)
        columns[str(name)] = read_tables(None, column.reshape(-1, 1), None, [str(name)]), 0
    return columns


def _place(tables: ReportTables, name: str) -> int:
    names = tables.names
    if str(name) not in names:
        raise ValueError(
            f"segments names {str(name)!r}, which is not a column of X{did_you_mean(str(name), names)} To group by others, pass their "
            "values: segments={name: values}."
        )
    return names.index(str(name))


def groups_of(tables: ReportTables, j: int) -> Groups:
    """Names of the groups of a column and the rows of each: its values, or quarters of its range; missing values are a group."""
    values = tables.test[:, j]
    missing = np.isnan(values)
    levels, counts = np.unique(values[~missing], return_counts=True)
    few = tables.nominal[j] or len(levels) <= _QUARTERS + 2
    groups = _by_level(tables, j, levels, counts) if few else _by_quarter(tables, j)
    return [*groups, *([("missing", missing)] if missing.any() else [])]


def _by_level(tables: ReportTables, j: int, levels: NDArray[Any], counts: NDArray[Any]) -> Groups:
    """A group for each value, in their order; of many, the most frequent ones and a group of all others."""
    values = tables.test[:, j]
    largest = levels
    if len(levels) > _MOST_GROUPS:
        largest = np.sort(levels[np.argsort(-counts, kind="stable")[: _MOST_GROUPS - 1]])
    groups = [(tables.in_words(j, float(level)), values == level) for level in largest.tolist()]
    if len(largest) < len(levels):
        groups.append((f"{len(levels) - len(largest):,} others", ~np.isnan(values) & ~np.isin(values, largest)))
    return groups


def _by_quarter(tables: ReportTables, j: int) -> Groups:
    """Groups of about equal size in the order of the values."""
    values = tables.test[:, j].astype(np.float64)
    present = np.sort(values[~np.isnan(values)])
    cuts = np.unique(np.quantile(present, np.arange(1, _QUARTERS) / _QUARTERS, method="inverted_cdf"))
    place = np.searchsorted(cuts, values, side="left")
    groups: Groups = []
    for number in range(len(cuts) + 1):
        inside = (place == number) & ~np.isnan(values)
        if inside.any():
            low, high = (tables.in_words(j, float(end)) for end in (values[inside].min(), values[inside].max()))
            groups.append((low if low == high else f"{low} to {high}", inside))
    return groups


def figures_of(label: str, inside: NDArray[np.bool_], rows: ScoredRows, alarm: NDArray[np.bool_]) -> dict[str, Any]:
    """Counts of a group, and its rare share, recall and precision with their intervals."""
    n_rows, n_rare = int(inside.sum()), int((inside & rows.is_rare).sum())
    n_alarms, hits = int((inside & alarm).sum()), int((inside & alarm & rows.is_rare).sum())
    return {
        "label": label,
        "n_rows": n_rows,
        "n_rare": n_rare,
        "n_alarms": n_alarms,
        "n_found": hits,
        "share": _with_interval(n_rare, n_rows),
        "recall": _with_interval(hits, n_rare),
        "precision": _with_interval(hits, n_alarms),
    }


def counts_of(figures: Mapping[str, Any], key: str) -> tuple[int, int]:
    """The two counts behind a share: hits, and all cases."""
    of = {"share": ("n_rare", "n_rows"), "recall": ("n_found", "n_rare"), "precision": ("n_found", "n_alarms")}[key]
    return figures[of[0]], figures[of[1]]


def differences(group: Mapping[str, Any], whole: Mapping[str, Any]) -> list[str]:
    """The names of the shares in which a group differs from all other rows by more than chance."""
    return [key for key in SHARES if differs(counts_of(group, key), counts_of(whole, key))]


def differs(group: tuple[int, int], whole: tuple[int, int]) -> bool:
    """Whether a share differs between a group and all other rows, by Fisher's exact test; both are (hits, cases)."""
    hits, n = group
    others, n_others = whole[0] - hits, whole[1] - n
    if not n or not n_others:
        return False
    return bool(fisher_exact([[hits, n - hits], [others, n_others - others]]).pvalue < BY_CHANCE)


def _with_interval(hits: int, n: int) -> list[float | None] | None:
    interval = share_with_interval(hits, n)
    return None if interval is None else [interval.value, interval.low, interval.high]
