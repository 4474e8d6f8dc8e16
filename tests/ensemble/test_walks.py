"""Fast walks down trees: the bits of a walk that takes row by row, test by test; what is prepared for them is kept with the model alone."""

import copy
import pickle
import sys
import threading
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

from oracle.walk import walk
from rarewood import (
    ForestClassifier,
    HeDExClassifier,
    HeDExhClassifier,
    OneVsAllClassifier,
    RareClassifier,
    TreeClassifier,
    _core,
    criteria,
)

MISSING = 0.08


def table(n_rows, *, seed=0, nominal=True, missing=True, n_classes=3):
    """Numbers of several scales beside codes of categories, some of which only other seeds have."""
    rng = np.random.default_rng(seed)
    numbers = np.column_stack(
        [rng.normal(size=n_rows), rng.lognormal(sigma=2, size=n_rows), rng.integers(9, size=n_rows)]
    )
    codes = rng.integers(6 + seed, size=(n_rows, 2)) if nominal else rng.normal(size=(n_rows, 2))
    X = np.column_stack([numbers, codes])
    score = X[:, 0] + (X[:, 3] % 3) + rng.normal(size=n_rows)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    if missing:
        X[rng.random(X.shape) < MISSING] = np.nan
    return X, y


def twin(forest, matrix, pseudo_counts, weights=None):
    """The sums that the core makes, by a walk of one row at a time and additions in the order of the trees."""
    leaves = [walk(forest[number], matrix)[1] for number in range(len(forest))]
    return twin_sums(forest, leaves, pseudo_counts, weights)


def twin_sums(forest, leaves, pseudo_counts, weights=None):
    """The same of nodes that are known, tree by tree."""
    n_classes = forest[0].n_classes
    given = np.broadcast_to(np.asarray(pseudo_counts, dtype=float), n_classes)
    total = given[0] * n_classes if (given == given[0]).all() else sum(given.tolist())
    sums = np.zeros((len(leaves[0]), n_classes))
    for number in range(len(forest)):
        counts = forest[number].value[leaves[number]]
        denominators = counts.cumsum(axis=1)[:, -1:] + total
        with np.errstate(invalid="ignore"):
            shares = np.where(denominators > 0, (counts + given) / denominators, 1 / n_classes)
        sums += shares if weights is None else weights[number] * shares
    return sums if weights is not None or len(forest) == 1 else sums / len(forest)


@pytest.fixture(params=[True, False], ids=["vectors", "scalar"])
def vectors(request):
    usable = _core.testing.allow_vectors(request.param)
    if request.param and not usable:
        pytest.skip("no vector instructions here")
    yield request.param
    _core.testing.allow_vectors(True)


FORESTS = {
    "thresholds": lambda: HeDExClassifier(5, random_state=0),
    "exact": lambda: ForestClassifier(4, random_state=0),
    "lines": lambda: HeDExhClassifier(5, random_state=0),
    "subsets": lambda: HeDExClassifier(5, categorical_features=[3, 4], random_state=0),
    "one against the rest": lambda: ForestClassifier(
        4, nominal="one_vs_rest", categorical_features=[3, 4], random_state=0
    ),
    "branches": lambda: ForestClassifier(4, nominal="multiway", categorical_features=[3, 4], random_state=0),
    "lines and places": lambda: HeDExhClassifier(5, categorical_features=[3, 4], random_state=0),
    "stumps": lambda: HeDExClassifier(9, max_depth=1, random_state=0),
}
TRAINING, DISTINCT, ROWS = 300, 90, 1300


@cache
def case(kind, missing, dtype):
    """A fitted forest, rows in its coding of which most come several times, and the twin's sums for them; smoothing 1."""
    model = FORESTS[kind]().fit(*table(TRAINING, missing=missing))
    matrix = model._encode(table(DISTINCT, seed=1, missing=missing)[0].astype(dtype)).astype(dtype)
    places = np.arange(ROWS) % DISTINCT
    return pickle.dumps(model), matrix[places], twin(model.forest_, matrix, 1.0)[places]


