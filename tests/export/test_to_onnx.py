"""ONNX graphs: what is particular to them. `test_same_answer` runs the graphs of all models."""

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.export import to_onnx
from support.forms import hard_rows, onnx_inputs, run_in_onnxruntime, run_in_reference, seconds, thresholds
from support.models import case
from support.tables import NUMBERS, mixed_table

onnx = pytest.importorskip("onnx", reason="ONNX graphs are made by onnx")


def check(model, rows, run):
    label, probabilities = run(to_onnx(model), onnx_inputs(model, rows))
    np.testing.assert_allclose(probabilities, model.predict_proba(rows), atol=1e-6, rtol=0)
    np.testing.assert_array_equal(label, model.predict(rows))


@pytest.mark.parametrize(
    "name",
    [
        "TreeClassifier, multiway, 3 classes",
        "HeDExClassifier, plain, 3 classes",
        "RareClassifier, prior, 3 classes",
        "BalancedForestClassifier, calibrated, prior, cost",
        "RareClassifier, effects, label rate",
        "BiasedRankingClassifier, plain, 3 classes",
        "OneVsAllClassifier, plain, 3 classes",
    ],
)
def test_the_reference_evaluator_gives_the_same(name):
    model = case(name).fitted()
    check(model, hard_rows(model, case(name).rows()[0]).iloc[:60], run_in_reference)


def test_arrays_have_one_input():
    X, y = mixed_table(2)
    numbers = X[["b", "c c", "d"]].to_numpy(dtype=np.float32)
    model = rw.RareClassifier(n_estimators=30, random_state=0).fit(numbers, y == "wild")
    graph = to_onnx(model)
    assert [each.name for each in graph.graph.input] == ["X"]
    assert [each.name for each in graph.graph.output] == ["label", "probabilities"]
    check(model, numbers, run_in_onnxruntime)


def test_inputs_are_the_columns_of_fit():
    tree = case("TreeClassifier, plain")
    assert [each.name for each in to_onnx(tree.fitted()).graph.input] == list(tree.rows()[0].columns)


@pytest.mark.parametrize("labels", [[0, 5], [1.0, 2.0], [False, True], ["x", "y"]])
def test_labels_keep_their_kind(labels):
    X, y = mixed_table(2)
    model = rw.TreeClassifier(max_depth=3).fit(X, np.array(labels)[(y == "wild").astype(int)])
    check(model, X, run_in_onnxruntime)


def test_samplers_of_a_pipeline_are_left_behind():
    from imblearn.pipeline import make_pipeline
    from imblearn.under_sampling import RandomUnderSampler

    X, y = mixed_table(2)
    X = X.astype(dict.fromkeys(NUMBERS, np.float32))
    model = make_pipeline(RandomUnderSampler(random_state=0), rw.TreeClassifier()).fit(X, y)
    label, _ = run_in_onnxruntime(to_onnx(model), onnx_inputs(model[-1], X))
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
    X, y = mixed_table(2, 1200)
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
    X, y = mixed_table(3, 900)
    X = X.astype(dict.fromkeys(["a", "b", "c c", "d"], np.float32))
    model = rw.OneVsAllClassifier(rw.RuleSetClassifier(random_state=0)).fit(X, y)
    label, probabilities = run_in_onnxruntime(to_onnx(model), onnx_inputs(model.estimators_[0], X))
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-6, rtol=0)
    np.testing.assert_array_equal(label, model.predict(X))


def test_truth_values_are_0_and_1():
    X, y = mixed_table(2)
    X = pd.DataFrame({"b": X["b"].astype(np.float32), "flag": X["a"] > 0})
    model = rw.HeDExClassifier(5, random_state=0).fit(X, y)
    check(model, X, run_in_onnxruntime)


def moments(kind, n=400):
    ticks = np.random.default_rng(1).integers(-(10**9), 10**9, n) * 1_000_003  # microseconds, over thirty years or so
    return {
        "points": pd.Series(pd.Timestamp("2024-01-31 23:59:59.999999") + pd.to_timedelta(ticks, unit="us")),
        "zoned": pd.Series(pd.Timestamp("2024-01-31", tz="UTC") + pd.to_timedelta(ticks, unit="us")).dt.tz_convert(
            "Asia/Kathmandu"
        ),
        "days": pd.Series(pd.Timestamp("2060-01-31") + pd.to_timedelta(ticks % 9999, unit="D")),
        "lengths": pd.Series(pd.to_timedelta(ticks, unit="us")),
    }[kind]


def beside_thresholds(model, cells):
    """Cells a microsecond or a second beside thresholds of the first column, or on them, and missing ones."""
    ticks = np.round(thresholds(model)[0] * 1e6).astype(np.int64)[:200]
    beside = np.concatenate([ticks + step for step in (-1_000_000, -1, 0, 1, 1_000_000)])
    found = pd.Series(beside.view("m8[us]" if cells.dtype.kind == "m" else "M8[us]"))
    found[::97] = pd.NaT
    return found.dt.tz_localize("UTC") if getattr(cells.dt, "tz", None) else found


