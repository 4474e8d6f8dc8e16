"""What a pipeline is made of."""

from imblearn.pipeline import make_pipeline as make_resampling_pipeline
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import rarewood as rw
from rarewood._pipelines import last_step, only_resamples, steps_of

TREE, SCALER, SAMPLER = rw.TreeClassifier(), StandardScaler(), rw.PatternOversampler()


def test_another_model_is_its_only_step():
    assert steps_of(TREE) == [TREE]
    assert last_step(TREE) is TREE
    assert only_resamples(TREE)


def test_steps_in_their_order():
    model = make_pipeline(SCALER, TREE)
    assert steps_of(model) == [SCALER, TREE]
    assert last_step(model) is TREE


def test_only_samplers_leave_columns_as_they_are():
    assert only_resamples(make_resampling_pipeline(SAMPLER, TREE))
    assert only_resamples(Pipeline([("nothing", "passthrough"), ("none", None), ("tree", TREE)]))
    assert not only_resamples(make_pipeline(SCALER, TREE))
    assert not only_resamples(make_resampling_pipeline(SCALER, SAMPLER, TREE))