class TestBits:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("missing", [True, False], ids=["missing", "whole"])
    @pytest.mark.parametrize("kind", FORESTS)
    def test_probabilities_are_those_of_single_rows(self, kind, missing, dtype, vectors):
        pickled, matrix, expected = case(kind, missing, dtype)
        forest = pickle.loads(pickled).forest_
        for n_rows in (
            9,
            1,
            7,
            300,
            1300,
            512,
            513,
            40,
            9,
            7,
            1,
        ):  # the first before, the last after trees are prepared
            np.testing.assert_array_equal(forest.predict_proba(matrix[:n_rows], 1.0), expected[:n_rows])

    @pytest.mark.parametrize("kind", FORESTS)
    def test_of_every_layout_and_number_of_threads(self, kind, vectors):
        pickled, matrix, expected = case(kind, True, np.float64)
        forest = pickle.loads(pickled).forest_
        layouts = {
            "by columns": np.asfortranarray(matrix),
            "every other row": np.repeat(matrix, 2, axis=0)[::2],
            "backwards": matrix[::-1].copy()[::-1],
            "part of wider rows": np.hstack([matrix, matrix])[:, : matrix.shape[1]],
        }
        for name, rows in layouts.items():
            for n_threads in (1, 2, 3):
                np.testing.assert_array_equal(forest.predict_proba(rows, 1.0, n_threads), expected, err_msg=name)
        one = np.broadcast_to(matrix[:1], matrix.shape)  # rows without a distance
        np.testing.assert_array_equal(forest.predict_proba(one, 1.0), np.repeat(expected[:1], ROWS, axis=0))

    @pytest.mark.parametrize("kind", ["thresholds", "lines", "lines and places"])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_infinite_cells_go_where_single_rows_go(self, kind, dtype, vectors):
        # callers' tables with infinities are refused; the core still has an answer
        pickled, matrix, _ = case(kind, True, dtype)
        forest = pickle.loads(pickled).forest_
        rows = matrix[:DISTINCT].copy()
        numbers, rng = rows[:, :3], np.random.default_rng(4)
        numbers[rng.random(numbers.shape) < 0.1] = np.inf
        numbers[rng.random(numbers.shape) < 0.1] = -np.inf
        with np.errstate(invalid="ignore"):
            expected = twin(forest, rows, 1.0)
        for _ in range(2):
            np.testing.assert_array_equal(forest.predict_proba(np.tile(rows, (10, 1)), 1.0), np.tile(expected, (10, 1)))

    def test_thresholds_between_two_floats(self, vectors):
        # float32 rows around float64 thresholds that no float32 can hold
        values = (np.float32(1.0) + np.arange(300, dtype=np.float32) * np.finfo(np.float32).eps)[:, np.newaxis]
        y = np.random.default_rng(5).integers(2, size=300)
        forest = ForestClassifier(4, random_state=0).fit(values.astype(np.float64), y).forest_
        np.testing.assert_array_equal(forest.predict_proba(values, 1.0), twin(forest, values, 1.0))

    @pytest.mark.parametrize("splitter", ["best", "random", "hyperplane"])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_sets_and_places_of_few_and_of_very_many_categories(self, splitter, dtype, vectors):
        # one word, several words, more than short nodes can name, more than any compact node can
        sizes, rng = np.array([2, 31, 32, 33, 700, 5000, 70_000]), np.random.default_rng(12)
        codes, x = rng.integers(sizes, size=(250, 7)), rng.normal(size=250)
        codes[:3] = sizes - 1
        y = (codes[:, 4] % 2 + codes[:, 6] % 3 + x > 1.5).astype(np.int32)
        table = _core.Dataset(np.column_stack([codes, x]), np.append(sizes, 0).astype(np.int32), y, 2)
        plan = _core.ForestPlan([criteria.Hellinger()._spec()], n_trees=4, seed=0, splitter=splitter, sampling="all")
        forest = _core.grow_forests(table, [plan])[0]
        asked = np.column_stack([rng.integers(sizes + 1, size=(200, 7)), rng.normal(size=200)])
        asked = np.vstack([asked, np.column_stack([codes, x])]).astype(dtype)
        asked[rng.random(asked.shape) < MISSING] = np.nan
        expected = twin(forest, asked, 1.0)
        for rows in (np.tile(asked, (9, 1)), asked, asked[:1]):
            np.testing.assert_array_equal(forest.predict_proba(rows, 1.0), np.resize(expected, (len(rows), 2)))

    def test_more_columns_than_short_steps_can_name(self, vectors):
        X = np.random.default_rng(6).normal(size=(200, 1100)).astype(np.float32)
        y = (X[:, 1080] + X[:, 3] > 0).astype(int)
        forest = ForestClassifier(3, max_features=None, random_state=0).fit(X, y).forest_
        assert any((forest[tree].feature > 1024).any() for tree in range(3))
        np.testing.assert_array_equal(forest.predict_proba(X, 1.0), twin(forest, X, 1.0))

    @pytest.mark.parametrize("n_classes", [2, 3, 5])
    def test_weights_of_trees_and_pseudo_counts_of_classes(self, n_classes, vectors):
        forest = HeDExClassifier(3, random_state=0).fit(*table(200, n_classes=n_classes)).forest_
        rows, weights = table(60, seed=7)[0], np.random.default_rng(8).random(3)
        for counts in (0.0, np.linspace(0.1, 2.0, n_classes)):
            expected = twin(forest, rows, counts, weights)
            for n_rows in (60, 1):
                found = forest.predict_proba(rows[:n_rows], counts, 1, weights)
                np.testing.assert_array_equal(found, expected[:n_rows])

    @pytest.mark.parametrize("n_classes", [8, 20, 70])
    @pytest.mark.parametrize("min_samples_leaf", [1, 12])
    def test_many_classes(self, n_classes, min_samples_leaf):
        """Leaves of one class and of many; more trees than are added up at once; shares that differ where nothing was seen."""
        X, y = table(400, n_classes=n_classes)
        model = HeDExClassifier(35, min_samples_leaf=min_samples_leaf, random_state=0)
        weights = np.random.default_rng(10).random(400) + 0.5
        for forest in (model.fit(X, y).forest_, model.fit(X, y, sample_weight=weights).forest_):
            leaves = forest.apply(X).T
            for counts in (0.0, 1.0, np.linspace(0.1, 2.0, n_classes)):
                np.testing.assert_array_equal(forest.predict_proba(X, counts), twin_sums(forest, leaves, counts))
        weights = np.random.default_rng(11).random(35)
        found = forest.predict_proba(X, 0.3, 1, weights)
        np.testing.assert_array_equal(found, twin_sums(forest, leaves, 0.3, weights))

    def test_leaves_with_more_distinct_counts_than_rows_that_come(self, vectors):
        X, y = table(900)
        weights = np.random.default_rng(9).random(900)  # so that no two leaves count the same
        forest = HeDExClassifier(4, random_state=0).fit(X, y, sample_weight=weights).forest_
        np.testing.assert_array_equal(forest.predict_proba(X[:40], 1.0), forest.predict_proba(X, 1.0)[:40])

    @pytest.mark.parametrize(
        "model",
        [RareClassifier(12, random_state=0), OneVsAllClassifier(HeDExClassifier(9, random_state=0))],
        ids=["mixture and prior", "decomposition"],
    )
    def test_rows_do_not_depend_on_their_company(self, model, vectors):
        X, y = table(900, n_classes=2)
        model = clone(model).fit(X, y)
        if hasattr(model, "set_prior"):
            model.set_prior({1: 0.02})
        whole = model.predict_proba(X)
        parts = [model.predict_proba(X[begin : begin + size]) for begin, size in ((0, 1), (1, 6), (7, 300), (307, 593))]
        np.testing.assert_array_equal(np.vstack(parts), whole)

    def test_a_single_tree(self, vectors):
        X, y = table(600)
        model = TreeClassifier(categorical_features=[3, 4]).fit(X, y)
        matrix = model._encode(X)
        expected = twin([model.tree_], matrix[:100], 1.0)
        for _ in range(2):
            np.testing.assert_array_equal(model.tree_.predict_proba(matrix, 1.0)[:100], expected)


