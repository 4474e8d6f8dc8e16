"""Which split criterion finds the rare class? Thirteen answers on one imbalanced table, and a picture of a tree.

The table is scikit-learn's breast-cancer set with nine in ten of the malignant cases left out, so that they are rare: the
task is to rank them above the benign ones. Every criterion grows a full tree with Laplace's correction in the leaves and is
judged on the same stratified folds. Run it with `make demo`.
"""

from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold

import rarewood as rw

OUTPUT = Path("demo-output")
FOLDS, REPEATS = 5, 10


def rare_cancer(keep=0.1, seed=0):
    """The table with a share `keep` of its malignant rows; y is 1 for malignant."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=False)
    malignant, benign = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    kept = np.random.default_rng(seed).choice(malignant, round(keep * malignant.size), replace=False)
    rows = np.sort(np.concatenate([benign, kept]))
    return X[rows], (y[rows] == 0).astype(int), load_breast_cancer().feature_names


def judge(criterion, X, y):
    """Mean AUC, average precision, leaves and milliseconds per fit over all folds."""
    figures = []
    for train, test in RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=0).split(X, y):
        tree = rw.TreeClassifier(criterion)
        start = perf_counter()
        tree.fit(X[train], y[train])
        milliseconds = 1000 * (perf_counter() - start)
        score = tree.predict_proba(X[test])[:, 1]
        auc, precision = roc_auc_score(y[test], score), average_precision_score(y[test], score)
        figures.append((auc, precision, tree.tree_.n_leaves, milliseconds))
    return np.mean(figures, axis=0)


def main():
    X, y, names = rare_cancer()
    print(f"{len(y)} rows, {X.shape[1]} columns, {y.sum()} rare cases: one in {len(y) / y.sum():.0f}")
    print(f"{REPEATS} x {FOLDS} stratified folds, full trees, Laplace leaves\n")

    results = {criterion: judge(criterion, X, y) for criterion in rw.criteria.names()}
    ranking = sorted(results, key=lambda criterion: -results[criterion][0])
    print(f"{'criterion':<15}{'AUC':>7}{'avg. precision':>16}{'leaves':>8}{'fit, ms':>9}")
    for criterion in ranking:
        auc, precision, leaves, milliseconds = results[criterion]
        print(f"{criterion:<15}{auc:7.3f}{precision:16.3f}{leaves:8.1f}{milliseconds:9.2f}")

    best = ranking[0]
    tree = rw.TreeClassifier(best).fit(X, y)
    labels = {"feature_names": names, "class_names": ["benign", "malignant"]}
    print(f"\nThe top of the {best} tree on all rows:\n")
    print(rw.inspection.export_text(tree, max_depth=3, show_weights=True, **labels))
    OUTPUT.mkdir(exist_ok=True)
    rw.inspection.plot_tree(tree, **labels).figure.savefig(OUTPUT / "tree.png", dpi=150)
    print(f"The whole tree is drawn in {OUTPUT / 'tree.png'}")


if __name__ == "__main__":
    main()
