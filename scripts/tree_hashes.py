"""Fingerprints of trees grown with many settings on many tables: a change that is only about speed must not move one of them.

    python scripts/tree_hashes.py write before.json       with the old build
    python scripts/tree_hashes.py compare before.json     with the new one: ends with 1 and names the settings whose trees differ

A fingerprint covers the arrays of the trees, probabilities of rows in batches and one by one, and out-of-bag probabilities.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rarewood as rw

CRITERIA = ["hellinger", "entropy", "gini", "gain_ratio", "ihd", "dkm", "dcsm", "ccp_gini", "c45"]
SPLITTERS = ("best", "random", "hyperplane")
SETTINGS: list[dict[str, Any]] = [
    *({"criterion": criterion} for criterion in CRITERIA),
    *(
        {"splitter": way, "criterion": criterion}
        for way in SPLITTERS[1:]
        for criterion in ("hellinger", "entropy", "gini", "ihd")
    ),
    *(
        {"splitter": way, "criterion": criterion, "sampling": "all"}
        for way in SPLITTERS
        for criterion in ("hellinger", "entropy")
    ),
    *({"splitter": way, "n_cuts": n, "sampling": "all"} for way in SPLITTERS[1:] for n in (1, 3, 37, 100)),
    *({"splitter": way, "min_samples_leaf": 5} for way in SPLITTERS),
    *({"splitter": way, "max_depth": 4, "max_features": None} for way in SPLITTERS),
    *({"splitter": way, "class_weight": "balanced"} for way in SPLITTERS),
    *({"splitter": way, "sampling": "bootstrap", "oob_score": True} for way in SPLITTERS),
    *({"nominal": how} for how in ("one_vs_rest", "multiway")),
]


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray, list[int]]]:
    """Name, matrix, classes and nominal columns: kinds of columns x missing values x precision x numbers of classes and rows."""
    kinds = {
        "numbers": (0, 0, 0, 0, 0, 0),
        "few": (2, 3, 0, 0, 5, 9),
        "many": (70, 300, 0, 0, 33, 0),
        "nominal": (2, 4, 31, 32, 64, 700),
    }
    for (kind, levels), missing, dtype, (n_rows, n_classes) in itertools.product(
        kinds.items(), (False, True), (np.float32, np.float64), ((60, 2), (700, 2), (400, 3), (300, 12))
    ):
        rng = np.random.default_rng([n_rows, n_classes, len(kind)])
        columns = [
            rng.geometric(2 / level, n_rows) % level
            if level
            else np.round(rng.normal(size=n_rows), int(rng.integers(1, 9)))
            for level in levels
        ]
        X = np.column_stack(columns).astype(dtype)
        score = X[:, 0] % 7 + X[:, 1] % 3 + np.abs(X[:, 2]) + rng.normal(size=n_rows)
        y = np.digitize(score, np.quantile(score, 1 - 0.5 ** np.arange(1, n_classes)))
        if missing:
            X[rng.random(X.shape) < 0.07] = np.nan
        name = f"{kind}{' missing' if missing else ''} {np.dtype(dtype)} {n_rows}x{n_classes}"
        yield name, X, y, [i for i, level in enumerate(levels) if level]


def fingerprint(model: Any, X: np.ndarray) -> str:
    digest = hashlib.sha256()
    for number in range(len(model.forest_)):
        state = model.forest_[number].__getstate__()
        for key in sorted(state):
            digest.update(key.encode())
            digest.update(np.ascontiguousarray(state[key]).tobytes())
    for rows in (X, X[:7], X[:1]):
        digest.update(model.predict_proba(rows).tobytes())
    if hasattr(model, "oob_decision_function_"):
        digest.update(np.nan_to_num(model.oob_decision_function_).tobytes())
    return digest.hexdigest()[:20]


def fingerprints() -> dict[str, str]:
    found = {}
    for name, X, y, nominal in tables():
        weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
        for more, weighted in itertools.product(SETTINGS, (False, True)):
            key = f"{name} | {more}{' weighted' if weighted else ''}"
            try:
                model = rw.ForestClassifier(3, categorical_features=nominal or None, random_state=0, **more)
                model.fit(X, y, sample_weight=weights if weighted else None)
                found[key] = fingerprint(model, X)
            except ValueError as error:
                found[key] = f"refused: {str(error)[:60]}"
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = fingerprints()
    refused = sum(value.startswith("refused") for value in found.values())
    print(f"{len(found)} settings, {refused} of them refused")
    if options.what == "write":
        options.file.write_text(json.dumps(found, indent=0))
        return 0
    before = json.loads(options.file.read_text())
    differ = [key for key in before if found.get(key) != before[key]]
    print(f"{len(differ)} of {len(before)} differ", *differ[:20], sep="\n")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
