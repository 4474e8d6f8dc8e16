"""Repeats the experiments of a paper."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits

from rarewood._validation import did_you_mean
from rarewood.evaluation import compare
from rarewood.exceptions import RarewoodWarning
from rarewood.reproduction._definition import Experiment, Paper
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
    random_state: int = 0,
) -> Reproduction:
    """Repeat a paper's experiments on every data set at hand and compare with its printed figures.

    Parameters
    ----------
    paper : str
        A name of :func:`papers`.
    full : bool, default=False
        All data sets by the paper's protocol, which may take hours. Otherwise a few small sets and fewer repeats: minutes.
    experiments, datasets, methods : sequence of str, optional
        Only these, by the names of the paper. Experiments without any of the data sets or methods are left out.
    protocol : str, optional
        Another protocol, as :func:`rarewood.evaluation.compare` takes it.
    n_jobs, progress, random_state
        As in :func:`rarewood.evaluation.compare`.
    cache : path, optional
        A folder for results as they come; a run that was stopped goes on from there.

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
    Reproduction of 'ihd' (quick): ...
    """
    if paper not in PAPERS:
        raise ValueError(f"unknown paper {paper!r}{did_you_mean(paper, PAPERS)} Accepted are {', '.join(PAPERS)}.")
    chosen = PAPERS[paper]
    _check(experiments, [experiment.name for experiment in chosen.experiments], "experiment")
    _check(datasets, [each.name for experiment in chosen.experiments for each in experiment.datasets], "data set")
    _check(methods, [each.name for experiment in chosen.experiments for each in experiment.methods], "method")
    runs = []
    for experiment in chosen.experiments:
        if experiments is not None and experiment.name not in experiments:
            continue
        run = _run(chosen, experiment, full, datasets, methods, protocol, n_jobs, progress, cache, random_state)
        if run is not None:
            runs.append(run)
    return Reproduction(chosen, tuple(runs), full)


def _run(
    paper: Paper,
    experiment: Experiment,
    full: bool,
    datasets: Sequence[str] | None,
    methods: Sequence[str] | None,
    protocol: str | None,
    n_jobs: int | None,
    progress: bool | None,
    cache: str | os.PathLike[str] | None,
    random_state: int,
) -> Run | None:
    asked = [each for each in experiment.datasets if datasets is None or each.name in datasets]
    wanted = [each for each in experiment.methods if methods is None or each.name in methods]
    if not asked or not wanted:
        return None
    reasons = {method.name: method.why_missing() for method in wanted}
    builders = {method.name: method.build() for method in wanted if not reasons[method.name]}
    missing_methods = {name: reason for name, reason in reasons.items() if reason}
    tables, missing, left_out = {}, {}, []
    for each in asked:
        if not full and datasets is None and each.name not in experiment.quick:
            left_out.append(each.name)
            continue
        table, reason = each.find()
        if table is None:
            missing[each.name] = reason
        else:
            tables[each.name] = table
    if not tables or not builders:
        return Run(experiment, None, missing, missing_methods, tuple(left_out))
    # regressions on small tables lose more than they gain by the threads of a linear algebra library
    with threadpool_limits(1, user_api="blas"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*fewer than .* has folds", category=RarewoodWarning)
        results = compare(
            builders,
            tables,
            protocol or (experiment.protocol if full else experiment.quick_protocol),
            list(experiment.metrics),
            n_jobs=n_jobs,
            progress=progress,
            cache=None if cache is None else Path(cache) / f"{paper.name}-{experiment.name}.jsonl",
            random_state=random_state,
        )
    return Run(experiment, results, missing, missing_methods, tuple(left_out))


def _check(given: Sequence[str] | None, known: Sequence[str], what: str) -> None:
    for name in given or ():
        if name not in known:
            accepted = ", ".join(dict.fromkeys(known))
            raise ValueError(f"unknown {what} {name!r}{did_you_mean(name, known)} Accepted are {accepted}.")
