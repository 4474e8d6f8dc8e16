"""Draws: the right distribution between the right bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarewood._rules import ColumnCondition, Conditions
from rarewood._tables._sources import ArrayColumn
from rarewood.sampling._generation import (
    IntegerScale,
    Levels,
    RealNumbers,
    RowMaker,
    TrainingTable,
    scale_of,
    scales_of,
)

N = 40_000
SCALES = [
    IntegerScale(),
    RealNumbers(),
    RealNumbers(np.float32),
    RealNumbers(np.float16),
    Levels((-70000.0, -3.5, 0.0, 0.25, 70000.0)),
]
BOUNDS = st.floats(-60000, 60000, width=64)


def rng():
    return np.random.default_rng(0)


def can_hold(scale, x):
    if isinstance(scale, Levels):
        return x in scale.values
    return x == np.floor(x) if isinstance(scale, IntegerScale) else x == np.float64(scale.precision(x))


def successor(scale, x):
    if isinstance(scale, Levels):
        return scale.values[scale.values.index(x) + 1]
    return x + 1 if isinstance(scale, IntegerScale) else np.nextafter(scale.precision(x), scale.precision(np.inf))


@pytest.mark.parametrize("scale", SCALES, ids=str)
@given(st.lists(BOUNDS, min_size=1))
def test_nearest_numbers_of_a_scale(scale, bounds):
    for bound in np.array(bounds):
        (above,), (below,) = scale.above(np.array([bound])), scale.at_most(np.array([bound]))
        assert below <= bound < above
        assert can_hold(scale, above)
        assert can_hold(scale, below)
        assert above == successor(scale, below)


def test_no_number_beyond_the_last_level():
    scale = Levels((1.0, 2.0))
    assert scale.above(np.array([2.0, -np.inf])).tolist() == [np.inf, 1.0]
    assert scale.at_most(np.array([0.5, np.inf])).tolist() == [-np.inf, 2.0]


@pytest.mark.parametrize("scale", SCALES, ids=str)
@given(st.tuples(BOUNDS, BOUNDS).map(sorted))
def test_uniform_draws_stay_inside(scale, bounds):
    low, high = scale.above(np.full(50, bounds[0])), scale.at_most(np.full(50, bounds[1]))
    if low[0] <= high[0]:
        drawn = scale.uniform(low, high, rng())
        assert np.all((low <= drawn) & (drawn <= high))
        assert all(can_hold(scale, x) for x in drawn)


def test_levels_are_equally_likely():
    drawn = Levels((1.0, 2.0, 10.0, 11.5)).uniform(np.full(N, 2.0), np.full(N, 11.5), rng())
    assert {level: round((drawn == level).mean(), 1) for level in set(drawn)} == {2.0: 0.3, 10.0: 0.3, 11.5: 0.3}


def test_whole_numbers_are_equally_likely():
    drawn = IntegerScale().uniform(np.full(N, 11.0), np.full(N, 15.0), rng())
    np.testing.assert_allclose(np.bincount(drawn.astype(int))[11:] / N, 0.2, atol=0.01)


def test_real_numbers_are_uniform():
    drawn = RealNumbers().uniform(np.full(N, -3.0), np.full(N, 5.0), rng())
    np.testing.assert_allclose(np.quantile(drawn, [0.25, 0.5, 0.75]), [-1, 1, 3], atol=0.1)


def test_the_whole_range_of_doubles():
    drawn = RealNumbers().uniform(np.full(100, -1.7e308), np.full(100, 1.7e308), rng())
    assert np.isfinite(drawn).all()
    assert drawn.min() < -1e308
    assert drawn.max() > 1e308


def table(columns, nominal=(), rows=slice(None), **settings):
    """`rows` of the columns are drawn from; what a column can hold is said by all of them."""
    matrix = np.column_stack(columns).astype(float)
    listed = [ArrayColumn(j, np.asarray(column)) for j, column in enumerate(columns)]
    is_nominal = np.isin(np.arange(len(columns)), nominal)
    settings = {"n_bins": 10, **settings}
    scales = scales_of(listed, matrix, is_nominal, settings["n_bins"])
    return TrainingTable(matrix[rows], scales, is_nominal, **settings)


class TestFreeCells:
    def test_numbers_follow_a_histogram_of_equal_bins(self):
        values = np.concatenate([np.linspace(0.5, 0.6, 60), np.linspace(7.8, 7.9, 30), [0.0, 10.0] * 5])
        cells = table([values]).free_cells(N, rng())[:, 0]
        shares = np.histogram(cells, bins=10, range=(0, 10))[0] / N
        np.testing.assert_allclose(shares[[0, 7, 9]], [0.65, 0.30, 0.05], atol=0.01)
        assert shares[[1, 2, 3, 4, 5, 6, 8]].sum() == 0
        in_first = cells[cells < 1]  # uniform inside the bin, wherever the values were
        np.testing.assert_allclose(np.quantile(in_first, [0.25, 0.75]), [0.25, 0.75], atol=0.02)

    def test_observed_values_are_repeated(self):
        values = np.array([1.5, 1.5, 1.5, 9.25])
        cells = table([values], n_bins=1, histograms=False).free_cells(N, rng())[:, 0]
        assert set(cells) == {1.5, 9.25}
        assert (cells == 1.5).mean() == pytest.approx(0.75, abs=0.01)

    def test_whole_numbers_of_a_bin(self):
        """Bins of 1.5 hold one or two whole numbers; those of a bin share its frequency."""
        values = np.repeat(np.arange(16), 10)
        cells = table([values]).free_cells(N, rng())[:, 0]
        np.testing.assert_allclose(np.bincount(cells.astype(int)) / N, 1 / 16, atol=0.01)
        assert np.all(cells == np.floor(cells))

    def test_a_column_of_few_values_has_one_bar_per_value(self):
        cells = table([[0.5] * 7 + [1.0] * 3]).free_cells(N, rng())[:, 0]
        assert set(cells) == {0.5, 1.0}
        assert (cells == 1.0).mean() == pytest.approx(0.3, abs=0.01)

    def test_truth_values(self):
        cells = table([np.arange(10) < 3]).free_cells(N, rng())[:, 0]
        assert set(cells) == {0.0, 1.0}
        assert cells.mean() == pytest.approx(0.3, abs=0.01)

    def test_categories_and_missing_values_keep_their_frequency(self):
        cells = table([[0, 0, 0, 2, np.nan], [1.0, 2.0, np.nan, np.nan, np.nan]], nominal=[0]).free_cells(N, rng())
        for value, share in ((0, 0.6), (2, 0.2)):
            assert (cells[:, 0] == value).mean() == pytest.approx(share, abs=0.01)
        np.testing.assert_allclose(np.isnan(cells).mean(axis=0), [0.2, 0.6], atol=0.01)

    def test_constant_columns(self):
        assert set(table([np.full(5, 3.25)]).free_cells(100, rng())[:, 0]) == {3.25}

    def test_some_rows_of_a_table(self):
        """They say how far a column reaches and how often; the whole table says whether it has fractions or few values."""
        values = np.linspace(0.0, 1.0, 101) ** 2
        levels, whole = np.arange(101) % 4 / 2, np.arange(101)
        cells = table([values, levels, whole, values], rows=slice(10, 14), n_bins=4).free_cells(N, rng())
        assert 0.01 <= cells[:, 0].min() < 0.0101
        assert 0.0168 < cells[:, 0].max() <= 0.0169
        assert set(cells[:, 1]) == {0.0, 0.5, 1.0, 1.5}
        assert set(cells[:, 2]) == {10, 11, 12, 13}

    @given(st.floats(-1e6, 1e6), st.integers(2, 30))
    def test_a_range_of_one_number_is_kept(self, number, n_bins):
        values = np.concatenate([[number], np.linspace(-2e6, 2e6, 40)])
        cells = table([values], rows=slice(0, 1), n_bins=n_bins).free_cells(50, rng())
        assert set(cells[:, 0]) == {number}

    def test_columns_are_independent(self):
        values = np.arange(100.0)
        cells = table([values, values]).free_cells(N, rng())
        assert abs(np.corrcoef(cells.T)[0, 1]) < 0.02


def conditions(*patterns):
    """Each pattern: a list of (column, lower, upper, missing, codes)."""
    return Conditions.of([tuple(ColumnCondition(*each) for each in pattern) for pattern in patterns])


INF = np.inf


class TestRowMaker:
    def maker(self, columns, asked, strength, nominal=()):
        mask = np.isin(np.arange(len(columns)), nominal)
        return RowMaker(table(columns, nominal), asked, np.asarray(strength, dtype=float), mask)

    def test_patterns_are_drawn_by_strength(self):
        asked = conditions(*([(0, 0.0, INF, False, ())] for _ in range(3)))
        _, pattern = self.maker([np.arange(10.0)], asked, [6.0, 1.0, 3.0]).make(N, rng())
        np.testing.assert_allclose(np.bincount(pattern) / N, [0.6, 0.1, 0.3], atol=0.01)

    def test_open_sides_reach_the_extremes_of_the_table(self):
        """Figure 2 of the paper: a1 > 10 and a3 <= 4."""
        columns = [np.arange(21), np.arange(21.0) % 7, np.arange(21) % 13]
        asked = conditions([(0, 10.0, INF, False, ()), (2, -INF, 4.0, False, ())])
        rows, _ = self.maker(columns, asked, [1.0]).make(N, rng())
        assert set(rows[:, 0]) == set(range(11, 21))
        assert set(rows[:, 2]) == set(range(5))
        assert rows[:, 1].min() < 0.1
        assert rows[:, 1].max() > 5.9

    def test_the_lower_bound_is_excluded_and_the_upper_one_included(self):
        values = np.array([0.0, np.nextafter(1.0, 2), 1.0, 2.0])
        asked = conditions([(0, 1.0, np.nextafter(1.0, 2), False, ())])
        rows, _ = self.maker([values], asked, [1.0]).make(100, rng())
        assert set(rows[:, 0]) == {np.nextafter(1.0, 2)}

    def test_admitted_categories_are_equally_likely_if_they_occur(self):
        asked = conditions([(0, -INF, INF, False, (0, 2, 3))])
        rows, _ = self.maker([[0] * 90 + [1, 2]], asked, [1.0], nominal=[0]).make(N, rng())
        assert set(rows[:, 0]) == {0, 2}
        assert (rows[:, 0] == 2).mean() == pytest.approx(0.5, abs=0.01)

    def test_missing_values_where_they_are_admitted(self):
        values = [0.0, 1.0, 2.0, np.nan]
        asked = conditions(
            [(0, 0.5, INF, True, ()), (1, -INF, INF, False, (0,))],
            [(0, 0.5, INF, False, ()), (1, -INF, INF, True, ())],
            [(0, INF, INF, True, ()), (1, -INF, INF, True, (1,))],
        )
        codes = [0, 1, np.nan, np.nan]
        rows, pattern = self.maker([values, codes], asked, [1, 1, 1], nominal=[1]).make(N, rng())
        missing = np.array([np.isnan(rows[pattern == p]).mean(axis=0) for p in range(3)])
        np.testing.assert_allclose(missing, [[0.25, 0.0], [0.0, 1.0], [1.0, 0.5]], atol=0.015)


def test_scales():
    wide = ArrayColumn(0, np.zeros(1, dtype=np.float32))
    assert scale_of(wide, np.array([1.0, 2.0, np.nan]), 2) == Levels((1.0, 2.0))
    assert scale_of(wide, np.array([1.0, 2.0, 3.0, np.nan]), 2) == IntegerScale()
    assert scale_of(wide, np.array([1.0, 2.5, 3.0, np.nan]), 2) == RealNumbers(np.float32)
    assert scale_of(wide, np.array([1.0, 2.0, 2.0**25]), 2) == RealNumbers(np.float32)  # 2 ** 25 - 1 is no float32
    assert scale_of(ArrayColumn(0, np.zeros(1)), np.array([1.0, 2.5, 3.0]), 2) == RealNumbers()
