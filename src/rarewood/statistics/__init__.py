"""Are these classifiers different? Tests and tables for scores on folds and on data sets.

Plain functions on arrays; every result is a small immutable object that prints as a sentence or a table. Scores within a
relative 1e-12 of each other count as tied: such differences are rounding errors.
"""

from rarewood.statistics._critical_difference import bonferroni_dunn_cd, nemenyi_cd, tied_groups
from rarewood.statistics._friedman import Friedman, friedman, friedman_of_ranks
from rarewood.statistics._paired_t import PairedT, corrected_paired_t
from rarewood.statistics._ranks import AverageRanks, average_ranks, rank_scores
from rarewood.statistics._wilcoxon import PairTest, PairTests, holm, wilcoxon_holm
from rarewood.statistics._win_draw_loss import WinDrawLoss, win_draw_loss

__all__ = [
    "AverageRanks",
    "Friedman",
    "PairTest",
    "PairTests",
    "PairedT",
    "WinDrawLoss",
    "average_ranks",
    "bonferroni_dunn_cd",
    "corrected_paired_t",
    "friedman",
    "friedman_of_ranks",
    "holm",
    "nemenyi_cd",
    "rank_scores",
    "tied_groups",
    "wilcoxon_holm",
    "win_draw_loss",
]
