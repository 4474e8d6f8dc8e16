"""Equal content, equal fingerprint; any change that matters, another one."""

import functools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse, stats
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import rarewood as rw
from rarewood.evaluation._fingerprint import describe, fingerprint, method_fingerprint

X = np.arange(12.0).reshape(6, 2)


def weights_of(power):
    def weights(X):
        return X**power

    return weights


def different(*items, by):
    return len({by(item) for item in items}) == len(items)


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, pl.DataFrame, sparse.csr_matrix])
def test_tables_are_told_apart_by_content(kind):
    changed = X.copy()
    changed[3, 1] = np.nextafter(changed[3, 1], 9)
    missing = X.copy()
    missing[3, 1] = np.nan
    assert fingerprint(kind(X)) == fingerprint(kind(X.copy()))
    assert different(kind(X), kind(changed), kind(missing), kind(X[:, ::-1]), kind(X.reshape(4, 3)), by=fingerprint)


def test_frames_are_told_apart_by_names_and_types():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    others = [
        frame,
        frame.rename(columns={"a": "c"}),
        frame.astype({"a": float}),
        frame.astype({"b": "category"}),
        frame.assign(b=["x", None]),
    ]
    assert different(*others, by=fingerprint)


def test_parts_do_not_run_together():
    assert different(("ab", "c"), ("a", "bc"), ("abc",), by=lambda parts: fingerprint(*parts))


def test_methods_are_told_apart_by_class_and_parameters_anywhere():
    forest = RandomForestClassifier
    methods = [
        forest(),
        forest(50),
        DecisionTreeClassifier(),
        BaggingClassifier(DecisionTreeClassifier()),
        BaggingClassifier(DecisionTreeClassifier(max_depth=3)),
        make_pipeline(StandardScaler(), forest()),
        make_pipeline(StandardScaler(with_mean=False), forest()),
        make_pipeline(FunctionTransformer(weights_of(2)), forest()),
        make_pipeline(FunctionTransformer(weights_of(3)), forest()),
        make_pipeline(FunctionTransformer(functools.partial(np.add, 1)), forest()),
        make_pipeline(FunctionTransformer(functools.partial(np.add, 2)), forest()),
        make_pipeline(FunctionTransformer(np.log1p), forest()),
        make_pipeline(FunctionTransformer(np.sqrt), forest()),
        GridSearchCV(forest(), {"max_depth": [1, 2]}),
        GridSearchCV(forest(), {"max_depth": [1, 3]}),
        GridSearchCV(forest(), {"max_depth": [1, 2]}, cv=StratifiedKFold(3)),
        RandomizedSearchCV(forest(), {"max_depth": stats.randint(1, 9)}),
        RandomizedSearchCV(forest(), {"max_depth": stats.randint(1, 8)}),
        forest(class_weight={0: 1, 1: 2}),
        forest(class_weight={0: 1, 1: 3}),
        rw.TreeClassifier(rw.criteria.AlphaDivergence(0.5)),
        rw.TreeClassifier(rw.criteria.AlphaDivergence(0.6)),
    ]
    assert different(*methods, by=method_fingerprint)


@pytest.mark.several_threads
def test_what_changes_no_result_does_not_count():
    plain = BaggingClassifier(RandomForestClassifier())
    busy = BaggingClassifier(RandomForestClassifier(n_jobs=4, verbose=1, random_state=1), n_jobs=2, random_state=7)
    assert method_fingerprint(plain) == method_fingerprint(busy)
    order = {"b": 1, "a": 2}
    assert describe(order) == describe(dict(sorted(order.items())))


def test_no_address_in_memory_gets_in():
    class Odd:
        def __init__(self):
            self.me = self
            self.helper = object()
            self.array = np.arange(3)

    assert describe(Odd()) == describe(Odd())
    assert " at 0x" not in describe([Odd(), len, np.add, weights_of(1), {1, 2}, stats, np.float64(1.5), b"x"])


def test_functions_are_told_apart_by_what_they_do():
    assert different(lambda x: x + 1, lambda x: x + 2, lambda x: x - 1, lambda x, y=2: x + 1, by=describe)
    assert describe(weights_of(2)) == describe(weights_of(2))
