"""Any public estimator on any table: it fits and keeps its promises, or refuses with a ValueError or TypeError that says why."""

import functools
import inspect
import warnings

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, is_classifier

import rarewood
from rarewood.export import from_bytes, to_bytes

REFUSALS = (ValueError, TypeError)
NONSENSE = (
    None,
    True,
    -1,
    0,
    1,
    2,
    0.5,
    1e308,
    -1e-300,
    float("nan"),
    float("inf"),
    2**70,
    "nonsense",
    "",
    [],
    {},
    b"x",
)
SENSE = {
    "criterion": tuple(rarewood.criteria.REGISTRY),
    "splitter": ("best", "random", "hyperplane"),
    "nominal": ("subset", "multiway", "one_vs_rest"),
    "sampling": ("all", "bootstrap", "stratified", "balanced"),
    "n_estimators": (1, 2, 5, 9),
    "n_cuts": (1, 3, 40),
    "max_depth": (None, 1, 2, 5),
    "min_samples_split": (2, 5, 50),
    "min_samples_leaf": (1, 3, 20),
    "max_features": (None, "sqrt", "log2", 1, 0.5),
    "class_weight": (None, "balanced"),
    "threshold": (None, "f1", 0.3, "recall=0.8", "alerts=5"),
    "calibration": (None, "beta"),
    "n_jobs": (None, 1, 2, -1),
    "random_state": (0, 7, None),
    "oob_score": (True, False),
    "verbose": (0,),
}


@functools.cache
def public_estimators():
    public = [getattr(rarewood, name) for name in sorted(rarewood.__all__)]
    return [item for item in public if inspect.isclass(item) and issubclass(item, BaseEstimator)]


def random_parameters(rng, estimator):
    chosen = {}
    for name, default in estimator.get_params(deep=False).items():
        drawn = rng.random()
        if name in ("n_estimators", "verbose", "random_state") or drawn < 0.25:
            pool = SENSE.get(name) or _like(default)
            chosen[name] = pool[rng.integers(len(pool))]
        elif drawn < 0.27:
            chosen[name] = NONSENSE[rng.integers(len(NONSENSE))]
    return chosen


def _like(default):
    if isinstance(default, bool):
        return (True, False)
    if isinstance(default, int):
        return (default, 1, 2, 5)
    if isinstance(default, float):
        return (default, 0.0, 0.1, 0.5, 1.0)
    return (default,)


def random_table(rng):
    """Numbers of any size, holes, categories, constant columns; few rows or some hundred. Arrays are read faster than frames."""
    n_rows = int(rng.choice([1, 2, 3, 8, 30, 60, 200]))
    is_frame = rng.random() < 0.3
    columns = [random_column(rng, n_rows, 9 if is_frame else 6) for _ in range(rng.integers(1, 6))]
    if is_frame:
        return pd.DataFrame({f"c{number}": column for number, column in enumerate(columns)})
    with np.errstate(over="ignore"):
        return np.column_stack(columns).astype(np.float32 if rng.random() < 0.25 else np.float64)


def in_some_container(rng, values):
    """An array in another form that holds the same, now and then with cells masked."""
    if not isinstance(values, np.ndarray):
        return values
    kind = rng.integers(12)
    if kind == 0:
        return np.ma.MaskedArray(values, rng.random(values.shape) < 0.1)
    if kind == 1:
        return values.astype(object)
    if kind == 2:
        return values.tolist()
    if kind == 3:
        values = values.copy()
        values.flags.writeable = False
    if kind == 4:
        return np.repeat(values, 2, axis=0)[::2]
    if kind == 5 and values.dtype.kind == "f":
        return values.astype(np.longdouble) * (np.longdouble("1e300") if rng.random() < 0.1 else 1)
    if kind == 6 and values.dtype.kind == "U" and hasattr(np.dtypes, "StringDType"):
        return values.astype(np.dtypes.StringDType())
    if kind == 7 and values.ndim == 1:
        with np.errstate(invalid="ignore"):  # an early pandas makes whole numbers of all, to see whether they are such
            return pd.Series(values).convert_dtypes().mask(rng.random(len(values)) < 0.02)
    return values


