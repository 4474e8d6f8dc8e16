"""Figures that looked honest and were not, against fresh rows: repeated rows, samplers, weights, priors, alerts, chosen thresholds.

    python benchmarks/promises/mended.py      prints what this version says and what fresh rows show

Older versions run it as well; docs/promises.md has two side by side.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from imblearn.over_sampling import SMOTE
from imblearn.pipeline import make_pipeline
from numpy.typing import NDArray

import rarewood as rw
from rarewood.ensemble import fit_threshold
from rarewood.inspection import find_rules

SHARE, COLUMNS = 0.08, 8
Row = tuple[str, str, float, float]  # case, figure, what is said, what fresh rows show


def main() -> None:
    warnings.simplefilter("ignore")
    for case, figure, said, shown in (
        *repeated(),
        *numbered(),
        *named(),
        *sampled(),
        *weighed(),
        *moved(),
        *counted(),
        *chosen(),
    ):
        print(f"{case:32}{figure:28}{said:10.3f}{shown:10.3f}", flush=True)


def table(n: int, seed: int, strength: float = 0.0) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Numbers, of which two tell the classes apart, or none."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < SHARE).astype(int)
    X = rng.normal(size=(n, COLUMNS))
    X[:, :2] += strength * y[:, np.newaxis]
    return X, y


def precision_and_recall(model: object, X: object, y: NDArray[np.intp]) -> tuple[float, float]:
    called = model.predict(X) == 1  # type: ignore[attr-defined]
    return (float(y[called].mean()) if called.any() else 0.0), float(called[y == 1].mean())


def repeated() -> Iterator[Row]:
    """Noise, each row four times."""
    (X, y), (X_new, y_new) = table(500, 0), table(20_000, 1)
    X, y = np.repeat(X, 4, axis=0), np.repeat(y, 4)
    model = rw.RareClassifier(random_state=0).fit(X, y)
    yield "each row four times, noise", "area under the ROC curve", model.oob_score_, area(model, X_new, y_new)
    precision, _ = precision_and_recall(model, X_new, y_new)
    yield "each row four times, noise", "precision", model.decision_threshold_.precision, precision
    rules = find_rules(X, y, random_state=0)
    said = [rule.precision for rule in rules]
    yield (
        "each row four times, noise",
        f"precision of {len(said)} rules",
        float(np.mean(said or [np.nan])),
        float(y_new.mean()),
    )


def numbered() -> Iterator[Row]:
    """Noise, each row twice, under another number."""
    (X, y), (X_new, y_new) = table(1000, 0), table(20_000, 1)
    X, y = np.column_stack([np.repeat(X, 2, axis=0), np.arange(2000)]), np.repeat(y, 2)
    X_new = np.column_stack([X_new, np.arange(2000, 22_000)])
    model = rw.RareClassifier(random_state=0).fit(X, y)
    case = "twice, with row number, noise"
    yield case, "area under the ROC curve", model.oob_score_, area(model, X_new, y_new)
    yield case, "precision", model.decision_threshold_.precision, precision_and_recall(model, X_new, y_new)[0]


def named(n_tables: int = 10) -> Iterator[Row]:
    """Pairs of rows that a column of categories names; it says nothing of the label, and new rows are of new pairs."""
    figures = []
    for seed in range(n_tables):
        X, y = table(2000, 200 + seed, 1.5)
        X_new, y_new = table(10_000, 300 + seed, 1.5)
        pair, new = np.random.default_rng(seed).permutation(2000) // 2, 1000 + np.arange(10_000)
        X, X_new = (np.column_stack([each[:, :2], names]) for each, names in ((X, pair), (X_new, new)))
        model = rw.RareClassifier(categorical_features=[2], random_state=seed).fit(X, y)
        mean = float(model.predict_proba(X_new)[:, 1].mean() / y_new.mean())
        recall = precision_and_recall(model, X_new, y_new)[1]
        figures.append((model.decision_threshold_.recall, recall, mean))
    said, shown, mean = np.mean(figures, axis=0)
    yield f"named pairs, {n_tables} tables", "recall", said, shown
    yield f"named pairs, {n_tables} tables", "mean probability, of true", mean, 1.0


def sampled() -> Iterator[Row]:
    """Noise behind SMOTE."""
    (X, y), (X_new, y_new) = table(4000, 2), table(20_000, 3)
    pipeline = make_pipeline(SMOTE(random_state=0), rw.RareClassifier(random_state=0)).fit(X, y)
    model = pipeline[-1]
    yield "SMOTE in front, noise", "area under the ROC curve", model.oob_score_, area(model, X_new, y_new)
    precision, _ = precision_and_recall(model, X_new, y_new)
    yield "SMOTE in front, noise", "precision", model.decision_threshold_.precision, precision


def weighed() -> Iterator[Row]:
    """Weights that sum to 1."""
    (X, y), (X_new, y_new) = table(3000, 4, 1.5), table(20_000, 5, 1.5)
    weight = np.random.default_rng(0).uniform(0.5, 1.5, len(y))
    model = rw.RareClassifier(random_state=0).fit(X, y, sample_weight=weight / weight.sum())
    precision, recall = precision_and_recall(model, X_new, y_new)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    yield "weights that sum to 1", "F1", model.decision_threshold_.f1, f1


def moved() -> Iterator[Row]:
    """A prior told to a model of balanced classes: that of the rows themselves."""
    (X, y), (X_new, y_new) = table(6000, 6, 1.5), table(40_000, 7, 1.5)
    for name, model in (
        (
            "class_weight, then set_prior",
            rw.RareClassifier(class_weight="balanced", threshold="recall=0.5", random_state=0),
        ),
        ("balanced forest, set_prior", rw.BalancedForestClassifier(oob_score=True, random_state=0)),
    ):
        model.fit(X, y)
        if name.startswith("balanced"):
            fit_threshold(model, X, y, rule="recall=0.5")
        model.set_prior({1: float(y.mean())})
        yield name, "precision", model.decision_threshold_.precision, precision_and_recall(model, X_new, y_new)[0]


def counted() -> Iterator[Row]:
    """Alarms for 5 % of the rows: by six trees, which leave rows without a score; with small weights."""
    (X, y), (X_new, _) = table(2000, 8, 1.5), table(40_000, 9, 1.5)
    few = rw.RareClassifier(6, threshold="alerts=100", random_state=0).fit(X, y)
    yield "alerts=100 of 2,000, six trees", "share of alarms", 0.05, float((few.predict(X_new) == 1).mean())
    light = rw.RareClassifier(threshold="alerts=100", random_state=0).fit(X, y, sample_weight=np.full(len(y), 0.01))
    yield "alerts=100, weights of .01", "share of alarms", 0.05, float((light.predict(X_new) == 1).mean())


def chosen(n_tables: int = 40) -> Iterator[Row]:
    """Thresholds for a precision of one half, mean over tables."""
    X_new, y_new = table(40_000, 10, 1.3)
    figures = []
    for seed in range(n_tables):
        X, y = table(1000, 100 + seed, 1.3)
        model = rw.RareClassifier(threshold="precision=0.5", random_state=seed).fit(X, y)
        said = model.decision_threshold_
        figures.append((said.precision, said.recall, *precision_and_recall(model, X_new, y_new)))
    precision, recall, true_precision, true_recall = np.mean(figures, axis=0)
    yield f"precision=0.5, {n_tables} tables", "precision", precision, true_precision
    yield f"precision=0.5, {n_tables} tables", "recall", recall, true_recall


def area(model: object, X: NDArray[np.float64], y: NDArray[np.intp]) -> float:
    return rw.metrics.rare_auc(y, model.predict_proba(X)[:, 1], positive=1)  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
