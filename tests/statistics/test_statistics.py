"""Every test against a published example, and the rules by which it treats ties, missing scores and bad input."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rarewood.statistics import (
    average_ranks,
    bonferroni_dunn_cd,
    corrected_paired_t,
    friedman,
    friedman_of_ranks,
    holm,
    nemenyi_cd,
    rank_scores,
    tied_groups,
    wilcoxon_holm,
    win_draw_loss,
)
from support import published_tables as published

score_tables = st.integers(2, 6).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(0, 8).map(lambda i: i / 8), min_size=k, max_size=k), min_size=2, max_size=12
    )
)


class TestRanks:
    def test_published_average_ranks(self):
        ranks = average_ranks(published.ACCURACY, names=published.CRITERIA)
        # printed with two decimals, rounded up
        assert ranks.ranks == pytest.approx(published.ACCURACY_RANKS, abs=0.0051)
        assert list(ranks.as_dict())[:2] == ["iHDw", "iHD"]
        assert ranks["iHD"] == 2.8

    def test_one_published_tie_was_broken_by_hidden_decimals(self):
        ranks = average_ranks(published.AUC, names=published.CRITERIA)
        off = [
            n for n, ours, theirs in zip(ranks.names, ranks.ranks, published.AUC_RANKS) if abs(ours - theirs) > 0.0051
        ]
        assert off == ["Entropy", "GR"]

    @given(score_tables)
    def test_best_is_one_and_ties_share(self, table):
        table = np.array(table)
        ranks = rank_scores(table)
        k = table.shape[1]
        np.testing.assert_allclose(ranks.sum(axis=1), k * (k + 1) / 2)
        for row, row_ranks in zip(table, ranks):
            for i in range(k):
                assert row_ranks[i] == (row > row[i]).sum() + ((row == row[i]).sum() + 1) / 2
        np.testing.assert_array_equal(rank_scores(-table, larger_is_better=False), ranks)

    def test_rounding_of_a_mean_is_no_difference(self):
        assert 0.1 + 0.2 != 0.3
        assert rank_scores([[0.1 + 0.2, 0.3, 0.5]]).tolist() == [[2.5, 2.5, 1.0]]
        assert rank_scores([[1e-14, 2e-14]]).tolist() == [[2.0, 1.0]]

    @pytest.mark.parametrize("score", [0.1234567890125, 0.5, 1 / 3])
    def test_rounding_is_no_difference_wherever_it_falls(self, score):
        """Not even where the last of so many decimals would be rounded up for one score and down for the other."""
        for step in (-1e-13, -1e-16, 1e-16, 1e-13):
            np.testing.assert_array_equal(rank_scores([[1.0, score, score + step]]), [[1.0, 2.5, 2.5]])
        np.testing.assert_array_equal(rank_scores([[1.0, score, score + 1e-9]]), [[1.0, 3.0, 2.0]])

    def test_missing_scores_are_refused(self):
        with pytest.raises(ValueError, match="nan"):
            rank_scores([[1.0, np.nan]])
        assert rank_scores(np.empty((0, 3))).shape == (0, 3)

    @pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame])
    def test_names_come_with_tables(self, kind):
        ranks = average_ranks(kind({"a": [1.0, 2.0], "b": [2.0, 3.0]}))
        assert ranks.as_dict() == {"b": 1.0, "a": 2.0}
        assert repr(ranks) == "average ranks over 2 data sets, 1 is best\nb  1.00\na  2.00"

    def test_columns_may_be_numbered(self):
        assert average_ranks(pd.DataFrame([[1.0, 2.0]])).as_dict() == {"1": 1.0, "0": 2.0}

    def test_bad_scores_are_named(self):
        with pytest.raises(ValueError, match="'b' in row 1 is nan"):
            average_ranks({"a": [1, 2], "b": [1, np.nan]})
        with pytest.raises(ValueError, match=r"shape \(3, 1\)"):
            average_ranks([[1], [2], [3]])
        with pytest.raises(ValueError, match="2 dimensions"):
            average_ranks([1, 2, 3])
        with pytest.raises(ValueError, match="not numbers: \\['set'\\]"):
            average_ranks(pl.DataFrame({"set": ["x"], "a": [1.0], "b": [2.0]}))
        with pytest.raises(ValueError, match="names has 1 entries for 2"):
            average_ranks([[1, 2]], names=["a"])
        with pytest.raises(ValueError, match="must be numbers"):
            average_ranks([["x", "y"]])


class TestFriedman:
    def test_published_statistics_from_printed_scores(self):
        test = friedman(published.ACCURACY)
        assert (round(test.chi2, 2), round(test.f, 2)) == (35.77, 6.52)
        test = friedman(published.AUC)
        assert (round(test.chi2, 2), round(test.f, 2)) == (32.51, 5.75)

    def test_published_statistics_from_published_ranks(self):
        # as printed but for the third decimal, which two decimals hide
        ranks = dict(zip(published.CRITERIA, average_ranks(published.AUC).ranks)) | {"Entropy": 4.80, "GR": 4.275}
        test = friedman_of_ranks(list(ranks.values()), 20, names=list(ranks))
        assert test.chi2 == pytest.approx(32.42, abs=0.005)
        assert test.f == pytest.approx(5.72, abs=0.0055)  # 5.7250, cut off

    def test_demsar(self):
        test = friedman_of_ranks(published.PRUNING_RANKS, 14, names=published.PRUNINGS)
        assert (round(test.chi2, 2), round(test.f, 2)) == (9.28, 3.69)
        assert 0.01 < test.p_value < 0.05  # critical value of F(3, 39) at 0.05 is 2.85
        assert test.n_datasets == 14
        ours = friedman(published.PRUNING_AUC).ranks
        assert ours[:2] == pytest.approx(published.PRUNING_RANKS[:2], abs=0.0005)
        assert ours[2:] == pytest.approx((2.893 + 0.5 / 14, 1.964 - 0.5 / 14), abs=0.0005)

    @given(score_tables.filter(lambda table: len(table[0]) > 2))
    def test_is_scipys_without_its_correction_for_ties(self, table):
        table = np.array(table)
        n, k = table.shape
        ties = sum((np.unique(row, return_counts=True)[1] ** 3.0).sum() - k for row in rank_scores(table))
        correction = 1 - ties / (n * k * (k**2 - 1))
        if correction > 0:
            chi2 = stats.friedmanchisquare(*table.T).statistic
            assert friedman(table).chi2 == pytest.approx(chi2 * correction, abs=1e-9)

    def test_the_same_order_everywhere_is_beyond_doubt(self):
        test = friedman([[1, 2, 3]] * 5)
        assert (test.f, test.p_value) == (math.inf, 0.0)
        assert test.ranks == (3.0, 2.0, 1.0)

    def test_no_difference_at_all(self):
        test = friedman(np.ones((4, 3)))
        assert (test.chi2, test.f, test.p_value, test.chi2_p_value) == (0.0, 0.0, 1.0, 1.0)

    def test_one_data_set_proves_nothing(self):
        assert friedman([[1, 2, 3]]).p_value == 1.0

    def test_prints_what_a_paper_reports(self):
        text = repr(friedman(published.ACCURACY, names=published.CRITERIA))
        assert "8 methods on 20 data sets" in text
        assert "chi2 = 35.77 (7 df" in text
        assert "F = 6.52 (7 and 133 df)" in text

    def test_bad_ranks_are_named(self):
        with pytest.raises(ValueError, match=r"sums to 3; average ranks of 3 methods must sum to 6"):
            friedman_of_ranks([1, 1, 1], 5)
        with pytest.raises(ValueError, match="at least 2 methods"):
            friedman_of_ranks([1], 5)
        with pytest.raises(ValueError, match="names has 1"):
            friedman_of_ranks([1, 2], 5, names=["a"])


class TestCriticalDifferences:
    @pytest.mark.parametrize(
        ("difference", "table"), [(nemenyi_cd, published.NEMENYI_Q), (bonferroni_dunn_cd, published.BONFERRONI_DUNN_Q)]
    )
    @pytest.mark.parametrize("level", [0.05, 0.10])
    def test_published_critical_values(self, difference, table, level):
        for k, q in enumerate(table[level], start=2):
            ours = difference(k, 50, level) / math.sqrt(k * (k + 1) / (6 * 50))
            assert ours == pytest.approx(q, abs=0.0011)  # the last digit is printed rounded either way

    def test_demsar(self):
        assert round(nemenyi_cd(4, 14), 2) == 1.25
        assert round(nemenyi_cd(4, 14, 0.10), 2) == 1.12
        assert round(bonferroni_dunn_cd(4, 14, 0.10), 2) == 1.04

    def test_of_the_ihd_tables(self):
        assert nemenyi_cd(8, 20) == pytest.approx(2.348, abs=0.0005)
        assert bonferroni_dunn_cd(8, 20) == pytest.approx(2.084, abs=0.0005)

    def test_groups_are_the_bars_of_a_diagram(self):
        assert tied_groups([1.0, 2.0, 3.0], 0.5) == []
        assert tied_groups([3.0, 1.0, 2.0], 5.0) == [[1, 2, 0]]
        assert tied_groups([1.0, 1.5, 2.4, 2.6, 4.0], 1.2) == [[0, 1], [1, 2, 3]]
        assert tied_groups([1.0, 2.0], 1.0) == []

    def test_bad_input_is_named(self):
        for difference in (nemenyi_cd, bonferroni_dunn_cd):
            with pytest.raises(ValueError, match="k=1"):
                difference(1, 10)
            with pytest.raises(ValueError, match="n=0"):
                difference(3, 0)
            with pytest.raises(ValueError, match="level=5"):
                difference(3, 10, 5)
            with pytest.raises(TypeError, match=r"k=2\.5"):
                difference(2.5, 10)


class TestCorrectedPairedT:
    def test_by_hand(self):
        # differences 1, 2, 3: mean 2, variance 1; t = 2 / sqrt(1/3 + 1/2)
        test = corrected_paired_t([2, 4, 6], [1, 2, 3], n_train=200, n_test=100)
        assert test.statistic == pytest.approx(2 / math.sqrt(5 / 6))
        assert test.p_value == pytest.approx(2 * stats.t.sf(2 / math.sqrt(5 / 6), 2))
        assert test.mean_difference == 2.0
        assert repr(test) == "difference +2, t = 2.191, p = 0.16 (3 folds)"

    def test_without_overlap_it_is_the_plain_test(self):
        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(2, 30))
        plain = stats.ttest_rel(a, b)
        test = corrected_paired_t(a, b, n_train=1e15, n_test=1)
        assert (test.statistic, test.p_value) == (pytest.approx(plain.statistic), pytest.approx(plain.pvalue))

    def test_ten_times_ten_folds_need_a_t_3_5_times_smaller(self):
        rng = np.random.default_rng(1)
        a, b = rng.normal(size=(2, 100))
        ratio = stats.ttest_rel(a, b).statistic / corrected_paired_t(a, b, n_train=9, n_test=1).statistic
        assert ratio == pytest.approx(math.sqrt(1 + 100 / 9))

    def test_keeps_its_level_where_the_plain_test_does_not(self):
        # Two learners that are equally good: predictions are coin flips, folds overlap as in 10 x 10 cross-validation.
        rng = np.random.default_rng(2)
        corrected, plain = 0, 0
        for _ in range(100):
            hits = rng.normal(size=200)
            folds = [hits[part] for _ in range(10) for part in np.array_split(rng.permutation(200), 10)]
            gaps = np.array([fold.mean() for fold in folds])
            corrected += corrected_paired_t(gaps, 0 * gaps, n_train=9, n_test=1).p_value < 0.05
            plain += stats.ttest_rel(gaps, 0 * gaps).pvalue < 0.05
        assert corrected <= 10
        assert plain > 30

    def test_no_variance(self):
        same = corrected_paired_t([0.5, 0.5], [0.5, 0.5], n_train=1, n_test=1)
        assert (same.statistic, same.p_value) == (0.0, 1.0)
        shifted = corrected_paired_t([1, 2], [2, 3], n_train=1, n_test=1)
        assert (shifted.statistic, shifted.p_value) == (-math.inf, 0.0)

    def test_rounding_is_no_difference(self):
        test = corrected_paired_t([0.1 + 0.2] * 4, [0.3] * 4, n_train=1, n_test=1)
        assert (test.statistic, test.p_value) == (0.0, 1.0)

    def test_missing_folds_are_skipped_and_counted(self):
        test = corrected_paired_t([2, np.nan, 4, 6, 1], [1, 5, 2, 3, None], n_train=2, n_test=1)
        assert (test.mean_difference, test.n_folds, test.n_skipped) == (2.0, 3, 2)
        assert test.statistic == pytest.approx(2 / math.sqrt(5 / 6))
        assert "2 skipped" in repr(test)

    def test_bad_input_is_named(self):
        with pytest.raises(ValueError, match="a has 2 scores and b 3"):
            corrected_paired_t([1, 2], [1, 2, 3], n_train=1, n_test=1)
        with pytest.raises(ValueError, match="share 1 fold without"):
            corrected_paired_t([1, np.nan], [1, 2], n_train=1, n_test=1)
        with pytest.raises(ValueError, match="n_test=0"):
            corrected_paired_t([1, 2], [1, 2], n_train=1, n_test=0)


class TestWinDrawLoss:
    @pytest.mark.parametrize("table", ["ACCURACY", "AUC"])
    @pytest.mark.parametrize("base", ["iHD", "iHDw"])
    def test_published_counts(self, table, base):
        scores = getattr(published, table)
        column = published.CRITERIA.index(base)
        counts = [repr(win_draw_loss(scores[:, column], scores[:, other])) for other in range(column)]
        assert " ".join(counts) == getattr(published, f"{table}_WINS_OF_{base.upper()}")

    def test_only_significant_differences_count(self):
        a, b = [0.9, 0.8, 0.7, 0.6], [0.8, 0.9, 0.8, 0.6]
        assert repr(win_draw_loss(a, b, p_values=[0.04, 0.05, 0.01, 1.0])) == "1/2/1"
        assert repr(win_draw_loss(a, b, p_values=[0.04, 0.05, 0.01, 1.0], level=0.1)) == "1/1/2"

    def test_losses_are_reversed_and_sums_add(self):
        first = win_draw_loss([1, 2], [3, 3], larger_is_better=False)
        assert repr(first) == "2/0/0"
        assert repr(first + first.reversed()) == "2/0/2"

    def test_missing_and_rounding(self):
        assert repr(win_draw_loss([np.nan, 0.1 + 0.2], [1, 0.3])) == "0/1/0"

    def test_bad_input_is_named(self):
        with pytest.raises(ValueError, match="p_values has 1 entries for 2"):
            win_draw_loss([1, 2], [1, 2], p_values=[0.1])


class TestWilcoxon:
    def test_demsar(self):
        # Table 2 of the paper: the sums of ranks of C4.5 and C4.5+m are 93 and 12
        (pair,) = wilcoxon_holm(published.PRUNING_AUC[:, :2], names=published.PRUNINGS[:2])
        assert (pair.first, pair.second, pair.statistic) == ("C4.5+m", "C4.5", 12.0)
        assert pair.p_value == pair.adjusted_p_value == pytest.approx(0.011, abs=0.0005)

    def test_exact_where_there_are_no_ties(self):
        a = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
        (pair,) = wilcoxon_holm({"a": a, "b": 0 * a})
        assert pair.p_value == pytest.approx(2 / 2**5)
        assert (pair.first, pair.statistic) == ("a", 0.0)
        (pair,) = wilcoxon_holm({"a": a, "b": 0 * a}, larger_is_better=False)
        assert pair.first == "b"

    def test_equal_gaps_are_tied_in_spite_of_rounding(self):
        a, b = np.array([0.9, 0.8, 0.7, 0.3]), np.array([0.8, 0.7, 0.6, 0.4])
        assert len(np.unique(a - b)) > 2
        (pair,) = wilcoxon_holm({"a": a, "b": b})
        assert pair.statistic == 2.5

    def test_no_difference(self):
        (pair,) = wilcoxon_holm([[1, 1], [2, 2], [3, 3]])
        assert pair.p_value == 1.0

    def test_against_a_reference_only(self):
        tests = wilcoxon_holm(published.ACCURACY, names=published.CRITERIA, reference="iHDw")
        assert len(tests) == 7
        assert all("iHDw" in (pair.first, pair.second) for pair in tests)
        assert tests[0].p_value <= tests[-1].p_value
        assert "iHDw > Gini" in repr(tests)
        assert "significant" in repr(tests)
        assert len(wilcoxon_holm(published.ACCURACY)) == 28
        with pytest.raises(ValueError, match="reference='iHDx'"):
            wilcoxon_holm(published.ACCURACY, names=published.CRITERIA, reference="iHDx")

    def test_holm_by_hand(self):
        # Holm (1979): smallest times m, next times m - 1, ..., never falling
        np.testing.assert_allclose(holm([0.01, 0.015, 0.02, 0.6]), [0.04, 0.045, 0.045, 0.6])
        np.testing.assert_allclose(holm([0.5, 0.9]), [1.0, 1.0])
        with pytest.raises(ValueError, match="between 0 and 1"):
            holm([0.5, 1.5])

    @given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
    def test_holm_lies_between_no_correction_and_bonferroni(self, p):
        adjusted = holm(p)
        assert np.all(adjusted >= np.array(p) - 1e-15)
        assert np.all(adjusted <= np.minimum(1, len(p) * np.array(p)) + 1e-15)
        assert np.all(np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0)
