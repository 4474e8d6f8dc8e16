"""A model of any kind on a table with hostile names, categories and cells: each export answers as the model does, or refuses in words."""

import warnings

import numpy as np
import pandas as pd
import pytest
from imblearn.pipeline import make_pipeline

import rarewood as rw
from fuzz._api import public_estimators, random_parameters
from support.forms import FORMS, REFUSALS, check_answer, check_refusal, hard_rows
from support.models import CASES

PIECES = (
    "a",
    "B",
    " ",
    '"',
    "'",
    "\\",
    "*/",
    "??/",
    "%s",
    "$x$",
    "\n",
    "\x1b[0m",
    "ä",
    "數",
    "\u202e",
    "{}",
    "0",
    "\0",
    ",",
    "<b>",
    "//",
)
QUICK = [case for case in CASES if case.classifier != "RuleSetClassifier"]  # whose fits take seconds; it is drawn, too
EXPORTS = [form for form in FORMS if form.name in ("rarewood.save", "ONNX", "C", "Treelite", "SHAP", "explain")]
INNER = [
    rw.TreeClassifier(),
    rw.HeDExhClassifier(3, random_state=0),
    rw.ForestClassifier(4, calibration="beta", random_state=0),
    rw.RareClassifier(6, random_state=0),
]
TINY = float(np.finfo(np.float32).smallest_subnormal)


def run(seed):
    """One model, one of its exports: even seeds draw from the list of all models, odd ones any parameters and any table."""
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        form = EXPORTS[rng.integers(len(EXPORTS))]
        try:
            model, X = drawn_model(rng, seed) if seed % 2 else listed_model(rng)
        except REFUSALS:
            return "no model"
        if not form.expresses(model):
            return f"{form} is for others"
        fewest = 0 if form.name == "ONNX" else 1  # the others ask the model, which refuses to predict for no rows
        n_rows = int(rng.choice([fewest, 1, 100], p=[0.05, 0.05, 0.9]))
        rows = hard_rows(model, X, form.dtype, n_rows=100)[:n_rows]
        if seed % 2 and rng.random() < 0.2 and len(rows):
            model = in_a_pipeline(model)
        try:
            check_answer(form, model, rows)
        except REFUSALS as error:
            check_refusal(error)
            return f"{form} refused"
        except pytest.skip.Exception:
            return f"{form} is not installed"
    return str(form)


def in_a_pipeline(model):
    """A fitted model behind a sampler, which does nothing to rows that are asked for."""
    return make_pipeline(rw.PatternOversampler(), model)


def drawn_model(rng, seed):
    """Any classifier with any parameters, and the rows that it was fitted to."""
    X, codes = odd_shape(rng) if rng.random() < 0.06 else usual_shape(rng)
    y = np.array([text(rng) + str(number) for number in range(codes.max() + 1)])[codes]
    estimators = [each for each in public_estimators() if hasattr(each, "predict_proba")]
    model = estimators[rng.integers(len(estimators))]()
    if "estimator" in model.get_params(deep=False):
        model.set_params(estimator=INNER[rng.integers(len(INNER))])
    seeded = {**random_parameters(rng, model), "random_state": seed % 100}
    sensible = {name: value for name, value in seeded.items() if name != "n_jobs" and name in model.get_params()}
    numbers = [name for name in X if X[name].dtype.kind in "fi"] if isinstance(X, pd.DataFrame) else []
    if "monotonic_cst" in model.get_params(deep=False) and numbers and rng.random() < 0.2:
        sensible["monotonic_cst"] = {numbers[0]: int(rng.choice([-1, 1]))}
    model.set_params(**sensible).fit(X, y)
    if getattr(model, "calibration_", None) is not None and rng.random() < 0.5:
        model = rw.monitoring.recalibrate(model, X, y)
    return model, X


def usual_shape(rng):
    n_rows = int(rng.choice([12, 60, 150]))
    X = random_frame(rng, n_rows)
    if rng.random() < 0.2:
        dtype = rng.choice([np.float32, np.float64])
        X = np.column_stack([random_numbers(rng, n_rows) for _ in range(3)]).astype(dtype)
    return X, rng.integers(0, int(rng.choice([1, 2, 3], p=[0.1, 0.5, 0.4])), n_rows)


def odd_shape(rng):
    """Thousands of columns, hundreds of classes, or a tree of a depth of hundreds."""
    kind = rng.integers(3)
    if kind == 0:
        return rng.normal(size=(60, 2000)).astype(np.float32), rng.integers(0, 2, 60)
    if kind == 1:
        return rng.normal(size=(1000, 2)).astype(np.float32), np.arange(1000) % 500
    return pd.DataFrame({"x": np.arange(500.0)}), np.arange(500) % 2  # each cut takes a row off an end


def listed_model(rng):
    """A model of the one list, its columns, categories and classes renamed, and its rows."""
    case = QUICK[rng.integers(len(QUICK))]
    X, y = case.rows()
    if isinstance(X, pd.DataFrame):
        names = {name: text(rng) + str(number) for number, name in enumerate(X.columns)}
        levels = {level: text(rng) + str(number) for number, level in enumerate(X["city"].cat.categories)}
        X = X.assign(city=X["city"].cat.rename_categories(levels)).rename(columns=names)
        classes = np.unique(y)
        y = np.array([text(rng) + str(number) for number in range(len(classes))])[np.searchsorted(classes, y)]
    return case.fitted_to(X, y), X


def text(rng):
    return "".join(rng.choice(PIECES, rng.integers(0, 5)))


def random_frame(rng, n_rows):
    """Numbers that a float32 holds, as ONNX reads them, dates and times, and categories; missing cells among them."""
    columns = {}
    for number in range(rng.integers(1, 5)):
        name = text(rng) + str(number)
        kind = rng.choice(["number", "moment", "category"], p=[0.5, 0.15, 0.35])
        if kind == "number":
            cells = random_numbers(rng, n_rows)
            columns[name] = cells.astype(np.float32) if rng.random() < 0.3 else cells
        elif kind == "moment":
            columns[name] = random_moments(rng, n_rows)
        else:
            levels = list(dict.fromkeys(text(rng) + str(level) for level in range(rng.integers(1, 5))))
            columns[name] = pd.Categorical.from_codes(rng.integers(-1, len(levels), n_rows), levels)
    return pd.DataFrame(columns)


def random_numbers(rng, n_rows):
    kind = rng.integers(5)
    if kind == 0:
        cells = np.where(rng.random(n_rows) < 0.5, -0.0, rng.integers(-1, 2, n_rows).astype(float))
    elif kind == 1:
        cells = rng.integers(-4, 5, n_rows) * TINY
    else:
        size = 1.0 if kind < 4 else 10.0 ** rng.integers(-37, 37)
        cells = (rng.normal(size=n_rows) * size).astype(np.float32).astype(float)
    return np.where(rng.random(n_rows) < 0.1, np.nan, cells)


def random_moments(rng, n_rows):
    """Points in time, with a zone or without, days, or lengths of time."""
    kind = rng.integers(4)
    ticks = pd.Series(rng.integers(-(10 ** rng.integers(1, 16)), 10**15, n_rows).view("m8[us]"))
    ticks = ticks.mask(rng.random(n_rows) < 0.1)
    if kind == 0:
        return ticks
    points = pd.Timestamp("2024-01-31") + (ticks.dt.floor("D") if kind == 1 else ticks)
    return points.dt.tz_localize("UTC").dt.tz_convert("Asia/Kathmandu") if kind == 2 else points
