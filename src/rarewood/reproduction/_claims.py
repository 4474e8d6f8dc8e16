"""Rules that decide whether a claim of a paper stands in our results.

Each function returns a rule: experiment and results in, verdict out. A claim of significance stands only if our test is
significant, too; a claim about a method or a data set that is not here cannot be tested.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, linregress, wilcoxon

from rarewood.evaluation import Comparison
from rarewood.reproduction._definition import Experiment, Outcome, Verdict
from rarewood.statistics import WinDrawLoss, bonferroni_dunn_cd, friedman, friedman_of_ranks, nemenyi_cd

ClaimTest = Callable[[Experiment, Comparison], Verdict]


def _needs(metric: str, *methods: str, on_all_sets: bool = True) -> Callable[[ClaimTest], ClaimTest]:
    """A rule that is only asked where all of these methods have scores: on all data sets, if more are still to come."""

    def wrap(rule: ClaimTest) -> ClaimTest:
        @wraps(rule)
        def guarded(experiment: Experiment, results: Comparison) -> Verdict:
            n_scored = np.isfinite(results.means(metric)).sum(axis=0).tolist()
            scores = dict(zip(results.methods, n_scored))
            absent = [method for method in methods if not scores.get(method)]
            if absent:
                return Verdict("cannot be tested", f"not here: {', '.join(absent)}")
            behind = [f"{method} on {scores[method]}" for method in methods if scores[method] < len(results.datasets)]
            if on_all_sets and behind and not results.is_finished:
                return Verdict("cannot be tested", f"unfinished: of {len(results.datasets)} sets {', '.join(behind)}")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return rule(experiment, results)

        return guarded

    return wrap


def _outcome(stands: bool | np.bool_) -> Outcome:
    return "reproduces" if stands else "does not"


def _columns(results: Comparison, metric: str, methods: Sequence[str]) -> NDArray[np.float64]:
    """Means of some methods on the data sets where all of them have one, of shape (n_datasets, n_methods)."""
    means = results.means(metric)[:, [results.methods.index(method) for method in methods]]
    return means[np.isfinite(means).all(axis=1)]


def _merits(results: Comparison, metric: str, methods: Sequence[str]) -> NDArray[np.float64]:
    """Like `_columns`, with the sign that makes larger better."""
    means = _columns(results, metric, methods)
    return means if results.larger_is_better(metric) else -means


def agrees(metric: str, methods: Sequence[str], limit: float) -> ClaimTest:
    """The mean absolute difference to the printed figures is at most `limit`, over the data sets that are finished."""

    @_needs(metric, *methods, on_all_sets=False)
    def rule(experiment: Experiment, results: Comparison) -> Verdict:
        printed = experiment.published[metric].matrix(results.datasets, methods)
        ours = results.means(metric)[:, [results.methods.index(method) for method in methods]]
        gap = np.abs(ours - printed)
        if not np.isfinite(gap).any():
            return Verdict("cannot be tested", "no figure on both sides")
        each = ", ".join(
            f"{method} {np.nanmean(gap[:, j]):.4f}" for j, method in enumerate(methods) if np.isfinite(gap[:, j]).any()
        )
        mean = float(np.nanmean(gap))
        evidence = f"{mean:.4f} over {int(np.isfinite(gap).sum())} figures ({each})"
        return Verdict(_outcome(mean <= limit), evidence)

    return rule


def wins_more(metric: str, pairs: Sequence[tuple[str, str]], printed: str = "") -> ClaimTest:
    """In each pair the second method has more significant wins than losses over the data sets (corrected paired t)."""

    @_needs(metric, *(name for pair in pairs for name in pair))
    def rule(experiment: Experiment, results: Comparison) -> Verdict:  # noqa: ARG001
        table = results.wins(metric).counts
        counts = {pair: table[pair[1], pair[0]] for pair in pairs}
        outcomes = ", ".join(f"{count} of {winner} against {loser}" for (loser, winner), count in counts.items())
        stands = all(count.wins > count.losses for count in counts.values())
        return Verdict(_outcome(stands), f"win/draw/loss {outcomes}" + (f"; printed {printed}" if printed else ""))

    return rule


def wins_as_marked(
    metric: str, pairs: Sequence[tuple[str, str]], marks: Mapping[tuple[str, str], Mapping[str, str]]
) -> ClaimTest:
    """Like `wins_more`, judged only for pairs whose printed marks of the sets at hand have more wins than losses.

    `marks` has "v" for a printed win of the second method of a pair on a data set, and "*" for a loss.
    """

    @_needs(metric, *(name for pair in pairs for name in pair))
    def rule(experiment: Experiment, results: Comparison) -> Verdict:  # noqa: ARG001
        table = results.wins(metric).counts
        comparisons, stands, open_ = [], [], []
        for pair in pairs:
            here = [marks[pair].get(name, "") for name in results.datasets]
            printed = WinDrawLoss(here.count("v"), here.count(""), here.count("*"))
            ours = table[pair[1], pair[0]]
            comparisons.append(f"{pair[0]} {ours} ({printed})")
            if printed.wins > printed.losses:
                stands.append(ours.wins > ours.losses)
            else:
                open_.append(pair[0])
        evidence = (
            f"win/draw/loss by oversampling, in parentheses the printed marks of these sets: {', '.join(comparisons)}"
        )
        if open_:
            evidence += f"; not judged, for want of printed wins on these sets: {', '.join(open_)}"
        return Verdict(_outcome(all(stands)) if stands else "cannot be tested", evidence)

    return rule


def most_wins(metric: str, first: Sequence[str], methods: Sequence[str]) -> ClaimTest:
    """By significant wins minus losses against all others, each of the `first` methods is ahead of all the rest."""

    @_needs(metric, *methods)
    def rule(experiment: Experiment, results: Comparison) -> Verdict:  # noqa: ARG001
        table = results.wins(metric).counts
        net = {
            method: sum(table[method, other].wins - table[method, other].losses for other in methods if other != method)
            for method in methods
        }
        order = sorted(net, key=lambda method: -net[method])
        stands = min(net[method] for method in first) > max(net[method] for method in methods if method not in first)
        return Verdict(_outcome(stands), "wins minus losses: " + ", ".join(f"{m} {net[m]:+d}" for m in order))

    return rule


def better_ranks(
    metric: str,
    winner: str,
    losers: Sequence[str],
    *,
    among: Sequence[str],
    posthoc: str = "nemenyi",
    level: float = 0.05,
    significant: bool = True,
) -> ClaimTest:
    """Friedman's test over `among` rejects and the winner's average rank is better by more than the critical difference.

    With `significant=False` only the better rank is asked for.
    """

    @_needs(metric, *among)
    def rule(experiment: Experiment, results: Comparison) -> Verdict:  # noqa: ARG001
        scores = _columns(results, metric, among)
        if len(scores) < 3:
            return Verdict("cannot be tested", f"only {len(scores)} data sets with all methods")
        test = friedman(scores, names=list(among), larger_is_better=results.larger_is_better(metric))
        ranks = test.average_ranks
        distance = {"nemenyi": nemenyi_cd, "bonferroni-dunn": bonferroni_dunn_cd}[posthoc](
            len(among), len(scores), level
        )
        if significant and distance >= len(among) - 1:
            return Verdict("cannot be tested", f"on {len(scores)} data sets no difference of ranks is significant")
        margin = min(ranks[loser] - ranks[winner] for loser in losers)
        listed_ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.as_dict().items())
        evidence = (
            f"average ranks over {len(scores)} sets: {listed_ranks}; Friedman chi2 {test.chi2:.2f}, F {test.f:.2f}, p {test.p_value:.3g}; "
            f"smallest margin {margin:.2f}, critical difference {distance:.2f} ({posthoc}, {level:g})"
        )
        return Verdict(
            _outcome(margin > 0 and (not significant or (test.p_value < level and margin > distance))), evidence
        )

    return rule


def no_difference(metric: str, first: str, second: str, level: float = 0.05) -> ClaimTest:
    """Two methods do not differ over the data sets: Friedman's test of their ranks does not reject."""

    @_needs(metric, first, second)
    def rule(experiment: Experiment, results: Comparison) -> Verdict:  # noqa: ARG001
        scores = _columns(results, metric, [first, second])
        if not len(scores) or friedman_of_ranks([1, 2], len(scores)).chi2_p_value >= level:
            return Verdict("cannot be tested", f"on {len(scores)} data sets no difference of ranks is significant")
        test = friedman(scores, names=[first, second], larger_is_better=results.larger_is_better(metric))
        ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in test.average_ranks.as_dict().items())
        return Verdict(_outcome(test.chi2_p_value >= level), f"average ranks {ranks}, p {test.chi2_p_value:.3g}")

    return rule