class TestKept:
    @pytest.fixture
    def model(self):
        return HeDExClassifier(5, random_state=0).fit(*table(500, nominal=False))

    def test_it_is_made_when_enough_rows_have_come_and_once(self, model):
        X = table(3000, nominal=False)[0]
        sizes = [sys.getsizeof(model.forest_)]
        for rows in (X[:1], X, X, X.astype(np.float32), X.astype(np.float32)):
            model.predict_proba(rows)
            sizes.append(sys.getsizeof(model.forest_))
        nodes = sum(model.forest_[tree].node_count for tree in range(5))
        assert sizes[1] == sizes[0]
        assert 16 * nodes <= sizes[2] - sizes[1] <= 16 * nodes + 5 * 200
        assert sizes[3] == sizes[2]
        assert 8 * nodes <= sizes[4] - sizes[3] <= 8 * nodes + 5 * 200
        assert sizes[5] == sizes[4]

    def test_single_rows_earn_it_too(self, model):
        row = table(1, nominal=False)[0]
        before = sys.getsizeof(model.forest_)
        for _ in range(max(model.forest_[tree].node_count for tree in range(5)) // 4 + 1):
            model.predict_proba(row)
        assert sys.getsizeof(model.forest_) > before

    def test_it_is_no_part_of_pickles_copies_or_files(self, model):
        X = table(3000, nominal=False)[0]
        fresh, before = sys.getsizeof(model.forest_), pickle.dumps(model)
        expected = model.predict_proba(X)
        assert pickle.dumps(model) == before
        for other in (pickle.loads(before), copy.deepcopy(model)):
            assert sys.getsizeof(other.forest_) == fresh
            np.testing.assert_array_equal(other.predict_proba(X), expected)

    def test_fits_forget_it(self, model):
        X, y = table(1500, seed=1, nominal=False)
        first = model.predict_proba(X)
        model.set_params(warm_start=True, n_estimators=8).fit(*table(500, nominal=False))
        np.testing.assert_array_equal(model.predict_proba(X)[:50], twin(model.forest_, X[:50], 1.0))
        model.set_params(warm_start=False).fit(X, y)
        assert not np.array_equal(model.predict_proba(X), first)
        np.testing.assert_array_equal(model.predict_proba(X[:50]), twin(model.forest_, X[:50], 1.0))

    def test_smoothing_may_change_meanwhile(self, model):
        X = table(3000, nominal=False)[0]
        for smoothing in (1.0, 0.0, 2.5):
            np.testing.assert_array_equal(
                model.set_params(smoothing=smoothing).predict_proba(X)[:50], twin(model.forest_, X[:50], smoothing)
            )

    @pytest.mark.several_threads
    def test_threads_that_come_first_at_once(self):
        X, y = table(4000, nominal=False)
        expected = HeDExClassifier(20, random_state=0).fit(X, y).predict_proba(X)
        for _ in range(5):
            model = HeDExClassifier(20, random_state=0).fit(X, y)
            start, answers = threading.Barrier(4), []

            def ask(model=model, start=start, answers=answers):
                start.wait()
                answers.append(model.predict_proba(X))

            threads = [threading.Thread(target=ask) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(answers) == 4
            assert all(np.array_equal(answer, expected) for answer in answers)
