"""Results as tables: means, ranks, tests against one method, and every single figure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quality.measures import MEASURES, RELIABILITY
from quality.methods import ASIDE, REFERENCE
from quality.results import Results
from rarewood.statistics import PairTests, friedman, nemenyi_cd, rank_scores, wilcoxon_holm
from report import Table


def ranks(results: Results, measure: str) -> NDArray[np.float64]:
    """Of each method (column) on each problem (row): 1 is best; equal to four decimals is equal."""
    return rank_scores(np.round(results.values[measure], 4), larger_is_better=MEASURES[measure] > 0)


def summary(
    results: Results,
    title: str,
    note: str,
    times: dict[str, str] | None = None,
    guests: dict[str, Results] | None = None,
) -> Table:
    """Mean and mean rank of each method, best first by the sum of its mean ranks; `times` names columns of CPU seconds.

    Those that stand aside follow without a rank. So does a guest, which was run on a part only: it has the mean of the reference on
    that part beside its own.
    """
    times = times or {}
    reliable = (
        {}
        if np.isnan(results.values[RELIABILITY[0]]).any()
        else dict(zip(RELIABILITY, (np.mean, np.median), strict=True))
    )
    table = Table(title, ["", *MEASURES, *reliable, *times.values()], note)
    ranked, aside = results.only(methods=contestants(results)), set(results.methods) - set(contestants(results))
    mean_ranks = {name: ranks(ranked, name).mean(axis=0) for name in MEASURES}
    order = np.argsort(sum(mean_ranks.values()), kind="stable")
    means = {name: results.values[name].mean(axis=0) for name in MEASURES}
    best = {name: results.methods[np.argmax(sign * means[name])] for name, sign in MEASURES.items()}
    for method in [*(ranked.methods[j] for j in order), *(name for name in results.methods if name in aside)]:
        j = results.methods.index(method)
        cells = [_bold(f"{means[name][j]:.4f}", method == best[name]) for name in MEASURES]
        if method not in aside:
            places = [mean_ranks[name][ranked.methods.index(method)] for name in MEASURES]
            cells = [
                f"{cell} ({_bold(f'{place:.1f}', place == mean_ranks[name].min())})"
                for cell, place, name in zip(cells, places, MEASURES, strict=True)
            ]
        cells += [
            f"{middle(results.values[name][:, j]):.{4 - 2 * n}f}" for n, (name, middle) in enumerate(reliable.items())
        ]
        table.add(method, *cells, *(f"{results.values[time][:, j].sum():.3g}" for time in times))
    for guest, part in (guests or {}).items():
        table.add(guest, *(_guest(part, guest, name) for name in MEASURES), *("" for _ in (*reliable, *times)))
    return table


def contestants(results: Results) -> list[str]:
    """Those that are ranked; nobody stands aside whose like is not there."""
    return [name for name in results.methods if ASIDE.get(name) not in results.methods]


def _guest(part: Results, guest: str, measure: str) -> str:
    theirs, ours = (part.values[measure][:, part.methods.index(name)].mean() for name in (guest, REFERENCE))
    return f"{theirs:.4f} [{ours:.4f}]"


def _bold(text: str, yes: bool) -> str:
    return f"**{text}**" if yes else text


def critical_difference(results: Results) -> float:
    return nemenyi_cd(len(contestants(results)), len(results.problems))


def duels(results: Results, title: str, note: str) -> Table:
    """The reference beside each other method: mean difference (plus: the reference is better), wins and losses, corrected p."""
    table = Table(title, [f"{REFERENCE} versus", *MEASURES], note)
    others = [name for name in results.methods if name != REFERENCE]
    cells = {name: _duels_of(results, name, others) for name in MEASURES}
    for j, other in enumerate(others):
        table.add(other, *(cells[name][j] for name in MEASURES))
    return table


def pair_tests(results: Results, measure: str) -> PairTests:
    """The reference beside each other method by Wilcoxon's test, corrected by Holm's procedure."""
    matrix, better = np.round(results.values[measure], 4), MEASURES[measure] > 0
    return wilcoxon_holm(matrix, names=results.methods, reference=REFERENCE, larger_is_better=better)


@dataclass(frozen=True)
class Outcome:
    """Methods by what the reference is beside them, beyond chance."""

    better: list[str]
    worse: list[str]
    even: list[str]


def outcome(results: Results, measure: str, level: float = 0.05) -> Outcome:
    """Who is beaten by the reference and who beats it; `even` is everyone from whom the test cannot tell it."""
    told = [test for test in pair_tests(results, measure) if test.adjusted_p_value < level]
    beaten = {test.second for test in told if test.first == REFERENCE}
    ahead = {test.first for test in told if test.second == REFERENCE}
    others = [name for name in results.methods if name != REFERENCE]
    return Outcome(
        [name for name in others if name in beaten],
        [name for name in others if name in ahead],
        [name for name in others if name not in beaten | ahead],
    )


def _duels_of(results: Results, measure: str, others: list[str]) -> list[str]:
    tests = pair_tests(results, measure)
    adjusted = {name: test.adjusted_p_value for test in tests for name in (test.first, test.second)}
    change = np.round(differences(results, measure, others), 4)
    return [
        f"{column.mean():+.4f}, {np.sum(column > 0)}-{np.sum(column < 0)}, {p_value(adjusted[other])}"
        for other, column in zip(others, change.T, strict=True)
    ]


def differences(results: Results, measure: str, others: list[str]) -> NDArray[np.float64]:
    """How much better the reference is on each problem (row) than each of the others (column)."""
    values = results.values[measure]
    ours = values[:, [results.methods.index(REFERENCE)]]
    return MEASURES[measure] * (ours - values[:, [results.methods.index(name) for name in others]])


def p_value(p: float) -> str:
    return f"p {p:.1g}" if p < 0.095 else f"p {p:.2f}"


def any_difference(results: Results) -> str:
    """Friedman's test of each measure among those that are ranked."""
    results = results.only(methods=contestants(results))
    tests = {name: friedman(results.values[name], larger_is_better=sign > 0) for name, sign in MEASURES.items()}
    return ", ".join(f"{name} {p_value(test.p_value)}" for name, test in tests.items())


def ladder(results: Results, title: str, note: str) -> Table:
    """Each method beside the one before it: means, the mean change, how often it helps."""
    table = Table(
        title, ["", *(f"{name}: {what}" for name in MEASURES for what in ("mean", "step", "better on"))], note
    )
    for j, method in enumerate(results.methods):
        cells = []
        for name, sign in MEASURES.items():
            values = np.round(results.values[name], 4)
            change = values[:, j] - values[:, max(j - 1, 0)]
            cells += [
                f"{values[:, j].mean():.4f}",
                *([f"{change.mean():+.4f}", f"{np.sum(sign * change > 0)}"] if j else ["", ""]),
            ]
        table.add(method, *cells)
    return table


def each_problem(results: Results, measure: str, sizes: dict[str, str]) -> Table:
    table = Table(
        f"{measure} on each table", ["table", "rows, rare", *results.methods], "The best of each line is bold."
    )
    order = ranks(results, measure)
    for i, name in enumerate(results.problems):
        best = order[i] == order[i].min()
        table.add(
            name,
            sizes[name],
            *(_bold(f"{v:.3f}", top) for v, top in zip(results.values[measure][i], best, strict=True)),
        )
    return table
