import contextlib
import math
import signal
import time

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

from rarewood.metrics import (
    coefficient_of_variation,
    g_mean,
    hand_till_auc,
    imbalance_ratio,
    minority_f1,
    weighted_auroc,
)


def labels_of(*sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def random_problem(n_classes, seed=0, n=120):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n)])
    return y, rng.dirichlet(np.ones(n_classes), size=len(y)).round(2)


class TestCoefficientOfVariation:
    @pytest.mark.parametrize(
        ("sizes", "ddof", "published"),
        [
            ((1210, 384, 69, 65), 1, 1.25),  # car
            ((4913, 329, 28, 88, 115), 1, 1.95),  # page blocks
            ((70, 76, 17, 13, 9, 29), 1, 0.83),  # glass
            ((2, 1), 0, 1 / 3),
        ],
    )
    def test_published_values(self, sizes, ddof, published):
        assert coefficient_of_variation(labels_of(*sizes), ddof=ddof) == pytest.approx(published, abs=0.006)

    def test_even_classes_have_none(self):
        assert coefficient_of_variation(["a", "b", "a", "b"]) == 0.0
        assert coefficient_of_variation(["a", "a"], ddof=1) == 0.0

    def test_bad_input_is_named(self):
        with pytest.raises(ValueError, match="ddof"):
            coefficient_of_variation([0, 1], ddof=2)
        with pytest.raises(ValueError, match="y is empty"):
            coefficient_of_variation([])


def test_imbalance_ratio_compares_largest_with_smallest():
    assert imbalance_ratio(labels_of(90, 30, 3)) == 30.0
    assert imbalance_ratio([7]) == 1.0
    with pytest.raises(ValueError, match="empty"):
        imbalance_ratio([])


class TestMinorityF1:
    def test_measures_the_smallest_class(self):
        y_true = ["a"] * 6 + ["b"] * 3
        y_pred = ["a"] * 5 + ["b"] * 3 + ["a"]
        assert minority_f1(y_true, y_pred) == f1_score(y_true, y_pred, pos_label="b")
        assert minority_f1(y_true, y_pred, positive="a") == f1_score(y_true, y_pred, pos_label="a")

    def test_first_label_wins_among_equally_small(self):
        assert minority_f1([0, 0, 1, 1], [0, 0, 0, 0]) == pytest.approx(2 / 3)

    @pytest.mark.parametrize("y_pred", [[0, 0, 0], [0, 1, 0]])
    def test_is_zero_when_undefined(self, y_pred):
        assert minority_f1([0, 0, 0], y_pred, positive=1) == 0.0

    def test_empty_is_refused(self):
        with pytest.raises(ValueError, match="y_true is empty"):
            minority_f1([], [])


class TestAreas:
    @pytest.mark.parametrize("n_classes", [3, 4, 7])
    def test_agree_with_scikit_learn(self, n_classes):
        y, score = random_problem(n_classes, seed=n_classes)
        score[:, 0] += 1 - score.sum(axis=1)
        score = np.clip(score, 0, None)
        score /= score.sum(axis=1, keepdims=True)
        pairs = roc_auc_score(y, score, multi_class="ovo", average="macro")
        against_rest = roc_auc_score(y, score, multi_class="ovr", average="weighted")
        assert hand_till_auc(y, score) == pytest.approx(pairs, abs=1e-14)
        assert weighted_auroc(y, score) == pytest.approx(against_rest, abs=1e-14)

    @pytest.mark.parametrize("area", [hand_till_auc, weighted_auroc])
    def test_two_classes_give_the_usual_area(self, area):
        y, score = random_problem(2)
        usual = roc_auc_score(y, score[:, 1])
        assert area(y, score) == pytest.approx(usual)
        assert area(y, score[:, 1]) == pytest.approx(usual)
        assert area(np.array(["no", "yes"])[y], score[:, 1]) == pytest.approx(usual)

    @pytest.mark.parametrize("area", [hand_till_auc, weighted_auroc])
    def test_perfect_and_useless_scores(self, area):
        y = labels_of(5, 3, 2)
        assert area(y, np.eye(3)[y]) == 1.0
        assert area(y, np.ones((10, 3))) == 0.5

    def test_a_pair_with_an_absent_class_is_skipped(self):
        y, score = random_problem(4)
        kept = y != 2
        without = hand_till_auc(y[kept], score[kept][:, [0, 1, 3]], labels=[0, 1, 3])
        assert hand_till_auc(y[kept], score[kept], labels=[0, 1, 2, 3]) == pytest.approx(without)
        without = weighted_auroc(y[kept], score[kept][:, [0, 1, 3]], labels=[0, 1, 3])
        assert weighted_auroc(y[kept], score[kept], labels=[0, 1, 2, 3]) == pytest.approx(without)

    @pytest.mark.parametrize("area", [hand_till_auc, weighted_auroc])
    def test_one_class_gives_nan(self, area):
        assert math.isnan(area([1, 1], [0.2, 0.3]))
        assert math.isnan(area([1, 1], [[0.8, 0.2], [0.7, 0.3]], labels=[0, 1]))

    def test_columns_follow_labels(self):
        y, score = random_problem(3)
        assert hand_till_auc(y, score[:, ::-1], labels=[2, 1, 0]) == pytest.approx(hand_till_auc(y, score))

    @pytest.mark.parametrize("area", [hand_till_auc, weighted_auroc])
    def test_bad_input_is_named(self, area):
        with pytest.raises(ValueError, match="columns for 3 classes"):
            area([0, 1, 2], [[0.1, 0.9]] * 3)
        with pytest.raises(ValueError, match="lacks classes"):
            area([0, 1, 2], [[0.1, 0.9]] * 3, labels=[0, 1])
        with pytest.raises(ValueError, match="twice"):
            area([0, 1], [[0.1, 0.9]] * 2, labels=[0, 0, 1])
        with pytest.raises(ValueError, match="must have the same length"):
            area([0, 1, 1], [[0.1, 0.9]] * 2)
        with pytest.raises(ValueError, match="NaN"):
            area([0, 1], [0.1, np.nan])


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers that interrupt")
@pytest.mark.parametrize("measure", [minority_f1, g_mean])
def test_an_interruption_amid_labels_that_are_text_is_not_lost(measure):
    rng = np.random.default_rng(0)
    truth, predicted = np.where(rng.random((2, 10_000)) < 0.1, "yes", "no")
    came = []

    class Interruption(BaseException):
        pass

    def interrupt(number, frame):
        if (
            frame.f_globals["__name__"] == "weakref"
        ):  # Python drops what its callbacks raise, whoever is at work: come again
            signal.setitimer(signal.ITIMER_REAL, 1e-4)
            return
        came.append(number)
        raise Interruption

    before = signal.signal(signal.SIGALRM, interrupt)
    start = time.perf_counter()
    measure(truth, predicted)
    seconds = time.perf_counter() - start
    try:
        for delay in rng.uniform(0.05, 0.9, 40) * seconds:
            came.clear()
            with contextlib.suppress(Interruption):
                signal.setitimer(signal.ITIMER_REAL, delay)
                measure(truth, predicted)
                signal.setitimer(signal.ITIMER_REAL, 0)
                assert came == []
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
