"""The registry of measures: each agrees with the library it stands on, whatever the labels are called."""

import math
import pickle

import numpy as np
import pytest
from imblearn.metrics import geometric_mean_score
from sklearn import metrics as sklearn_metrics

from rarewood import metrics
from rarewood.metrics import Metric, Predictions

NAMES = np.array(["common", "other", "rare"])


def problem(n_classes, n=200, seed=0):
    """Labels, probabilities and predictions; class 1 is the rarest."""
    rng = np.random.default_rng(seed)
    shares = {2: [0.85, 0.15], 3: [0.5, 0.1, 0.4]}[n_classes]
    y = np.concatenate([np.arange(n_classes), rng.choice(n_classes, size=n, p=shares)])
    scores = rng.dirichlet(np.ones(n_classes), size=len(y)) + 0.3 * np.eye(n_classes)[y]
    scores /= scores.sum(axis=1, keepdims=True)
    return y, scores, scores.argmax(axis=1)


def value(name, y, scores, predicted, classes, rare):
    return metrics.get(name).compute(Predictions(y, classes, rare, predicted, scores))


EXPECTED = {
    "auc": lambda y, s, p: sklearn_metrics.roc_auc_score(y == 1, s[:, 1]),
    "weighted_auroc": lambda y, s, p: (
        sklearn_metrics.roc_auc_score(y, s, multi_class="ovr", average="weighted")
        if s.shape[1] > 2
        else sklearn_metrics.roc_auc_score(y, s[:, 1])
    ),
    "hand_till": lambda y, s, p: (
        sklearn_metrics.roc_auc_score(y, s, multi_class="ovo")
        if s.shape[1] > 2
        else sklearn_metrics.roc_auc_score(y, s[:, 1])
    ),
    "average_precision": lambda y, s, p: sklearn_metrics.average_precision_score(y == 1, s[:, 1]),
    "minority_f1": lambda y, s, p: sklearn_metrics.f1_score(y == 1, p == 1),
    "accuracy": lambda y, s, p: np.mean(y == p),
    "balanced_accuracy": lambda y, s, p: sklearn_metrics.balanced_accuracy_score(y, p),
    "g_mean": lambda y, s, p: geometric_mean_score(y, p),
    "log_loss": lambda y, s, p: -np.mean(np.log(s[np.arange(len(y)), y])),
    "brier": lambda y, s, p: np.mean(((s - np.eye(s.shape[1])[y]) ** 2).sum(axis=1)) / (2 if s.shape[1] == 2 else 1),
}


def test_every_measure_is_checked_here():
    assert list(EXPECTED) == metrics.names()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", metrics.names())
def test_agrees_with_the_libraries(name, n_classes):
    y, scores, predicted = problem(n_classes)
    expected = EXPECTED[name](y, scores, predicted)
    assert value(name, y, scores, predicted, np.arange(n_classes), 1) == pytest.approx(expected, abs=1e-12)
    words = NAMES[:n_classes]
    assert value(name, words[y], scores, words[predicted], words, "other") == pytest.approx(expected, abs=1e-12)


def test_brier_is_scikit_learns_where_it_has_it():
    y, scores, _ = problem(2)
    assert metrics.brier_score(y, scores[:, 1]) == pytest.approx(sklearn_metrics.brier_score_loss(y, scores[:, 1]))


@pytest.mark.parametrize("name", metrics.names())
def test_a_fold_without_the_rare_class(name):
    y, scores, predicted = problem(3)
    kept = y != 1
    result = value(name, y[kept], scores[kept], predicted[kept], np.arange(3), 1)
    assert isinstance(result, float)
    assert math.isnan(result) == (name in {"auc", "average_precision"})


@pytest.mark.parametrize("name", metrics.names())
def test_a_fold_of_one_class(name):
    y = np.zeros(5, dtype=int)
    scores = np.tile([0.7, 0.3], (5, 1))
    result = value(name, y, scores, y, np.arange(2), 1)
    assert math.isnan(result) == (name in {"auc", "weighted_auroc", "hand_till", "average_precision"})


@pytest.mark.parametrize("metric", metrics.REGISTRY.values(), ids=lambda metric: metric.name)
def test_better_predictions_are_better_and_measures_travel(metric):
    y, scores, predicted = problem(3)
    metric = pickle.loads(pickle.dumps(metric))
    perfect = Predictions(y, np.arange(3), 1, y, np.eye(3)[y])
    for given in (perfect, Predictions(y, np.arange(3), 1, (y + 1) % 3, np.roll(np.eye(3)[y], 1, axis=1))):
        assert metric.limits[0] <= metric.compute(given) <= metric.limits[1]
    gain = metric.compute(perfect) - metric.compute(Predictions(y, np.arange(3), 1, predicted, scores))
    assert gain * (1 if metric.larger_is_better else -1) > 0.05


def test_rare_measures_take_the_smallest_class_by_themselves():
    y, scores, _ = problem(3)
    assert metrics.rarest_label(y) == 1
    for measure in (metrics.rare_auc, metrics.rare_average_precision):
        assert measure(y, scores[:, 1]) == measure(y, scores[:, 1], positive=1)


def test_get_refuses_what_it_does_not_know():
    own = Metric("own", "own", "labels", True, lambda *_: 0.0)
    assert metrics.get(own) is own
    with pytest.raises(ValueError, match="did you mean 'g_mean'"):
        metrics.get("gmean")
    with pytest.raises(TypeError, match="a name or a rarewood"):
        metrics.get(3)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"shape \(2, 2\) for 2 labels"):
        metrics.rare_auc([0, 1], [[0.1, 0.9]] * 2)
    for measure in (metrics.g_mean, metrics.balanced_accuracy):
        with pytest.raises(ValueError, match="y_true is empty"):
            measure([], [])
    with pytest.raises(ValueError, match="y is empty"):
        metrics.rarest_label([])
    with pytest.raises(ValueError, match="columns for 3 classes"):
        metrics.brier_score([0, 1, 2], [0.1, 0.2, 0.3])
