"""Rounds of generating rows and screening them with a Hellinger tree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import CriterionSpec, Dataset, ForestPlan, grow_forests
from rarewood.sampling._generation import Floats, Ints, RowMaker

_EMPTY_ROUNDS = 5  # in a row, after which a class is given up
_MOST_CELLS = 4_000_000  # made at once


@dataclass(frozen=True)
class Sieve:
    """A Hellinger tree between the original rows of a class and candidates for it.

    A candidate passes if its leaf holds an original row, too: the tree cannot tell it from the class. Leaves keep at least
    `min_leaf` rows, because a fully grown tree tells any two different rows apart. Category sets are split in two rather than
    one branch per category: with a least size, a single rare category would forbid every split of its column.
    """

    originals: NDArray[Any]
    n_categories: NDArray[np.int32]
    min_leaf: int

    def passes(self, candidates: Floats) -> NDArray[np.bool_]:
        """True for each candidate that passes."""
        n = len(self.originals)
        if n + len(candidates) < 2 * self.min_leaf:  # a single leaf, and the originals are in it
            return np.ones(len(candidates), dtype=bool)
        both = np.concatenate([self.originals, candidates.astype(self.originals.dtype)])
        is_candidate = (np.arange(len(both)) >= n).astype(np.int32)
        data = Dataset(both, self.n_categories, is_candidate, 2)
        plan = ForestPlan([CriterionSpec("hellinger")], min_samples_leaf=self.min_leaf)
        tree = grow_forests(data, [plan])[0][0]
        leaf = tree.apply(both)
        holds_original = np.bincount(leaf[:n], minlength=tree.node_count) > 0
        return np.asarray(holds_original[leaf[n:]])


@dataclass(frozen=True)
class Harvest:
    """Accepted rows, the pattern behind each, and how it went."""

    rows: Floats
    pattern: Ints
    n_candidates: int
    n_accepted: int
    end: str
    """Why it ended early, or nothing."""


def grow_class(
    maker: RowMaker,
    sieve: Sieve | None,
    n_wanted: int,
    n_per_round: int,
    max_rounds: int | None,
    rng: np.random.Generator,
    n_threads: int = 1,
    report: Callable[[int], None] | None = None,
) -> Harvest:
    """Make rows until `n_wanted` are accepted, or `max_rounds` are over, or five rounds in a row accept nothing.

    Every round is screened by a tree of its own against the originals alone, so rounds are independent of each other and
    can run side by side; their rows are made in advance by one generator, which is why threads change nothing.
    """
    limit = 10 * math.ceil(n_wanted / n_per_round) if max_rounds is None else max_rounds
    most = max(1, _MOST_CELLS // (n_per_round * maker.n_columns))
    kept: list[tuple[Floats, Ints]] = []
    n_accepted = n_rounds = n_empty = 0
    while n_accepted < n_wanted and n_rounds < limit and n_empty < _EMPTY_ROUNDS:
        rate = n_accepted / (n_rounds * n_per_round) if n_rounds else 1.0
        block = _rounds_ahead(n_wanted - n_accepted, n_per_round, rate, min(limit - n_rounds, most))
        for rows, pattern, passed in _screened(maker, sieve, block, n_per_round, rng, n_threads):
            kept.append((rows[passed], pattern[passed]))
            gained = int(passed.sum())
            n_accepted, n_rounds, n_empty = n_accepted + gained, n_rounds + 1, 0 if gained else n_empty + 1
            if report is not None:
                report(min(n_accepted, n_wanted))
            if n_accepted >= n_wanted or n_empty >= _EMPTY_ROUNDS:
                break
    rows, pattern = np.concatenate([r for r, _ in kept]), np.concatenate([p for _, p in kept])
    if n_accepted > n_wanted:
        stay = np.sort(rng.permutation(n_accepted)[:n_wanted])
        rows, pattern = rows[stay], pattern[stay]
    return Harvest(rows, pattern, n_rounds * n_per_round, n_accepted, _end(n_accepted < n_wanted, n_empty, n_rounds))


def _rounds_ahead(n_missing: int, n_per_round: int, rate: float, most: int) -> int:
    """The number of rounds to make at once: about as many as are needed at the present rate of acceptance."""
    needed = math.ceil(n_missing / (n_per_round * max(rate, 0.1)))
    return min(needed, most)


def _screened(
    maker: RowMaker, sieve: Sieve | None, n_rounds: int, n_per_round: int, rng: np.random.Generator, n_threads: int
) -> Iterator[tuple[Floats, Ints, NDArray[np.bool_]]]:
    """Round by round: rows, patterns, and which rows passed."""
    rows, pattern = maker.make(n_rounds * n_per_round, rng)
    batches = [rows[i * n_per_round : (i + 1) * n_per_round] for i in range(n_rounds)]
    patterns = pattern.reshape(n_rounds, n_per_round)
    if sieve is None:
        yield from ((batch, made_by, np.ones(n_per_round, dtype=bool)) for batch, made_by in zip(batches, patterns))
    elif n_threads == 1:
        yield from ((batch, made_by, sieve.passes(batch)) for batch, made_by in zip(batches, patterns))
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            try:
                yield from zip(batches, patterns, pool.map(sieve.passes, batches))
            finally:
                pool.shutdown(cancel_futures=True)


def _end(failed: bool, n_empty: int, n_rounds: int) -> str:
    if not failed:
        return ""
    if n_empty >= _EMPTY_ROUNDS:
        return f"{n_empty} rounds in a row accepted no row"
    return f"all {n_rounds} rounds were used"
