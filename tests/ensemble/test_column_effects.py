"""RareClassifier with effects of columns: where they come, what they give, and that files, exports and reasons have them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, log_loss

import rarewood as rw
from oracle.rare import predicted
from rarewood.exceptions import ModelFileError
from rarewood.export import from_bytes, to_bytes
from rarewood.export._container import pack, unpack
from rarewood.inspection import explain
from support.models import effects_at_any_price


def sphere(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 10))
    return X, ((X**2).sum(axis=1) > 16.0).astype(int)


@pytest.fixture(scope="module")
def smooth():
    return rw.RareClassifier(60, random_state=0).fit(*sphere(2500))


@pytest.fixture(scope="module")
def mixed():
    """Numbers, missing values and categories, with pairs whatever they give: the model and its table."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(900, 3)).astype(np.float32).astype(float), columns=["a", "b", "c"])
    X["city"] = pd.Categorical(rng.choice(["Ulm", "Kiel", "Bonn"], 900))
    score = np.abs(X["a"]) + X["b"] + X["a"] * X["c"] + (X["city"] == "Ulm") + rng.normal(size=900)
    X.loc[rng.random(900) < 0.1, "a"] = np.nan
    with effects_at_any_price():
        model = rw.RareClassifier(30, random_state=0).fit(X, np.where(score > 2.5, "fault", "ok"))
    assert len(model.column_effects_.pairs) == 3
    return model, X


def test_a_smooth_signal_is_better_predicted(smooth):
    plain = rw.RareClassifier(60, random_state=0, column_effects=False).fit(*sphere(2500))
    assert plain.column_effects_ is None
    X, y = sphere(5000, seed=1)
    before, after = plain.predict_proba(X)[:, 1], smooth.predict_proba(X)[:, 1]
    assert average_precision_score(y, after) > average_precision_score(y, before) + 0.03
    assert log_loss(y, after) < log_loss(y, before)


def test_out_of_bag_probabilities_are_right(smooth):
    """Few trees score a row that was left out: less sure than of a new row, but no less right."""
    y, p = sphere(2500)[1], smooth.oob_decision_function_[:, 1]
    assert p.mean() == pytest.approx(y.mean(), rel=0.05)
    for low, high in ((0.0, 0.1), (0.1, 0.4), (0.4, 1.0)):
        inside = (p >= low) & (p < high)
        assert p[inside].mean() == pytest.approx(y[inside].mean(), abs=0.04)
    plain = rw.RareClassifier(60, random_state=0, column_effects=False).fit(*sphere(2500))
    assert log_loss(y, p) < log_loss(y, plain.oob_decision_function_[:, 1])


def test_rules_have_no_effects():
    data = rw.datasets.make_planted_rules(2000, random_state=0)
    assert rw.RareClassifier(60, random_state=0).fit(data.X, data.y).column_effects_ is None


def test_asked_for_in_plain_words():
    with pytest.raises(TypeError, match="column_effects"):
        rw.RareClassifier(column_effects="no").fit(*sphere(100))


def test_only_for_two_classes():
    X, y = sphere(900)
    assert rw.RareClassifier(30, random_state=0).fit(X, y + (X[:, 0] > 1)).column_effects_ is None


def test_its_slow_twin(smooth, mixed):
    X, _ = sphere(40, seed=2)
    X[::3, 4] = np.nan
    np.testing.assert_allclose(smooth.predict_proba(X), predicted(smooth, X), rtol=1e-9)
    model, X = mixed
    matrix = model._columns.read(model, X[:40])
    np.testing.assert_allclose(model.predict_proba(X[:40]), predicted(model, matrix), rtol=1e-9)


@pytest.mark.several_threads
def test_neither_threads_nor_a_warm_start_change_them(smooth):
    X, y = sphere(2500)
    other = rw.RareClassifier(20, random_state=0, n_jobs=2, warm_start=True).fit(X, y)
    other.set_params(n_estimators=60).fit(X, y)
    np.testing.assert_array_equal(other.predict_proba(X), smooth.predict_proba(X))
    np.testing.assert_array_equal(other.oob_decision_function_, smooth.oob_decision_function_)
    assert other.decision_threshold_ == smooth.decision_threshold_


def test_data_in_parts_have_the_same(smooth):
    X, y = sphere(2500)
    frame = pd.DataFrame(X, columns=list("abcdefghij")).assign(y=y)
    in_parts = rw.distributed.fit(rw.RareClassifier(60, random_state=0), [frame[:900], frame[900:]], "y")
    assert str(in_parts.column_effects_) == str(smooth.column_effects_)
    np.testing.assert_array_equal(in_parts.predict_proba(frame.drop(columns="y")), smooth.predict_proba(X))
    np.testing.assert_array_equal(in_parts.oob_decision_function_, smooth.oob_decision_function_)


@pytest.mark.parametrize("told_prior", [False, True])
@pytest.mark.parametrize("positive", ["fault", "ok"])
def test_reasons_add_up(mixed, positive, told_prior):
    model, X = mixed
    model = from_bytes(to_bytes(model))
    if told_prior:
        model.set_prior({"fault": 0.01})
    told = explain(model, X[:60], positive=positive)
    wanted = model.predict_proba(X[:60])[:, list(model.classes_).index(positive)]
    np.testing.assert_allclose(told.base_values + told.values.sum(axis=1), wanted, atol=1e-12)
    assert told.base_values > 0