def best_on(metric: str, method: str, rivals: Sequence[str], share: float, near: float) -> ClaimTest:
    """The method has the best mean on at least `share` of the data sets and is within `near` of the best on the others."""

    @_needs(metric, method, *rivals)
    def rule(experiment: Experiment, results: Comparison) -> Verdict:  # noqa: ARG001
        scores = _merits(results, metric, [method, *rivals])
        behind = scores.max(axis=1) - scores[:, 0]
        best = int(np.sum(behind <= 1e-12))
        stands = best >= share * len(scores) and np.all(behind <= near)
        evidence = f"best on {best} of {len(scores)}; at most {behind.max():.3f} behind the best"
        return Verdict(_outcome(stands), evidence)

    return rule


def raises(metric: str, pairs: Sequence[tuple[str, str]], level: float = 0.05, as_printed: bool = False) -> ClaimTest:
    """In each pair the second method is better over the data sets, by the one-sided signed-rank test.

    With `as_printed`, the printed figures of the same data sets are tested first: a claim that they do not support cannot be
    tested here, whatever ours say.
    """

    @_needs(metric, *(name for pair in pairs for name in pair))
    def rule(experiment: Experiment, results: Comparison) -> Verdict:
        comparisons, p_values, printed = [], [], []
        for pair in pairs:
            gain = np.diff(_merits(results, metric, pair), axis=1)[:, 0]
            if len(gain) < 5:
                return Verdict("cannot be tested", f"only {len(gain)} data sets")
            p_values.append(_p_of_gain(gain))
            printed.append(_p_of_gain(_printed_gain(experiment, results, metric, pair)) if as_printed else 0.0)
            beside = f", printed p {printed[-1]:.3g}" if as_printed else ""
            better = f"better on {int((gain > 0).sum())} of {len(gain)}"
            comparisons.append(f"{pair[0]} {gain.mean():+.3f} ({better}, p {p_values[-1]:.3g}{beside})")
        found = "; ".join(comparisons)
        if max(printed) >= level:
            return Verdict("cannot be tested", f"the printed figures of these sets do not pass this test: {found}")
        return Verdict(_outcome(max(p_values) < level), found)

    return rule


