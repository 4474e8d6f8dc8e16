"""Which split criterion finds the rare class? Thirteen answers on one imbalanced table, and a picture of a tree.

The table is scikit-learn's set of handwritten digits; the rare class is the eight, one image in ten, and the task is to rank
eights above all other digits. Every criterion grows a full tree with Laplace's correction in the leaves and is judged on the
same stratified folds. One table decides nothing: on another one the order differs. Run it with `python examples/criteria.py`.
"""

from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold

import rarewood as rw

OUTPUT = Path("demo-output")
FOLDS, REPEATS = 5, 5
LABELS = {"feature_names": load_digits().feature_names, "class_names": ["other", "eight"]}


def judge(criterion, X, y):
    """AUC, average precision, leaves and milliseconds to fit, one row per fold."""
    figures = []
    for train, test in RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=0).split(X, y):
        tree = rw.TreeClassifier(criterion)
        start = perf_counter()
        tree.fit(X[train], y[train])
        milliseconds = 1000 * (perf_counter() - start)
        score = tree.predict_proba(X[test])[:, 1]
        auc, precision = roc_auc_score(y[test], score), average_precision_score(y[test], score)
        figures.append((auc, precision, tree.tree_.n_leaves, milliseconds))
    return np.array(figures)


def compare(X, y):
    """Print one line per criterion, best mean AUC first; return the name of the first."""
    results = {criterion: judge(criterion, X, y) for criterion in rw.criteria.names()}
    ranking = sorted(results, key=lambda criterion: -results[criterion][:, 0].mean())
    print(f"{'criterion':<15}{'AUC':>7}{'(sd)':>9}{'avg. precision':>16}{'(sd)':>9}{'leaves':>8}{'fit, ms':>9}")
    for criterion in ranking:
        (auc, precision, leaves, _), (auc_sd, precision_sd, _, _) = (
            results[criterion].mean(0),
            results[criterion].std(0),
        )
        milliseconds = np.median(results[criterion][:, 3])
        print(
            f"{criterion:<15}{auc:7.3f}{f'({auc_sd:.3f})':>9}{precision:16.3f}{f'({precision_sd:.3f})':>9}"
            f"{leaves:8.1f}{milliseconds:9.1f}"
        )
    return ranking[0]


def main():
    X, digit = load_digits(return_X_y=True)
    y = (digit == 8).astype(int)
    print(f"{len(y)} images of {X.shape[1]} pixels, {y.sum()} of them eights: one in {len(y) / y.sum():.0f}")
    print(f"{REPEATS} x {FOLDS} stratified folds, full trees, Laplace leaves; sd: between folds\n")
    best = compare(X, y)

    tree = rw.TreeClassifier(best).fit(X, y)
    print(f"\nThe top of the {best} tree on all images:\n")
    print(rw.inspection.export_text(tree, max_depth=5, show_weights=True, **LABELS))
    OUTPUT.mkdir(exist_ok=True)
    rw.inspection.plot_tree(tree, max_depth=5, **LABELS).figure.savefig(OUTPUT / "tree.png", dpi=120)
    print(f"Five levels of it are drawn in {OUTPUT / 'tree.png'}")


if __name__ == "__main__":
    main()
