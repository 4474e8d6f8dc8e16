"""The results of a comparison, and what can be asked of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rarewood._files import written_whole
from rarewood._terminal import shown
from rarewood._warnings import warn
from rarewood.evaluation._html import comparison_page, comparison_summary
from rarewood.evaluation._one_table import FEWEST_FOLDS, FoldTable, corrected_interval
from rarewood.evaluation._plot import draw_ranks
from rarewood.evaluation._results import Results
from rarewood.evaluation._tables import ScoreTable, WinTable, comparable
from rarewood.statistics import (
    AverageRanks,
    Friedman,
    PairedT,
    average_ranks,
    corrected_paired_t,
    friedman,
    win_draw_loss,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Comparison(Results):
    """Results of :func:`compare`.

    In all methods, `metric` is one of :attr:`metrics`, or one of the costs ``"fit_seconds"``, ``"predict_seconds"`` and
    ``"model_bytes"``.

    Parameters
    ----------
    run : dict
        Description of the run; see :attr:`provenance`.
    results : dict of str to dict
        Results by their keys; those that do not belong to the run are left out.

    Attributes
    ----------
    methods, datasets, metrics : list of str
        What was compared.
    records : list of dict
        The results in their order, one per data set, fold, repeat of the learner and method.
    provenance : dict
        Protocol, seed, parameters of the methods, sizes and fingerprints of the data sets, versions, machine, time of start.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer, load_iris, load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from rarewood.evaluation import compare
    >>> methods = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(), "stump": DecisionTreeClassifier(max_depth=1)}
    >>> datasets = {"breast": load_breast_cancer(), "iris": load_iris(), "wine": load_wine()}
    >>> result = compare(methods, datasets, "5x2", ["hand_till", "log_loss"])
    >>> result.ranks("hand_till")
    average ranks over 3 data sets, 1 is best
    bayes  1.00
    tree   2.00
    stump  3.00
    >>> result.wins("hand_till")
    wins/draws/losses of the row against the column in Hand-Till AUC
    (corrected paired t, p < 0.05)
           bayes   tree  stump
    bayes         3/0/0  3/0/0
    tree   0/0/3         2/1/0
    stump  0/0/3  0/1/2
    """

    def table(
        self, metric: str, *, reference: str | None = None, level: float = 0.05, decimals: int | None = None
    ) -> ScoreTable:
        """Table of mean scores, in the form that papers use.

        Parameters
        ----------
        metric : str
            The measure.
        reference : str, default=None
            A method to test the others against on each data set, by the corrected paired t test.
        level : float, default=0.05
            Significance level of that test.
        decimals : int, default=None
            Digits after the point; None chooses 3, or fewer for large numbers.

        Returns
        -------
        ScoreTable
            One row per data set and one column per method, the best in brackets, ``v`` where a method is significantly better
            than the reference and ``*`` where it is worse; below, if there are several data sets, the mean, the average rank and
            wins/draws/losses against the reference.
        """
        if reference is not None:
            self._check_name(reference, self.methods, "method")
        names, scores = self._ranked(metric)
        larger = self.larger_is_better(metric)
        is_ranked = scores.size and len(names) > 1 and len(self.datasets) > 1
        ranks = average_ranks(scores, names=names, larger_is_better=larger) if is_ranked else None
        return ScoreTable(
            title=self.title(metric),
            protocol=self.provenance["protocol"],
            datasets=tuple(self.datasets),
            methods=tuple(self.methods),
            means=self.means(metric),
            larger_is_better=larger,
            ranks=None if ranks is None else ranks.as_dict(),
            reference=reference,
            p_values=None if reference is None else self._p_values(metric, reference),
            level=level,
            decimals=decimals,
            n_skipped=self.n_undefined(metric),
        )

    def folds(
        self, metric: str, dataset: str | None = None, *, reference: str | None = None, level: float = 0.95
    ) -> FoldTable:
        """Results on the folds of one data set: mean and spread per method, with intervals for means and differences.

        A method that failed on a fold has neither: a mean over easier folds would not be fair.

        Parameters
        ----------
        metric : str
            The measure.
        dataset : str, default=None
            The data set; None if there is only one.
        reference : str, default=None
            The method to compare the others with; None takes the best.
        level : float, default=0.95
            Confidence of the intervals, which are corrected for shared training rows and cut where the measure ends.

        Returns
        -------
        FoldTable

        See Also
        --------
        table : Means over several data sets.
        """
        if dataset is None and len(self.datasets) > 1:
            raise ValueError(f"there are several data sets; name one of {', '.join(self.datasets)}.")
        dataset = self.datasets[0] if dataset is None else dataset
        (n_train, n_test) = self.fold_sizes(dataset)
        whole = self.is_complete[self.datasets.index(dataset)]
        scores = np.where(whole[:, np.newaxis], self.fold_scores(metric, dataset), np.nan)
        low, high = self._limits(metric)
        methods = {
            name: corrected_interval(row, n_train, n_test, level, (low, high))
            for name, row in zip(self.methods, scores)
        }
        is_best = reference is None
        if reference is None:
            sign = 1 if self.larger_is_better(metric) else -1
            reference = max(self.methods, key=lambda name: np.nan_to_num(sign * methods[name].mean, nan=-np.inf))
        self._check_name(reference, self.methods, "method")
        base = scores[self.methods.index(reference)]
        differences = {
            name: corrected_interval(row - base, n_train, n_test, level, (low - high, high - low))
            for name, row in zip(self.methods, scores)
            if name != reference
        }
        protocol = self.provenance["protocol"]
        failed = tuple(name for name, is_whole in zip(self.methods, whole.tolist()) if not is_whole)
        return FoldTable(self.title(metric), protocol, dataset, methods, differences, reference, level, failed, is_best)

    def test(self, metric: str, dataset: str, first: str, second: str) -> PairedT:
        """Corrected paired t test of two methods on the folds of one data set.

        Parameters
        ----------
        metric : str
            The measure.
        dataset : str
            The data set.
        first, second : str
            The methods.

        Returns
        -------
        PairedT
        """
        for method in (first, second):
            self._check_name(method, self.methods, "method")
        scores = dict(zip(self.methods, self.fold_scores(metric, dataset)))
        n_train, n_test = self.fold_sizes(dataset)
        return corrected_paired_t(scores[first], scores[second], n_train=n_train, n_test=n_test)

    def _p_values(self, metric: str, reference: str) -> NDArray[np.float64]:
        """P-values of every method against the reference, of shape (data sets, methods); 1 where there is nothing to test."""
        p_values = np.ones((len(self.datasets), len(self.methods)))
        means = self.means(metric)
        base = self.methods.index(reference)
        for row, dataset in enumerate(self.datasets):
            for column, method in enumerate(self.methods):
                both = self.fold_scores(metric, dataset)[[base, column]]
                if column != base and np.isfinite(means[row, [base, column]]).all() and _n_shared(both) >= FEWEST_FOLDS:
                    p_values[row, column] = self.test(metric, dataset, method, reference).p_value
        return p_values

    def wins(self, metric: str, *, level: float | None = 0.05) -> WinTable:
        """Count how often each method beats each other one.

        Parameters
        ----------
        metric : str
            The measure.
        level : float or None, default=0.05
            Significance level. A win is a difference on a data set that is significant by the corrected paired t test, which
            needs at least three folds; None counts every difference between means.

        Returns
        -------
        WinTable
        """
        means = self.means(metric)
        larger = self.larger_is_better(metric)
        counts = {}
        for i, first in enumerate(self.methods):
            p_values = None if level is None else self._p_values(metric, first)
            for j, second in enumerate(self.methods[i + 1 :], i + 1):
                chances = None if p_values is None else p_values[:, j]
                count = win_draw_loss(
                    means[:, i],
                    means[:, j],
                    p_values=chances,
                    level=1.0 if level is None else level,
                    larger_is_better=larger,
                )
                counts[first, second], counts[second, first] = count, count.reversed()
        return WinTable(self.title(metric), tuple(self.methods), counts, level)

    def ranks(self, metric: str) -> AverageRanks:
        """Average rank of each method over the data sets.

        Parameters
        ----------
        metric : str
            The measure.

        Returns
        -------
        AverageRanks
            Includes the methods that have a score, over the data sets on which all of these have one.
        """
        names, means = self._comparable(metric)
        return average_ranks(means, names=names, larger_is_better=self.larger_is_better(metric))

    def friedman(self, metric: str) -> Friedman:
        """Friedman's test of whether the methods differ over the data sets.

        Parameters
        ----------
        metric : str
            The measure.

        Returns
        -------
        Friedman
            Includes the methods that have a score, over the data sets on which all of these have one.
        """
        self._check_several(metric, "Friedman's test is")
        names, means = self._comparable(metric)
        return friedman(means, names=names, larger_is_better=self.larger_is_better(metric))

    def _check_several(self, metric: str, what: str) -> None:
        self._check_metric(metric)
        if len(self.datasets) < 2:
            raise ValueError(
                f"{what} for several data sets, but there is only one; use folds(metric) to compare methods on its "
                "folds."
            )

    def _ranked(self, metric: str) -> tuple[list[str], NDArray[np.float64]]:
        """Methods with any score, and their means on the data sets where none of them is missing."""
        means = self.means(metric)
        able, whole = comparable(means)
        return [name for name, is_able in zip(self.methods, able.tolist()) if is_able], means[whole][:, able]

    def _comparable(self, metric: str) -> tuple[list[str], NDArray[np.float64]]:
        """Like `_ranked`, but raises if too few are left for a test, and warns of what is left out."""
        names, scores = self._ranked(metric)
        if len(names) < 2 or not len(scores):
            raise ValueError(
                f"there are no two methods with {metric!r} on the same data set to compare; frame() and failures() show why."
            )
        without = [name for name in self.methods if name not in names]
        n_lost = len(self.datasets) - len(scores)
        if without or n_lost:
            parts = [f"methods without any score: {', '.join(without)}"] * bool(without)
            parts += [f"data sets on which one of the others has none: {n_lost} of {len(self.datasets)}"] * bool(n_lost)
            warn(f"{metric}: left out {'; '.join(parts)}.")
        return names, scores

    def plot_ranks(
        self, metric: str, *, ax: Axes | None = None, level: float = 0.05, reference: str | None = None
    ) -> Axes:
        """Draw a critical-difference diagram: average ranks on a line, with a bar joining methods that do not differ.

        Parameters
        ----------
        metric : str
            The measure.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure of the right size.
        level : float, default=0.05
            Significance level of the test: Nemenyi's for all pairs.
        reference : str, default=None
            A method to compare with all others by the Bonferroni-Dunn test instead; the bar marks the methods that do not
            differ from it significantly.

        Returns
        -------
        matplotlib Axes
        """
        self._check_several(metric, "a diagram of ranks is")
        if reference is not None:
            self._check_name(reference, self.methods, "method")
        ranks = self.ranks(metric)
        if reference is not None and reference not in ranks.names:
            raise ValueError(f"the reference {reference!r} has no {metric!r} on any data set.")
        return draw_ranks(ranks, self.title(metric), ax=ax, level=level, reference=reference)

    def to_html(self, path: str | os.PathLike[str] | None = None, *, reference: str | None = None) -> str:
        """Write all tables, tests and plots as a single HTML page.

        Parameters
        ----------
        path : path, default=None
            Where to write it; None only returns it.
        reference : str, default=None
            A method to test the others against in the tables.

        Returns
        -------
        str
            The page: self-contained, for screens of any width and for paper.
        """
        page = comparison_page(self, reference)
        if path is not None:
            with written_whole(path) as beside:
                beside.write_text(page, encoding="utf-8")
        return page

    def _repr_html_(self) -> str:
        return comparison_summary(self)

    @shown
    def __repr__(self) -> str:
        n = len(self.records)
        remarks = [f"{n} results" if self.is_finished else f"{n} of {self.n_wanted} results"]
        failed = sum(record["error"] is not None for record in self.records)
        warned = sum(bool(record["warnings"]) for record in self.records)
        remarks += [f"{failed} failed"] * bool(failed) + [f"{warned} with warnings"] * bool(warned)
        sizes = [
            f"{len(n)} {word}{'s' * (len(n) != 1)}"
            for n, word in ((self.methods, "method"), (self.datasets, "data set"))
        ]
        return f"Comparison of {' on '.join(sizes)}, {self.provenance['protocol']}, {', '.join(remarks)}"


def _n_shared(scores: NDArray[np.float64]) -> int:
    return int(np.isfinite(scores).all(axis=0).sum())
