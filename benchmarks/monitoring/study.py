"""What can be told of new rows without labels, and what a new calibration is worth? RareClassifier on tables whose law is known.

    python benchmarks/monitoring/study.py                  20 tables of each problem and size: 80 fits of 100 trees; about 5 minutes
    python benchmarks/monitoring/study.py --tables 10      fewer; what has been run before is kept and not run again
    python benchmarks/monitoring/study.py --tables 0 --write     only writes what is kept into docs/monitoring.md

Each table is fitted once. New rows, 5,000 of them, come from the same law (none), from another part of it (covariate: the class still has
the same probability in each place), with another share of the rare class (prior), or with half of the rare rows of a new kind (new kind).
`rivals.py` gives the same scores to NannyML and QuaPy.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parent
sys.path += [str(FOLDER.parent / "promises"), str(FOLDER.parent)]

from problems import INFORMATIVE, PROBLEMS, SHARE, Problem  # noqa: E402

import rarewood as rw  # noqa: E402
from rarewood.monitoring import estimate_prior, monitor, recalibrate  # noqa: E402

KEPT = FOLDER / "kept"
SIZES = (30, 150)
FIRST = 100  # seed; the interval of the share was widened after a look at the tables of seeds 0 to 19
N_NEW, N_TREES, N_TEST = 5_000, 100, 10_000
LABELLED = (50, 200, 1000)
PRIORS = {"prior x1/4": 0.25, "prior x1/3": 1 / 3, "prior x1/2": 0.5, "prior x2": 2.0, "prior x3": 3.0, "prior x4": 4.0}
SCENARIOS = ("none", "covariate", *PRIORS, "new kind")
RECALIBRATED = ("none", "covariate", "prior x1/3", "prior x3", "new kind")
TILT = np.array([0.8, 0.5, 0.0, 0.0])

Floats = NDArray[np.float64]


def draw(problem: Problem, scenario: str, n: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.intp]]:
    """New rows and which are rare."""
    share = SHARE * PRIORS.get(scenario, 1.0)
    if scenario == "covariate":
        X, y = problem.draw(round(12 * n * SHARE), round(12 * n * (1 - SHARE)), rng)
        tilt = np.exp(X[:, :INFORMATIVE] @ TILT)
        chosen = rng.choice(len(X), n, replace=False, p=tilt / tilt.sum())
        return X[chosen], y[chosen]
    n_rare = rng.binomial(n, share)
    X, y = problem.draw(n_rare, n - n_rare, rng)
    if scenario == "new kind":
        other = (y == 1) & (rng.random(n) < 0.5)
        X[other, :INFORMATIVE] = rng.normal(size=(other.sum(), INFORMATIVE)) * 0.6 + np.array([-1.8, -1.2, 0.0, 0.8])
    return X, y


def log_loss(p: Floats, y: NDArray[np.intp]) -> float:
    p = np.clip(p, 1e-9, 1 - 1e-9)
    return float(-np.mean(np.where(y == 1, np.log(p), np.log1p(-p))))


def one_table(problem: Problem, n_rare: int, seed: int, arrays: Path | None) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    X, y = problem.table(n_rare, rng)
    model = rw.RareClassifier(N_TREES, random_state=seed).fit(X, y)
    found = []
    scores = {}
    for scenario in SCENARIOS:
        new, truth = draw(problem, scenario, N_NEW, rng)
        p = model.predict_proba(new)[:, 1]
        scores[scenario] = (p, truth)
        found.append(
            {
                "problem": problem.name,
                "n_rare": n_rare,
                "seed": seed,
                "scenario": scenario,
                **watched(model, new, p, truth),
            }
        )
        if scenario in RECALIBRATED:
            found[-1]["recalibrated"] = recalibrated(model, problem, scenario, rng)
    if arrays is not None:
        oob = model.oob_decision_function_[:, 1]
        columns = {f"{name}|{part}": each for name, pair in scores.items() for part, each in zip(("p", "y"), pair)}
        np.savez(
            arrays / f"{problem.name}-{n_rare}-{seed}.npz", oob=oob, y=y, cut=model.decision_threshold_.value, **columns
        )
    return found


def watched(model: Any, new: Floats, p: Floats, y: NDArray[np.intp]) -> dict[str, Any]:
    alarm, share = p >= model.decision_threshold_.value, estimate_prior(model, new)
    seen = monitor(model, new).summary
    moved = float(np.clip(share.value, 1e-4, 1 - 1e-4))
    odds = moved / (1 - moved) / (SHARE / (1 - SHARE))
    true = max(float(y.mean()), 1e-4)
    known = true / (1 - true) / (SHARE / (1 - SHARE))
    losses = [log_loss(p * f / (p * f + 1 - p), y) for f in (1.0, odds, known)]
    readings = {
        name: None
        if seen[name] is None
        else [seen[name][key] for key in ("before", "if_probabilities_hold", "if_share_changed")]
        for name in ("precision", "recall")
    }
    return {
        "true_share": float(y.mean()),
        "share": [share.value, share.low, share.high],
        "log_loss": losses,
        "n_alarms": int(alarm.sum()),
        "true_precision": float(y[alarm].mean()) if alarm.any() else None,
        "true_recall": float(alarm[y == 1].mean()),
        "plain_cbpe": float(p[alarm].mean()) if alarm.any() else None,
        "readings": readings,
        "findings": [each["code"] for each in seen["findings"]],
    }


def recalibrated(model: Any, problem: Problem, scenario: str, rng: np.random.Generator) -> dict[str, float]:
    test, y = draw(problem, scenario, N_TEST, rng)
    X, labels = draw(problem, scenario, max(LABELLED), rng)
    found = {"none": log_loss(model.predict_proba(test)[:, 1], y)}
    for m in LABELLED:
        if len(np.unique(labels[:m])) < 2:
            found[str(m)] = found["none"]  # a user is warned, and has nothing to recalibrate by
            continue
        later = recalibrate(model, X[:m], labels[:m])
        found[str(m)] = log_loss(later.predict_proba(test)[:, 1], y)
    best = recalibrate(model, test, y)
    found["best"] = log_loss(best.predict_proba(test)[:, 1], y)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--arrays", type=Path, help="folder for scores, for rivals.py")
    parser.add_argument("--write", action="store_true", help="write docs/monitoring.md")
    asked = parser.parse_args()
    KEPT.mkdir(exist_ok=True)
    for seed in range(FIRST, FIRST + asked.tables):
        for name in PROBLEMS:
            for n_rare in SIZES:
                path = KEPT / f"{name}-{n_rare}-{seed}.json"
                if not path.exists():
                    path.write_text(json.dumps(one_table(PROBLEMS[name], n_rare, seed, asked.arrays)))
                    print(path.name, flush=True)
    if asked.write:
        from tables import write

        write([row for path in sorted(KEPT.glob("*.json")) for row in json.loads(path.read_text())])


if __name__ == "__main__":
    main()
