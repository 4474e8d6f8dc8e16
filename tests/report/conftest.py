"""Reports that several tests look at: an ordinary one, and one on a table made to break the page."""

import numpy as np
import pytest

import rarewood as rw
from rarewood import report
from rarewood.datasets import make_planted_rules
from support.hostile import HOSTILE, hostile_table


@pytest.fixture(scope="session")
def payments():
    """Training and test rows, and a model with a threshold."""
    train, test = (make_planted_rules(n, random_state=seed) for seed, n in ((0, 2000), (1, 1500)))
    model = rw.ForestClassifier(30, max_depth=6, sampling="stratified", random_state=0).fit(train.X, train.y)
    return train, test, model


@pytest.fixture(scope="session")
def payments_report(payments):
    train, test, model = payments
    return report.build(
        model,
        test.X,
        test.y,
        threshold=0.25,
        costs=(1.5, 20),
        train=(train.X, train.y),
        title="Payments",
        segments=["country", "amount"],
        times=np.datetime64("2024-07-01") + np.arange(1500) // 100,
        row_names=[f"P{number:05d}" for number in range(1500)],
        card={"Owner": "the fraud team"},
    )


@pytest.fixture(scope="session")
def hostile_report():
    (X, y), train = hostile_table(1), hostile_table(0)
    model = rw.TreeClassifier(max_depth=3, random_state=0).fit(*train)
    names = list(X.columns)[:2]
    return report.build(
        model,
        X,
        y,
        train=train,
        baseline=False,
        title=f"A title {HOSTILE}",
        segments=names,
        times=np.datetime64("2024-07-01") + np.arange(len(y)) // 10,
        card={HOSTILE: HOSTILE},
    )
