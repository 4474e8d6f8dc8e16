"""Estimators in the stores of others. `test_same_answer` puts all models into joblib, cloudpickle and skops."""

import pickle

import numpy as np
import pytest

import rarewood as rw
from rarewood._core import Forest, Tree
from support.forests import assert_same_state
from support.models import case


def check_same(again, model, X):
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.get_params().keys() == model.get_params().keys()


@pytest.mark.filterwarnings("ignore")  # of mlflow's own
@pytest.mark.peer
@pytest.mark.parametrize("name", ["TreeClassifier", "RareClassifier", "BiasedRankingClassifier", "ECOCClassifier"])
def test_mlflow_keeps_models_in_its_default_form(name, tmp_path):
    mlflow = pytest.importorskip("mlflow.sklearn", reason="models are written by mlflow")
    skops = pytest.importorskip("skops.io", reason="mlflow writes models by skops")
    chosen = case(f"{name}, plain, 3 classes")
    model, X = chosen.fitted(), chosen.rows()[0]
    trusted = skops.get_untrusted_types(data=skops.dumps(model))
    mlflow.save_model(model, tmp_path / "model", skops_trusted_types=trusted)
    check_same(mlflow.load_model(str(tmp_path / "model")), model, X)


def test_trees_and_forests_are_made_of_their_arrays():
    forest = case("ForestClassifier, plain").fitted()
    assert_same_state(Forest(forest.forest_.__getstate__()), forest.forest_)
    assert_same_state(Tree(forest.forest_[0].__getstate__()), forest.forest_[0])
    assert forest.forest_.__reduce__()[0] is Forest
    with pytest.raises(ValueError, match="need the array"):
        Tree({})


def test_pickles_of_every_protocol():
    model = rw.TreeClassifier().fit([[0.0], [1.0]], [0, 1])
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(model.tree_, protocol))
        assert_same_state(again, model.tree_)
