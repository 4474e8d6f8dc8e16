"""SHAP's explainer and Treelite's predictor beside ours."""

import numpy as np
import pytest

import rarewood as rw
from rarewood.export import to_shap, to_treelite
from rarewood.inspection import explain
from support.exports import MODELS, fitted

AXIS_PARALLEL = [
    "TreeClassifier",
    "Tree multiway",
    "ForestClassifier",
    "HeDExClassifier",
    "BEATClassifier",
    "BalancedForestClassifier",
]
OTHERS = [name for name in MODELS if name not in AXIS_PARALLEL]


def walked(tree, row):
    """Value and path-dependent mean of one of SHAP's trees, by its arrays alone."""

    def at(node):
        if tree["children_left"][node] == -1:
            return tree["values"][node]
        cell = row[tree["features"][node]]
        if np.isnan(cell):
            return at(tree["children_default"][node])
        return at(tree["children_left" if cell <= tree["thresholds"][node] else "children_right"][node])

    return at(0)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", AXIS_PARALLEL)
def test_trees_of_numbers_say_the_same(name, n_classes):
    model, X = fitted(name, n_classes)
    rows = X.iloc[:40].astype({"city": object})
    rows.loc[0, "city"] = "Nowhere"
    found = to_shap(model)
    values = [sum(walked(tree, row) for tree in found["trees"]) for row in found.encode(rows)]
    np.testing.assert_allclose(values, model.predict_proba(rows), atol=1e-14)
    for tree in found["trees"]:
        inner = tree["children_left"] != -1
        both = (tree["node_sample_weight"][tree[side][inner]] for side in ("children_left", "children_right"))
        np.testing.assert_allclose(tree["node_sample_weight"][inner], sum(both), rtol=1e-12)


@pytest.mark.peer
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", AXIS_PARALLEL)
@pytest.mark.filterwarnings("ignore")
def test_shap_finds_the_same_values(name, n_classes):
    shap = pytest.importorskip("shap", reason="values are compared with those of shap")
    model, X = fitted(name, n_classes)
    rows = X.iloc[:60].astype({"city": object})
    rows.loc[0, "city"] = "Nowhere"
    found = to_shap(model)
    explainer = shap.TreeExplainer(found, feature_perturbation="tree_path_dependent")
    theirs = explainer.shap_values(found.encode(rows), check_additivity=False)
    ours = explain(model, rows)
    values = theirs[:, :, list(model.classes_).index(ours.positive)] if n_classes == 2 else theirs
    np.testing.assert_allclose(ours.values, values, atol=1e-9, rtol=0)


@pytest.mark.peer
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", AXIS_PARALLEL)
def test_treelite_predicts_the_same(name, n_classes):
    treelite = pytest.importorskip("treelite", reason="predictions are compared with those of treelite")
    model, X = fitted(name, n_classes)
    rows = X.astype({"city": object})
    rows.loc[0, "city"] = "Nowhere"
    matrix = np.ascontiguousarray(model._columns.read(model, rows), dtype=np.float64)
    found = treelite.gtil.predict(to_treelite(model), matrix).reshape(len(rows), n_classes)
    np.testing.assert_allclose(found, model.predict_proba(rows), atol=1e-12, rtol=0)


@pytest.mark.parametrize("write", [to_shap, to_treelite])
@pytest.mark.parametrize("name", OTHERS)
def test_what_they_cannot_express_is_refused(name, write):
    model, _ = fitted(name, 3)
    with pytest.raises(TypeError, match=r"lines through two columns|calibrated"):
        write(model)


def test_sets_that_would_need_too_many_comparisons_are_refused(monkeypatch):
    monkeypatch.setattr("rarewood.export._shap._MOST_NODES", 50)
    model, _ = fitted("ForestClassifier", 2)
    with pytest.raises(ValueError, match="more than 50 nodes"):
        to_shap(model)


def test_two_classes_of_a_decomposition_are_their_estimator():
    X = np.arange(8.0).reshape(-1, 1)
    model = rw.OneVsAllClassifier(rw.TreeClassifier()).fit(X, [0] * 6 + [1] * 2)
    assert len(to_shap(model)["trees"]) == 1
