import numpy as np
import pytest

from rarewood.datasets import make_workload, workload_names

# What 2000 rows held when benchmarks first ran: the sum of the labels and of the table.
CONTENTS = {
    ("a", "train"): (2174, [4.984332, 0.4003415], 36692.097),
    ("a", "test"): (1804, [14.27858, 0.4254509], 36709.395),
    ("b", "train"): (922, [0.7884047, 0.03015278], 51898.785),
    ("b", "test"): (1215, [0.1814146, 0.09314442], 52368.359),
    ("c", "train"): (391, [4.46802, 0.9582728], 52786.066),
    ("c", "test"): (503, [30.85677, 2.947035], 52764.847),
    ("d", "train"): (108706, [0.1087029, 0.9507334], 55242.16),
    ("d", "test"): (114550, [1.304892, 2.78263], 54612.331),
    ("e", "train"): (4166, [0.1376207, 0.2722065], 1609695.6),
    ("e", "test"): (5069, [2.270483, 3.952578], 1600869.1),
    ("trap-constant", "train"): (2202, [1.332867, 1.952371], 58063.938),
    ("trap-constant", "test"): (1824, [1.434784, -0.05673213], 58085.667),
    ("trap-nearly-constant", "train"): (1940, [-1.099925, -1.132206], 8154.2531),
    ("trap-nearly-constant", "test"): (1964, [-0.8273212, 0.05762678], 8035.3692),
    ("trap-three-level", "train"): (4330, [1, 1], 59744),
    ("trap-three-level", "test"): (4801, [0, 0], 60075),
    ("trap-lognormal", "train"): (1949, [0.02082367, 3.844655], 442450.56),
    ("trap-lognormal", "test"): (2059, [0.01152491, 0.01960806], 438545.06),
    ("trap-noise", "train"): (29039, [-0.8322917, -0.8956782], 47892.867),
    ("trap-noise", "test"): (28936, [-0.02737628, 0.1407939], 48289.645),
    ("trap-duplicates", "train"): (5953, [-1.008396, 0.299861], 48487.941),
    ("trap-duplicates", "test"): (7260, [1.328647, -1.457209], 48423.868),
}


@pytest.mark.parametrize("name", workload_names())
@pytest.mark.parametrize("part", ["train", "test"])
def test_contents_never_change(name, part):
    data = make_workload(name, rows=2000, part=part)
    labels, first, total = CONTENTS[name, part]
    assert int(np.dot(data.y, np.arange(2000) % 97)) == labels
    np.testing.assert_allclose(data.X[[0, -1], 0], first, rtol=1e-5)
    np.testing.assert_allclose(np.nansum(np.abs(data.X), dtype=float), total, rtol=1e-5)


@pytest.mark.parametrize(("name", "rows", "columns", "classes"), [("a", 10_000, 20, 2), ("d", 50_000, 30, 8)])
def test_sizes(name, rows, columns, classes):
    data = make_workload(name)
    assert data.X.shape == (rows, columns)
    assert data.n_classes == classes
    assert data.X.dtype == np.float32


def test_categories_of_e():
    data = make_workload("e", rows=20_000)
    codes = data.X[:, data.categorical_features]
    assert data.X.shape == (20_000, 40)
    assert codes.shape[1] == 20
    assert np.nanmin(codes) == 0
    assert sorted(np.nanmax(codes, axis=0) + 1)[-2:] == [390, 700]
    assert data.y.mean() == 0.05
    assert 0.05 < np.isnan(data.X).mean() < 0.15


def test_test_part_holds_other_rows():
    train, test = (make_workload("a", rows=500, part=part) for part in ("train", "test"))
    assert not np.isin(test.X[:, 1], train.X[:, 1]).any()


def test_unknown_name_and_part():
    with pytest.raises(ValueError, match="unknown workload 'trap-constnt', did you mean 'trap-constant'"):
        make_workload("trap-constnt")
    with pytest.raises(ValueError, match="part='valid' is not accepted"):
        make_workload("a", part="valid")