def gains_as_printed(metric: str, pairs: Sequence[tuple[str, str]], limit: float) -> ClaimTest:
    """In each pair the mean gain of the second method is the printed one of the same data sets, within `limit`."""

    @_needs(metric, *(name for pair in pairs for name in pair))
    def rule(experiment: Experiment, results: Comparison) -> Verdict:
        comparisons, gaps, single = [], [], []
        for pair in pairs:
            printed = _printed_gain(experiment, results, metric, pair)
            places = [results.methods.index(method) for method in pair]
            gain = np.diff(results.means(metric)[:, places], axis=1)[:, 0] * (
                1.0 if results.larger_is_better(metric) else -1.0
            )
            both = np.isfinite(gain) & np.isfinite(printed)
            if not both.any():
                return Verdict("cannot be tested", f"no gain of {pair[0]} on both sides")
            gaps.append(abs(gain[both].mean() - printed[both].mean()))
            single.append(np.abs(gain - printed)[both])
            comparisons.append(f"{pair[0]} {gain[both].mean():+.4f} ({printed[both].mean():+.4f})")
        away = float(np.concatenate(single).mean())
        found = (
            f"mean gains, in parentheses printed: {', '.join(comparisons)}; single gains are {away:.4f} away on average"
        )
        return Verdict(_outcome(max(gaps) <= limit), found)

    return rule


def _printed_gain(experiment: Experiment, results: Comparison, metric: str, pair: Sequence[str]) -> NDArray[np.float64]:
    """What the second method of a pair gains in print on each data set at hand, NaN where a figure is missing."""
    sign = 1.0 if results.larger_is_better(metric) else -1.0
    gain: NDArray[np.float64] = (
        sign * np.diff(experiment.published[metric].matrix(results.datasets, pair), axis=1)[:, 0]
    )
    return gain


def _p_of_gain(gain: NDArray[np.float64]) -> float:
    known = gain[np.isfinite(gain)]
    return float(wilcoxon(known, alternative="greater").pvalue) if np.any(known) else 1.0


