"""A sampler in front of RareClassifier: what the model says of itself, and what fresh rows show.

    python benchmarks/promises/samplers.py            prints the table
    python benchmarks/promises/samplers.py --write    also writes samplers.md beside this file

Training tables have 4,000 rows, 8 % of them rare: of eight columns of noise, or with a signal in two. *Told apart*: the table as the
sampler returns it; rows that it made are found and left out, with a warning. *Hidden*: the same rows in random order, where nothing shows
which were made: what every model said before. Precision is that of the default threshold. Fresh: 40,000 rows.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from imblearn.over_sampling import ADASYN, SMOTE, BorderlineSMOTE, RandomOverSampler
from sklearn.metrics import roc_auc_score

import rarewood as rw
from rarewood.sampling import PatternOversampler

SAMPLERS = (SMOTE, ADASYN, BorderlineSMOTE, RandomOverSampler, PatternOversampler)
HEAD = [
    "table",
    "sampler",
    "rows",
    "AUC out of bag",
    "fresh",
    "precision expected",
    "fresh",
    "mean probability",
    "share",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=300)
    parser.add_argument("--write", action="store_true", help="write samplers.md beside this file")
    given = parser.parse_args()
    warnings.simplefilter("ignore", rw.exceptions.RarewoodWarning)
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    print(*lines, sep="\n")
    for name, signal in (("noise", 0.0), ("signal", 1.2)):
        X, y = table(4000, 0, signal)
        fresh = table(40_000, 1, signal)
        lines.append(line(name, "none", "", X, y, fresh, given))
        for kind in SAMPLERS:
            rows, labels = kind(random_state=0).fit_resample(X, y)
            order = np.random.default_rng(0).permutation(len(labels))
            lines.append(line(name, kind.__name__, "told apart", rows, labels, fresh, given))
            lines.append(line(name, kind.__name__, "hidden", rows[order], labels[order], fresh, given))
    if given.write:
        about = (__doc__ or "").split("\n\n")[2]
        head = "# A sampler in front\n\nWritten by `python benchmarks/promises/samplers.py --write`.\n\n"
        Path(__file__).with_suffix(".md").write_text(head + about + "\n" + "\n".join(lines) + "\n")


def table(n_rows: int, seed: int, signal: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n_rows) < 0.08).astype(int)
    X = rng.normal(size=(n_rows, 8))
    X[y == 1, :2] += signal
    return X, y


def line(
    name: str, sampler: str, how: str, X: Any, y: Any, fresh: tuple[np.ndarray, np.ndarray], given: argparse.Namespace
) -> str:
    model = rw.RareClassifier(given.trees, positive=1, random_state=0).fit(X, y)
    p, alarms = model.predict_proba(fresh[0])[:, 1], model.predict(fresh[0]) == 1
    told = model.decision_threshold_
    figures = [
        model.oob_score_,
        roc_auc_score(fresh[1], p),
        told.precision,
        fresh[1][alarms].mean(),
        p.mean(),
        fresh[1].mean(),
    ]
    text = f"| {name} | {sampler} | {how} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |"
    print(text, flush=True)
    return text


if __name__ == "__main__":
    main()
