"""Repeats the experiments of a paper."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from rarewood._validation import did_you_mean
from rarewood.evaluation import Comparison, compare
from rarewood.exceptions import RarewoodWarning
from rarewood.reproduction._definition import Experiment
from rarewood.reproduction._result import Reproduction, Run
from rarewood.reproduction.papers import PAPERS


def papers() -> list[str]:
    """The papers that :func:`reproduce` knows.

    Returns
    -------
    list of str
        Their short names.

    Examples
    --------
    >>> from rarewood.reproduction import papers
    >>> papers()
    ['hedex', 'beat', 'mc-hddt', 'bias', 'ihd']
    """
    return list(PAPERS)


def reproduce(
    paper: str,
    full: bool = False,
    *,
    experiments: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    protocol: str | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    cache: str | os.PathLike[str] | None = None,
    only_cached: bool = False,
    random_state: int = 0,
) -> Reproduction:
    """Repeat a paper's experiments on every data set at hand and compare with its printed figures.

    Parameters
    ----------
    paper : str
        A name from :func:`papers`.
    full : bool, default=False
        Use all data sets and the paper's protocol, which may take hours. Otherwise a few small sets and fewer repeats, which
        takes minutes.
    experiments, datasets, methods : sequence of str, optional
        Use only these, by the names that the paper uses. Experiments that have none of the data sets or none of the methods are
        left out.
    protocol : str, optional
        Another protocol: repeats x folds, such as "5x2" or "10x10"; "10fold" is "1x10".
    n_jobs : int or None, default=None
        Number of parallel processes: None means 1, -1 one per processor. Scores do not depend on it.
    progress : bool or None, default=None
        Whether to show a bar with the time left; None shows it on a terminal.
    cache : path, optional
        A folder that results are written to as they come; a stopped run resumes from there.
    only_cached : bool, default=False
        Compute nothing: show what the last run has left in the cache, finished or not.
    random_state : int, default=0
        Seed of the folds and of the methods.

    Returns
    -------
    Reproduction
        Our figures beside the printed ones, ranks, wins, the paper's test, what is missing, and a verdict per claim.

    Notes
    -----
    What is missing here, a data set or a method, is left out and named with the reason; a claim about it cannot be tested.

    Examples
    --------
    >>> from rarewood.reproduction import reproduce
    >>> result = reproduce("ihd", experiments=["table-3"], datasets=["wine"], methods=["Gini", "iHD"], protocol="1x2")
    >>> result
    Reproduction of 'ihd' (quick): 0 reproduces, 0 does not, 9 cannot be tested
    """
    if paper not in PAPERS:
        raise ValueError(f"unknown paper {paper!r}{did_you_mean(paper, PAPERS)} Choose from {', '.join(PAPERS)}.")
    if only_cached and cache is None:
        raise ValueError("only_cached=True shows what a cache has; give its folder as cache=.")
    chosen = PAPERS[paper]
    _check(experiments, [experiment.name for experiment in chosen.experiments], "experiment")
    _check(datasets, [each.name for experiment in chosen.experiments for each in experiment.datasets], "data set")
    _check(methods, [each.name for experiment in chosen.experiments for each in experiment.methods], "method")
    runs = []
    for experiment in chosen.experiments:
        if experiments is not None and experiment.name not in experiments:
            continue
        selected = _select(experiment, datasets, methods)
        if selected is None:
            continue
        file = None if cache is None else Path(cache) / f"{paper}-{experiment.name}.jsonl"
        if only_cached:
            runs.append(_read(selected, file))
            continue
        is_short = not full and datasets is None
        settings = {"n_jobs": n_jobs, "progress": progress, "cache": file, "random_state": random_state}
        runs.append(
            _run(selected, protocol or (experiment.protocol if full else experiment.quick_protocol), is_short, settings)
        )
    return Reproduction(chosen, tuple(runs), full)


def _select(experiment: Experiment, datasets: Sequence[str] | None, methods: Sequence[str] | None) -> Experiment | None:
    """The experiment with the asked-for data sets and methods only, None if it has none of them."""
    sets = tuple(each for each in experiment.datasets if datasets is None or each.name in datasets)
    wanted = tuple(each for each in experiment.methods if methods is None or each.name in methods)
    return replace(experiment, datasets=sets, methods=wanted) if sets and wanted else None


def _run(experiment: Experiment, protocol: str, is_short: bool, settings: dict[str, Any]) -> Run:
    reasons = {method.name: method.why_missing() for method in experiment.methods}
    estimators = {method.name: method.build() for method in experiment.methods if not reasons[method.name]}
    missing_methods = {name: reason for name, reason in reasons.items() if reason}
    left_out = tuple(each.name for each in experiment.datasets if is_short and each.name not in experiment.quick)
    found = {each.name: each.find() for each in experiment.datasets if each.name not in left_out}
    tables = {name: table for name, (table, _) in found.items() if table is not None}
    missing = {name: reason for name, (table, reason) in found.items() if table is None}
    if not tables or not estimators:
        return Run(experiment, None, missing, missing_methods, left_out)
    # regressions on small tables lose more than they gain by the threads of a linear algebra library
    with threadpool_limits(1, user_api="blas"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*fewer than the folds of ", category=RarewoodWarning)
        results = compare(estimators, tables, protocol, list(experiment.metrics), copies="apart", **settings)
    return Run(experiment, results, missing, missing_methods, left_out)


def _read(experiment: Experiment, file: Path | None) -> Run:
    """Read the results that the last run of an experiment has left in its file."""
    if file is None or not file.is_file():
        return Run(experiment, None, {}, {})
    names = [each.name for each in experiment.datasets], [each.name for each in experiment.methods]
    results = Comparison.load(file).part(datasets=names[0], methods=names[1])
    sets = {each.name: each.find()[1] or "not run" for each in experiment.datasets if each.name not in results.datasets}
    methods = {
        each.name: each.why_missing() or "not run" for each in experiment.methods if each.name not in results.methods
    }
    return Run(experiment, results if results.datasets and results.methods else None, sets, methods)


def _check(given: Sequence[str] | None, known: Sequence[str], what: str) -> None:
    for name in given or ():
        if name not in known:
            accepted = ", ".join(dict.fromkeys(known))
            raise ValueError(f"unknown {what} {name!r}{did_you_mean(name, known)} Choose from {accepted}.")
