"""Rule sets of at most 10 rules with at most 4 conditions, judged on rows that nothing has seen, beside their peers.

Every method gets the same folds of the same 30 problems: those of RAREWOOD_DATA with at most 10 % rare rows, at least 9 of
them, and at most 20,000 rows, one version of each table. Peers are run if they are installed:

    pip install imodels six wittgenstein
    python benchmarks/rules_quality.py run --cache build/rules-quality            # all methods; finished cells are kept
    python benchmarks/rules_quality.py run --cache build/rules-quality --methods rarewood
    python benchmarks/rules_quality.py tables --cache build/rules-quality         # Markdown for docs/rules.md

"""

from __future__ import annotations

import argparse
import json
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import betabinom, rankdata
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import average_precision_score, f1_score, precision_recall_curve
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from rarewood import datasets

PROBLEMS = """page-5 ism cardio nursery-very_recom allhyper steel allrep-3772 winequality-red-4 car letter-A flare glass oil
cleveland dermatology sick-3772 ecoli-0-1-4-6_vs_5 allhypo-3772 balance-B ecoli-0-1-4-7_vs_2-3-5-6 flags-white ecoli-0-6-7_vs_5
vowel-train satimage-4 semeion ecoli-0-1_vs_2-3-5 digits yeast-0-2-5-6_vs_3-7-8-9 yeast-0-3-5-9_vs_7-8 yeast-2_vs_4""".split()  # noqa: SIM905
FOLDS = 3
FOLD_SEED = 2611  # of folds that no choice was made on
MOST_SECONDS = (
    300  # of processor time for one fit and its predictions; a method that needs more is not run on the other folds
)
N_RULES = 10
MAX_CONDITIONS = 4


@dataclass
class Outcome:
    """What a method says of the test rows, and of the training rows where a cut-off for its scores is to be chosen."""

    scores: Any
    decided: Any
    n_rules: int
    train_scores: Any = None
    more: dict[str, Any] = field(default_factory=dict)


Method = Callable[[Any, Any, Any, Any], Outcome]


def rarewood_rules(X: Any, y: Any, X_test: Any, y_test: Any) -> Outcome:
    from rarewood import RuleSetClassifier

    model = RuleSetClassifier(N_RULES, max_conditions=MAX_CONDITIONS, random_state=0).fit(X, y)
    rules = model.rules_
    held = rules.covers(X_test)
    claims = [
        {
            "precision": rule.precision,
            "low": rule.low,
            "high": rule.high,
            "shapes": shapes.tolist(),
            "rare": int(y_test[fires].sum()),
            "rows": int(fires.sum()),
        }
        for rule, fires, shapes in zip(rules, held.T, rules.figures.shapes, strict=True)
    ]
    more = {"claims": claims, "reason": rules.reason, "conditions": [len(rule.conditions) for rule in rules]}
    return Outcome(model.predict_proba(X_test)[:, 1], model.predict(X_test), len(rules), None, more)


def _numbers(X: Any, X_test: Any) -> tuple[Any, Any]:
    """Medians for missing numbers, one column of 0 and 1 per category."""
    nominal = [name for name in X.columns if X[name].dtype == "category"]
    numeric = [name for name in X.columns if name not in nominal]
    words = make_column_transformer(
        (SimpleImputer(strategy="median", keep_empty_features=True), numeric),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), nominal),
    )
    return words.fit_transform(X), words.transform(X_test)


def decision_tree(X: Any, y: Any, X_test: Any, _: Any, class_weight: str | None = "balanced") -> Outcome:
    A, B = _numbers(X, X_test)
    tree = DecisionTreeClassifier(max_leaf_nodes=10, max_depth=4, class_weight=class_weight, random_state=0).fit(A, y)
    return Outcome(tree.predict_proba(B)[:, 1], tree.predict(B), tree.get_n_leaves(), tree.predict_proba(A)[:, 1])


def plain_tree(X: Any, y: Any, X_test: Any, y_test: Any) -> Outcome:
    return decision_tree(X, y, X_test, y_test, None)


