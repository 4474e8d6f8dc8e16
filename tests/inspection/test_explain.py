"""Contributions of columns, against Shapley's definition. `test_same_answer` adds up those of all models."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rarewood as rw
from oracle.shapley import shapley_values
from rarewood._core import contributions
from rarewood.inspection import explain


def table(n_rows=120, n_classes=2, seed=0, missing=True):
    """Six columns, two of them nominal; labels that depend on several."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 4)), columns=list("abcd"))
    X["e"] = pd.Categorical(rng.choice(list("uvwxyz"), n_rows))
    X["f"] = pd.Categorical(rng.choice([3, 5, 8], n_rows))
    score = X["a"] + X["b"] * X["c"] + X["e"].isin(["u", "z"]) + rng.normal(size=n_rows)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1] ** 0.4))
    if missing:
        X.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
        X.loc[rng.random(n_rows) < 0.1, "e"] = None
    return X, y


def smoothed(counts):
    return (counts + 1.0) / (counts.sum() + len(counts))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "parameters",
    [
        {"criterion": "gini"},
        {"nominal": "multiway", "criterion": "gain_ratio"},
        {"nominal": "one_vs_rest"},
        {"splitter": "random", "random_state": 0},
    ],
    ids=["subset", "multiway", "one_vs_rest", "random"],
)
def test_trees_of_single_columns_are_explained_exactly(parameters, n_classes):
    X, y = table(n_classes=n_classes)
    tree = rw.TreeClassifier(**parameters).fit(X, y)
    asked = X.iloc[:5].astype({"e": object})
    asked.loc[0, "e"] = "never seen"
    told = explain(tree, asked, positive=1)
    assert told.standard_errors is None
    matrix = tree._columns.read(tree, asked)
    values = told.values[:, :, np.newaxis] if n_classes == 2 else told.values
    for row in range(len(asked)):
        for k, label in enumerate([1] if n_classes == 2 else range(n_classes)):
            base, wanted = shapley_values(tree.tree_, matrix[row], lambda counts, c=label: smoothed(counts)[c])
            np.testing.assert_allclose(values[row, :, k], wanted, atol=1e-13)
            np.testing.assert_allclose(np.atleast_1d(told.base_values)[k], base, atol=1e-13)


def test_eight_columns_and_deep_paths_are_explained_exactly():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 8))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > X[:, 3] * X[:, 4]).astype(int)
    tree = rw.TreeClassifier("entropy", smoothing=0.0).fit(X, y)
    told = explain(tree, X[:3], positive=1)
    for row in range(3):
        _, wanted = shapley_values(tree.tree_, X[row], lambda counts: counts[1] / counts.sum())
        np.testing.assert_allclose(told.values[row], wanted, atol=1e-13)


def test_lines_are_decided_when_both_columns_are_known():
    X, y = table(missing=True)
    tree = rw.TreeClassifier(splitter="hyperplane", max_depth=4, random_state=0).fit(X, y)
    told = explain(tree, X.iloc[:4], positive=1, n_permutations=4000)
    matrix = tree._columns.read(tree, X.iloc[:4])
    for row in range(4):
        base, wanted = shapley_values(tree.tree_, matrix[row], lambda counts: smoothed(counts)[1])
        assert told.base_values == pytest.approx(base, abs=1e-13)
        assert (np.abs(told.values[row] - wanted) <= 4.5 * told.standard_errors[row] + 1e-12).all()
    assert told.standard_errors.max() < 0.01


def test_standard_errors_say_how_far_samples_scatter():
    X, y = table()
    tree = rw.TreeClassifier(splitter="hyperplane", max_depth=4, random_state=0).fit(X, y)
    several = [explain(tree, X.iloc[:8], n_permutations=16, random_state=seed) for seed in range(100)]
    scatter = np.std([told.values for told in several], axis=0)
    claimed = np.sqrt(np.mean([told.standard_errors**2 for told in several], axis=0))
    used = scatter > 1e-12
    assert 0.8 < np.median(claimed[used] / scatter[used]) < 1.25


def test_calibration_keeps_signs_and_proportions():
    X, y = table(n_rows=300)
    model = rw.RareClassifier(n_estimators=30, random_state=0).fit(X, y)
    told = explain(model, X)
    _, values, _ = contributions(
        model.forest_, model._columns.read(model, X), model._pseudo_count(), [1], model._tree_weights()
    )
    column = list(model.classes_).index(told.positive)
    sign = 1.0 if column == 1 else -1.0
    shares = told.values / np.abs(told.values).sum(axis=1, keepdims=True)
    before = sign * values[:, :, 0] / np.abs(values[:, :, 0]).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, before, atol=1e-6)


