"""A model behind HTTP: MODEL=fraud.rarewood uvicorn service:app; rows in, labels, probabilities and reasons out."""

import os

import pandas as pd
from fastapi import FastAPI, HTTPException

import rarewood as rw

app = FastAPI(title="rare class")
model = rw.load(os.environ["MODEL"])


@app.post("/score")
def score(rows: list[dict[str, str | float | bool | None]], reasons: int = 0) -> list[dict]:
    """Label and probability of each row, with so many reasons."""
    table = pd.DataFrame(rows)
    try:
        labels, probabilities = model.predict(table), model.predict_proba(table)
    except ValueError as error:  # a column is missing or holds what it cannot
        raise HTTPException(422, str(error)) from error
    positive = list(model.classes_).index(model.decision_threshold_.positive)
    told = rw.inspection.explain(model, table, n_permutations=16) if reasons else None
    return [
        {
            "label": str(label),
            "probability": float(probabilities[number, positive]),
            "reasons": [] if told is None else [str(reason) for reason in told.reasons(number, reasons)],
        }
        for number, label in enumerate(labels)
    ]
