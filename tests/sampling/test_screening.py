"""Rounds of making and screening rows."""

import numpy as np
import pytest

from rarewood import TreeClassifier
from rarewood.sampling._sieve import Rounds, Sieve, make_once, make_until_enough

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

    min_leaf = 1

    def __init__(self, likes):
        self.passes = lambda rows: np.array([likes(int(row[0])) for row in rows])


def rng():
    return np.random.default_rng(0)


def tens(likes=None, n_threads=1):
    """Rounds of ten rows."""
    return Rounds(Maker(), Accepting(likes) if likes else None, 10, n_threads)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize(("max_rounds", "n_made"), [(None, 47), (2, 20), (9, 47)])
def test_one_pass_makes_each_row_once(n_threads, max_rounds, n_made):
    heard = []
    harvest = make_once(tens(lambda i: i % 3 == 0, n_threads), 47, max_rounds, rng(), heard.append)
    assert harvest.rows[:, 0].tolist() == list(range(0, n_made, 3))
    np.testing.assert_array_equal(harvest.pattern, harvest.rows[:, 0] % 7)
    assert (harvest.n_made, harvest.n_passed, harvest.end) == (n_made, len(harvest.rows), "")
    assert heard == sorted({*range(10, n_made, 10), n_made})


def test_one_pass_without_a_tree_and_one_that_nothing_passes():
    assert make_once(tens(), 13, None, rng()).rows[:, 0].tolist() == list(range(13))
    harvest = make_once(tens(lambda i: False), 100, None, rng())  # empty rounds do not end it
    assert (harvest.n_made, harvest.n_passed, harvest.rows.shape) == (100, 0, (0, 1))


@pytest.mark.parametrize("n_originals", [1, 7, 19, 20, 30])
def test_small_rounds_are_screened_together(n_originals):
    """A leaf holds ten rows, so fewer new rows than that could never be told apart."""
    originals = normal(n_originals)

    class Far:
        n_columns = 3

        def make(self, n_rows, rng):
            return rng.normal(size=(n_rows, 3)) + 100.0, np.zeros(n_rows, dtype=np.int64)

    rounds = Rounds(Far(), Sieve(originals, NUMBERS, 10), n_originals)
    assert rounds.size == max(20, n_originals)
    for n_wanted in (3, 20, 65):
        harvest = make_once(rounds, n_wanted, None, rng())
        assert harvest.n_made == n_wanted
        assert harvest.n_passed <= n_wanted * 9 / 20 + 9  # those that fill up the leaf of the originals
        assert n_originals < 10 or harvest.n_passed == 0


@pytest.mark.parametrize("n_threads", [1, 3])
def test_rounds_go_on_until_there_are_enough(n_threads):
    harvest = make_until_enough(tens(lambda i: i % 3 == 0, n_threads), 50, None, rng())
    assert len(harvest.rows) == 50
    assert np.all(harvest.rows % 3 == 0)
    assert harvest.end == ""
    np.testing.assert_array_equal(harvest.pattern, harvest.rows[:, 0] % 7)
    assert harvest.n_made % 10 == 0
    assert harvest.n_passed - 4 <= 50 <= harvest.n_passed  # the last round has at most 4
    assert harvest.n_passed == len(range(0, harvest.n_made, 3))


def test_a_surplus_is_dropped_at_random():
    kept = set()
    for seed in range(30):
        harvest = make_until_enough(tens(), 3, None, np.random.default_rng(seed))
        assert len(harvest.rows) == 3
        kept |= set(harvest.rows[:, 0])
    assert len(kept) == 10


def test_five_empty_rounds_in_a_row_end_it():
    harvest = make_until_enough(tens(lambda i: i < 20 or 60 <= i < 65), 100, None, rng())
    # Rounds 0 and 1 are full, 2 to 5 empty, 6 has five rows, 7 to 11 are empty.
    assert (len(harvest.rows), harvest.n_made) == (25, 120)
    assert harvest.end == "5 rounds in a row accepted no row"


@pytest.mark.parametrize(("max_rounds", "n_rounds"), [(None, 50), (7, 7)])
def test_the_most_rounds(max_rounds, n_rounds):
    harvest = make_until_enough(tens(lambda i: i % 50 == 0), 50, max_rounds, rng())
    assert harvest.n_made == 10 * n_rounds
    assert harvest.end == f"all {n_rounds} rounds were used"


@pytest.mark.parametrize("make", [make_once, make_until_enough])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_progress_and_stopping(make, n_threads):
    heard = []

    def report(done):
        heard.append(done)
        if len(heard) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(tens(lambda i: True, n_threads), 100, None, rng(), report)
    assert heard == [10, 20, 30]
