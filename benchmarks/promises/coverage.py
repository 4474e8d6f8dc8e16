"""How often are promises kept, and what do they cost? RareClassifier on tables whose law is known.

    python benchmarks/promises/coverage.py                          100 tables of each problem and size; hours
    python benchmarks/promises/coverage.py --tables 10 --sizes 30   fewer; what has been run before is kept and not run again
    python benchmarks/promises/coverage.py --tables 0 --write       only writes what is kept into docs/promises.md

Each table is fitted once, and thresholds are chosen by every rule on its out-of-bag scores. Beside them: the same rule without a promise;
the same bound on half of the rows, held out from a model of the other half; and MAPIE's controller on that half, if it is installed.
What they give is told by fresh rows (`problems.py`).
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from page import renew, table
from problems import PROBLEMS, Floats, Truth

import rarewood as rw
from rarewood.ensemble import fit_threshold
from rarewood.exceptions import RarewoodWarning

try:
    from mapie.risk_control import BinaryClassificationController
except ModuleNotFoundError:
    BinaryClassificationController = None

RESULTS = Path(__file__).resolve().parents[1] / "results" / "promises.jsonl"
SIZES = (15, 30, 60, 150, 500)
TREES = 300
PROMISES = {"precision": 0.6, "recall": 0.8, "alerts": 0.05}
FIGURES = ("f1", "precision=0.5", "recall=0.8", "cost=1:20", "alerts=5%")
MAPIE = {"precision": "precision", "recall": "recall", "alerts": "predicted_positive_fraction"}
Cell = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=100, help="of each problem and size")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of rare rows")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--write", action="store_true", help="write the tables into docs/promises.md")
    given = parser.parse_args()
    cells = kept(given.results)
    done = {(cell["problem"], cell["n_rare"], cell["seed"]) for cell in cells}
    given.results.parent.mkdir(exist_ok=True)
    warnings.simplefilter("ignore", RarewoodWarning)  # a promise that cannot be made is a result
    for seed in range(given.tables):
        for n_rare in given.sizes:
            for problem in PROBLEMS:
                if (problem, n_rare, seed) not in done:
                    cells.append(run(problem, n_rare, seed))
                    with given.results.open("a") as handle:
                        handle.write(json.dumps(cells[-1]) + "\n")
    parts = {"coverage": coverage(cells), "figures": figures(cells), "triage": triage(cells)}
    print(*(f"\n{name}\n{text}" for name, text in parts.items()))
    if given.write:
        renew(parts)


def kept(path: Path) -> list[Cell]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


# ---------------------------------------------------------------------------------------------------------
# one table


def run(name: str, n_rare: int, seed: int) -> Cell:
    """All ways on one table; of each, whether it made a promise, what it said to expect, and what it gives."""
    problem, rng = PROBLEMS[name], np.random.default_rng([n_rare, seed, len(name)])
    X, y = problem.table(n_rare, rng)
    model = rw.RareClassifier(TREES, threshold=None, random_state=seed).fit(X, y)
    truth = Truth.of(lambda rows: model.predict_proba(rows)[:, 1], problem, rng)
    half = halved(y, rng)
    learner = rw.RareClassifier(TREES, threshold=None, random_state=seed).fit(X[half], y[half])
    outside = Truth.of(lambda rows: learner.predict_proba(rows)[:, 1], problem, rng)
    ways: dict[str, dict[str, Any]] = {}
    for rule, floor in PROMISES.items():
        asked = f"{rule}={floor:g}" if rule != "alerts" else f"{rule}={100 * floor:g}%"
        ways[rule] = {
            "promise": outcome(fit_threshold(model, X, y, rule=f"{asked}@90%", positive=1), truth),
            "none": outcome(fit_threshold(model, X, y, rule=asked, positive=1), truth),
            "half": outcome(
                fit_threshold(learner, X[~half], y[~half], rule=f"{asked}@90%", positive=1, held_out=True), outside
            ),
        }
        if BinaryClassificationController is not None:
            ways[rule]["MAPIE"] = by_mapie(learner.predict_proba, X[~half], y[~half], rule, floor, outside)
    told = {rule: outcome(fit_threshold(model, X, y, rule=rule, positive=1), truth) for rule in FIGURES}
    piles = model.triage_
    both = [None if cut is None else truth.at(cut)[what] for what, cut in piles_of(piles)]
    return {
        "problem": name,
        "n_rare": n_rare,
        "seed": seed,
        "best recall": truth.best_recall(PROMISES["precision"]),
        "ways": ways,
        "told": told,
        "triage": {"true": both, "look": looked_at(piles, truth)},
    }


def halved(y: Any, rng: np.random.Generator) -> Any:
    """Half of the rows of either class."""
    half = np.zeros(len(y), dtype=bool)
    for label in (0, 1):
        rows = rng.permutation(np.flatnonzero(y == label))
        half[rows[: len(rows) // 2]] = True
    return half


def outcome(threshold: rw.metrics.DecisionThreshold, truth: Truth) -> Cell:
    said = {"precision": threshold.precision, "recall": threshold.recall, "f1": threshold.f1}
    return {"made": threshold.promised, "said": said, "true": truth.at(threshold.value)}


def by_mapie(score: Callable[[Floats], Floats], X: Floats, y: Any, rule: str, floor: float, truth: Truth) -> Cell:
    """MAPIE's controller on rows held out. A cut that no row reaches has no precision and would end its search: such cuts are left out."""
    highest = float(score(X)[:, 1].max())
    cuts = np.linspace(0, 0.99, 100)
    controller = BinaryClassificationController(
        score,
        MAPIE[rule],
        target_level=floor,
        confidence_level=0.9,
        best_predict_param_choice="precision" if rule == "recall" else "recall",
        list_predict_params=cuts[cuts <= highest],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        controller.calibrate(X, y)
    cut = controller.best_predict_param
    return {"made": cut is not None, "true": truth.at(np.inf if cut is None else float(cut))}


def piles_of(triage: Any) -> tuple[tuple[str, float | None], ...]:
    return ("precision", triage.alarm), ("recall", triage.look)


def looked_at(triage: Any, truth: Truth) -> float:
    """Share of the rows to look at."""
    below = 1.0 if triage.look is None else truth.at(triage.look)["alerts"]
    above = 0.0 if triage.alarm is None else truth.at(triage.alarm)["alerts"]
    return max(0.0, below - above)


# ---------------------------------------------------------------------------------------------------------
# tables of the page


def holds(rule: str, true: dict[str, float]) -> bool:
    return true[rule] <= PROMISES[rule] if rule == "alerts" else true[rule] >= PROMISES[rule]


def coverage(cells: list[Cell]) -> str:
    """A row for each rule and number of rare rows."""
    head = [
        "rule",
        "rare rows",
        "tables",
        "coverage",
        "lowest problem",
        "made",
        "kept",
        "price",
        "without: kept",
        "without: price",
        "half held out: coverage, made, price",
        "MAPIE: coverage, made, price",
    ]
    return table(head, rows_of_coverage(cells))


def rows_of_coverage(cells: list[Cell]) -> Iterator[list[str]]:
    for rule, floor in PROMISES.items():
        for n_rare in sorted({cell["n_rare"] for cell in cells}):
            here = [cell for cell in cells if cell["n_rare"] == n_rare]
            ways = {way: [cell["ways"][rule].get(way) for cell in here] for way in ("promise", "none", "half", "MAPIE")}
            problems = {cell["problem"] for cell in here}
            lowest = min(
                covered(rule, [cell["ways"][rule]["promise"] for cell in here if cell["problem"] == each])
                for each in problems
            )
            made = [each for each in ways["promise"] if each["made"]]
            asked = f"{rule} {floor:g}" if rule != "alerts" else f"alarms {floor:.0%}"
            yield [
                f"{asked} @ 90 %",
                str(n_rare),
                str(len(here)),
                f"**{covered(rule, ways['promise']):.2f}**",
                f"{lowest:.2f}",
                f"{len(made) / len(here):.2f}",
                f"{np.mean([holds(rule, each['true']) for each in made]):.2f}" if made else "-",
                price(rule, ways["promise"]),
                f"{np.mean([holds(rule, each['true']) for each in ways['none']]):.2f}",
                price(rule, ways["none"], promised=False),
                rival(rule, ways["half"]),
                rival(rule, ways["MAPIE"]),
            ]


def covered(rule: str, outcomes: list[Cell]) -> float:
    """The share of tables without a promise or with one that holds."""
    return float(np.mean([not each["made"] or holds(rule, each["true"]) for each in outcomes]))


def price(rule: str, outcomes: list[Cell], *, promised: bool = True) -> str:
    """What is left of the rest: recall beside a precision or a number of alarms, precision beside a recall."""
    other = "precision" if rule == "recall" else "recall"
    values = [each["true"][other] if each["made"] or not promised else 0.0 for each in outcomes]
    return f"{other} {np.mean(values):.2f}"


def rival(rule: str, outcomes: list[Cell | None]) -> str:
    known = [each for each in outcomes if each is not None]
    if not known:
        return "-"
    made = np.mean([each["made"] for each in known])
    return f"{covered(rule, known):.2f}, {made:.2f}, {price(rule, known)}"


def figures(cells: list[Cell]) -> str:
    """What thresholds were said to give, less what they give."""
    rows = []
    for rule in FIGURES:
        for n_rare in sorted({cell["n_rare"] for cell in cells}):
            here = [cell["told"][rule] for cell in cells if cell["n_rare"] == n_rare]
            row = [rule, str(n_rare), str(len(here))]
            for what in ("precision", "recall", "f1"):
                off = np.array([each["said"][what] - each["true"][what] for each in here])
                row.append(f"{off.mean():+.3f} ± {off.std() / np.sqrt(len(off)):.3f}")
            rows.append(row)
    return table(["rule", "rare rows", "tables", "precision", "recall", "F1"], rows)


def triage(cells: list[Cell]) -> str:
    """Whether both promises hold, and how many rows are left to look at."""
    rows = []
    for n_rare in sorted({cell["n_rare"] for cell in cells}):
        here = [cell["triage"] for cell in cells if cell["n_rare"] == n_rare]
        goals = (0.6, 0.9)
        each_held = [
            [true is None or true >= goal for true, goal in zip(pile["true"], goals, strict=True)] for pile in here
        ]
        held = np.array(each_held)
        made = np.mean([[true is not None for true in pile["true"]] for pile in here], axis=0)
        rows.append(
            [
                str(n_rare),
                str(len(here)),
                f"{held.all(axis=1).mean():.2f}",
                f"{made[0]:.2f}",
                f"{made[1]:.2f}",
                f"{np.mean([pile['look'] for pile in here]):.0%}",
            ]
        )
    return table(["rare rows", "tables", "both hold", "alarms promised", "passes promised", "rows to look at"], rows)


if __name__ == "__main__":
    main()
