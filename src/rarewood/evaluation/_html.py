"""A comparison as a page of its own, and as a notebook shows it."""

from __future__ import annotations

import json
import re
import warnings
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from rarewood._pages.elements import document, scrolling
from rarewood._pages.numbers import sentence_of
from rarewood.evaluation._drawings import Interval, draw_intervals
from rarewood.evaluation._results import COSTS
from rarewood.exceptions import RarewoodWarning
from rarewood.statistics import nemenyi_cd

if TYPE_CHECKING:
    from rarewood.evaluation._comparison import Comparison
    from rarewood.evaluation._one_table import FoldTable
    from rarewood.evaluation._tables import ScoreTable, TableDisplay

_LEVEL = 0.05


def comparison_page(comparison: Comparison, reference: str | None) -> str:
    """Everything, as a file that needs nothing else."""
    sections = {"in-short": ("In short", "")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RarewoodWarning)  # the notes below the tables say the same
        for number, metric in enumerate(comparison.metrics):
            title = comparison.title(metric)
            sections[f"measure-{number + 1}"] = (
                title[:1].upper() + title[1:],
                _metric_section(comparison, metric, reference),
            )
        sections["in-short"] = "In short", _in_short(comparison)
        costs = "\n".join(_bare_table(_scores(comparison, cost, None), COSTS[cost]) for cost in COSTS)
    sections["costs"] = "Times and sizes", costs
    failed = comparison.failures()
    if failed:
        sections["failures"] = "Failures", _failures(failed)
    sections["provenance"] = "Provenance", _provenance(comparison)
    return document(_title(comparison), _lead(comparison), sections)


