"""Rule sets of at most 10 rules with at most 4 conditions, judged on rows that nothing has seen, beside their peers.

Every method gets the same folds of the same 30 problems: those of RAREWOOD_DATA with at most 10 % rare rows, at least 9 of
them, and at most 20,000 rows, one version of each table. Peers are run if they are installed:

    pip install imodels six wittgenstein
    python benchmarks/rules_quality.py run                        # all methods; finished cells are kept in --cache
    python benchmarks/rules_quality.py run --methods rarewood
    python benchmarks/rules_quality.py tables                     # Markdown for docs/rules.md
    python benchmarks/rules_quality.py simulate                   # tables with known truth
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
from scipy.special import expit
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
    more = _claimed(model.rules_, X_test, y_test)
    return Outcome(model.predict_proba(X_test)[:, 1], model.predict(X_test), len(model.rules_), None, more)


def rarewood_list(X: Any, y: Any, X_test: Any, y_test: Any) -> Outcome:
    """The list for readers: a row is called rare if a rule holds, and its score is the highest precision of those."""
    from rarewood.inspection import find_rules

    rules = find_rules(X, y, n_rules=N_RULES, max_conditions=MAX_CONDITIONS)
    held = rules.covers(X_test)
    scores = np.max(held * rules.precision, axis=1, initial=0.0)
    more = _claimed(rules, X_test, y_test)
    more["together"] = {"precision": rules.together.precision, "recall": rules.together.recall}
    return Outcome(scores, held.any(axis=1).astype(int), len(rules), None, more)


def _claimed(rules: Any, X_test: Any, y_test: Any) -> dict[str, Any]:
    """What rules say of themselves, and their counts on the test rows."""
    claims = [
        {
            "precision": rule.precision,
            "low": rule.low,
            "high": rule.high,
            "shapes": shapes.tolist(),
            "rare": int(y_test[fires].sum()),
            "rows": int(fires.sum()),
        }
        for rule, fires, shapes in zip(rules, rules.covers(X_test).T, rules.figures.shapes, strict=True)
    ]
    return {"claims": claims, "reason": rules.reason, "conditions": [len(rule.conditions) for rule in rules]}


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
    "rarewood-list": rarewood_list,
    "tree-plain": plain_tree,
    "tree": decision_tree,
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


NAMES = {
    "rarewood": "RuleSetClassifier",
    "rarewood-list": "`find_rules`, any rule",
    "skope": "SkopeRules (imodels), 10 rules",
    "tree-plain": "decision tree, 10 leaves",
    "tree": "the same, balanced",
    "ripper": "RIPPER (wittgenstein)",
    "rulefit": "RuleFit (imodels), 10 rules, no linear terms",
}


class Cells:
    """What was measured, as means over the folds of problems that were finished."""

    def __init__(self, cache: Path) -> None:
        self._cells: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for method in METHODS:
            for name in PROBLEMS:
                files = [cache / f"{method}-{name}-{fold}.json" for fold in range(FOLDS)]
                cells = [json.loads(file.read_text()) for file in files if file.exists()]
                if any("unfinished" in cell for cell in cells) or len(cells) == FOLDS:
                    self._cells[method, name] = cells
        self.methods = [method for method in METHODS if any(key[0] == method for key in self._cells)]

    def all_of(self, method: str) -> list[dict[str, Any]]:
        return [cell for key, cells in self._cells.items() if key[0] == method for cell in cells]

    def finished(self, methods: list[str]) -> list[str]:
        """The problems that all of some methods have finished."""

        def done(method: str, name: str) -> bool:
            cells = self._cells.get((method, name), [{"unfinished": True}])
            return not any("unfinished" in cell for cell in cells)

        return [name for name in PROBLEMS if all(done(method, name) for method in methods)]

    def too_long(self, method: str) -> list[str]:
        """The problems on which a method needed more time than it may."""
        return [name for name in PROBLEMS if any("unfinished" in cell for cell in self._cells.get((method, name), []))]

    def values(self, what: str, method: str, names: list[str]) -> Any:
        return np.array([np.mean([cell.get(what, np.nan) for cell in self._cells[method, name]]) for name in names])

    def f1(self, method: str, names: list[str]) -> Any:
        """By the method's own decision or by its scores cut where it is best in training, whichever is better on average."""
        decided, tuned = (self.values(what, method, names) for what in ("f1", "f1_tuned"))
        return tuned if np.nanmean([*tuned, -1.0]) > decided.mean() and not np.isnan(tuned).any() else decided


