"""The post-hoc test of scikit-posthocs finds the same pairs different."""

from itertools import combinations

import pytest

from rarewood.statistics import average_ranks, nemenyi_cd
from support import published_tables as published

posthocs = pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed", exc_type=ImportError)


@pytest.mark.peer
@pytest.mark.parametrize("scores", [published.ACCURACY, published.AUC, published.PRUNING_AUC])
@pytest.mark.parametrize("level", [0.05, 0.1])
def test_pairs_apart_by_the_critical_difference_are_those_of_nemenyi(scores, level):
    n, k = scores.shape
    p_values = posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
    ranks = average_ranks(scores).ranks
    for i, j in combinations(range(k), 2):
        assert (abs(ranks[i] - ranks[j]) >= nemenyi_cd(k, n, level)) == (p_values[i, j] <= level)
