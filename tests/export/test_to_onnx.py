"""ONNX graphs in two runtimes, on rows that lie next to thresholds."""

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.export import to_onnx
from support.exports import MODELS, fitted, hard_rows, table

onnx = pytest.importorskip("onnx", reason="ONNX graphs are made by onnx")


def inputs(model, rows):
    columns = model._columns
    if columns.names is None:
        return {"X": np.asarray(rows, dtype=np.float32)}
    given = {}
    for name, levels in zip(columns.names, columns.categories):
        if levels is not None and isinstance(levels.tolist()[0], str):
            cells = rows[name].astype(object).where(rows[name].notna(), "").to_numpy()
        else:
            cells = rows[name].astype(float).to_numpy(dtype=np.float32)
        given[name] = cells.reshape(-1, 1)
    return given


def run_in_onnxruntime(graph, given):
    runtime = pytest.importorskip("onnxruntime", reason="the graphs are run by onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(
        None, given
    )


def run_in_reference(graph, given):
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(graph).run(None, given)


def check(model, rows, run):
    label, probabilities = run(to_onnx(model), inputs(model, rows))
    np.testing.assert_allclose(probabilities, model.predict_proba(rows), atol=1e-6, rtol=0)
    np.testing.assert_array_equal(label, model.predict(rows))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_onnxruntime_gives_the_same(name, n_classes):
    model, X = fitted(name, n_classes)
    check(model, hard_rows(model, X), run_in_onnxruntime)


@pytest.mark.parametrize("name", ["Tree multiway", "HeDExClassifier", "RareClassifier, prior", "Ranking", "OneVsAll"])
def test_the_reference_evaluator_gives_the_same(name):
    model, X = fitted(name, 3)
    check(model, hard_rows(model, X).iloc[:60], run_in_reference)


def test_arrays_have_one_input():
    X, y = table(2)
    numbers = X[["b", "c c", "d"]].to_numpy(dtype=np.float32)
    model = rw.RareClassifier(n_estimators=30, random_state=0).fit(numbers, y == "wild")
    graph = to_onnx(model)
    assert [each.name for each in graph.graph.input] == ["X"]
    assert [each.name for each in graph.graph.output] == ["label", "probabilities"]
    check(model, numbers, run_in_onnxruntime)


def test_inputs_are_the_columns_of_fit():
    model, X = fitted("TreeClassifier", 2)
    assert [each.name for each in to_onnx(model).graph.input] == list(X.columns)


@pytest.mark.parametrize("labels", [[0, 5], [1.0, 2.0], [False, True], ["x", "y"]])
def test_labels_keep_their_kind(labels):
    X, y = table(2)
    model = rw.TreeClassifier(max_depth=3).fit(X, np.array(labels)[(y == "wild").astype(int)])
    check(model, X, run_in_onnxruntime)


@pytest.mark.parametrize("rule", ["recall=0.95", "cost=1:30"])
@pytest.mark.parametrize("name", ["HeDExClassifier", "OneVsAll"])
def test_labels_follow_the_decision_threshold(name, rule):
    X, y = table(3)
    model = type(MODELS[name])(**MODELS[name].get_params(deep=False)).fit(X, y)
    before = model.predict(X)
    rw.ensemble.fit_threshold(model, X, y, rule=rule, positive="odd")
    assert (model.predict(X) != before).any()
    check(model, X, run_in_onnxruntime)


def test_samplers_of_a_pipeline_are_left_behind():
    from imblearn.pipeline import make_pipeline
    from imblearn.under_sampling import RandomUnderSampler

    X, y = table(2)
    model = make_pipeline(RandomUnderSampler(random_state=0), rw.TreeClassifier()).fit(X, y)
    label, _ = run_in_onnxruntime(to_onnx(model), inputs(model[-1], X))
    np.testing.assert_array_equal(label, model.predict(X))


def test_a_single_leaf_and_a_single_class():
    X = np.zeros((4, 2), dtype=np.float32)
    for y in ([0, 0, 0, 1], [1, 1, 1, 1]):
        check(rw.TreeClassifier().fit(X, y), X, run_in_onnxruntime)


def test_a_forest_of_float64_thresholds_that_float32_cannot_hold():
    """Neighbouring float32 numbers with a threshold between them, or on one of them."""
    low = np.float32(0.1)
    cells = [low]
    for _ in range(50):
        cells.append(np.nextafter(cells[-1], np.float32(1)))
    X = np.array(cells, dtype=np.float32).reshape(-1, 1)
    model = rw.TreeClassifier("gini").fit(X, np.arange(51) % 2)
    check(model, X, run_in_onnxruntime)


def rule_sets():
    X, y = table(2, 1200)
    alone = rw.RuleSetClassifier(random_state=0).fit(X, y)
    assert len(alone.rules_) > 1
    none = rw.RuleSetClassifier(random_state=0).fit(X, np.random.default_rng(0).permutation(y))
    return X, {"rules": alone, "no rules": none}


@pytest.mark.parametrize("run", [run_in_onnxruntime, run_in_reference])
@pytest.mark.parametrize("name", ["rules", "no rules"])
def test_rule_sets(name, run):
    X, models = rule_sets()
    check(models[name], hard_rows(models[name], X), run)


def test_rule_sets_for_several_classes():
    X, y = table(3, 900)
    X = X.astype(dict.fromkeys(["a", "b", "c c", "d"], np.float32))
    model = rw.OneVsAllClassifier(rw.RuleSetClassifier(random_state=0)).fit(X, y)
    label, probabilities = run_in_onnxruntime(to_onnx(model), inputs(model.estimators_[0], X))
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-6, rtol=0)
    np.testing.assert_array_equal(label, model.predict(X))


def test_truth_values_are_0_and_1():
    X, y = table(2)
    X = pd.DataFrame({"b": X["b"].astype(np.float32), "flag": X["a"] > 0})
    model = rw.HeDExClassifier(5, random_state=0).fit(X, y)
    check(model, X, run_in_onnxruntime)


def test_what_onnx_cannot_express_is_refused():
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = table(2)
    with pytest.raises(TypeError, match="transforms columns"):
        to_onnx(make_pipeline(StandardScaler(), rw.TreeClassifier()).fit(X[["b", "d"]], y))
    mixed = pd.DataFrame({"k": pd.Categorical([True, "no"] * 200)})
    with pytest.raises(TypeError, match="neither all text nor all numbers"):
        to_onnx(rw.TreeClassifier().fit(mixed, y))
    other = LogisticRegression().fit(X[["b", "d"]], y)
    with pytest.raises(TypeError, match="LogisticRegression is not accepted"):
        to_onnx(other)
