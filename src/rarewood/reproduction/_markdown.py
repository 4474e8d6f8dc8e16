"""A reproduction as text in Markdown."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rarewood.exceptions import RarewoodWarning

if TYPE_CHECKING:
    from rarewood.reproduction._result import Reproduction, Run

_MOST_ROWS = 30
"""A table of more data sets, such as one of simulated runs, is summed up."""


def render(reproduction: Reproduction, command: str) -> str:
    """Title, verdicts, then every experiment."""
    paper = reproduction.paper
    parts = [f"## {paper.title}", f"{paper.citation}."]
    if not reproduction.full:
        parts.append("A quick run: few data sets and repeats; its verdicts are weak.")
    parts += [_provenance(reproduction, command), paper.setting, "### Verdicts", _verdicts(reproduction)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RarewoodWarning)  # of data sets left out of ranks; the table shows the gaps
        for run in reproduction.runs:
            parts += _experiment(run)
    return "\n\n".join(part for part in parts if part) + "\n"


def _summary_row(reproduction: Reproduction) -> list[str]:
    """Paper, data sets run, mean differences to the printed figures, verdicts."""
    outcomes = [verdict.outcome for _, verdict in reproduction.verdicts]
    real = {each.name for run in reproduction.runs for each in run.experiment.datasets if not callable(each.sources)}
    sets = real & {name for run in reproduction.runs if run.results for name in run.results.datasets}
    gaps = [
        f"{run.results.title(metric)} {run.mean_difference(metric):.3f}"
        for run in reproduction.runs
        if run.results and not run.experiment.is_variant
        for metric in run.experiment.published
        if np.isfinite(run.mean_difference(metric))
    ]
    counts = [str(outcomes.count(o)) for o in ("reproduces", "does not", "cannot be tested")]
    return [reproduction.paper.name, str(len(sets)), "; ".join(gaps) or "no printed figures", *counts]


def summary_table(reproductions: Sequence[Reproduction]) -> str:
    """One line per paper."""
    head = ["paper", "data sets", "mean absolute difference to the print", "reproduces", "does not", "cannot be tested"]
    return _table(head, [_summary_row(each) for each in reproductions])


def summary_line(reproduction: Reproduction) -> str:
    """The line of one paper."""
    return _line(_summary_row(reproduction))


def _provenance(reproduction: Reproduction, command: str) -> str:
    about = sorted(
        (run.results.provenance for run in reproduction.runs if run.results), key=lambda each: each["started"]
    )
    if not about:
        return "Nothing could be run."
    dates = dict.fromkeys(each["started"][:10] for each in (about[0], about[-1]))
    versions = ", ".join(f"{name} {version}" for name, version in about[-1]["versions"].items() if version)
    made = f"Run of {' to '.join(dates)} with {versions}"
    return made + (f", by `{command}`." if command else ".")


def _verdicts(reproduction: Reproduction) -> str:
    rows = [
        [claim.text, claim.where, f"**{v.outcome}**", v.evidence, claim.why_not if v.outcome == "does not" else ""]
        for claim, v in reproduction.verdicts
    ]
    return _table(["claim", "where", "verdict", "our figures", "why not"], rows)


def _experiment(run: Run) -> list[str]:
    experiment = run.experiment
    parts = [f"### {experiment.title}"]
    if experiment.note:
        parts.append(experiment.note)
    if run.results is not None:
        done, wanted = run.progress
        unfinished = (
            f" Unfinished: {done} of {wanted} results; a dash marks what is still to come." if done < wanted else ""
        )
        parts.append(f"Protocol {run.results.provenance['protocol']}.{unfinished}")
        for metric in experiment.metric_names:
            parts += _scores(run, metric)
        parts += _wins(run)
    parts.append(_what_is_missing(run))
    return parts


def _scores(run: Run, metric: str) -> list[str]:
    assert run.results is not None
    methods = run.results.methods
    ours, printed = run.ours(metric), run.printed(metric)
    has_print = bool(np.isfinite(printed).any())
    title = f"**{run.results.title(metric)}**" + (": ours, in parentheses the printed figure." if has_print else ".")
    beyond = run.is_beyond_noise(metric) if has_print else np.zeros(ours.shape, dtype=bool)
    rows = []
    if len(run.results.datasets) <= _MOST_ROWS:
        for i, name in enumerate(run.results.datasets):
            cells = zip(ours[i], printed[i], beyond[i])
            rows.append([name, *(_cell(mine, theirs, far, has_print) for mine, theirs, far in cells)])
    if has_print:
        gaps = np.abs(ours - printed)
        rows.append(["*mean absolute difference*", *(_number(_mean(gaps[:, j]), 4) for j in range(len(methods)))])
        signed = ours - printed
        rows.append(["*mean difference*", *(_number(_mean(signed[:, j]), 4, sign=True) for j in range(len(methods)))])
    else:
        rows.append(["*mean*", *(_number(_mean(ours[:, j]), 4) for j in range(len(methods)))])
    rows += _rank_rows(run, metric)
    return [
        title,
        _table(["data set", *methods], rows),
        _noise(beyond, printed) if has_print else "",
        _tests(run, metric),
    ]


def _noise(beyond: np.ndarray, printed: np.ndarray) -> str:
    return (
        f"Bold: differs from the print by more than another division into folds would explain, {int(beyond.sum())} of "
        f"{int(np.isfinite(printed).sum())} figures (twice the standard error of a difference, after Nadeau and Bengio)."
    )


def _rank_rows(run: Run, metric: str) -> list[list[str]]:
    assert run.results is not None
    both = run.ranks(metric)
    if both is not None:
        ours, printed = both
        cells = [f"{ours[name]:.2f} ({printed[name]:.2f})" for name in run.results.methods]
        return [[f"*average rank over {ours.n_datasets} sets*", *cells]]
    whole = np.isfinite(run.ours(metric)).all(axis=1)
    if len(run.results.methods) < 2 or not whole.any():
        return []
    ranks = run.results.ranks(metric)
    return [[f"*average rank over {ranks.n_datasets} sets*", *(f"{ranks[name]:.2f}" for name in run.results.methods)]]


def _tests(run: Run, metric: str) -> str:
    assert run.results is not None
    whole = np.isfinite(run.ours(metric)).all(axis=1)
    if len(run.results.methods) < 2 or whole.sum() < 3:
        return ""
    test = run.results.friedman(metric)
    return f"Friedman over {int(whole.sum())} sets: chi2 {test.chi2:.2f}, Iman-Davenport F {test.f:.2f}, p {test.p_value:.3g}."


def _wins(run: Run) -> list[str]:
    """Wins, draws and losses of the column against the row, as the papers print them."""
    assert run.results is not None
    experiment = run.experiment
    if experiment.reference is None or len(run.results.methods) < 2:
        return []
    parts = []
    for metric in experiment.metric_names:
        table = run.results.wins(metric)
        names = run.results.methods
        rows = [[row, *("" if row == column else str(table.counts[column, row]) for column in names)] for row in names]
        parts.append(
            f"Win/draw/loss of the column against the row, {run.results.title(metric)}, corrected paired t at 95 %:"
        )
        parts.append(_table(["", *names], rows))
    return parts


def _what_is_missing(run: Run) -> str:
    here = run.results.datasets if run.results is not None else []
    lines = [f"- {each.name}: {each.note}" for each in run.experiment.datasets if each.note and each.name in here]
    parts = ["Data sets that differ from the paper's or needed a choice:", "", *lines, ""] if lines else []
    absent = [f"- {name}: {reason}" for name, reason in {**run.missing_datasets, **run.missing_methods}.items()]
    parts += ["Missing:", "", *absent, ""] if absent else []
    if run.results is not None:
        failed = [f"- {method} on {dataset}: {error}" for (dataset, method), error in run.results.failures().items()]
        parts += ["Failed:", "", *failed, ""] if failed else []
        if any(run.results.n_undefined(metric) for metric in run.experiment.metric_names):
            counts = ", ".join(
                f"{run.results.n_undefined(m)} of {run.results.title(m)}" for m in run.experiment.metric_names
            )
            parts += [f"Folds without a score because a class is missing from them: {counts}.", ""]
    if run.left_out:
        parts.append(f"Not part of a quick run: {', '.join(run.left_out)}.")
    return "\n".join(parts).strip()


def _cell(ours: float, printed: float, far: bool, has_print: bool) -> str:
    mine = f"**{_number(ours, 3)}**" if far else _number(ours, 3)
    return f"{mine} ({_number(printed, 3)})" if has_print else mine


def _number(value: float, digits: int, sign: bool = False) -> str:
    if not np.isfinite(value):
        return "–"
    return f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"


def _mean(values: np.ndarray) -> float:
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(map(_line, [head, ["---"] * len(head), *rows]))


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
