"""What the command line says of rows that equal others or may belong together."""

import numpy as np
import pandas as pd
import pytest

from rarewood._tables.suspicions import rare_together
from support.tables import noise


def test_columns_that_may_name_groups():
    rng = np.random.default_rng(0)
    customer = np.repeat(np.arange(200.0), 5)
    bad = np.isin(customer, rng.choice(200, 12, replace=False))
    assert rare_together(customer, bad) == 1.0
    assert rare_together(customer, bad & (rng.random(1000) < 0.6)) == pytest.approx(0.6, abs=0.15)
    assert rare_together(customer, bad & (rng.random(1000) < 0.2)) is None
    assert rare_together(customer, rng.permutation(bad)) is None
    assert rare_together(rng.integers(0, 5, 1000).astype(float), bad) is None
    assert rare_together(customer / 10, bad) is None  # a measurement


def test_notes_on_rows(program, tmp_path):
    X, y = noise(200)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(label=np.where(y == 1, "yes", "no"))
    frame.to_csv("noise.csv", index=False)
    found = program("fit", "noise.csv", "-s", "n_estimators=60", "--rules", 3, "--json").json
    assert any(note.startswith("800 of 800 rows equal another in all columns") for note in found["notes"])
    assert found["measures"]["auc"] < 0.75
    assert not found["rules"]
    frame["customer"] = 10 + np.arange(len(frame)) // 4 * 3
    frame[["a", "b"]] += np.random.default_rng(0).normal(scale=0.01, size=(len(frame), 2))
    frame[["a", "b", "customer", "label"]].to_csv("noise.csv", index=False)
    found = program("fit", "noise.csv", "-s", "n_estimators=60", "--rules", 0, "--json").json
    assert any("use --group customer" in note for note in found["notes"])
    found = program("fit", "noise.csv", "-s", "n_estimators=60", "--rules", 0, "--group", "customer", "--json").json
    assert found["measures"]["auc"] < 0.75