def random_column(rng, n_rows, n_kinds):
    kind = rng.integers(n_kinds)
    if kind == 0:
        return np.full(n_rows, rng.choice([0.0, -0.0, 1.5, np.nan]))
    if kind == 1:
        return rng.integers(0, 4, n_rows).astype(float)
    if kind == 2:
        return rng.normal(size=n_rows) * 10.0 ** rng.integers(-300, 300)
    if kind == 3:
        return np.where(rng.random(n_rows) < 0.3, np.nan, rng.normal(size=n_rows))
    if kind == 4 and rng.random() < 0.3:
        return np.where(rng.random(n_rows) < 0.05, np.inf, rng.normal(size=n_rows))
    if kind == 6:
        return pd.Categorical.from_codes(rng.integers(-1, 5, n_rows), categories=list("abcde"))
    if kind == 7:
        return pd.Series(rng.choice(["x", "y", "", "=1"], n_rows), dtype="category")
    if kind == 8:
        return rng.random(n_rows) < 0.5
    return rng.normal(size=n_rows)


def random_labels(rng, n_rows):
    n_classes = int(rng.choice([1, 2, 2, 2, 3, 6]))
    codes = rng.choice(n_classes, n_rows, p=rng.dirichlet(np.full(n_classes, 0.7)))
    kind = rng.integers(5)
    if kind == 0:
        return np.array([f"class {code}" for code in codes])
    if kind == 1:
        return codes.astype(float) - (0.5 if rng.random() < 0.1 else 0.0)
    if kind == 2:
        return codes == 0
    if kind == 3:
        return [int(code) - 3 for code in codes]
    return codes[: n_rows - 1] if rng.random() < 0.03 else codes


def random_weights(rng, n_rows):
    kind = rng.integers(10)
    if kind == 0:
        return rng.integers(0, 4, n_rows)
    if kind == 1:
        return rng.random(n_rows) * 10.0 ** rng.integers(-200, 300)
    if kind == 2:
        return np.full(n_rows, rng.choice([0.0, 1.0, -1.0, np.nan, 1e308]))
    return None


def run(seed):
    """The case of this seed; returns what became of it, raises where a promise is broken."""
    rng = np.random.default_rng(seed)
    classes = public_estimators()
    cls = classes[rng.integers(len(classes))]
    model = cls()
    model.set_params(**random_parameters(rng, model))
    X = random_table(rng)
    y = in_some_container(rng, random_labels(rng, len(X)))
    weights = in_some_container(rng, random_weights(rng, len(X)))
    X = in_some_container(rng, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _classify(model, X, y, weights) if is_classifier(model) else _resample(model, X, y)


def _classify(model, X, y, weights):
    try:
        given = {} if weights is None else {"sample_weight": weights}
        model.fit(X, y, **given)
    except REFUSALS as error:
        return refusal(error)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(X), len(model.classes_))
    assert np.isfinite(probabilities).all()
    assert (probabilities >= 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-9)
    predicted = model.predict(X)
    assert np.isin(predicted, model.classes_).all()
    again = from_bytes(to_bytes(model))
    assert again.predict_proba(X).tobytes() == probabilities.tobytes()
    assert np.array_equal(again.predict(X), predicted)
    return "fitted"


def _resample(sampler, X, y):
    try:
        rows, labels = sampler.fit_resample(X, y)
    except REFUSALS as error:
        return refusal(error)
    assert type(rows) is type(X) or isinstance(X, np.ma.MaskedArray)
    assert np.shape(rows)[1] == np.shape(X)[1]
    assert len(rows) == len(labels)
    assert set(np.unique(labels).tolist()) <= set(np.unique(y).tolist())
    return "resampled"


def refusal(error):
    assert str(error).strip(), "an error without words"
    return "refused"
