"""What a fitted forest answers, and that its trees answer the same."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError

from oracle.walk import walk
from rarewood import ForestClassifier, HeDExClassifier, HeDExhClassifier, TreeClassifier
from support.forests import FORESTS, assert_same_state

X, Y = make_classification(
    n_samples=600, n_features=6, n_informative=4, n_classes=3, weights=[0.7, 0.2], flip_y=0.1, random_state=0
)


@pytest.fixture(scope="module", params=FORESTS, ids=lambda model: model.__name__)
def forest(request):
    return request.param(9, random_state=0).fit(X, Y)


class TestProbabilities:
    def test_they_are_the_mean_of_those_of_the_trees(self, forest):
        mean = np.mean([tree.predict_proba(X) for tree in forest.estimators_], axis=0)
        np.testing.assert_allclose(forest.predict_proba(X), mean, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(forest.predict_proba(X).sum(axis=1), 1.0)

    def test_the_most_probable_class_is_predicted(self, forest):
        np.testing.assert_array_equal(forest.predict(X), forest.classes_[forest.predict_proba(X).argmax(axis=1)])
        np.testing.assert_allclose(np.exp(forest.predict_log_proba(X)), forest.predict_proba(X))

    def test_smoothing_can_change_after_fit(self, forest):
        counts = [tree.tree_.value[tree.apply(X)] for tree in forest.estimators_]
        given = forest.smoothing
        for smoothing in (0.0, 0.5, 3.0):
            expected = np.mean([(c + smoothing) / (c + smoothing).sum(axis=1, keepdims=True) for c in counts], axis=0)
            np.testing.assert_allclose(forest.set_params(smoothing=smoothing).predict_proba(X), expected, rtol=1e-9)
        forest.set_params(smoothing=given)

    @pytest.mark.parametrize("n_rows", [1, 7, 8, 9, 255, 256, 257, 600])
    def test_rows_do_not_depend_on_their_company(self, forest, n_rows):
        whole = forest.predict_proba(X)
        np.testing.assert_array_equal(forest.predict_proba(X[:n_rows]), whole[:n_rows])

    def test_layout_and_precision_do_not_matter(self, forest):
        narrow = X.astype(np.float32)
        expected = forest.predict_proba(narrow.astype(np.float64))
        for table in (narrow, np.asfortranarray(narrow), np.repeat(narrow, 2, axis=0)[::2], narrow[::-1][::-1]):
            np.testing.assert_array_equal(forest.predict_proba(table), expected)

    def test_float32_tables_grow_the_forest_of_their_float64_copies(self):
        for model in FORESTS:
            narrow = X.astype(np.float32)
            one, other = (model(4, random_state=0).fit(table, Y) for table in (narrow, narrow.astype(np.float64)))
            assert_same_state(one.forest_, other.forest_)

    def test_answers_belong_to_the_user(self, forest):
        for answer in (forest.predict_proba(X), forest.predict(X), forest.apply(X)):
            answer[0] = 0

    def test_missing_values_are_answered_by_forests_that_never_saw_one(self, forest):
        assert np.isfinite(forest.predict_proba(np.full((2, 6), np.nan))).all()


class TestNodes:
    def test_apply_asks_every_tree(self, forest):
        leaves = forest.apply(X)
        assert leaves.shape == (600, 9)
        for column, tree in zip(leaves.T, forest.estimators_):
            np.testing.assert_array_equal(column, tree.apply(X))
            np.testing.assert_array_equal(column[:50], walk(tree.tree_, X[:50])[1])

    def test_paths_of_all_trees_stand_side_by_side(self, forest):
        paths, starts = forest.decision_path(X[:40])
        sizes = [tree.tree_.node_count for tree in forest.estimators_]
        assert starts.tolist() == [0, *np.cumsum(sizes).tolist()]
        assert paths.shape == (40, sum(sizes))
        for i, tree in enumerate(forest.estimators_):
            part = paths[:, starts[i] : starts[i + 1]].toarray()
            np.testing.assert_array_equal(part, tree.decision_path(X[:40]).toarray())
            assert (part[np.arange(40), tree.apply(X[:40])] == 1).all()
            assert (part[:, 0] == 1).all()


class TestImportances:
    def test_they_are_shares(self, forest):
        shares = forest.feature_importances_
        assert shares.shape == (6,)
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1.0)

    def test_they_are_the_mean_of_those_of_the_trees(self, forest):
        mean = np.mean([tree.feature_importances_ for tree in forest.estimators_], axis=0)
        np.testing.assert_allclose(forest.feature_importances_, mean)

    def test_a_column_that_says_nothing_has_little_and_a_constant_one_none(self):
        rng = np.random.default_rng(0)
        y = rng.integers(2, size=300)
        table = np.column_stack([y + 0.1 * rng.normal(size=300), rng.normal(size=300), np.ones(300)])
        for model in (HeDExClassifier, ForestClassifier):
            shares = model(30, max_features=None, random_state=0).fit(table, y).feature_importances_
            assert shares[0] > 0.9
            assert shares[2] == 0.0

    def test_leaves_alone_have_none(self):
        forest = HeDExClassifier(3).fit([[1.0], [2.0]], ["only", "only"])
        assert forest.feature_importances_.tolist() == [0.0]
        assert forest.predict_proba([[5.0]]).tolist() == [[1.0]]


class TestTrees:
    def test_they_are_a_sequence_of_fitted_trees(self, forest):
        trees = forest.estimators_
        assert len(trees) == len(list(trees)) == 9
        assert all(isinstance(tree, TreeClassifier) for tree in trees)
        assert_same_state(trees[-1].tree_, trees[8].tree_)
        assert [tree.tree_.node_count for tree in trees[2:5]] == [trees[i].tree_.node_count for i in (2, 3, 4)]
        for outside in (9, -10):
            with pytest.raises(IndexError, match="9 trees"):
                trees[outside]

    def test_they_know_how_they_were_grown(self, forest):
        tree = forest.estimators_[0]
        assert tree.classes_.tolist() == [0, 1, 2]
        assert tree.n_features_in_ == 6
        assert (tree.splitter, tree.smoothing) == (forest.splitter, forest.smoothing)
        assert set(tree.predict(X)) == {0, 1, 2}

    def test_an_unfitted_forest_has_none(self):
        for model in FORESTS:
            for ask in (
                lambda forest: forest.estimators_,
                lambda forest: forest.feature_importances_,
                lambda forest: forest.predict(X),
                lambda forest: forest.apply(X),
                lambda forest: forest.decision_path(X),
            ):
                with pytest.raises(NotFittedError):
                    ask(model())


class TestTables:
    """Nominal columns, missing values and names, in every container."""

    LANDS = ("DE", "FR", "NG", "RO", "US")

    @pytest.fixture
    def columns(self):
        rng = np.random.default_rng(1)
        land = rng.choice(self.LANDS, size=400).astype(object)
        amount = rng.lognormal(3, 1, size=400)
        risky = np.isin(land, ["NG", "RO"]) & (amount > 20)
        amount[rng.random(400) < 0.1] = np.nan
        land[rng.random(400) < 0.1] = None
        return {"amount": amount, "age": rng.integers(18, 80, size=400), "land": land}, np.where(
            risky, "fraud", "legit"
        )

    @pytest.mark.parametrize("model", FORESTS)
    def test_every_container_gives_the_same_forest(self, model, columns):
        table, y = columns
        frame = pd.DataFrame(table).assign(land=pd.Categorical(table["land"], categories=self.LANDS))
        others = {
            "polars": pl.DataFrame({**table, "land": pl.Series(table["land"].tolist(), dtype=pl.Enum(self.LANDS))}),
            "array": np.column_stack(list(table.values())),
        }
        by_dtype = model(6, random_state=0).fit(frame, y)
        assert by_dtype.classes_.tolist() == ["fraud", "legit"]
        assert by_dtype.feature_names_in_.tolist() == ["amount", "age", "land"]
        assert by_dtype.score(frame, y) > 0.9
        for name, other in others.items():
            nominal = "from_dtype" if name == "polars" else [2]
            forest = model(6, categorical_features=nominal, random_state=0).fit(other, y)
            assert_same_state(by_dtype.forest_, forest.forest_)
            np.testing.assert_array_equal(by_dtype.predict_proba(frame), forest.predict_proba(other))

    @pytest.mark.parametrize("model", FORESTS)
    def test_categories_never_seen_and_missing_ones_are_answered(self, model, columns):
        table, y = columns
        frame = pd.DataFrame(table).assign(land=pd.Categorical(table["land"], categories=self.LANDS))
        forest = model(6, random_state=0).fit(frame, y)
        strange = pd.DataFrame({"amount": [np.nan, 1.0], "age": [np.nan, 30.0], "land": ["XX", None]})
        np.testing.assert_allclose(forest.predict_proba(strange).sum(axis=1), 1.0)
        trees = [tree.predict_proba(strange) for tree in forest.estimators_]
        np.testing.assert_allclose(forest.predict_proba(strange), np.mean(trees, axis=0))

    @pytest.mark.parametrize("nominal", ["subset", "one_vs_rest", "multiway"])
    def test_every_way_to_split_categories_works_in_a_forest(self, nominal, columns):
        table, y = columns
        frame = pd.DataFrame(table).astype({"land": "category"})
        forest = ForestClassifier(10, nominal=nominal, max_features=None, random_state=0).fit(frame, y)
        kinds = {tree.tree_.split_kind(node) for tree in forest.estimators_ for node in range(tree.tree_.node_count)}
        assert kinds == {"leaf", "numeric", "multiway" if nominal == "multiway" else "subset"}
        assert forest.score(frame, y) > 0.9

    def test_pruned_forests_are_smaller(self, columns):
        table, y = columns
        frame = pd.DataFrame(table).astype({"land": "category"})
        full, pruned = (
            ForestClassifier(10, criterion="c45", pruning=pruning, random_state=0).fit(frame, y)
            for pruning in (None, "pessimistic")
        )
        assert sum(t.get_n_leaves() for t in pruned.estimators_) < sum(t.get_n_leaves() for t in full.estimators_)


def test_hyperplanes_are_walked_in_float32_as_in_float64():
    narrow = np.random.default_rng(0).normal(size=(500, 4)).astype(np.float32)
    y = (narrow[:, 0] > narrow[:, 1]).astype(int)
    forest = HeDExhClassifier(10, smoothing=0, random_state=0).fit(narrow, y)
    assert forest.score(narrow, y) == forest.score(narrow.astype(np.float64), y) == 1.0