def test_neither_threads_nor_other_rows_nor_precision_change_values():
    X, y = table(n_rows=150, missing=False)
    numbers = X[list("abcd")].to_numpy().astype(np.float32)
    model = rw.RareClassifier(n_estimators=12, random_state=0).fit(numbers, y)
    whole = explain(model, numbers, n_jobs=2)
    np.testing.assert_array_equal(whole.values, explain(model, numbers, n_jobs=1).values)
    np.testing.assert_array_equal(whole.values[40:41], explain(model, numbers[40:41]).values)
    np.testing.assert_array_equal(whole.values, explain(model, numbers.astype(np.float64)).values)
    np.testing.assert_array_equal(whole.values, explain(model, np.asfortranarray(numbers)).values)


def test_columns_without_a_part_contribute_nothing():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), np.zeros(200)])
    tree = rw.TreeClassifier().fit(X, X[:, 0] > 0)
    assert not explain(tree, X).values[:, 1].any()


def test_a_single_leaf_is_all_base():
    tree = rw.TreeClassifier().fit(np.zeros((4, 2)), [0, 0, 0, 1])
    told = explain(tree, np.zeros((2, 2)))
    assert not told.values.any()
    assert told.base_values == pytest.approx(2 / 6)


def test_a_very_deep_tree():
    X = np.arange(3000.0)[:, np.newaxis]
    tree = rw.TreeClassifier("gini").fit(X, np.arange(3000) % 2)
    told = explain(tree, X[::500])
    np.testing.assert_allclose(told.base_values + told.values[:, 0], told.scores, atol=1e-12)


def test_the_class_that_is_explained():
    X, y = table()
    y = np.where(y == 1, "rare", "usual")
    model = rw.ForestClassifier(n_estimators=4, random_state=0).fit(X, y)
    rarer = "rare" if (y == "rare").sum() < 60 else "usual"
    told = explain(model, X)
    assert told.positive == rarer
    other = explain(model, X, positive="usual" if rarer == "rare" else "rare")
    np.testing.assert_allclose(told.values, -other.values, atol=1e-14)
    np.testing.assert_allclose(told.of_class(other.positive), other.values, atol=1e-14)


def test_in_words():
    X, y = table()
    model = rw.TreeClassifier(max_depth=3).fit(X, y)
    told = explain(model, X.iloc[:3].astype({"e": object}).assign(e=["u", None, "new"]))
    text = told.text(1, top=2)
    assert text.startswith(f"probability of {told.positive}: {told.scores[1]:.4f} = {told.base_values:.4f}")
    assert all(reason.value != 0 for reason in told.reasons(0))
    sizes = [abs(reason.value) for reason in told.reasons(0)]
    assert sizes == sorted(sizes, reverse=True)
    cells = dict(zip(told.frame()["column"][6:12], told.frame()["cell"][6:12]))
    assert cells["e"] == "missing"
    assert told.frame()["cell"][16] == "not seen in training"
    frame = told.frame("pandas")
    assert len(frame) == 18
    assert frame.groupby("row")["value"].sum().to_numpy() == pytest.approx(told.scores - told.base_values)
    assert "exact" in repr(told)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pictures(n_classes):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="pictures are drawn by matplotlib")
    X, y = table(n_classes=n_classes)
    told = explain(rw.HeDExhClassifier(n_estimators=4, random_state=0).fit(X, y), X)
    drawn = [told.plot(0), told.plot(top=3), told.plot(kind="bar", label=1)]
    assert len(drawn[0].patches) <= 6
    assert len(drawn[1].collections) == 3
    assert len(drawn[2].patches) == 6
    for ax in drawn:
        pyplot.close(ax.figure)


def test_pipelines_are_explained_by_what_their_last_step_sees():
    X = np.random.default_rng(0).normal(5.0, 3.0, size=(100, 3))
    y = X[:, 0] > 7
    model = make_pipeline(StandardScaler(), rw.TreeClassifier()).fit(X, y)
    told = explain(model, X)
    np.testing.assert_allclose(told.base_values + told.values.sum(axis=1), told.scores, atol=1e-12)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (rw.OneVsAllClassifier(), "explain its problems one by one"),
        (rw.BiasedRankingClassifier(n_iterations=1, n_estimators=3, clean=False, random_state=0), "sums over trees"),
    ],
)
def test_what_is_no_sum_over_trees_is_refused(model, message):
    X, y = table(n_classes=3)
    with pytest.raises(TypeError, match=message):
        explain(model.fit(X, y), X)


def test_bad_parameters():
    X, y = table()
    tree = rw.TreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="pairs"):
        explain(tree, X, n_permutations=5)
    with pytest.raises(IndexError, match="no row 99999"):
        explain(tree, X).text(99999)
    with pytest.raises(ValueError, match="not among the classes"):
        explain(tree, X, positive="none such")
