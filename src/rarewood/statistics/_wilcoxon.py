"""Which methods differ over many data sets, pair by pair."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata, wilcoxon

from rarewood._terminal import shown
from rarewood.statistics._scores import as_numbers, check_level, differences, read_scores, tied_made_equal

_LARGEST_EXACT = 25  # pairs for which the distribution is tabulated


@dataclass(frozen=True)
class PairTest:
    """One pair of :func:`wilcoxon_holm`.

    Parameters
    ----------
    first, second : str
        The methods; `first` is the better one by the sum of ranks.
    statistic : float
        The smaller of the two sums of ranks.
    p_value : float
        Two-sided p-value of this pair alone.
    adjusted_p_value : float
        The p-value corrected for the number of pairs.
    """

    first: str
    second: str
    statistic: float
    p_value: float
    adjusted_p_value: float


@dataclass(frozen=True, repr=False)
class PairTests:
    """Outcome of :func:`wilcoxon_holm`: a sequence of pairs, smallest p-value first."""

    pairs: tuple[PairTest, ...]
    level: float

    def __iter__(self) -> Iterator[PairTest]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, index: int) -> PairTest:
        return self.pairs[index]

    @shown
    def __repr__(self) -> str:
        names = [f"{pair.first} > {pair.second}" for pair in self.pairs]
        width = max(map(len, names))
        lines = [
            f"{name:{width}}  p = {pair.p_value:<9.3g} adjusted {pair.adjusted_p_value:<9.3g}"
            f"{'significant' if pair.adjusted_p_value < self.level else ''}".rstrip()
            for name, pair in zip(names, self.pairs)
        ]
        return "\n".join([f"Wilcoxon signed-rank tests, Holm's correction, level {self.level:g}", *lines])


def wilcoxon_holm(
    scores: Any,
    *,
    names: Sequence[str] | None = None,
    reference: str | None = None,
    level: float = 0.05,
    larger_is_better: bool = True,
) -> PairTests:
    """Wilcoxon's signed-rank test of every pair of methods, corrected by Holm's procedure.

    Unlike with ranks among all methods, the result for a pair does not depend on which other methods are compared,
    apart from the correction.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods), data frame or dict
        One row per data set, one column per method; a dictionary maps a method to its scores.
    names : sequence of str, default=None
        Names of the methods. None takes those of the frame or dictionary, or 1, 2, ...
    reference : str, default=None
        Compare only this method with the others. None compares all pairs.
    level : float, default=0.05
        Significance level: the chance of finding any difference where there is none.
    larger_is_better : bool, default=True
        False for losses.

    Returns
    -------
    PairTests
        Sequence of :class:`PairTest`.

    See Also
    --------
    holm : The correction.
    scipy.stats.wilcoxon : The test; ranks of equal scores are split evenly here (``zero_method="zsplit"``).

    Notes
    -----
    The p-value is exact for up to 25 data sets without ties and normal with a correction for ties otherwise.

    References
    ----------
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning Research 7, 2006.

    A. Benavoli, G. Corani and F. Mangili, "Should we really use post-hoc tests based on mean-ranks?", Journal of Machine
    Learning Research 17, 2016.

    Examples
    --------
    >>> from rarewood.statistics import wilcoxon_holm
    >>> auc = {
    ...     "c4.5": [0.70, 0.60, 0.85, 0.63, 0.71, 0.80],
    ...     "hddt": [0.77, 0.65, 0.93, 0.66, 0.72, 0.84],
    ...     "hedex": [0.80, 0.64, 0.95, 0.68, 0.79, 0.89],
    ... }
    >>> wilcoxon_holm(auc)
    Wilcoxon signed-rank tests, Holm's correction, level 0.05
    hedex > c4.5  p = 0.0273    adjusted 0.0818
    hddt > c4.5   p = 0.0312    adjusted 0.0818
    hedex > hddt  p = 0.0458    adjusted 0.0818
    """
    matrix, labels = read_scores(scores, names)
    check_level(level)
    if reference is not None and reference not in labels:
        raise ValueError(f"reference={reference!r} is not one of the methods: {', '.join(labels)}.")
    chosen = [
        (i, j)
        for i, j in combinations(range(len(labels)), 2)
        if reference is None or reference in (labels[i], labels[j])
    ]
    tests = [_test(matrix[:, i], matrix[:, j], labels[i], labels[j], larger_is_better) for i, j in chosen]
    adjusted = holm([test.p_value for test in tests])
    pairs = [replace(test, adjusted_p_value=p) for test, p in zip(tests, adjusted.tolist())]
    return PairTests(tuple(sorted(pairs, key=lambda pair: pair.p_value)), level)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    r"""Holm's correction for several tests.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        p-values.

    Returns
    -------
    ndarray of shape (n_tests,)
        Adjusted p-values in the same order. If all tests with an adjusted p-value below the level are rejected, the chance
        of any wrong rejection stays below the level.

    Notes
    -----
    With :math:`p_{(1)} \le \dots \le p_{(m)}`, the adjusted :math:`p_{(i)}` is
    :math:`\max_{j \le i} \min(1, (m - j + 1) \, p_{(j)})`.

    References
    ----------
    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> from rarewood.statistics import holm
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = as_numbers(p_values, "p_values")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p_values must lie between 0 and 1, got {p.tolist()}.")
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted


def _test(a: NDArray[np.float64], b: NDArray[np.float64], first: str, second: str, larger_is_better: bool) -> PairTest:
    gaps = _even_gaps(a, b) * (1 if larger_is_better else -1)
    sizes = np.abs(gaps)
    exact = len(gaps) <= _LARGEST_EXACT and bool(np.all(sizes > 0)) and len(np.unique(sizes)) == len(sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of few data sets; the docstring says when p is approximate
        outcome = wilcoxon(gaps, zero_method="zsplit", correction=False, method="exact" if exact else "approx")
    ranks = rankdata(sizes)
    better, worse = (first, second) if ranks[gaps > 0].sum() >= ranks[gaps < 0].sum() else (second, first)
    return PairTest(better, worse, float(outcome.statistic), float(outcome.pvalue), float(outcome.pvalue))


def _even_gaps(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Differences without the rounding of the scores, so that equal gaps are tied in size: 0.9 - 0.8 and 0.7 - 0.8."""
    gaps = differences(a, b)
    return np.asarray(np.sign(gaps) * tied_made_equal(np.abs(gaps), np.abs([a, b]).max()))
