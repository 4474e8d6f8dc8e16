"""Programs that take any scikit-learn classifier take ours."""

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

import rarewood as rw

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]  # warnings of their own


@pytest.fixture(scope="module")
def payments():
    data = rw.datasets.make_planted_rules(3000, random_state=0)
    return train_test_split(data.X, data.y, stratify=data.y, random_state=0)


@pytest.fixture(scope="module")
def model(payments):
    X, _, y, _ = payments
    return rw.RareClassifier(60, random_state=0).fit(X, y)


def test_mapie_makes_sets_that_cover(payments, model):
    mapie = pytest.importorskip("mapie.classification", reason="sets of labels are made by mapie")
    _, X, _, y = payments
    X_known, X_new, y_known, y_new = train_test_split(X, y, stratify=y, random_state=0)
    conformal = mapie.SplitConformalClassifier(model, confidence_level=0.9, prefit=True).conformalize(X_known, y_known)
    labels, sets = conformal.predict_set(X_new)
    np.testing.assert_array_equal(labels, model.predict_proba(X_new).argmax(axis=1))  # mapie knows no thresholds
    covered = sets[np.arange(len(y_new)), y_new, 0].mean()
    assert 0.85 < covered <= 1.0


def test_fairlearn_measures_and_equalises_groups(payments, model):
    metrics = pytest.importorskip("fairlearn.metrics", reason="groups are compared by fairlearn")
    postprocessing = pytest.importorskip("fairlearn.postprocessing", reason="groups are compared by fairlearn")
    from sklearn.metrics import recall_score

    X, X_new, y, y_new = payments
    group, group_new = (np.where(table["customer_age"] > 50, "old", "young") for table in (X, X_new))
    told = metrics.MetricFrame(
        metrics=recall_score, y_true=y_new, y_pred=model.predict(X_new), sensitive_features=group_new
    )
    assert set(told.by_group.index) == {"old", "young"}
    fair = postprocessing.ThresholdOptimizer(
        estimator=rw.HeDExClassifier(20, random_state=0),
        constraints="true_positive_rate_parity",
        predict_method="predict_proba",
    ).fit(X, y, sensitive_features=group)
    found = fair.predict(X_new, sensitive_features=group_new, random_state=0)
    assert set(np.unique(found)) <= {0, 1}
