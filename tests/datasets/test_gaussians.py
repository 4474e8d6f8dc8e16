import numpy as np
import pytest
from scipy import stats

from rarewood.datasets import make_four_gaussians

UNLIKELY = 1e-3


def test_clouds_are_normal_around_the_corners_of_a_square():
    X, y = make_four_gaussians((4000, 3000, 2000, 1000), distance=3.0, random_state=0)
    assert np.bincount(y).tolist() == [4000, 3000, 2000, 1000]
    corners = np.array([[-1.5, 1.5], [1.5, 1.5], [1.5, -1.5], [-1.5, -1.5]])
    for label, corner in enumerate(corners):
        for column in range(2):
            assert stats.kstest(X[y == label, column] - corner[column], "norm").pvalue > UNLIKELY
        assert abs(np.corrcoef(X[y == label].T)[0, 1]) < 0.1


def test_edges_have_the_distance_asked_for():
    X, y = make_four_gaussians((5000,) * 4, distance=2.0, random_state=0)
    means = np.array([X[y == label].mean(axis=0) for label in range(4)])
    edges = np.linalg.norm(means - np.roll(means, -1, axis=0), axis=1)
    np.testing.assert_allclose(edges, 2.0, atol=0.1)


def test_rows_are_mixed_and_repeatable():
    X, y = make_four_gaussians(random_state=3)
    assert len(np.unique(y[:200])) >= 2
    again = make_four_gaussians(random_state=3)
    np.testing.assert_array_equal(X, again[0])
    np.testing.assert_array_equal(y, again[1])
    assert not np.array_equal(X, make_four_gaussians(random_state=4)[0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"sizes": (1, 2)}, "has 2 entries; give the number of rows of each of the 4 classes"),
        ({"sizes": (1, 2, 3, -4)}, "sizes=-4 is not accepted"),
        ({"distance": -1.0}, "distance=-1.0 is not accepted"),
    ],
)
def test_bad_arguments(arguments, words):
    with pytest.raises(ValueError, match=words):
        make_four_gaussians(**arguments)
