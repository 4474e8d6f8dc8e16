"""Writes the files of `golden-v1/`: models as the first release saved them, with rows and their probabilities as metadata.

Later releases must read them, so they are never written again; run this by hand to add one for a new kind of model:
`PYTHONPATH=tests python tests/export/golden.py`.
"""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import rarewood as rw
from rarewood.cli._model_rules import find_rules
from rarewood.ensemble import fit_threshold
from support.models import effects_at_any_price

FOLDER = Path(__file__).parent / "golden-v1"
RULES_FILE = FOLDER / "rules.rarewood"
EFFECTS_FILE = FOLDER / "effects.rarewood"


def table(n_rows=60):
    rng = np.random.default_rng(0)
    kinds = pd.Categorical.from_codes(rng.integers(5, size=n_rows), ["a", "b", "c", "dé", "e"])
    sizes = pd.Categorical.from_codes(rng.integers(3, size=n_rows), [10, 20, 30])
    numbers = np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(size=n_rows).round(3))
    return pd.DataFrame({"kind": kinds, "size": sizes, "x": numbers, "y": rng.normal(size=n_rows).round(3)})


def labels(X):
    score = X["y"].to_numpy() + 2.0 * X["kind"].isin(["a", "c"]).to_numpy()
    return np.array(["ok", "fault", "odd"])[np.digitize(score, [0.8, 2.0])]


MODELS = {
    "tree": rw.make("c4.4"),
    "hyperplanes": rw.HeDExhClassifier(3, class_weight={"odd": 2.0}, random_state=0),
    "beat": rw.BEATClassifier(3, oob_score=False, random_state=0),
    "ranking": rw.BiasedRankingClassifier(n_iterations=2, n_estimators=3, random_state=0),
    "codes": rw.ECOCClassifier(rw.TreeClassifier(rw.criteria.AlphaDivergence(0.8), max_depth=3)),
    "rare": rw.RareClassifier(30, class_weight={"odd": 2.0}, random_state=0),
    "calibrated": rw.ForestClassifier(30, calibration="beta", random_state=0),
    "oversampled": rw.make("hedex+patterns", n_estimators=3, patterns__n_estimators=5, random_state=0),
}


RULES = rw.RuleSetClassifier(4, max_conditions=2, random_state=0)


def main():
    FOLDER.mkdir(exist_ok=True)
    X = table()
    y = labels(X)
    rows = X[:12]
    if not RULES_FILE.exists():
        save_rules()
    if not EFFECTS_FILE.exists():
        save_effects()
    for name, model in MODELS.items():
        path = FOLDER / f"{name}.rarewood"
        if path.exists():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rw.exceptions.RarewoodWarning)
            model.fit(X, y)
            fit_threshold(model, X, y, positive="fault", cv=3)
            if name == "calibrated":
                model.set_prior({"fault": 0.01})
        rw.save(model, path, metadata=metadata(model, rows))


def metadata(model, rows):
    cells = {column: [None if cell != cell else cell for cell in rows[column].tolist()] for column in rows}
    return {"rows": cells, "probabilities": model.predict_proba(rows).tolist()}


def save_rules():
    """A model that is a list of rules, and another list in the metadata, as `rarewood fit` puts it there."""
    X = table(400)
    y = np.where(labels(X) == "odd", "fault", "ok")
    model = RULES.fit(X, y)
    fit_threshold(model, X, y, positive="fault", cv=3)
    found = find_rules(X, y, "fault", most=4, n_jobs=None, seed=0)
    words = {
        "text": model.rules_.text(),
        "sql": model.rules_.to_sql("rows"),
        "holds": found.covers(X[:12]).T.tolist(),
    }
    rw.save(model, RULES_FILE, metadata={**metadata(model, X[:12]), **found.to_json(), "said": words})


def save_effects():
    """Two classes with effects of columns and pairs beside few trees."""
    X = table(400)
    y = np.where(labels(X) == "odd", "fault", "ok")
    with effects_at_any_price(), warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.exceptions.RarewoodWarning)
        model = rw.RareClassifier(12, random_state=0).fit(X, y)
    assert len(model.column_effects_.pairs) > 0
    assert max(map(np.ptp, model.column_effects_.values)) > 0
    rw.save(model, EFFECTS_FILE, metadata=metadata(model, X[:12]))


if __name__ == "__main__":
    main()
