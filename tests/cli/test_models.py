"""Every model in every mode, scored by the command line."""

import csv

import numpy as np

import rarewood as rw
from support.forms import hard_rows
from support.models import all_cases


@all_cases("command line", lambda case: case.n_classes == 2 and "float" not in case.mode.name)
def test_predict_gives_the_scores_and_labels_of_the_model(case, program):
    model = case.fitted()
    rows = hard_rows(model, case.rows()[0], np.float64, n_rows=60)
    rw.save(model, program.folder / "model.rarewood")
    rows.to_csv(program.folder / "rows.csv", index=False)
    program("predict", "model.rarewood", "rows.csv", "-o", "scored.csv", "-j", 1)
    with (program.folder / "scored.csv").open(newline="", encoding="utf-8") as file:
        scored = list(csv.DictReader(file))
    assert [line["label"] for line in scored] == model.predict(rows).tolist()
    scores = [float(line["score"]) for line in scored]
    positive = model.classes_.tolist().index("wild")
    np.testing.assert_allclose(scores, model.predict_proba(rows)[:, positive], rtol=1e-5)