def test_reasons_are_those_of_the_effects_where_trees_say_nothing(mixed):
    """With a slope of almost nothing all log-odds come from the effects, and contributions are in proportion to theirs."""
    model, X = mixed
    model = from_bytes(to_bytes(model))
    model.calibration_ = model.calibration_.stretched(1e-9, 0.0)
    told = explain(model, X[:60], positive="ok")
    parts = model.column_effects_.parts(model._columns.read(model, X[:60]))
    shares, expected = (values / np.abs(values).sum(axis=1, keepdims=True) for values in (told.values, parts))
    np.testing.assert_allclose(shares, expected, atol=1e-6)


def test_files_keep_them(mixed):
    model, X = mixed
    again = from_bytes(to_bytes(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert str(again.column_effects_) == str(model.column_effects_)
    assert to_bytes(again)[:8] == to_bytes(model)[:8]


def changed(model, change):
    contents = unpack(to_bytes(model))
    arrays = [np.array(array) for array in contents.arrays]
    header = {name: value for name, value in contents.header.items() if name != "arrays"}
    change(header["model"], header["model"]["effects"], arrays)
    return pack(header, arrays)


def replaced(*path, by):
    """An array of the effects, found by `path`, made another."""

    def change(_, told, arrays):
        for name in path:
            told = told[name]
        arrays[told] = np.asarray(by(arrays[told]))

    return change


def many_bounds(effects, arrays):
    """300 steps of the first column, all else in keeping."""
    sizes = arrays[effects["n_bounds"]]
    n_more = 300 - sizes[0]
    arrays[effects["n_bounds"]] = np.r_[300, sizes[1:]]
    arrays[effects["bounds"]] = np.r_[np.arange(-n_more, 0) - 100.0, arrays[effects["bounds"]]]
    arrays[effects["values"]] = np.r_[np.zeros(n_more), arrays[effects["values"]]]


HOSTILE = {
    "none": lambda told, *_: told.pop("effects"),
    "no list": lambda told, *_: told.update(effects=[]),
    "no calibration": lambda told, *_: told.pop("calibration"),
    "gain": lambda _, effects, __: effects.update(gain="much"),
    "n_rows": lambda _, effects, __: effects.update(n_rows=-1),
    "pairs": lambda _, effects, __: effects.update(pairs=3),
    "a pair": lambda _, effects, __: effects["pairs"].__setitem__(0, 3),
    "same columns": lambda _, effects, __: effects["pairs"][0].update(columns=[1, 1]),
    "three columns": lambda _, effects, __: effects["pairs"][0].update(columns=[0, 1, 2]),
    "no such column": lambda _, effects, __: effects["pairs"][0].update(columns=[0, 9]),
    "a nominal column": lambda _, effects, __: effects["pairs"][0].update(columns=[0, 3]),
    "too many bounds": lambda _, effects, arrays: many_bounds(effects, arrays),
    "n_bounds": replaced("n_bounds", by=lambda sizes: sizes + 1),
    "negative n_bounds": replaced("n_bounds", by=lambda sizes: sizes * np.array([-1, 3, 1, 1])),
    "n_bounds of a nominal column": replaced("n_bounds", by=lambda sizes: sizes[[0, 1, 3, 2]]),
    "float n_bounds": replaced("n_bounds", by=lambda sizes: sizes.astype(float)),
    "bounds": replaced("bounds", by=lambda bounds: bounds[::-1]),
    "fewer bounds": replaced("bounds", by=lambda bounds: bounds[1:]),
    "endless bounds": replaced("bounds", by=lambda bounds: np.where(bounds == bounds.max(), np.inf, bounds)),
    "values": replaced("values", by=lambda values: np.full_like(values, np.nan)),
    "whole values": replaced("values", by=lambda values: np.zeros(len(values), dtype=np.int64)),
    "fewer values": replaced("values", by=lambda values: values[1:]),
    "table": replaced("pairs", 0, "values", by=lambda table: table[1:]),
    "steps": replaced("pairs", 0, "bounds", 0, by=lambda bounds: bounds[::-1]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_makes_no_sense_is_refused(mixed, name):
    model, _ = mixed
    assert from_bytes(changed(model, lambda *_: None)).column_effects_ is not None
    with pytest.raises(ModelFileError):
        from_bytes(changed(model, HOSTILE[name]))


def test_a_file_without_effects_is_as_before(smooth):
    data = rw.datasets.make_planted_rules(600, random_state=0)
    header = unpack(to_bytes(rw.RareClassifier(30, random_state=0).fit(data.X, data.y))).header["model"]
    assert "effects" not in header
    names = ["entropy lines, leaves of 5", "hellinger lines", "hellinger cuts", "entropy lines, half of the columns"]
    assert [name for name, _ in header["families"]] == names
    assert unpack(to_bytes(smooth)).header["model"]["families"][-1] == ["column effects", None]