def skope_rules(X: Any, y: Any, X_test: Any, _: Any) -> Outcome:
    from imodels import SkopeRulesClassifier

    A, B = _numbers(X, X_test)
    model = SkopeRulesClassifier(n_estimators=30, max_depth=4, max_depth_duplication=4, random_state=0)
    model.fit(A, y, feature_names=[f"c{i}" for i in range(A.shape[1])])
    model.rules_without_feature_names_ = model.rules_without_feature_names_[:N_RULES]
    n_rules = len(model.rules_without_feature_names_)
    if n_rules == 0:
        return Outcome(np.zeros(len(B)), np.zeros(len(B), int), 0)
    scores = model.predict_proba(B)[:, 1]
    return Outcome(scores, (scores > 0).astype(int), n_rules, model.predict_proba(A)[:, 1])


def rule_fit(X: Any, y: Any, X_test: Any, _: Any) -> Outcome:
    from imodels import RuleFitClassifier

    A, B = _numbers(X, X_test)
    model = RuleFitClassifier(max_rules=N_RULES, tree_size=5, include_linear=False, random_state=0)
    model.fit(A, y, feature_names=[f"c{i}" for i in range(A.shape[1])])
    scores = model.predict_proba(B)[:, 1]
    return Outcome(scores, (scores > 0.5).astype(int), len(model.rules_), model.predict_proba(A)[:, 1])


def ripper(X: Any, y: Any, X_test: Any, _: Any) -> Outcome:
    import wittgenstein

    model = wittgenstein.RIPPER(max_rules=N_RULES, max_rule_conds=MAX_CONDITIONS, random_state=0)

    def told(table: Any) -> Any:
        table = table.copy()
        for name in table.columns:
            if table[name].dtype == "category":
                table[name] = table[name].astype(object).where(table[name].notna(), "missing").astype(str)
            else:
                table[name] = table[name].astype(float).fillna(X[name].astype(float).median())
        return table.rename(columns={name: f"c{i}" for i, name in enumerate(table.columns)})

    model.fit(told(X), y, pos_class=1)
    scores = model.predict_proba(told(X_test))
    if scores.shape[1] < 2:
        return Outcome(np.zeros(len(X_test)), np.zeros(len(X_test), int), 0)
    decided = np.asarray(model.predict(told(X_test))).astype(int)
    return Outcome(scores[:, 1], decided, len(model.ruleset_.rules), model.predict_proba(told(X))[:, 1])


METHODS: dict[str, Method] = {
    "rarewood": rarewood_rules,
    "tree": decision_tree,
    "tree-plain": plain_tree,
    "ripper": ripper,
    "skope": skope_rules,
    "rulefit": rule_fit,
}


def cut_of(scores: Any, y: Any) -> float:
    """The cut-off with the best F1 on the rows given."""
    precision, recall, cuts = precision_recall_curve(y, scores)
    with np.errstate(invalid="ignore"):
        f1 = 2 * precision * recall / (precision + recall)
    return float(cuts[np.nanargmax(f1[:-1])])


def problem(name: str) -> tuple[Any, Any]:
    data = datasets.load(f"local:{name}")
    return data.X, (np.asarray(data.y) == data.rare).astype(int)


