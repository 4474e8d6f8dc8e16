"""SHAP's explainer beside ours. `test_same_answer` adds up its trees, and runs Treelite's predictor, for all models."""

import numpy as np
import pytest

import rarewood as rw
from rarewood.export import to_shap
from rarewood.inspection import explain
from support.forms import hard_rows
from support.models import all_cases, case

FORESTS = ("TreeClassifier", "ForestClassifier", "HeDExClassifier", "BEATClassifier", "BalancedForestClassifier")
MODES = ("plain", "multiway", "class weights", "raw leaves", "float32")
PLAIN_SUMS = all_cases("shap", lambda case: case.classifier in FORESTS and case.mode.name in MODES)


@PLAIN_SUMS
def test_weights_of_nodes_add_up(case):
    model = case.fitted()
    for tree in to_shap(model)["trees"]:
        inner = tree["children_left"] != -1
        both = (tree["node_sample_weight"][tree[side][inner]] for side in ("children_left", "children_right"))
        np.testing.assert_allclose(tree["node_sample_weight"][inner], sum(both), rtol=1e-12)


@pytest.mark.peer
@PLAIN_SUMS
@pytest.mark.filterwarnings("ignore")
def test_shap_finds_the_same_values(case):
    shap = pytest.importorskip("shap", reason="values are compared with those of shap")
    model = case.fitted()
    rows = hard_rows(model, case.rows()[0], np.float64)[:60]
    found = to_shap(model)
    explainer = shap.TreeExplainer(found, feature_perturbation="tree_path_dependent")
    theirs = explainer.shap_values(found.encode(rows), check_additivity=False)
    ours = explain(model, rows)
    values = theirs[:, :, list(model.classes_).index(ours.positive)] if case.n_classes == 2 else theirs
    np.testing.assert_allclose(ours.values, values, atol=1e-9, rtol=0)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ForestClassifier, lines", "lines through two columns"),
        ("BalancedForestClassifier, calibrated", "calibrated"),
        ("HeDExClassifier, prior", "another prior"),
        ("ECOCClassifier, plain, 3 classes", "several problems"),
    ],
)
def test_refusals_name_the_reason(name, reason):
    with pytest.raises(TypeError, match=reason):
        to_shap(case(name).fitted())


def test_sets_that_would_need_too_many_comparisons_are_refused(monkeypatch):
    monkeypatch.setattr("rarewood.export._shap._MOST_NODES", 50)
    model = case("ForestClassifier, plain").fitted()
    with pytest.raises(ValueError, match="more than 50 nodes"):
        to_shap(model)


def test_two_classes_of_a_decomposition_are_their_estimator():
    X = np.arange(8.0).reshape(-1, 1)
    model = rw.OneVsAllClassifier(rw.TreeClassifier()).fit(X, [0] * 6 + [1] * 2)
    assert len(to_shap(model)["trees"]) == 1
