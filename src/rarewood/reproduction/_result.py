"""The results of a reproduction."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._terminal import shown
from rarewood.evaluation import Comparison
from rarewood.reproduction._definition import Claim, Experiment, Paper, Verdict
from rarewood.reproduction._markdown import render
from rarewood.statistics import AverageRanks, average_ranks


@dataclass(frozen=True, eq=False)
class Run:
    """One experiment of a paper: our results, the printed figures, and what is missing.

    Parameters
    ----------
    experiment : Experiment
        What was asked.
    results : Comparison or None
        What came out; None if nothing could be run.
    missing_datasets, missing_methods : mapping of str to str
        What is not here, and why.
    left_out : tuple of str
        Data sets that are here but not part of a quick run.
    """

    experiment: Experiment
    results: Comparison | None
    missing_datasets: Mapping[str, str]
    missing_methods: Mapping[str, str]
    left_out: tuple[str, ...] = ()

    def ours(self, metric: str) -> NDArray[np.float64]:
        """Our means of shape (n_datasets, n_methods)."""
        assert self.results is not None
        return self.results.means(metric)

    def printed(self, metric: str) -> NDArray[np.float64]:
        """The printed figures in the same shape, NaN where there are none."""
        assert self.results is not None
        table = self.experiment.published.get(metric)
        shape = (len(self.results.datasets), len(self.results.methods))
        return table.matrix(self.results.datasets, self.results.methods) if table else np.full(shape, np.nan)

    def is_beyond_noise(self, metric: str) -> NDArray[np.bool_]:
        """Which of our figures differ from the printed ones by more than another division into folds would explain.

        The variance of a mean over folds is that of Nadeau and Bengio, (1 / J + n_test / n_train) times the variance of the J
        scores. The printed figure has as much of it as ours, so the limit is twice the root of twice that.
        """
        assert self.results is not None
        results = self.results
        errors = np.empty(self.ours(metric).shape)
        for row, dataset in enumerate(results.datasets):
            scores = results.fold_scores(metric, dataset)
            known = np.maximum(np.isfinite(scores).sum(axis=1), 1)
            spread = np.array(
                [np.var(line[np.isfinite(line)], ddof=1) if n > 1 else np.inf for line, n in zip(scores, known)]
            )
            n_train, n_test = results.fold_sizes(dataset)
            errors[row] = np.sqrt(2.0 * (1.0 / known + n_test / n_train) * spread)
        # a printed figure is rounded, too
        beyond: NDArray[np.bool_] = np.abs(self.ours(metric) - self.printed(metric)) > 2.0 * errors + 0.0005
        return beyond

    @property
    def progress(self) -> tuple[int, int]:
        """Results that are there, and results that the run will have."""
        return (0, 0) if self.results is None else (len(self.results.records), self.results.n_wanted)

    def mean_difference(self, metric: str) -> float:
        """Mean absolute difference of our figures from the printed ones, NaN without any."""
        gap = np.abs(self.ours(metric) - self.printed(metric))
        return float(np.nanmean(gap)) if np.isfinite(gap).any() else float("nan")

    def ranks(self, metric: str) -> tuple[AverageRanks, AverageRanks] | None:
        """Average ranks of ours and of the printed figures, over the data sets that have both for all methods."""
        assert self.results is not None
        ours, printed = self.ours(metric), self.printed(metric)
        whole = np.isfinite(ours).all(axis=1) & np.isfinite(printed).all(axis=1)
        if not whole.any() or len(self.results.methods) < 2:
            return None
        larger = self.results.larger_is_better(metric)
        names = self.results.methods
        first, second = (average_ranks(m[whole], names=names, larger_is_better=larger) for m in (ours, printed))
        return first, second


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A paper's experiments repeated, beside the printed figures, with a verdict for each claim.

    Parameters
    ----------
    paper : Paper
        What was reproduced.
    runs : tuple of Run
        The experiments.
    full : bool
        Whether the protocol is that of the paper on every data set at hand.

    See Also
    --------
    reproduce : Makes one.
    """

    paper: Paper
    runs: tuple[Run, ...]
    full: bool

    def __getitem__(self, name: str) -> Run:
        """The run of an experiment."""
        return next(run for run in self.runs if run.experiment.name == name)

    @cached_property
    def verdicts(self) -> list[tuple[Claim, Verdict]]:
        """Every claim of the paper with what our results say about it."""
        return [(claim, self._decide(claim)) for claim in self.paper.claims]

    def _decide(self, claim: Claim) -> Verdict:
        runs = [run for run in self.runs if run.experiment.name == claim.experiment]
        if not runs or runs[0].results is None:
            return Verdict(
                "cannot be tested", "the experiment did not run" if runs else "the experiment was not asked for"
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return claim.decide(runs[0].experiment, runs[0].results)

    def table(self, experiment: str, metric: str) -> list[dict[str, Any]]:
        """Our figure beside the printed one, a row per data set and method.

        Parameters
        ----------
        experiment : str
            Name of the experiment.
        metric : str
            The measure.

        Returns
        -------
        list of dict
            With `dataset`, `method`, `ours`, `published` and `difference`; ready for a data frame.
        """
        run = self[experiment]
        if run.results is None:
            return []
        ours, printed = run.ours(metric), run.printed(metric)
        return [
            {
                "dataset": dataset,
                "method": method,
                "ours": float(ours[i, j]),
                "published": float(printed[i, j]),
                "difference": float(ours[i, j] - printed[i, j]),
            }
            for i, dataset in enumerate(run.results.datasets)
            for j, method in enumerate(run.results.methods)
        ]

    def to_markdown(self, command: str = "") -> str:
        """The whole result as text in Markdown.

        Parameters
        ----------
        command : str
            What to write as the command that made it.

        Returns
        -------
        str
        """
        return render(self, command)

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    @shown
    def __repr__(self) -> str:
        outcomes = [verdict.outcome for _, verdict in self.verdicts]
        counts = ", ".join(f"{outcomes.count(o)} {o}" for o in ("reproduces", "does not", "cannot be tested"))
        return f"Reproduction of {self.paper.name!r} ({'full' if self.full else 'quick'}): {counts}"