def tables(cache: Path) -> str:
    """Means, mean ranks and coverage as Markdown."""
    cells = Cells(cache)
    compared = [method for method in cells.methods if method != "rarewood-list"]
    done = cells.finished(compared)
    lines = [f"Over the {len(done)} problems that all have finished:", ""]
    lines += ["| | F1 | mean rank | AP | mean rank | rules | s |", "|---|---|---|---|---|---|---|"]
    f1 = np.array([cells.f1(method, done) for method in compared]).T
    ap = np.array([cells.values("ap", method, done) for method in compared]).T
    f1_ranks, ap_ranks = (rankdata(-each, axis=1).mean(axis=0) for each in (f1, ap))
    for i, method in enumerate(compared):
        rules, seconds = (cells.values(what, method, done).mean() for what in ("n_rules", "seconds"))
        lines.append(
            f"| {NAMES[method]} | {f1[:, i].mean():.3f} | {f1_ranks[i]:.2f} | {ap[:, i].mean():.3f} | {ap_ranks[i]:.2f} "
            f"| {rules:.1f} | {seconds:.1f} |"
        )
    lines += ["", "RuleSetClassifier beside each, over the problems that the other has finished:", ""]
    lines += [
        "| beside | problems | F1 | better, worse | AP | better, worse | too long |",
        "|---|---|---|---|---|---|---|",
    ]
    for method in cells.methods[1:]:
        names = cells.finished(["rarewood", method])
        pairs = [(cells.f1("rarewood", names), cells.f1(method, names))]
        pairs.append((cells.values("ap", "rarewood", names), cells.values("ap", method, names)))
        told = [
            f"{ours.mean():.3f}, {theirs.mean():.3f} | {(ours > theirs).sum()}, {(ours < theirs).sum()}"
            for ours, theirs in pairs
        ]
        late = ", ".join(cells.too_long(method)) or "-"
        lines.append(f"| {NAMES[method]} | {len(names)} | {' | '.join(told)} | {late} |")
    for method in ("rarewood", "rarewood-list"):
        ours = cells.all_of(method)
        if ours:
            lines += ["", f"{NAMES[method]}: {coverage(ours)}; {reasons(ours)}"]
    return "\n".join(lines)


def reasons(cells: list[dict[str, Any]]) -> str:
    empty = [cell for cell in cells if cell["n_rules"] == 0]
    told = f"{len(empty)} of {len(cells)} tables have no rules, {sum(bool(cell['reason']) for cell in empty)} of these a reason"
    listed = [cell for cell in cells if "together" in cell and cell["n_rules"] and cell["precision"] is not None]
    if listed:
        for what in ("precision", "recall"):
            claimed, found = (
                np.mean([each[what] for each in some]) for some in ([c["together"] for c in listed], listed)
            )
            told += f"; {what} of whole lists claimed {claimed:.3f}, found {found:.3f}"
    return told


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


# ---------------------------------------------------------------------------------------------------------
# known truth


def noise(random: Any, n_rows: int) -> tuple[Any, Any]:
    return random.normal(size=(n_rows, 10)), np.full(n_rows, 0.05)


def log_odds(random: Any, n_rows: int) -> tuple[Any, Any]:
    X = random.normal(size=(n_rows, 10))
    return X, expit(-4.2 + X[:, 0] + 0.8 * X[:, 1] + 0.6 * X[:, 2] + 0.5 * X[:, 3])


def planted(random: Any, n_rows: int) -> tuple[Any, Any]:
    X = random.normal(size=(n_rows, 10))
    holds = ((X[:, 0] > 1.2) & (X[:, 1] > 0)) | ((X[:, 2] < -1) & (X[:, 3] > 0.5))
    return X, np.where(holds, 0.35, 0.01)


SIMULATIONS = {
    "noise": noise,
    "log-odds linear in four columns": log_odds,
    "two planted rules of 35 %": planted,
}


def simulate(n_tables: int) -> None:
    """Tables whose probabilities are known: how often the true precision of a rule lies in its 90 % interval."""
    from rarewood.inspection import find_rules

    print("| tables | rows | with rules | rules | coverage | below, above | claimed, true | width |", flush=True)
    print("|---|---|---|---|---|---|---|---|")
    for name, make in SIMULATIONS.items():
        fresh, truth = make(np.random.default_rng(999_999), 200_000)
        for n_rows in (600, 2_000):
            told, with_rules = [], 0
            for seed in range(n_tables):
                random = np.random.default_rng([FOLD_SEED, seed])
                X, p = make(random, n_rows)
                rules = find_rules(X, random.random(n_rows) < p, random_state=seed)
                with_rules += len(rules) > 0
                told += [
                    (rule.low, rule.precision, rule.high, truth[fires].mean())
                    for rule, fires in zip(rules, rules.covers(fresh).T, strict=True)
                    if fires.any()
                ]
            line = f"| {name} | {n_rows:,} | {with_rules} of {n_tables} | {len(told)} "
            if told:
                low, claimed, high, true = np.array(told).T
                inside = np.mean((low <= true) & (true <= high))
                line += f"| {inside:.3f} | {np.mean(true < low):.3f}, {np.mean(true > high):.3f} "
                line += f"| {claimed.mean():.3f}, {true.mean():.3f} | {np.mean(high - low):.3f} |"
            else:
                line += "| - | - | - | - |"
            print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "tables", "simulate"])
    parser.add_argument("--cache", type=Path, default=Path("build/rules-quality"))
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--tables", type=int, default=100, help="simulated tables of each kind and size")
    given = parser.parse_args()
    if given.what == "run":
        run(given.cache, given.methods)
    elif given.what == "tables":
        print(tables(given.cache))
    else:
        simulate(given.tables)


if __name__ == "__main__":
    main()
