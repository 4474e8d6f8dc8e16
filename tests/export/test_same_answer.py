"""Every model in every mode gives the same answer in every form that it can take."""

from functools import lru_cache

import numpy as np
import pytest

from support.forms import FORMS, hard_rows
from support.models import CASES, runs


@lru_cache(maxsize=4)
def expected(case, dtype):
    """The model, rows next to its thresholds, and what it says of them."""
    model = case.fitted()
    rows = hard_rows(model, case.rows()[0], dtype)
    return model, rows, model.predict_proba(rows), model.predict(rows)


PAIRS = [(case, form) for case in CASES for form in FORMS if runs(case, form)]


@pytest.mark.parametrize(("case", "form"), PAIRS, ids=str)
def test_probabilities_and_labels_are_those_of_the_model(case, form):
    model, rows, probabilities, labels = expected(case, form.dtype)
    if not form.expresses(model):
        with pytest.raises((TypeError, ValueError)):
            form.answer(model, rows)
        return
    found, found_labels = form.answer(model, rows)
    np.testing.assert_allclose(found, probabilities[: len(found)], atol=form.gap, rtol=0)
    if found_labels is not None:
        np.testing.assert_array_equal(found_labels, labels[: len(found)])
