"""Rounds of making and screening rows."""

import numpy as np
import pytest

from rarewood import TreeClassifier
from rarewood.sampling._sieve import Sieve, grow_class

NUMBERS = np.zeros(3, dtype=np.int32)


def normal(n, shift=0.0, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3)) + shift


@pytest.mark.parametrize("seed", range(5))
def test_accepted_is_what_shares_a_leaf_with_an_original(seed):
    """The definition, with the public tree."""
    originals, candidates = normal(80, seed=seed), normal(60, 0.8, seed=seed + 100)
    both = np.concatenate([originals, candidates])
    tree = TreeClassifier(min_samples_leaf=10).fit(both, np.repeat([0, 1], [80, 60]))
    leaf = tree.apply(both)
    expected = [each in leaf[:80].tolist() for each in leaf[80:].tolist()]
    np.testing.assert_array_equal(Sieve(originals, NUMBERS, 10).passes(candidates), expected)


def test_the_nearer_to_the_class_the_more_are_accepted():
    sieve = Sieve(normal(300), NUMBERS, 10)
    rates = [sieve.passes(normal(300, shift, seed=1)).mean() for shift in (0.0, 1.5, 6.0)]
    assert rates[0] > 0.8
    assert 0.05 < rates[1] < rates[0]
    assert rates[2] == 0.0


def test_too_few_rows_for_two_leaves_all_pass():
    assert Sieve(normal(3), NUMBERS, 10).passes(normal(3, 100.0)).all()


def test_a_rare_category_does_not_forbid_the_split():
    originals = np.column_stack([np.zeros(60)])
    candidates = np.column_stack([np.concatenate([np.ones(59), [2.0]])])
    passed = Sieve(originals, np.array([3], dtype=np.int32), 10).passes(candidates)
    assert not passed.any()


class Maker:
    """Makes rows that say when they were made."""

    n_columns = 1

    def __init__(self):
        self.made = 0

    def make(self, n_rows, rng):
        rows = np.arange(self.made, self.made + n_rows, dtype=float).reshape(-1, 1)
        self.made += n_rows
        return rows, rows[:, 0].astype(np.int64) % 7


class Accepting:
    """Lets those rows pass whose number the function likes."""

    def __init__(self, likes):
        self.passes = lambda rows: np.array([likes(int(row[0])) for row in rows])


def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_rounds_go_on_until_there_are_enough(n_threads):
    harvest = grow_class(Maker(), Accepting(lambda i: i % 3 == 0), 50, 10, None, rng(), n_threads)
    assert len(harvest.rows) == 50
    assert np.all(harvest.rows % 3 == 0)
    assert harvest.end == ""
    np.testing.assert_array_equal(harvest.pattern, harvest.rows[:, 0] % 7)
    assert harvest.n_candidates % 10 == 0
    assert harvest.n_accepted - 4 <= 50 <= harvest.n_accepted  # the last round has at most 4
    assert harvest.n_accepted == len(range(0, harvest.n_candidates, 3))


def test_a_surplus_is_dropped_at_random():
    kept = set()
    for seed in range(30):
        harvest = grow_class(Maker(), None, 3, 10, None, np.random.default_rng(seed))
        assert len(harvest.rows) == 3
        kept |= set(harvest.rows[:, 0])
    assert len(kept) == 10


def test_five_empty_rounds_in_a_row_end_it():
    harvest = grow_class(Maker(), Accepting(lambda i: i < 20 or 60 <= i < 65), 100, 10, None, rng())
    # Rounds 0 and 1 are full, 2 to 5 empty, 6 has five rows, 7 to 11 are empty.
    assert (len(harvest.rows), harvest.n_candidates) == (25, 120)
    assert harvest.end == "5 rounds in a row accepted no row"


@pytest.mark.parametrize(("max_rounds", "n_rounds"), [(None, 50), (7, 7)])
def test_the_most_rounds(max_rounds, n_rounds):
    harvest = grow_class(Maker(), Accepting(lambda i: i % 10 == 0 and i % 50 == 0), 50, 10, max_rounds, rng())
    assert harvest.n_candidates == 10 * n_rounds
    assert harvest.end == f"all {n_rounds} rounds were used"


def test_progress_and_stopping():
    heard = []

    def report(done):
        heard.append(done)
        if len(heard) == 3:
            raise KeyboardInterrupt

    for n_threads in (1, 2):
        heard.clear()
        with pytest.raises(KeyboardInterrupt):
            grow_class(Maker(), Accepting(lambda i: True), 100, 10, None, rng(), n_threads, report)
        assert heard == [10, 20, 30]
