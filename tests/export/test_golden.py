"""Files that the first release wrote are read by this one, and say the same."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood.cli._model_rules import rules_of
from rarewood.export import describe

FILES = sorted((Path(__file__).parent / "golden-v1").glob("*.rarewood"))


def test_there_are_such_files():
    assert len(FILES) >= 6


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_of_the_first_release(path):
    told = describe(path)
    rows = pd.DataFrame(told.metadata["rows"]).astype({"kind": "category", "size": "category"})
    model = rw.load(path)
    np.testing.assert_allclose(model.predict_proba(rows), told.metadata["probabilities"], rtol=1e-12)
    assert model.decision_threshold_.positive == "fault"
    assert told.format_version == 1


def test_rules_of_the_first_release():
    """A list that is the model, and one that `rarewood fit` has put beside a model, say what they said."""
    path = next(path for path in FILES if path.stem == "rules")
    metadata = describe(path).metadata
    rows = pd.DataFrame(metadata["rows"]).astype({"kind": "category", "size": "category"})
    model = rw.load(path)
    assert len(model.rules_) > 0
    assert model.rules_.text() == metadata["said"]["text"]
    # The first release left fractions without an exponent, which a column of float32 takes for a float32.
    assert model.rules_.to_sql("rows").replace("e0", "") == metadata["said"]["sql"]
    kept = rules_of(model, metadata, "fault")
    assert len(kept.rules) > 0
    assert kept.covers(rows).T.tolist() == metadata["said"]["holds"]
    assert kept.to_json()["rules"] == metadata["rules"]
    assert kept.note == metadata["rules_note"]
