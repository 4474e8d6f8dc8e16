"""A model of any kind on a table with hostile names and categories: each export answers as the model does, or refuses in words."""

import warnings

import numpy as np
import pandas as pd
import pytest

from fuzz._api import REFUSALS, public_estimators, random_parameters
from support.forms import FORMS, hard_rows
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


def run(seed):
    """One model, one of its exports: even seeds draw from the list of all models, odd ones any parameters and any table."""
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            form, model, rows = drawn_model(rng, seed) if seed % 2 else listed_model(rng)
        except REFUSALS:
            return "no model"
        if not form.expresses(model):
            return f"{form} is for others"
        expected = model.predict_proba(rows), model.predict(rows)
        try:
            shares, labels = form.answer(model, rows)
        except REFUSALS:
            return f"{form} refused"
        except pytest.skip.Exception:
            return f"{form} is not installed"
    np.testing.assert_allclose(shares, expected[0][: len(shares)], rtol=0, atol=max(form.gap, 1e-12))
    if labels is not None:
        np.testing.assert_array_equal(labels, expected[1][: len(labels)])
    return str(form)


def drawn_model(rng, seed):
    """Any classifier with any parameters, asked for the rows that it was fitted to."""
    n_rows = int(rng.choice([12, 60, 150]))
    X = random_frame(rng, n_rows)
    y = np.array([text(rng) + str(number) for number in range(3)])[rng.integers(0, int(rng.choice([2, 3])), n_rows)]
    estimators = [each for each in public_estimators() if hasattr(each, "predict_proba")]
    model = estimators[rng.integers(len(estimators))]()
    form = EXPORTS[rng.integers(len(EXPORTS))]
    sensible = {name: value for name, value in random_parameters(rng, model).items() if name != "n_jobs"}
    return form, model.set_params(**{**sensible, "random_state": seed % 100}).fit(X, y), X


def listed_model(rng):
    """A model of the one list, its columns, categories and classes renamed; asked near its thresholds."""
    case, form = QUICK[rng.integers(len(QUICK))], EXPORTS[rng.integers(len(EXPORTS))]
    X, y = case.rows()
    if isinstance(X, pd.DataFrame):
        names = {name: text(rng) + str(number) for number, name in enumerate(X.columns)}
        levels = {level: text(rng) + str(number) for number, level in enumerate(X["city"].cat.categories)}
        X = X.assign(city=X["city"].cat.rename_categories(levels)).rename(columns=names)
        classes = np.unique(y)
        y = np.array([text(rng) + str(number) for number in range(len(classes))])[np.searchsorted(classes, y)]
    model = case.fitted_to(X, y)
    return form, model, hard_rows(model, X, form.dtype, n_rows=100)


def text(rng):
    return "".join(rng.choice(PIECES, rng.integers(0, 5)))


def random_frame(rng, n_rows):
    """Numbers that a float32 holds, as ONNX reads them, and categories; missing cells among them."""
    columns = {}
    for number in range(rng.integers(1, 5)):
        name = text(rng) + str(number)
        if rng.random() < 0.5:
            cells = rng.normal(size=n_rows).astype(np.float32).astype(float)
            columns[name] = np.where(rng.random(n_rows) < 0.1, np.nan, cells)
        else:
            levels = list(dict.fromkeys(text(rng) + str(level) for level in range(rng.integers(1, 5))))
            columns[name] = pd.Categorical.from_codes(rng.integers(-1, len(levels), n_rows), levels)
    return pd.DataFrame(columns)
