"""How the scores of training rows that the trees had not seen are distributed, in the rare class and in the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

Floats = NDArray[np.float64]

_GRID = expit(np.linspace(-9.2, 9.2, 93))  # bins of a fifth of a unit of log-odds


@dataclass(frozen=True)
class Cut:
    """Training rows on one side of a threshold: their weight, that of the rare ones, and the mean score."""

    rows: float
    rare: float
    mean: float

    @property
    def share(self) -> float:
        """Of the rare rows; never 0 or 1, so that its odds exist."""
        return (self.rare + 0.5) / (self.rows + 1.0)


@dataclass(frozen=True, eq=False)
class ScoreMemory:
    """Scores of the rare class, by bins, by class.

    The rows count by their weights. `sizes` are the numbers of rows of equal weight, none of which belongs to another, that say as much.
    Of two classes, the rare one comes first.
    """

    edges: Floats  # between bins; a score equal to an edge is above it
    rows: Floats  # 2 x bins: weight of the rare rows, of the rest
    sums: Floats  # per bin: sum of weighted scores
    means: Floats  # of the two classes
    variances: Floats
    sizes: Floats

    @classmethod
    def of(
        cls,
        scores: Floats,
        is_rare: NDArray[np.bool_],
        weights: Floats | None = None,
        cut: float | None = None,
        groups: NDArray[np.intp] | None = None,
    ) -> ScoreMemory | None:
        """From scores of rows and the threshold at hand, where bins meet; None unless there are two rows of each class.

        Rows of one of the `groups` say less than as many others.
        """
        weight = np.ones(len(scores)) if weights is None else weights
        used = ~np.isnan(scores) & (weight > 0)
        scores, is_rare, weight = scores[used], is_rare[used], weight[used]
        if min(int(is_rare.sum()), int((~is_rare).sum())) < 2:
            return None
        alike = 1.0
        if groups is not None:
            alike = max(_design_effect(each, weight, groups[used]) for each in (is_rare, scores))
        edges = _GRID if cut is None or not 0.0 < cut <= 1.0 else np.unique(np.append(_GRID, cut))
        place, n_bins = np.searchsorted(edges, scores, side="right"), len(edges) + 1
        sides = [is_rare, ~is_rare]
        means = np.array([np.average(scores[side], weights=weight[side]) for side in sides])
        variances = [
            np.average((scores[side] - mean) ** 2, weights=weight[side])
            for side, mean in zip(sides, means, strict=True)
        ]
        return cls(
            edges,
            np.array([np.bincount(place[side], weights=weight[side], minlength=n_bins) for side in sides]),
            np.asarray(np.bincount(place, weights=weight * scores, minlength=n_bins), dtype=np.float64),
            means,
            np.array(variances),
            np.array([max(weight[side].sum() ** 2 / (weight[side] ** 2).sum() / alike, 1.0) for side in sides]),
        )

    @property
    def share(self) -> float:
        """Of the rare class."""
        return float(self.rows[0].sum() / self.rows.sum())

    @property
    def n_rows(self) -> float:
        """How many rows of equal weight say as much."""
        return float(self.sizes.sum())

    def above(self, cut: float) -> Cut:
        """Rows of at least this score; a bin that the threshold divides counts in proportion."""
        part = self._part_above(cut)
        rows, sums = self.rows @ part, float(self.sums @ part)
        return Cut(float(rows.sum()), float(rows[0]), sums / float(rows.sum()) if rows.sum() > 0 else cut)

    def below(self, cut: float) -> Cut:
        """The others."""
        part = 1.0 - self._part_above(cut)
        rows, sums = self.rows @ part, float(self.sums @ part)
        return Cut(float(rows.sum()), float(rows[0]), sums / float(rows.sum()) if rows.sum() > 0 else cut)

    def _part_above(self, cut: float) -> Floats:
        bounds = np.concatenate([[0.0], self.edges, [np.nextafter(1.0, 2.0)]])
        low, high = bounds[:-1], bounds[1:]
        width = np.maximum(high - low, np.finfo(float).tiny)
        return np.asarray(np.clip((high - cut) / width, 0.0, 1.0))

    def stretched(self, slope: float, offset: float, share: float | None = None) -> ScoreMemory:
        """Where the log-odds of scores are multiplied and moved, in a population with another share of the rare class.

        Without one, with the share that the scores have for their mean there.
        """
        edges = expit(slope * logit(self.edges) + offset)
        total = self.rows.sum()
        middle = self._stretched_means(slope, offset)
        if share is None:
            rare, rest = (self.rows @ middle / self.rows.sum(axis=1)).tolist()
            share = rest / (1.0 - rare + rest)
        rows = self.rows * np.array([[share / self.share], [(1.0 - share) / (1.0 - self.share)]])
        means = rows @ middle / rows.sum(axis=1)
        variances = np.array([side @ (middle - mean) ** 2 / side.sum() for side, mean in zip(rows, means, strict=True)])
        rows *= total / rows.sum()
        return ScoreMemory(edges, rows, rows.sum(axis=0) * middle, means, variances, self.sizes)

    def _stretched_means(self, slope: float, offset: float) -> Floats:
        """Of the scores in each bin."""
        rows = self.rows.sum(axis=0)
        means = np.divide(self.sums, rows, out=np.full_like(self.sums, 0.5), where=rows > 0)
        return np.asarray(expit(slope * logit(np.clip(means, 1e-12, 1.0 - 1e-12)) + offset))


def _design_effect(values: NDArray[Any], weight: Floats, groups: NDArray[np.intp]) -> float:
    """How much larger the variance of a weighted mean is than that of as many rows that do not belong together; at least 1."""
    lack = weight * (values - np.average(values, weights=weight))
    alone = float((lack**2).sum())
    _, of_row = np.unique(groups, return_inverse=True)
    return max(1.0, float((np.bincount(of_row.ravel(), weights=lack) ** 2).sum()) / alone) if alone > 0 else 1.0
