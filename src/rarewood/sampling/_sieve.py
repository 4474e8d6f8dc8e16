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

Report = Callable[[int], None]
"""Hears how many rows are done."""
Round = tuple[Floats, Ints, NDArray[np.bool_]]
"""Rows, the pattern behind each, and which of them passed."""

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
        both = np.concatenate([self.originals, candidates.astype(self.originals.dtype)])
        is_candidate = (np.arange(len(both)) >= n).astype(np.int32)
        data = Dataset(both, self.n_categories, is_candidate, 2)
        plan = ForestPlan([CriterionSpec("hellinger")], min_samples_leaf=self.min_leaf)
        tree = grow_forests(data, [plan])[0][0]
        leaf = tree.apply(both)
        holds_original = np.bincount(leaf[:n], minlength=tree.node_count) > 0
        return np.asarray(holds_original[leaf[n:]])


@dataclass(frozen=True)
class Rounds:
    """Makes rows in rounds of equal size and screens each round by a tree of its own, against the originals alone.

    So rounds are independent of each other and can run side by side; their rows are made in advance by one generator, which
    is why threads change nothing. A round has as many rows as the class, so that both sides weigh the same; rounds of a class
    with fewer rows than two leaves are screened together, because a tree can set apart no fewer rows than a leaf has.
    """

    maker: RowMaker
    sieve: Sieve | None
    n_originals: int
    n_threads: int = 1

    @property
    def size(self) -> int:
        """Rows of a round."""
        return self.n_originals if self.sieve is None else max(self.n_originals, 2 * self.sieve.min_leaf)

    @property
    def most(self) -> int:
        """Rounds whose rows may be made at once."""
        return max(1, _MOST_CELLS // (self.size * self.maker.n_columns))

    def run(self, n_rounds: int, rng: np.random.Generator) -> Iterator[Round]:
        """Round by round."""
        rows, pattern = self.maker.make(n_rounds * self.size, rng)
        batches = [rows[i * self.size : (i + 1) * self.size] for i in range(n_rounds)]
        patterns = pattern.reshape(n_rounds, self.size)
        sieve = self.sieve
        if sieve is None:
            yield from ((batch, made_by, np.ones(self.size, dtype=bool)) for batch, made_by in zip(batches, patterns))
        elif self.n_threads == 1:
            yield from ((batch, made_by, sieve.passes(batch)) for batch, made_by in zip(batches, patterns))
        else:
            with ThreadPoolExecutor(self.n_threads) as pool:
                try:
                    yield from zip(batches, patterns, pool.map(sieve.passes, batches))
                finally:
                    pool.shutdown(cancel_futures=True)


@dataclass(frozen=True)
class Harvest:
    """Accepted rows, the pattern behind each, and how it went."""

    rows: Floats
    pattern: Ints
    n_made: int
    n_passed: int
    end: str = ""
    """Why it ended early, or nothing."""


def make_once(
    rounds: Rounds, n_wanted: int, max_rounds: int | None, rng: np.random.Generator, report: Report | None = None
) -> Harvest:
    """Make `n_wanted` rows, or as many as `max_rounds` hold, and keep those that pass; none is replaced.

    The last round is cut after screening. Cut before, its few rows might be fewer than a leaf has and pass unseen.
    """
    left = math.ceil(n_wanted / rounds.size)
    left = left if max_rounds is None else min(left, max_rounds)
    kept: list[tuple[Floats, Ints]] = []
    n_made = 0
    while left:
        block = min(left, rounds.most)
        left -= block
        for rows, pattern, passed in rounds.run(block, rng):
            passed = passed & (np.arange(n_made, n_made + len(rows)) < n_wanted)
            kept.append((rows[passed], pattern[passed]))
            n_made = min(n_made + len(rows), n_wanted)
            if report is not None:
                report(n_made)
    rows, pattern = _joined(kept)
    return Harvest(rows, pattern, n_made, len(rows))


def make_until_enough(
    rounds: Rounds, n_wanted: int, max_rounds: int | None, rng: np.random.Generator, report: Report | None = None
) -> Harvest:
    """Make rows until `n_wanted` have passed, or `max_rounds` are over, or in five rounds in a row none passes."""
    size = rounds.size
    limit = 10 * math.ceil(n_wanted / size) if max_rounds is None else max_rounds
    kept: list[tuple[Floats, Ints]] = []
    n_passed = n_rounds = n_empty = 0
    while n_passed < n_wanted and n_rounds < limit and n_empty < _EMPTY_ROUNDS:
        rate = n_passed / (n_rounds * size) if n_rounds else 1.0
        block = _rounds_ahead(n_wanted - n_passed, size, rate, min(limit - n_rounds, rounds.most))
        for rows, pattern, passed in rounds.run(block, rng):
            kept.append((rows[passed], pattern[passed]))
            gained = int(passed.sum())
            n_passed, n_rounds, n_empty = n_passed + gained, n_rounds + 1, 0 if gained else n_empty + 1
            if report is not None:
                report(min(n_passed, n_wanted))
            if n_passed >= n_wanted or n_empty >= _EMPTY_ROUNDS:
                break
    rows, pattern = _joined(kept)
    if n_passed > n_wanted:
        stay = np.sort(rng.permutation(n_passed)[:n_wanted])
        rows, pattern = rows[stay], pattern[stay]
    return Harvest(rows, pattern, n_rounds * size, n_passed, _end(n_passed < n_wanted, n_empty, n_rounds))


def _joined(kept: list[tuple[Floats, Ints]]) -> tuple[Floats, Ints]:
    return np.concatenate([rows for rows, _ in kept]), np.concatenate([pattern for _, pattern in kept])


def _rounds_ahead(n_missing: int, n_per_round: int, rate: float, most: int) -> int:
    """The number of rounds to make at once: about as many as are needed at the present rate of acceptance."""
    needed = math.ceil(n_missing / (n_per_round * max(rate, 0.1)))
    return min(needed, most)


def _end(failed: bool, n_empty: int, n_rounds: int) -> str:
    if not failed:
        return ""
    if n_empty >= _EMPTY_ROUNDS:
        return f"{n_empty} rounds in a row accepted no row"
    return f"all {n_rounds} rounds were used"