class TooLong(BaseException):
    """A method used more processor time than it may; no method can take it for an error of its own."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Stop what runs inside after so many seconds of processor time."""

    def stop(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def run_cell(X: Any, y: Any, fold: int, method: str) -> dict[str, Any]:
    train, test = list(StratifiedKFold(FOLDS, shuffle=True, random_state=FOLD_SEED).split(X, y))[fold]
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with limited(MOST_SECONDS):
                told = METHODS[method](X.iloc[train], y[train], X.iloc[test], y[test])
        except Exception as error:  # a peer that fails on a problem finds nothing there
            told = Outcome(np.zeros(len(test)), np.zeros(len(test), int), 0, None, {"error": repr(error)[:200]})
        except TooLong:
            return {"seconds": MOST_SECONDS, "unfinished": True}
    seconds = time.process_time() - start
    cell = {
        "seconds": seconds,
        "ap": average_precision_score(y[test], told.scores),
        "f1": f1_score(y[test], told.decided, zero_division=0.0),
        "n_rules": told.n_rules,
        "recall": float(told.decided[y[test] == 1].mean()),
        "precision": float(y[test][told.decided == 1].mean()) if (told.decided == 1).any() else None,
        **told.more,
    }
    if told.train_scores is not None:
        cell["f1_tuned"] = f1_score(y[test], told.scores >= cut_of(told.train_scores, y[train]), zero_division=0.0)
    return cell


def run(cache: Path, methods: list[str]) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    tables = {name: problem(name) for name in PROBLEMS}
    order = sorted(PROBLEMS, key=lambda name: tables[name][0].size)
    for name in order:
        for method in methods:
            for fold in range(FOLDS):
                file = cache / f"{method}-{name}-{fold}.json"
                if not file.exists():
                    cell = run_cell(*tables[name], fold, method)
                    file.write_text(json.dumps(cell, default=float))
                    told = "too long" if "unfinished" in cell else f"F1 {cell['f1']:.3f} AP {cell['ap']:.3f}"
                    print(f"{method} {name} {fold}: {told} {cell['seconds']:.1f} s", flush=True)
                if "unfinished" in json.loads(file.read_text()):
                    break


def tables(cache: Path) -> str:
    """Means, mean ranks and coverage over the problems that all methods have finished, as Markdown."""
    cells = {
        (method, name, fold): json.loads(file.read_text())
        for method in METHODS
        for name in PROBLEMS
        for fold in range(FOLDS)
        if (file := cache / f"{method}-{name}-{fold}.json").exists()
    }
    methods = [method for method in METHODS if any(key[0] == method for key in cells)]
    done = [
        name for name in PROBLEMS if all((method, name, fold) in cells for method in methods for fold in range(FOLDS))
    ]

    def values(what: str, default: str = "f1") -> Any:
        return np.array(
            [
                [
                    np.mean([_value(cells[method, name, fold], what, default) for fold in range(FOLDS)])
                    for method in methods
                ]
                for name in done
            ]
        )

    decided, tuned, ap = values("f1"), values("f1_tuned"), values("ap")
    f1 = np.where(tuned.mean(axis=0) > decided.mean(axis=0), tuned, decided)  # whichever way is better for a method
    f1_ranks, ap_ranks = (rankdata(-each, axis=1).mean(axis=0) for each in (f1, ap))
    lines = [
        f"{len(done)} problems, {FOLDS} folds",
        "",
        "| | F1 | mean rank | AP | mean rank | rules | s |",
        "|---|---|---|---|---|---|---|",
    ]
    seconds, rules = values("seconds").mean(axis=0), values("n_rules").mean(axis=0)
    for i, method in enumerate(methods):
        lines.append(
            f"| {method} | {f1[:, i].mean():.3f} | {f1_ranks[i]:.2f} | {ap[:, i].mean():.3f} | {ap_ranks[i]:.2f} "
            f"| {rules[i]:.1f} | {seconds[i]:.1f} |"
        )
    return "\n".join([*lines, "", coverage([cell for key, cell in cells.items() if key[0] == "rarewood"])])


def _value(cell: dict[str, Any], what: str, default: str) -> float:
    return float(cell.get(what, cell[default]))


def coverage(cells: list[dict[str, Any]]) -> str:
    """How often the counts of a rule on test rows lie where its 90 % interval says; discrete counts are spread at random."""
    random = np.random.default_rng(0)
    places, claims = [], []
    for claim in (claim for cell in cells for claim in cell["claims"] if claim["rows"]):
        predicted = betabinom(claim["rows"], *claim["shapes"])
        places.append(predicted.cdf(claim["rare"] - 1) + random.random() * predicted.pmf(claim["rare"]))
        claims.append((claim["precision"], claim["rare"] / claim["rows"]))
    inside = np.mean([0.05 < place < 0.95 for place in places])
    claimed, actual = np.mean(claims, axis=0)
    return f"{len(places)} rules: {inside:.1%} within their 90 % interval; precision claimed {claimed:.3f}, found {actual:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["run", "tables"])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    given = parser.parse_args()
    if given.what == "run":
        run(given.cache, given.methods)
    else:
        print(tables(given.cache))


if __name__ == "__main__":
    main()
