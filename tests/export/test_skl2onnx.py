"""Pipelines that skl2onnx converts, with a classifier of ours at their end."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import rarewood as rw

pytest.importorskip("onnxruntime", reason="the graphs are run by onnxruntime")
skl2onnx = pytest.importorskip("skl2onnx", reason="pipelines are converted by skl2onnx")


@pytest.fixture(scope="module", autouse=True)
def registered():
    rw.export.register_with_skl2onnx()
    rw.export.register_with_skl2onnx()  # twice is no error


def run(graph, given):
    import onnxruntime

    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, given)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "classifier",
    [
        rw.TreeClassifier(),
        rw.HeDExhClassifier(5, random_state=0),
        rw.RareClassifier(12, random_state=0),
        rw.OneVsAllClassifier(rw.TreeClassifier(max_depth=3)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_scaler_in_front(classifier, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).astype(np.float32)
    y = np.array(["calm", "odd", "wild"])[np.digitize(X[:, 0] + X[:, 1], [1.0, 2.0][: n_classes - 1])]
    model = make_pipeline(StandardScaler(), classifier).fit(X, y)
    graph = skl2onnx.to_onnx(model, X[:1], options={"zipmap": False})
    label, probabilities = run(graph, {"X": X})
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(label, model.predict(X))


def test_encoders_in_front():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=200).astype(np.float32), "city": rng.choice(["Ulm", "Hof"], 200)})
    y = ((X["city"] == "Hof") & (X["size"] > 0)).to_numpy().astype(int)
    columns = make_column_transformer((OneHotEncoder(sparse_output=False), ["city"]), remainder="passthrough")
    model = make_pipeline(columns, rw.HeDExClassifier(5, random_state=0)).fit(X, y)
    graph = skl2onnx.to_onnx(model, X[:1], options={"zipmap": False})
    label, probabilities = run(graph, {"size": X[["size"]].to_numpy(), "city": X[["city"]].to_numpy(dtype=object)})
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(label, model.predict(X))


def test_text_behind_a_step_that_gives_numbers_is_refused():
    X = pd.DataFrame({"size": [0.0, 1.0, 2.0, 3.0], "city": pd.Categorical(["Ulm", "Hof", "Ulm", "Hof"])})
    model = make_pipeline(rw.TreeClassifier()).fit(X, [0, 1, 0, 1])
    with pytest.raises(TypeError, match="column city has text categories"):
        skl2onnx.to_onnx(model, np.zeros((1, 2), dtype=np.float32))
