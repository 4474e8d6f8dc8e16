"""Dangerous rows leave, all others stay, and nothing but the rows decides it."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.pipeline import make_pipeline
from sklearn.model_selection import GridSearchCV

from oracle import bias as oracle
from rarewood import BiasedForestCleaner, TreeClassifier
from rarewood.datasets import make_planted_rules
from rarewood.ensemble.bias import deal
from rarewood.exceptions import RarewoodWarning
from support.interrupts import seconds_until_stopped
from support.leaning import C45, Draws, binary, overlapping
from support.strategies import make_problem


@pytest.fixture(scope="module")
def planted():
    return make_planted_rules(10_000, random_state=0)


def removed_by(cleaner, n_rows):
    return np.setdiff1d(np.arange(n_rows), cleaner.sample_indices_)


class TestAgainstOracle:
    @pytest.mark.parametrize("sequential", [False, True])
    @pytest.mark.parametrize("kind", ["continuous", "missing", "mixed"])
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("threshold", [0.25, 0.5])
    def test_votes_and_removed_rows(self, kind, n_classes, sequential, threshold):
        """Naive C4.5 trees on the rows that were drawn; 4 trees, so that a quarter or half of the votes is possible."""
        problem = make_problem(kind, n_classes=n_classes, n_rows=60)
        positive = int(np.bincount(problem.y).argmin())
        naive = binary(problem, positive)
        draws = Draws(naive.y, random_state=5)
        seed = draws.next_seed()
        negative = np.flatnonzero(naive.y == 0)
        parts = deal(negative, 3, draws.rng)

        def draw(part, tree, withheld):
            sizes = oracle.cleaning_sizes(int(naive.y.sum()), len(negative) - len(withheld), 2.0)
            return draws.rows(seed, 4 * part + tree, sizes, withheld)

        votes, removed = oracle.clean(naive, C45, parts, draw, 4, threshold, sequential)
        cleaner = BiasedForestCleaner(
            n_subsets=3,
            n_estimators=4,
            ratio=2.0,
            threshold=threshold,
            sequential=sequential,
            max_features=None,
            categorical_features=list(problem.nominal),
            random_state=5,
        )
        cleaner.fit_resample(problem.X, problem.y)
        np.testing.assert_array_equal(cleaner.votes_, votes)
        np.testing.assert_array_equal(removed_by(cleaner, 60), removed)

    def test_ties_at_exactly_threshold_times_trees_stay(self):
        X, y = overlapping()
        votes = BiasedForestCleaner(n_estimators=10, ratio=2.0, random_state=0)
        votes.fit_resample(X, y)
        assert {1, 3, 7} <= set(votes.votes_)
        for n_votes in range(1, 11):
            cleaner = BiasedForestCleaner(n_estimators=10, ratio=2.0, threshold=n_votes / 10, random_state=0)
            cleaner.fit_resample(X, y)
            np.testing.assert_array_equal(cleaner.votes_, votes.votes_)
            np.testing.assert_array_equal(removed_by(cleaner, len(y)), np.flatnonzero(votes.votes_ > n_votes))

    def test_sequential_judges_the_first_part_alike_and_then_withholds_the_removed(self):
        X, y = overlapping()
        free, bound = (
            BiasedForestCleaner(n_subsets=4, threshold=0.2, sequential=sequential, random_state=0)
            for sequential in (False, True)
        )
        for cleaner in (free, bound):
            cleaner.fit_resample(X, y)
        differ = np.flatnonzero(free.votes_ != bound.votes_)
        assert 0 < len(differ) <= 0.75 * np.sum(y == 0) + 1


class TestPlantedRows:
    def test_dangerous_rows_leave_and_others_stay(self, planted):
        cleaner = BiasedForestCleaner(random_state=0)
        X, y = cleaner.fit_resample(planted.X, planted.y)
        removed = np.isin(np.arange(len(planted.y)), removed_by(cleaner, len(planted.y)))
        assert removed[planted.dangerous].mean() >= 0.7
        assert removed[(planted.y == 0) & ~planted.dangerous].mean() <= 0.05
        assert y.sum() == planted.y.sum()
        pd.testing.assert_frame_equal(X, planted.X[~removed].reset_index(drop=True))

    def test_pruned_trees_and_other_criteria(self, planted):
        for settings in ({"pruning": "pessimistic"}, {"criterion": "hellinger", "nominal": "subset"}):
            cleaner = BiasedForestCleaner(n_estimators=20, random_state=0, **settings)
            cleaner.fit_resample(planted.X, planted.y)
            assert cleaner.votes_[planted.dangerous].mean() > 5 * cleaner.votes_[planted.y == 0].mean()


class TestRowsAndContainers:
    @given(st.lists(st.integers(0, 2), min_size=1, max_size=30), st.integers(0, 99))
    def test_positive_rows_are_kept_and_the_order_too(self, y, seed):
        y = np.array([0, 0, 0, 1, *y])
        X = np.random.default_rng(seed).normal(size=(len(y), 2))
        cleaner = BiasedForestCleaner(n_subsets=3, n_estimators=5, ratio=1.5, threshold=0.2, min_samples_split=2)
        cleaner.set_params(random_state=seed, criterion="entropy")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RarewoodWarning)  # few rows: all of them may look dangerous
            X_kept, y_kept = cleaner.fit_resample(X, y)
        kept = cleaner.sample_indices_
        assert np.all(np.diff(kept) > 0)
        assert set(np.flatnonzero(y == cleaner.positive_)) <= set(kept)
        np.testing.assert_array_equal(X_kept, X[kept])
        np.testing.assert_array_equal(y_kept, y[kept])
        assert np.all((cleaner.votes_ == -1) == (y == cleaner.positive_))
        assert cleaner.votes_.max() <= 5

    def test_every_container_loses_the_same_rows(self, planted):
        X, y = planted.X[:2000], planted.y[:2000]
        labels = np.where(y == 1, "fraud", "fine")
        expected = BiasedForestCleaner(n_estimators=10, threshold=0.2, random_state=0)
        X_kept, y_kept = expected.fit_resample(X, pd.Series(labels, name="label"))
        assert 0 < len(X_kept) < 2000
        assert X_kept.dtypes.equals(X.dtypes)
        assert y_kept.name == "label"
        frame = pl.from_pandas(X)
        X_polars, y_polars = BiasedForestCleaner(n_estimators=10, threshold=0.2, random_state=0).fit_resample(
            frame, pl.Series(labels)
        )
        assert X_polars.equals(frame[expected.sample_indices_.tolist()])
        assert y_polars.to_list() == y_kept.tolist()
        arrow = pa.Table.from_pandas(X)
        cleaner = BiasedForestCleaner(n_estimators=10, threshold=0.2, random_state=0)
        X_arrow, y_arrow = cleaner.fit_resample(arrow, labels)
        assert X_arrow.equals(arrow.take(expected.sample_indices_))
        assert y_arrow.tolist() == labels[cleaner.sample_indices_].tolist()

    def test_arrays_with_nominal_columns_named(self):
        data = make_planted_rules(2000, as_frame=True, random_state=0)
        nominal = data.X.dtypes == "category"
        codes = {name: _ranks(data.X[name]) for name in data.X.columns[nominal]}
        one = BiasedForestCleaner(n_estimators=10, threshold=0.2, random_state=0)
        other = BiasedForestCleaner(
            n_estimators=10, threshold=0.2, categorical_features=nominal.tolist(), random_state=0
        )
        one.fit_resample(data.X, data.y)
        other.fit_resample(data.X.assign(**codes).to_numpy(float), data.y)
        np.testing.assert_array_equal(one.votes_, other.votes_)

    def test_lists(self):
        X, y = overlapping(60)
        X_kept, y_kept = BiasedForestCleaner(random_state=0).fit_resample(X.tolist(), y.tolist())
        assert isinstance(X_kept, list)
        assert isinstance(y_kept, list)


class TestClasses:
    def problem(self):
        X, y = overlapping()
        return X, np.where(y == 1, "rare", np.where(X[:, 1] > 0, "up", "down"))

    def test_the_smallest_against_the_rest(self):
        X, y = self.problem()
        cleaner = BiasedForestCleaner(ratio=2.0, threshold=0.2, random_state=0)
        cleaner.fit_resample(X, y)
        together = BiasedForestCleaner(ratio=2.0, threshold=0.2, random_state=0)
        together.fit_resample(X, y == "rare")
        assert cleaner.positive_ == "rare"
        assert set(cleaner.sampling_strategy_) == {"up", "down"}
        np.testing.assert_array_equal(cleaner.votes_, together.votes_)

    def test_a_named_class(self):
        X, y = self.problem()
        cleaner = BiasedForestCleaner(positive="up", threshold=0.2, random_state=0)
        _, y_kept = cleaner.fit_resample(X, y)
        assert np.sum(y_kept == "up") == np.sum(y == "up")
        assert set(cleaner.sampling_strategy_) == {"rare", "down"}

    def test_only_named_classes_lose_rows(self):
        X, y = self.problem()
        every = BiasedForestCleaner(ratio=2.0, threshold=0.2, random_state=0)
        some = BiasedForestCleaner(ratio=2.0, threshold=0.2, sampling_strategy=["up"], random_state=0)
        every.fit_resample(X, y)
        some.fit_resample(X, y)
        gone = removed_by(every, len(y))
        assert {"up", "down"} == set(y[gone])
        np.testing.assert_array_equal(removed_by(some, len(y)), gone[y[gone] == "up"])


class TestDegenerate:
    def test_nothing_left_of_the_majority(self):
        """Each of the two negative rows is judged by a tree that knows the other, on the far side of the positive ones."""
        X, y = np.array([[-1.0], [10.0], [0.0], [0.1], [0.2], [0.3]]), np.array([0, 0, 1, 1, 1, 1])
        cleaner = BiasedForestCleaner(positive=1, criterion="entropy", min_samples_split=2, random_state=0)
        with pytest.warns(RarewoodWarning, match="All 2 rows outside the positive class look dangerous"):
            X_kept, _ = cleaner.fit_resample(X, y)
        assert len(X_kept) == 6
        assert cleaner.votes_.tolist() == [50, 50, -1, -1, -1, -1]

    def test_one_negative_row(self):
        with pytest.warns(RarewoodWarning, match="Only one row is not of the positive class"):
            X_kept, _ = BiasedForestCleaner(positive=1).fit_resample([[0.0], [1.0], [2.0]], [0, 1, 1])
        assert len(X_kept) == 3

    def test_more_parts_than_rows(self):
        X, y = overlapping(30)
        cleaner = BiasedForestCleaner(n_subsets=1000, n_estimators=5, random_state=0)
        cleaner.fit_resample(X, y)
        assert (cleaner.votes_[y == 0] >= 0).all()

    def test_sequential_cleaning_that_leaves_nothing_to_learn_from(self):
        """The first of the two rows leaves, so nothing is left to judge the second by."""
        X, y = np.array([[-1.0], [10.0], [0.0], [0.1], [0.2], [0.3]]), np.array([0, 0, 1, 1, 1, 1])
        cleaner = BiasedForestCleaner(
            positive=1, sequential=True, criterion="entropy", min_samples_split=2, random_state=0
        )
        _, y_kept = cleaner.fit_resample(X, y)
        assert sorted(cleaner.votes_[:2].tolist()) == [-1, 50]
        assert y_kept.tolist() == [0, 1, 1, 1, 1]

    def test_one_class(self):
        with pytest.raises(ValueError, match="class"):
            BiasedForestCleaner().fit_resample(np.zeros((5, 1)), np.zeros(5))


class TestRandomness:
    @pytest.mark.several_threads
    @pytest.mark.parametrize("sequential", [False, True])
    def test_threads_change_nothing(self, planted, sequential):
        votes = []
        for n_jobs in (1, 2):
            cleaner = BiasedForestCleaner(n_estimators=10, sequential=sequential, n_jobs=n_jobs, random_state=0)
            cleaner.fit_resample(planted.X, planted.y)
            votes.append(cleaner.votes_)
        np.testing.assert_array_equal(*votes)

    def test_seeds(self):
        X, y = overlapping()
        votes = []
        for seed in (0, np.random.RandomState(0), 1):
            cleaner = BiasedForestCleaner(random_state=seed)
            cleaner.fit_resample(X, y)
            votes.append(cleaner.votes_.tolist())
        assert votes[0] == votes[1]
        assert votes[0] != votes[2]


class TestInCompany:
    def test_grid_search_over_a_pipeline(self):
        X, y = overlapping()
        pipeline = make_pipeline(BiasedForestCleaner(n_estimators=10, random_state=0), TreeClassifier())
        search = GridSearchCV(pipeline, {"biasedforestcleaner__threshold": [0.2, 0.5]}, scoring="roc_auc", cv=3)
        assert search.fit(X, y).best_score_ > 0.6

    def test_cleaning_helps_a_tree_on_planted_rules(self, planted):
        test = make_planted_rules(5000, dangerous_share=0.0, random_state=1)
        plain = TreeClassifier("gini").fit(planted.X, planted.y)
        cleaned = make_pipeline(BiasedForestCleaner(random_state=0), TreeClassifier("gini"))
        cleaned.fit(planted.X, planted.y)
        found = [model.predict(test.X)[test.y == 1].mean() for model in (plain, cleaned)]
        assert found[1] > found[0]

    def test_progress(self, capsys):
        X, y = overlapping(60)
        BiasedForestCleaner(n_subsets=3, n_estimators=7, verbose=1, random_state=0).fit_resample(X, y)
        assert "21/21" in capsys.readouterr().err

    @pytest.mark.several_threads
    @pytest.mark.parametrize("sequential", [False, True])
    def test_ctrl_c(self, sequential):
        X, y = overlapping(20_000)
        cleaner = BiasedForestCleaner(n_estimators=100_000, sequential=sequential, n_jobs=2)
        seconds_until_stopped(lambda: cleaner.fit_resample(X, y))
        assert not hasattr(cleaner, "votes_")


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_subsets", 1),
        ("n_subsets", 2.0),
        ("n_estimators", 0),
        ("ratio", 1.0),
        ("ratio", "5"),
        ("threshold", 0.0),
        ("threshold", 1.1),
        ("sequential", 1),
        ("positive", "other"),
        ("criterion", "nonsense"),
        ("max_features", 0),
        ("nominal", "some"),
        ("pruning", True),
        ("categorical_features", ["a"]),
        ("n_jobs", 0),
        ("random_state", -1),
    ],
)
def test_wrong_parameters_are_named(parameter, value):
    X, y = overlapping(30)
    with pytest.raises(
        (TypeError, ValueError), match=re.escape(parameter) if parameter != "criterion" else "criterion"
    ):
        BiasedForestCleaner(**{parameter: value}).fit_resample(X, y)


def _ranks(words):
    """The number of each category in alphabetical order, NaN where missing."""
    codes = words.cat.reorder_categories(sorted(words.cat.categories)).cat.codes
    return codes.where(codes >= 0)


def test_wrong_sampling_strategy():
    with pytest.raises(ValueError, match="sampling_strategy"):
        BiasedForestCleaner(sampling_strategy="minority").fit_resample(*overlapping(30))
