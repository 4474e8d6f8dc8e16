"""Are out-of-bag figures those of new groups? Rows taken one by one, and whole groups left out of each tree.

    python benchmarks/promises/groups.py               the four cases, 40 tables each
    python benchmarks/promises/groups.py --tables 5    fewer tables
    python benchmarks/promises/groups.py --write       also writes the table into docs/promises.md

A table has 90 groups of 15 rows and about 6 % rare rows. Of four columns that tell something and four that do not, half have one value per
group, and each group has an effect on the log-odds that no column holds: its standard deviation is the case. In the case "repeats",
600 rows are independent; half of them come again one to four times, nearly equal and with the same label, and a row with those that
repeat it is a group. The truth is 1,500 new groups of 15 rows. Targets: a precision of 0.5 and a recall of 0.7, promised with 90 %.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from page import renew, table
from scipy.special import expit
from sklearn.metrics import log_loss, roc_auc_score

import rarewood as rw
from rarewood.ensemble import fit_threshold
from rarewood.exceptions import RarewoodWarning

CASES = {"0": 0.0, "1.5": 1.5, "3": 3.0, "repeats": 0.0}
HEAD = [
    "group effect",
    "left out",
    "AUC, out of bag / new",
    "log-loss",
    "precision at the point cut",
    "recall there",
    "precision promised: made, kept",
    "recall promised: made, kept",
]
N_GROUPS, GROUP_SIZE, SHARE = 90, 15, 0.064
Table = tuple[np.ndarray, np.ndarray, np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--trees", type=int, default=300)
    parser.add_argument("--write", action="store_true", help="write the table into docs/promises.md")
    given = parser.parse_args()
    rows = []
    for case in CASES:
        start = time.perf_counter()
        found: dict[str, list[dict[str, float]]] = {"rows": [], "groups": []}
        for seed in range(given.tables):
            for left_out, figures in judged(case, seed, given.trees).items():
                found[left_out].append(figures)
        for left_out, figures in found.items():
            rows.append([case, left_out, *in_words(figures)])
            print(*rows[-1], f"{time.perf_counter() - start:.0f} s", sep="  ", flush=True)
    if given.write:
        renew({"groups": table(HEAD, rows)})


def judged(case: str, seed: int, n_trees: int) -> dict[str, dict[str, float]]:
    """Both ways on one table."""
    offset = base_rate(CASES[case])
    X, y, groups = drawn(case, offset, np.random.default_rng([seed, 0]), N_GROUPS)
    new_X, new_y, _ = drawn("new", offset, np.random.default_rng([seed, 1]), 1_500, CASES[case])
    found = {}
    for left_out, given in (("rows", None), ("groups", groups)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RarewoodWarning)  # promises that cannot be made are counted
            model = rw.RareClassifier(n_trees, threshold=None, random_state=seed).fit(X, y, groups=given)
            rules = {name: fit_threshold(model, X, y, rule=name) for name in ("precision=0.5", *PROMISED)}
        found[left_out] = figures(model, y, model.predict_proba(new_X)[:, 1], new_y, rules)
    return found


PROMISED = ("precision=0.5@90%", "recall=0.7@90%")


def drawn(case: str, offset: float, random: np.random.Generator, n_groups: int, effect: float | None = None) -> Table:
    """Rows, labels and groups."""
    if case == "repeats":
        X, y, _ = drawn("new", offset, random, 600 // GROUP_SIZE, 0.0)
        times = np.where(random.random(len(y)) < 0.5, 1 + random.integers(1, 5, len(y)), 1)
        again = np.repeat(np.arange(len(y)), times)
        return X[again] + random.normal(scale=0.01, size=(len(again), X.shape[1])), y[again], again
    groups = np.repeat(np.arange(n_groups), GROUP_SIZE)
    X = random.normal(size=(len(groups), 8))
    X[:, ::2] = random.normal(size=(n_groups, 4))[groups]
    hidden = (CASES[case] if effect is None else effect) * random.normal(size=n_groups)[groups]
    y = (random.random(len(groups)) < expit(offset + signal(X) + hidden)).astype(int)
    return X, y, groups


def signal(X: np.ndarray) -> np.ndarray:
    """What the first four columns say."""
    return 1.2 * (X[:, 0] + X[:, 1]) + 1.2 * X[:, 2] * X[:, 3] + 0.8 * (X[:, 1] > 1.0)


def base_rate(effect: float) -> float:
    """The offset that makes the share of rare rows what it should be."""
    random = np.random.default_rng(0)
    told = signal(random.normal(size=(50_000, 8))) + effect * random.normal(size=50_000)
    low, high = -30.0, 10.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if expit(told + middle).mean() < SHARE else (low, middle)
    return middle


def figures(
    model: rw.RareClassifier, y: np.ndarray, scores: np.ndarray, new_y: np.ndarray, rules: dict[str, object]
) -> dict[str, float]:
    """What out-of-bag rows say, and what new groups show."""
    known = ~np.isnan(model.oob_decision_function_[:, 1])
    own = model.oob_decision_function_[known, 1]
    point = rules["precision=0.5"]
    called = scores >= point.value
    result = {
        "auc": roc_auc_score(y[known], own),
        "new auc": roc_auc_score(new_y, scores),
        "loss": log_loss(y[known], own),
        "new loss": log_loss(new_y, scores),
        "precision": point.precision,
        "new precision": new_y[called].mean() if called.any() else np.nan,
        "recall": point.recall,
        "new recall": called[new_y == 1].mean(),
    }
    for name in PROMISED:
        threshold, what = rules[name], name.split("=")[0]
        alarms = scores >= threshold.value
        hits = np.count_nonzero(alarms & (new_y == 1))
        shown = hits / max(1, np.count_nonzero(alarms if what == "precision" else new_y == 1))
        result[f"{what} made"] = float(threshold.promised)
        result[f"{what} kept"] = float(threshold.promised and shown >= threshold.floor)
    return result


def in_words(found: list[dict[str, float]]) -> list[str]:
    """Means over the tables, and how often a promise was made and kept."""
    mean = {name: float(np.nanmean([each[name] for each in found])) for name in found[0]}
    cells = [
        f"{mean[name]:.3f} / {mean[f'new {name}']:.3f}"
        if name in ("auc", "loss")
        else f"{mean[name]:.2f} / {mean[f'new {name}']:.2f}"
        for name in ("auc", "loss", "precision", "recall")
    ]
    for what in ("precision", "recall"):
        made, kept = (int(sum(each[f"{what} {how}"] for each in found)) for how in ("made", "kept"))
        cells.append(f"{made}, {kept} of {len(found)}; coverage {1 - (made - kept) / len(found):.2f}")
    return cells


if __name__ == "__main__":
    main()