def comparison_summary(comparison: Comparison) -> str:
    """The table of the first measure, for a notebook."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RarewoodWarning)
        table = _scores(comparison, comparison.metrics[0], None).cells().html()
    more = ", ".join(comparison.metrics[1:])
    others = f"<p>Other measures: {escape(more)}</p>" if more else ""
    return f"<p>{escape(repr(comparison))}</p>{table}{others}"


def _title(comparison: Comparison) -> str:
    n_methods, n_tables = len(comparison.methods), len(comparison.datasets)
    where = comparison.datasets[0] if n_tables == 1 else f"{n_tables} tables"
    return f"{n_methods} method{'' if n_methods == 1 else 's'} on {where}"


def _lead(comparison: Comparison) -> str:
    methods = ", ".join(f"<b>{escape(name)}</b>" for name in comparison.methods)
    how = escape(_protocol_in_words(comparison.provenance["protocol"]))
    n, wanted = len(comparison.records), comparison.n_wanted
    unfinished = "" if comparison.is_finished else f" Not finished: {n} of {wanted} results so far."
    return f"{methods}. All of them were fitted to the same rows and judged on the same others: {how}.{unfinished}"


def _protocol_in_words(protocol: str) -> str:
    """What a protocol such as 2x5 means; those that are no such word speak for themselves."""
    word, comma, rest = protocol.partition(",")
    if match := re.fullmatch(r"(\d+)x(\d+)(?:x(\d+))?|(\d+)-?fold", word):
        repeats, folds, seeds = int(match[1] or 1), int(match[2] or match[4]), int(match[3] or 1)
        times = f", {repeats} times" if repeats > 1 else ""
        word = f"{folds} folds{times}{f', {seeds} seeds each' if seeds > 1 else ''}"
    return word + comma + rest


def _in_short(comparison: Comparison) -> str:
    """A figure for each measure: who is best, by how much, and whether that may be chance."""
    return f'<dl class="figures">{"".join(_best(comparison, metric) for metric in comparison.metrics)}</dl>'


def _best(comparison: Comparison, metric: str) -> str:
    means = comparison.means(metric).mean(axis=0) if len(comparison.datasets) > 1 else comparison.means(metric)[0]
    sign = 1.0 if comparison.larger_is_better(metric) else -1.0
    if np.isnan(means).all():
        strong, words = "–", "no method has a score"
    else:
        best = int(np.nanargmax(sign * means))
        strong = comparison.methods[best]
        words = f"{means[best]:.3f}{_beside(comparison, metric, best)}"
    return (
        f'<div class="rare"><dt>Best {"mean " if len(comparison.datasets) > 1 else ""}{escape(comparison.title(metric))}</dt>'
        f'<dd><strong class="name">{escape(strong)}</strong><span>{escape(words)}</span></dd></div>'
    )


def _beside(comparison: Comparison, metric: str, best: int) -> str:
    """Which others the best cannot be told from, on one table; on several, its mean rank."""
    if len(comparison.datasets) > 1:
        try:
            ranks = comparison.ranks(metric).as_dict()
        except ValueError:
            return ""
        rank = ranks.get(comparison.methods[best])
        return "" if rank is None else f"; mean rank {rank:.2f} of {len(ranks)}"
    differences = comparison.folds(metric, reference=comparison.methods[best]).differences
    level = [name for name, of in differences.items() if of.low <= 0.0 <= of.high]
    unknown = [name for name, of in differences.items() if np.isnan(of.low)]
    if len(unknown) == len(differences):
        return ""
    return f"; not told apart from {', '.join(level)}" if level else "; better than all others"


def _scores(comparison: Comparison, metric: str, reference: str | None) -> ScoreTable | FoldTable:
    """Means over data sets; of a single one, what its folds say."""
    several = len(comparison.datasets) > 1
    return comparison.table(metric, reference=reference) if several else comparison.folds(metric, reference=reference)


def _table(table: TableDisplay, label: str) -> str:
    cells, notes = table.cells().page_html()
    return scrolling(label, cells) + notes


def _bare_table(table: TableDisplay, label: str) -> str:
    """A table without the notes, which stand below others already."""
    return scrolling(label, table.cells().page_html()[0])


def _metric_section(comparison: Comparison, metric: str, reference: str | None) -> str:
    table = _table(_scores(comparison, metric, reference), comparison.title(metric))
    if len(comparison.datasets) == 1:
        return _folds_drawn(comparison, metric) + table
    try:
        test = comparison.friedman(metric)
    except ValueError as error:  # fewer than two methods with a score
        return f"{table}<p>{escape(str(error))}</p>"
    wins = _table(comparison.wins(metric), "Wins, draws and losses")
    words = ". ".join(repr(test).splitlines()[:2])  # the ranks are drawn
    return f"{_ranks_drawn(comparison, metric)}<p>{escape(words)}.</p>{table}{wins}"


def _folds_drawn(comparison: Comparison, metric: str) -> str:
    table = comparison.folds(metric)
    rows: dict[str, Interval] = {name: (of.mean, of.low, of.high) for name, of in table.methods.items()}
    title = sentence_of(f"{comparison.title(metric)} of each method with its 95 % interval")
    words = f"{title} Folds share rows, which the intervals allow for; differences, in the table below, are more certain than they look."
    return _figure(draw_intervals(f"drawn-{metric}", title, rows, best=table.reference), words)


def _ranks_drawn(comparison: Comparison, metric: str) -> str:
    ranks = comparison.ranks(metric)
    ordered = ranks.as_dict()
    best, first = next(iter(ordered.items()))
    rows: dict[str, Interval] = {name: (rank, float("nan"), float("nan")) for name, rank in ordered.items()}
    reach = nemenyi_cd(len(ordered), ranks.n_datasets, _LEVEL)
    title = f"Average ranks, {comparison.title(metric)}: 1 is best"
    words = (
        f"Average ranks over {ranks.n_datasets} tables, 1 is best. The shaded zone holds what Nemenyi's test cannot tell from {best} "
        f"(critical difference {reach:.2f}, 5 % level)."
    )
    zone = (first, min(first + reach, float(len(ordered))))
    return _figure(draw_intervals(f"drawn-{metric}", title, rows, best=best, zone=zone), words)


def _figure(drawing: str, words: str) -> str:
    return f"<figure>{drawing}<figcaption>{escape(words)}</figcaption></figure>" if drawing else ""


def _failures(failed: dict[tuple[str, str], str]) -> str:
    lines = "\n".join(f"{dataset}, {method}: {error}" for (dataset, method), error in failed.items())
    return f"<pre>{escape(lines)}</pre>"


def _provenance(comparison: Comparison) -> str:
    """The provenance of a run without the fingerprints of folds, which would fill screens."""
    kept = {key: value for key, value in comparison.provenance.items() if key != "kind"}
    kept["datasets"] = {
        name: {**about, "folds": len(about["folds"])} for name, about in comparison.provenance["datasets"].items()
    }
    text = json.dumps(kept, indent=2, default=str)
    return f"<details><summary>Protocol, seed, settings, sizes, versions</summary><pre>{escape(text)}</pre></details>"
