"""Measures as scorers of scikit-learn."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score, cross_validate

import rarewood as rw
from rarewood.metrics import names, scorers

X = np.random.default_rng(0).normal(size=(120, 3))
Y = np.where(X[:, 0] > 1, "bad", "good")


def test_every_measure_works_with_labels_that_are_words():
    found = cross_validate(rw.TreeClassifier(), X, Y, scoring=scorers(), cv=3)
    assert {key.removeprefix("test_").removeprefix("neg_") for key in found if key.startswith("test_")} == set(names())
    assert all(np.isfinite(values).all() for values in found.values())


def test_losses_are_negative_and_the_rest_is_not():
    tree = rw.TreeClassifier().fit(X, Y)
    assert scorers()["neg_log_loss"](tree, X, Y) < 0 < scorers()["auc"](tree, X, Y)


def test_the_rare_class_may_be_named():
    tree = rw.TreeClassifier(max_depth=1).fit(X[:, 1:], Y)
    by_name = {label: scorers(label)["average_precision"](tree, X[:, 1:], Y) for label in ("bad", "good")}
    assert scorers()["average_precision"](tree, X[:, 1:], Y) == by_name["bad"]
    assert by_name["bad"] < by_name["good"]


@pytest.mark.parametrize("name", ["auc", "minority_f1"])
def test_alone_in_cross_val_score(name):
    assert np.isfinite(cross_val_score(rw.TreeClassifier(), X, Y, scoring=scorers()[name], cv=3)).all()