@pytest.mark.parametrize("run", [run_in_onnxruntime, run_in_reference])
@pytest.mark.parametrize("splitter", ["best", "hyperplane"])
@pytest.mark.parametrize("kind", ["points", "zoned", "days", "lengths"])
def test_dates_and_times_are_compared_in_float64(kind, splitter, run):
    cells = moments(kind)
    X = pd.DataFrame(
        {"when": cells, "number": np.arange(400, dtype=np.float32) % 7, "constant": cells.mask(cells.notna())}
    )
    y = np.random.default_rng(0).integers(0, 2, 400)
    model = rw.HeDExClassifier(3, random_state=0).fit(X, y)
    if splitter == "hyperplane":
        model = rw.HeDExhClassifier(3, random_state=0).fit(X, y)
    when = beside_thresholds(rw.TreeClassifier().fit(X, y) if splitter == "hyperplane" else model, cells)
    rows = pd.DataFrame(
        {"when": when, "number": np.float32(3), "constant": cells.iloc[:1].repeat(len(when)).to_numpy()}
    )
    inputs = onnx_inputs(model, rows)
    assert [given.dtype for given in inputs.values()] == [np.float64, np.float32, np.float64]
    if run is run_in_reference:
        rows, inputs = rows[::29], {name: given[::29] for name, given in inputs.items()}
    label, probabilities = run(to_onnx(model), inputs)
    np.testing.assert_allclose(probabilities, model.predict_proba(rows), atol=1e-6, rtol=0)
    np.testing.assert_array_equal(label, model.predict(rows))


def test_an_array_with_dates_has_one_input_of_float64():
    points = moments("points")
    X = np.column_stack([points.to_numpy(dtype=object), np.arange(400) % 7])
    model = rw.HeDExClassifier(5, random_state=0).fit(X, np.random.default_rng(0).integers(0, 2, 400))
    given = np.column_stack([seconds(points), np.arange(400) % 7])
    label, probabilities = run_in_onnxruntime(to_onnx(model), {"X": given})
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-6, rtol=0)
    np.testing.assert_array_equal(label, model.predict(X))


def test_what_onnx_cannot_express_is_refused():
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = mixed_table(2, 400)
    with pytest.raises(TypeError, match="transforms columns"):
        to_onnx(make_pipeline(StandardScaler(), rw.TreeClassifier()).fit(X[["b", "d"]], y))
    mixed = pd.DataFrame({"k": pd.Categorical([True, "no"] * 200)})
    with pytest.raises(TypeError, match="neither all text nor all numbers"):
        to_onnx(rw.TreeClassifier().fit(mixed, y))
    other = LogisticRegression().fit(X[["b", "d"]], y)
    with pytest.raises(TypeError, match="LogisticRegression is not accepted"):
        to_onnx(other)


def test_empty_text_as_a_category_leaves_no_way_to_write_a_missing_cell():
    X = pd.DataFrame({"c": pd.Categorical(["", "c"] * 10)})
    with pytest.warns(rw.exceptions.RarewoodWarning, match="column 'c', so the graph cannot be given a missing cell"):
        rw.export.to_onnx(rw.TreeClassifier().fit(X, [0, 1] * 10))


@pytest.mark.parametrize(
    ("names", "outputs"),
    [
        (["label", "probabilities"], ["label_", "probabilities_"]),
        (["label_", "label"], ["label__", "probabilities"]),
        ([f"{stem}_{number}" for stem in ("value", "constant") for number in range(60)], ["label", "probabilities"]),
        (["X", "rarewood"], ["label", "probabilities"]),
        (["a b", "a_b", "a\0b", "a\0c", "ä\n"], ["label", "probabilities"]),
    ],
    ids=lambda names: names[0][:12],
)
def test_columns_may_be_called_as_parts_of_the_graph(names, outputs):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, len(names))).astype(np.float32), columns=names)
    X["kind"] = pd.Categorical(rng.choice(["label", "value_0"], 80))
    model = rw.RareClassifier(20, random_state=0).fit(X, (X[names[0]] > 0.5) & (X["kind"] == "label"))
    assert [each.name for each in to_onnx(model).graph.output] == outputs
    check(model, X, run_in_onnxruntime)


@pytest.mark.parametrize(
    ("name", "level"), [("", "a"), ("\ud800", "a"), ("x", "\ud800")], ids=["no name", "half a name", "half a word"]
)
def test_what_a_graph_cannot_name_is_refused(name, level):
    X = pd.DataFrame({0: pd.Series([level, "b"] * 20, dtype=object)})
    X.columns = pd.Index([name], dtype=object)
    model = rw.TreeClassifier(categorical_features=[0]).fit(X, [0, 1] * 20)
    with pytest.raises(ValueError, match=r"rename (it|the column, category or label)\."):
        to_onnx(model)


def test_whole_categories_that_a_float_would_round_are_refused():
    X = pd.DataFrame({"id": pd.Categorical([2**53, 2**53 + 1] * 20)})
    with pytest.raises(TypeError, match="not float32 numbers; convert them to text"):
        to_onnx(rw.TreeClassifier().fit(X, [0, 1] * 20))