def rarely_loses(metric: str, pairs: Sequence[tuple[str, str]], at_most: int) -> ClaimTest:
    """In each pair the second method has significant losses on at most `at_most` of more data sets (corrected paired t)."""

    @_needs(metric, *(name for pair in pairs for name in pair))
    def rule(experiment: Experiment, results: Comparison) -> Verdict:  # noqa: ARG001
        table = results.wins(metric).counts
        counts = {plain: table[changed, plain] for plain, changed in pairs}
        outcomes = ", ".join(f"{plain} {count}" for plain, count in counts.items())
        if any(c.wins + c.draws + c.losses <= at_most for c in counts.values()):
            return Verdict("cannot be tested", f"no more than {at_most} data sets: win/draw/loss {outcomes}")
        return Verdict(_outcome(all(c.losses <= at_most for c in counts.values())), f"win/draw/loss {outcomes}")

    return rule


def wins_runs(metric: str, winner: str, loser: str, printed: int, of: int, level: float = 0.05) -> ClaimTest:
    """Over simulated runs, each a data set of its own, the winner wins more often than chance allows (sign test)."""

    @_needs(metric, winner, loser)
    def rule(experiment: Experiment, results: Comparison) -> Verdict:  # noqa: ARG001
        scores = _merits(results, metric, [winner, loser])
        wins, losses = int(np.sum(scores[:, 0] > scores[:, 1])), int(np.sum(scores[:, 0] < scores[:, 1]))
        if wins + losses < 6:
            return Verdict("cannot be tested", f"only {wins + losses} runs that are not drawn")
        p_value = float(binomtest(wins, wins + losses, alternative="greater").pvalue)
        evidence = f"{winner} wins {wins} of {len(scores)} runs (printed: {printed} of {of}), sign test p {p_value:.3g}"
        return Verdict(_outcome(p_value < level), evidence)

    return rule


def follows(metric: str, at: dict[str, float], rises: bool, level: float = 0.05) -> ClaimTest:
    """Over methods placed at values of a parameter, the measure rises (or falls) with it: slope of the regression line.

    The figures that this is for show lines without a test; a slope that chance explains is no trend here.
    """

    @_needs(metric, *at)
    def rule(experiment: Experiment, results: Comparison) -> Verdict:  # noqa: ARG001
        columns = _columns(results, metric, list(at))
        if len(at) < 3 or not len(columns):
            return Verdict("cannot be tested", f"{len(at)} values of the parameter on {len(columns)} data sets")
        scores = columns.mean(axis=0)
        line: Any = linregress(list(at.values()), scores)
        stands = (line.slope > 0 if rises else line.slope < 0) and line.pvalue < level
        return Verdict(
            _outcome(stands), f"slope {line.slope:+.4f}, p {line.pvalue:.3g}, from {scores[0]:.3f} to {scores[-1]:.3f}"
        )

    return rule


def best_at(metric: str, dataset: str, method: str, rivals: Sequence[str]) -> ClaimTest:
    """The method has a better mean than each rival on one data set."""

    @_needs(metric, method, *rivals)
    def rule(experiment: Experiment, results: Comparison) -> Verdict:  # noqa: ARG001
        if dataset not in results.datasets:
            return Verdict("cannot be tested", f"{dataset} is not here")
        means = dict(zip(results.methods, results.means(metric)[results.datasets.index(dataset)].tolist()))
        merits = {name: means[name] if results.larger_is_better(metric) else -means[name] for name in (method, *rivals)}
        if not np.isfinite(list(merits.values())).all():
            return Verdict("cannot be tested", f"not all methods have a score on {dataset}")
        listed_means = ", ".join(f"{name} {means[name]:.3f}" for name in sorted(merits, key=lambda name: -merits[name]))
        return Verdict(_outcome(merits[method] > max(merits[rival] for rival in rivals)), listed_means)

    return rule


def differs_at(metric: str, dataset: str, winner: str, loser: str, level: float = 0.05) -> ClaimTest:
    """On one data set the winner is significantly better (corrected paired t)."""

    @_needs(metric, winner, loser)
    def rule(experiment: Experiment, results: Comparison) -> Verdict:  # noqa: ARG001
        if dataset not in results.datasets:
            return Verdict("cannot be tested", f"{dataset} is not here")
        test = results.test(metric, dataset, winner, loser)
        gain = test.mean_difference if results.larger_is_better(metric) else -test.mean_difference
        return Verdict(_outcome(gain > 0 and test.p_value < level), f"difference {gain:+.3f}, p {test.p_value:.3g}")

    return rule
