"""Several models on one page."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score, roc_auc_score

import rarewood as rw
from rarewood import report


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 4))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=800) > 2.5, "bad", "good")
    return X[:500], y[:500], X[500:], y[500:]


def test_other_models_are_judged_on_the_same_rows(rows):
    X, y, X_new, y_new = rows
    model = rw.ForestClassifier(20, random_state=0).fit(X, y)
    other = RandomForestClassifier(20, random_state=0).fit(X, y)
    scores = other.predict_proba(X_new)[:, 0]
    page = report.build(model, X_new, y_new, others={"forest": other, "its scores <b>": scores}, baseline=False)
    own, first, second = page.summary["baselines"]["compared"]
    assert own["model"]
    assert first["auc"] == second["auc"] == pytest.approx(roc_auc_score(y_new == "bad", scores))
    assert first["average_precision"] == pytest.approx(average_precision_score(y_new == "bad", scores))
    assert "than that of forest" in first["verdict"] or "same" in first["verdict"]
    recall, precision = np.transpose(first["curve"])
    assert recall[-1] == 1.0
    cut = np.sort(scores[y_new == "bad"])[0]
    assert precision[-1] == pytest.approx((y_new[scores >= cut] == "bad").mean())
    assert "its scores &lt;b&gt;" in page.html
    assert 'id="compared"' in page.html


@pytest.mark.parametrize("bad", [np.zeros(3), np.full(300, np.nan)])
def test_scores_for_other_rows_are_refused(rows, bad):
    X, y, X_new, y_new = rows
    model = rw.TreeClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="finite score for each of the 300 rows"):
        report.build(model, X_new, y_new, others={"bad": bad})
