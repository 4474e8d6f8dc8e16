"""Votes are collected as the paper says, whatever the batch, the threads and the table."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from oracle import bias as oracle
from oracle.pruning import prune
from oracle.tree import end_nodes, grow
from rarewood import BiasedForestCleaner, BiasedRankingClassifier
from rarewood.datasets import make_planted_rules
from rarewood.ensemble.bias import positive_votes
from rarewood.exceptions import RarewoodWarning
from support.forests import assert_same_state
from support.interrupts import seconds_until_stopped
from support.leaning import C45, Draws, binary, overlapping
from support.strategies import make_problem, new_rows


@pytest.fixture(scope="module")
def planted():
    return make_planted_rules(5000, random_state=0)


@pytest.fixture(scope="module")
def fitted(planted):
    return BiasedRankingClassifier(n_iterations=4, n_estimators=10, random_state=0).fit(planted.X, planted.y)


class TestAgainstOracle:
    @pytest.mark.parametrize("pruning", [None, "pessimistic"])
    @pytest.mark.parametrize("kind", ["continuous", "missing", "mixed"])
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_scores(self, kind, n_classes, pruning):
        """Naive C4.5 trees on the rows that were drawn, voting for old and new rows."""
        problem = make_problem(kind, n_classes=n_classes, n_rows=60)
        positive = int(np.bincount(problem.y).argmin())
        naive = binary(problem, positive)
        X = np.vstack([problem.X, new_rows(problem)])
        draws = Draws(naive.y, random_state=3)
        seed = draws.next_seed()
        sizes = oracle.ranking_sizes(int(naive.y.sum()), int((naive.y == 0).sum()), 0.8)

        def vote(tree):
            root = grow(naive, C45, draws.rows(seed, tree, sizes))
            root = prune(root, 0.25) if pruning else root
            return [oracle.votes_positive(end.counts) for end in end_nodes(root, X)]

        calls = np.array([[vote(4 * iteration + tree) for tree in range(4)] for iteration in range(3)])
        model = BiasedRankingClassifier(
            n_iterations=3,
            n_estimators=4,
            ratio=0.8,
            clean=False,
            max_features=None,
            pruning=pruning,
            categorical_features=list(problem.nominal),
            random_state=3,
        ).fit(problem.X, problem.y)
        for threshold in (0.25, 0.5, 0.75, 1.0):
            expected = [oracle.score(calls[:, :, row], threshold) for row in range(len(X))]
            np.testing.assert_array_equal(model.set_params(threshold=threshold).score_samples(X), expected)

    def test_rows_with_exactly_threshold_times_trees_stay(self, planted):
        model = BiasedRankingClassifier(n_iterations=3, n_estimators=10, clean=False, random_state=0)
        model.fit(planted.X, planted.y)
        matrix = model._encode(planted.X)
        votes = np.array([positive_votes(voters, matrix, 1) for voters in model._voters])
        assert len(set(votes[0])) > 6
        for n_votes in range(1, 11):
            scores = model.set_params(threshold=n_votes / 10).score_samples(planted.X)
            second = np.where(votes[0] >= n_votes, votes[1], 0)
            third = np.where((votes[0] >= n_votes) & (votes[1] >= n_votes), votes[2], 0)
            np.testing.assert_array_equal(scores, votes[0] + second + third)


class TestScores:
    def test_a_row_does_not_depend_on_its_batch(self, fitted, planted):
        together = fitted.score_samples(planted.X)
        rows = np.r_[0:10, np.flatnonzero(planted.y == 1)[:5]]
        alone = [fitted.score_samples(planted.X.iloc[[row]])[0] for row in rows]
        assert alone == together[rows].tolist()
        backwards = fitted.score_samples(planted.X[::-1])
        np.testing.assert_array_equal(backwards[::-1], together)

    def test_probabilities_are_shares_of_all_votes(self, fitted, planted):
        scores = fitted.score_samples(planted.X)
        assert scores.dtype == np.int64
        assert (scores.min(), scores.max()) >= (0, 0)
        assert scores.max() <= 40
        np.testing.assert_allclose(fitted.predict_proba(planted.X), np.column_stack([1 - scores / 40, scores / 40]))
        np.testing.assert_array_equal(fitted.predict(planted.X), (scores / 40 > 0.5).astype(int))

    def test_ranks_planted_frauds_first(self, fitted):
        test = make_planted_rules(4000, random_state=1)
        assert roc_auc_score(test.y, fitted.score_samples(test.X)) > 0.9

    def test_importances(self, fitted, planted):
        importances = pd.Series(fitted.feature_importances_, planted.feature_names)
        assert importances.sum() == pytest.approx(1.0)
        ruled = {feature for rule in planted.rules for feature in rule.features}
        assert importances[sorted(ruled)].sum() > 0.7


class TestTraining:
    def test_trees_see_four_fifths_of_the_rare_rows_and_a_ratio_of_others(self):
        X, y = overlapping()
        for ratio, others in [(5.0, 8), (1.0, 40), (0.5, 80), (0.01, 250), (1000.0, 1)]:
            model = BiasedRankingClassifier(n_iterations=2, n_estimators=5, ratio=ratio, clean=False).fit(X, y)
            for forest in model.forests_:
                assert {tuple(forest[tree].value[0]) for tree in range(5)} == {(others, 40)}

    def test_cleaning_is_that_of_the_cleaner(self):
        X, y = overlapping(600)
        cleaner = BiasedForestCleaner(n_estimators=20, random_state=7)
        cleaner.fit_resample(X, y)
        model = BiasedRankingClassifier(n_estimators=20, random_state=7).fit(X, y)
        assert model.n_removed_ == len(y) - len(cleaner.sample_indices_) > 0

    def test_removed_rows_are_not_drawn(self):
        X, y = overlapping()
        model = BiasedRankingClassifier(n_iterations=1, n_estimators=300, ratio=0.25, random_state=1).fit(X, y)
        kept = 250 - model.n_removed_
        assert 0 < model.n_removed_ < 100
        assert {model.forests_[0][tree].value[0][0] for tree in range(300)} == {min(160.0, kept)}

    def test_without_cleaning(self):
        X, y = overlapping()
        assert BiasedRankingClassifier(n_iterations=1, n_estimators=5, clean=False).fit(X, y).n_removed_ == 0

    def test_rows_of_weight_zero_are_as_absent_as_can_be(self):
        X, y = overlapping()
        weights = np.where(np.arange(300) < 150, 1.0, 0.0)
        model = BiasedRankingClassifier(n_iterations=2, n_estimators=5, ratio=0.5, clean=False, random_state=0)
        model.fit(X, y, sample_weight=weights)
        assert {tuple(forest[0].value[0]) for forest in model.forests_} == {(40.0, 20.0)}
        assert model.n_removed_ == 0

    def test_weights_with_cleaning(self):
        X, y = overlapping()
        weights = np.where(np.arange(300) % 7, 1.5, 0.0)
        model = BiasedRankingClassifier(n_iterations=2, n_estimators=20, random_state=0)
        model.fit(X, y, sample_weight=weights)
        assert 0 < model.n_removed_ < 100
        assert roc_auc_score(y, model.score_samples(X)) > 0.8

    def test_nothing_left_after_cleaning(self):
        X, y = np.array([[-1.0], [10.0], [0.0], [0.1], [0.2], [0.3]]), np.array([0, 0, 1, 1, 1, 1])
        model = BiasedRankingClassifier(positive=1, criterion="entropy", min_samples_split=2, random_state=0)
        with pytest.warns(RarewoodWarning, match="All 2 rows outside the positive class look dangerous"):
            model.fit(X, y)
        assert model.n_removed_ == 0


class TestClasses:
    def test_one_class_only(self):
        model = BiasedRankingClassifier(n_estimators=5).fit(np.zeros((4, 1)), ["a"] * 4)
        assert model.predict_proba([[1.0]]).tolist() == [[1.0]]
        assert model.score_samples([[1.0]]).tolist() == [25]

    def test_weights_leave_one_class(self):
        X, y = overlapping(30)
        for label in (0, 1):
            model = BiasedRankingClassifier(n_estimators=5, random_state=0).fit(X, y, sample_weight=y == label)
            assert set(model.predict(X)) == {label}

    def test_three_classes(self):
        X, y = load_iris(return_X_y=True)
        names = np.array(["setosa", "versicolor", "virginica"])[y]
        model = BiasedRankingClassifier(positive="virginica", ratio=1.0, random_state=0).fit(X[::2], names[::2])
        p = model.predict_proba(X)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        np.testing.assert_allclose(p[:, 2], model.score_samples(X) / 250)
        assert model.score(X[1::2], names[1::2]) > 0.9

    def test_the_votes_for_one_class_do_not_ask_what_the_others_are(self):
        X, y = load_iris(return_X_y=True)
        three = BiasedRankingClassifier(positive=1, random_state=0).fit(X, y)
        two = BiasedRankingClassifier(positive=True, random_state=0).fit(X, y == 1)
        np.testing.assert_array_equal(three.score_samples(X), two.score_samples(X))
        assert two.rest_forest_ is None

    def test_smallest_class_by_default(self):
        X, y = overlapping()
        y = np.where(y == 1, "rare", np.where(X[:, 1] > 0, "up", "down"))
        model = BiasedRankingClassifier(n_estimators=5, random_state=0).fit(X, y)
        assert model.positive_ == "rare"
        assert model.classes_.tolist() == ["down", "rare", "up"]


class TestRandomness:
    @pytest.mark.several_threads
    def test_threads_change_nothing(self, planted):
        one, two = (
            BiasedRankingClassifier(n_iterations=2, n_estimators=10, n_jobs=n_jobs, random_state=0).fit(
                planted.X, planted.y
            )
            for n_jobs in (1, 2)
        )
        for first, second in zip(one.forests_, two.forests_):
            assert_same_state(first, second)
        np.testing.assert_array_equal(one.score_samples(planted.X), two.score_samples(planted.X))

    def test_first_iterations_are_those_of_a_shorter_ranking(self):
        X, y = overlapping()
        short, long = (
            BiasedRankingClassifier(n_iterations=n, n_estimators=5, random_state=0).fit(X, y) for n in (2, 4)
        )
        for first, second in zip(short.forests_, long.forests_):
            assert_same_state(first, second)

    def test_forests_differ(self):
        X, y = overlapping()
        forests = BiasedRankingClassifier(n_iterations=2, clean=False, random_state=0).fit(X, y).forests_
        assert forests[0].apply(X).tolist() != forests[1].apply(X).tolist()


class TestModel:
    def test_keeps_forests_and_no_rows(self, planted):
        """A table three times as long with the same number of rare rows makes no larger model."""
        rare = np.flatnonzero(planted.y == 1)
        common = np.flatnonzero(planted.y == 0)
        sizes = []
        for n in (1600, 4800):
            rows = np.r_[rare, common[:n]]
            model = BiasedRankingClassifier(clean=False, random_state=0).fit(planted.X.iloc[rows], planted.y[rows])
            sizes.append(len(pickle.dumps(model)))
        assert sizes[1] < 1.1 * sizes[0]

    def test_votes_travel_as_the_forests_they_are_made_of(self, fitted, planted):
        assert "_voters" not in fitted.__getstate__()
        copy = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(copy.score_samples(planted.X), fitted.score_samples(planted.X))
        assert pickle.loads(pickle.dumps(BiasedRankingClassifier(ratio=2.0))).ratio == 2.0

    def test_fitting_again_forgets(self):
        X, y = overlapping()
        model = BiasedRankingClassifier(n_iterations=3, n_estimators=5, random_state=0).fit(X, y)
        model.set_params(n_iterations=1).fit(X, y)
        assert len(model.forests_) == 1
        assert model.score_samples(X).max() <= 5

    def test_not_fitted(self):
        for method in ("score_samples", "predict_proba", "predict"):
            with pytest.raises(NotFittedError):
                getattr(BiasedRankingClassifier(), method)([[0.0]])
        assert not hasattr(BiasedRankingClassifier(), "feature_importances_")

    def test_progress(self, capsys):
        X, y = overlapping(60)
        BiasedRankingClassifier(n_iterations=3, n_estimators=7, verbose=1, random_state=0).fit(X, y)
        printed = capsys.readouterr().err
        assert "70/70" in printed
        assert "21/21" in printed

    @pytest.mark.several_threads
    def test_ctrl_c_leaves_nothing(self):
        X, y = overlapping(20_000)
        model = BiasedRankingClassifier(n_estimators=100_000, n_jobs=2)
        seconds_until_stopped(lambda: model.fit(X, y))
        assert not hasattr(model, "classes_")


def test_a_threshold_set_after_the_fit_is_checked():
    X, y = overlapping(30)
    model = BiasedRankingClassifier(n_estimators=5, random_state=0).fit(X, y).set_params(threshold=2.0)
    with pytest.raises(ValueError, match="threshold="):
        model.predict(X)


@pytest.mark.parametrize(
    ("parameter", "value"), [("clean", 1), ("ratio", 0.0), ("threshold", 0.0), ("threshold", 1.5), ("positive", "x")]
)
def test_wrong_parameters_are_named(parameter, value):
    with pytest.raises((TypeError, ValueError), match=parameter):
        BiasedRankingClassifier(**{parameter: value}).fit(*overlapping(30))
