"""Fits, predictions and reasons have the same bits with vector instructions and without."""

import numpy as np
import pytest

from rarewood import (
    BalancedForestClassifier,
    BEATClassifier,
    ForestClassifier,
    HeDExClassifier,
    HeDExhClassifier,
    _core,
    criteria,
)
from rarewood.datasets import make_workload
from rarewood.inspection import explain
from support.forests import assert_same_state

FORESTS = {
    "random cuts": lambda: HeDExClassifier(4, random_state=0),
    "one random cut": lambda: HeDExClassifier(4, n_cuts=1, random_state=0),
    "many random cuts": lambda: HeDExClassifier(2, n_cuts=37, random_state=0),
    "lines": lambda: HeDExhClassifier(3, random_state=0),
    "alpha divergence": lambda: BEATClassifier(3, random_state=0),
    "balanced": lambda: BalancedForestClassifier(4, random_state=0),
    **{
        f"exact, {name}": lambda name=name: ForestClassifier(3, criterion=name, random_state=0)
        for name in ("hellinger", "entropy", "gini", "gain_ratio")
    },
    "flipped alpha": lambda: ForestClassifier(
        3, criterion=criteria.AlphaDivergence(0.4, reference="flipped"), random_state=0
    ),
}


@pytest.fixture(autouse=True)
def allowed_again():
    if not _core.testing.allow_vectors(True):
        pytest.skip("no vector instructions here")
    yield
    _core.testing.allow_vectors(True)


def tables():
    """Two and many classes, float32 and float64, with and without missing numbers and categories."""
    for name, rows in [("a", 2500), ("d", 2500)]:
        data = make_workload(name, rows=rows)
        yield data.X, data.y, None
        wide = data.X + np.random.default_rng(0).normal(scale=1e-3, size=data.X.shape)
        wide[::7, 1] = np.nan
        yield wide, data.y, None
    data = make_workload("e", rows=1500)
    for X in (data.X, data.X.astype(np.float64)):
        yield X, data.y, list(data.categorical_features)


def fitted(make, X, y, nominal, *, vectors):
    assert _core.testing.allow_vectors(vectors) == vectors
    model = make().set_params(categorical_features=nominal).fit(X, y)
    return model, model.predict_proba(X), model.predict_proba(X[:1])


@pytest.mark.parametrize("forest", FORESTS)
def test_vectors_change_no_bit(forest):
    for X, y, nominal in tables():
        if forest == "flipped alpha" and len(np.unique(y)) > 2:
            continue
        plain, plain_batch, plain_row = fitted(FORESTS[forest], X, y, nominal, vectors=False)
        wide, wide_batch, wide_row = fitted(FORESTS[forest], X, y, nominal, vectors=True)
        assert_same_state(wide.forest_, plain.forest_)
        assert wide_batch.tobytes() == plain_batch.tobytes()
        assert wide_row.tobytes() == plain_row.tobytes()


def test_reasons_have_the_same_bits():
    data = make_workload("d", rows=2000)
    model = HeDExClassifier(4, random_state=0).fit(data.X, data.y)
    _core.testing.allow_vectors(False)
    plain = explain(model, data.X[:40])
    _core.testing.allow_vectors(True)
    wide = explain(model, data.X[:40])
    assert wide.values.tobytes() == plain.values.tobytes()
