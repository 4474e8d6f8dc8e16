"""What a fit says of the memory that leaves of many classes may take: a bound, and not far above what they do take."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import rarewood as rw
from rarewood.exceptions import RarewoodWarning
from support.models import CLASSIFIERS

TREE = rw.TreeClassifier("gini", splitter="random", n_cuts=1, random_state=0)
FOREST = rw.ForestClassifier(3, criterion="gini", random_state=0)


def points(n_classes, n_rows=4000):
    """Rows around a point of their class."""
    rng = np.random.default_rng(n_classes)
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)]
    return rng.normal(size=(n_classes, 6))[y] + 0.4 * rng.normal(size=(n_rows, 6)), y


def said(fit):
    """What a fit says of memory; None if it says nothing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RarewoodWarning)
        fit()
    found = [warning for warning in caught if "of memory" in str(warning.message)]
    assert [warning.filename for warning in found] == [__file__] * len(found)
    assert len(found) <= 1
    return str(found[0].message) if found else None


def bytes_in(message):
    return 1e9 * float(re.search(r"up to (\S+) GB", message)[1])


def leaf_bytes(model):
    trees = [model.tree_] if hasattr(model, "tree_") else model.forest_
    return sum(tree.__getstate__()["leaf_table"].nbytes for tree in trees)


@pytest.fixture
def always(monkeypatch):
    """Every fit says how much memory its leaves may take."""
    monkeypatch.setattr("rarewood.tree.leaf_memory.MOST_LEAF_BYTES", 0)


@pytest.mark.parametrize("n_classes", [40, 400])
@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        (TREE, {}),
        (TREE, {"criterion": "entropy", "splitter": "best"}),
        (TREE, {"criterion": "hellinger", "splitter": "hyperplane"}),
        (TREE, {"criterion": "c45"}),
        (TREE, {"class_weight": "balanced"}),
        (TREE, {"pruning": "pessimistic"}),
        (TREE, {"min_samples_leaf": 2}),
        (TREE, {"min_samples_leaf": 10}),
        (TREE, {"min_samples_split": 5}),
        (TREE, {"max_depth": 6}),
        (TREE, {"max_depth": 10**6}),
        (FOREST, {}),
        (FOREST, {"sampling": "stratified", "min_samples_leaf": 3}),
        (rw.HeDExClassifier(3, random_state=0), {}),
        (rw.BalancedForestClassifier(3, random_state=0), {}),
        (rw.RareClassifier(3, random_state=0), {}),
        (rw.RareClassifier(3, random_state=0), {"min_samples_leaf": 4}),
    ],
    ids=lambda item: str(item) if isinstance(item, dict) else type(item).__name__,
)
def test_leaves_take_what_is_said_and_not_much_less(n_classes, model, parameters, always):
    X, y = points(n_classes)
    model = clone(model).set_params(**parameters)
    bound = bytes_in(said(lambda: model.fit(X, y)))
    assert bound / 20 <= leaf_bytes(model) <= 1.005 * bound  # which is said in three digits


@pytest.mark.parametrize("weights", ["whole", "shares", "none of some rows"])
@pytest.mark.parametrize("n_classes", [40, 400])
def test_weights_of_rows(n_classes, weights, always):
    """Whole weights repeat rows; with others, hardly two leaves have equal counts."""
    X, y = points(n_classes)
    rng = np.random.default_rng(0)
    given = {
        "whole": rng.integers(1, 9, 4000),
        "shares": rng.random(4000),
        "none of some rows": rng.integers(0, 2, 4000),
    }
    model = clone(TREE)
    bound = bytes_in(said(lambda: model.fit(X, y, sample_weight=given[weights])))
    assert bound / 20 <= leaf_bytes(model) <= 1.005 * bound


@pytest.mark.parametrize("nominal", ["subset", "multiway", "one_vs_rest"])
def test_categories(nominal, always):
    """Nodes with a child per category keep their own counts, too, for categories that come later."""
    X, y = points(100)
    model = clone(TREE).set_params(nominal=nominal, categorical_features=[0, 1, 2], max_depth=4)
    bound = bytes_in(said(lambda: model.fit(np.clip(np.floor(2 * X[:, :3] + 6), 0, 12), y)))
    assert leaf_bytes(model) <= 1.005 * bound


@pytest.mark.parametrize("model", [TREE, FOREST, rw.RareClassifier(3, random_state=0)], ids=lambda m: type(m).__name__)
def test_it_is_said_from_a_limit_on(model, monkeypatch):
    X, y = points(40, 1000)
    monkeypatch.setattr("rarewood.tree.leaf_memory.MOST_LEAF_BYTES", 0)
    bound = bytes_in(said(lambda: clone(model).fit(X, y)))
    monkeypatch.setattr("rarewood.tree.leaf_memory.MOST_LEAF_BYTES", 0.99 * bound)
    assert said(lambda: clone(model).fit(X, y)) is not None
    monkeypatch.setattr("rarewood.tree.leaf_memory.MOST_LEAF_BYTES", 1.01 * bound)
    assert said(lambda: clone(model).fit(X, y)) is None


def test_words(always):
    X, y = points(40, 1000)
    because = "because each leaf counts the rows of every class."
    last = "or a max_depth, or put the smallest classes together."
    assert re.fullmatch(
        f"with 40 classes, a tree may take up to \\S+ GB of memory, {because} Set a min_samples_leaf of 10 or more {last}",
        said(lambda: clone(TREE).fit(X, y)),
    )
    assert re.fullmatch(
        f"with 40 classes, 3 trees may take up to \\S+ GB of memory, {because} Set a smaller n_estimators, a min_samples_leaf of 10 or "
        f"more {last}",
        said(lambda: clone(FOREST).fit(X, y)),
    )
    assert "Set a larger min_samples_leaf or" in said(lambda: clone(TREE).set_params(min_samples_leaf=10).fit(X, y))


def test_two_classes_take_little(always):
    X, y = points(2)
    assert said(lambda: clone(TREE).fit(X, y, sample_weight=np.random.default_rng(0).random(len(y)))) is None
    X, y = points(40, 1000)
    assert said(lambda: rw.OneVsAllClassifier(FOREST).fit(X, y)) is None


@pytest.mark.parametrize("max_depth", [64, 1024, 10**6])
@pytest.mark.parametrize("name", [name for name, model in CLASSIFIERS.items() if "max_depth" in model.get_params()])
def test_any_depth_is_accepted(name, max_depth):
    X, y = points(3, 300)
    model = clone(CLASSIFIERS[name]).set_params(max_depth=max_depth).fit(X, y)
    assert model.score(X, y) > 0.5


@pytest.mark.parametrize("model", [TREE, FOREST, rw.RareClassifier(3, random_state=0)], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("n_classes", [2, 40])
def test_rows_in_parts(model, n_classes, always):
    """The same is said wherever the rows are."""
    X, y = points(n_classes, 1000)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y, w=np.arange(1000) % 4)
    parts = [frame[:300], frame[300:]]
    in_parts = said(lambda: rw.distributed.fit(model, parts, "y", sample_weight="w"))
    assert in_parts == said(lambda: clone(model).fit(frame[list("abcdef")], frame["y"], sample_weight=frame["w"]))
    assert (in_parts is None) == (n_classes == 2)
