"""What more classes do to the Hellinger distance: the square of four normal clouds of Hoens et al. (PAKDD 2012).

Two corners hold 10,000 points each, the two others 100; neighbours are two standard deviations apart. The paper compares HDDT
(Hellinger distance) with C4.4 (C4.5's choice of splits), both unpruned with Laplace leaves, by the area under the ROC curve in
100 runs: on the upper edge alone, a problem of two classes, HDDT wins 85; on all four classes with one tree C4.4 wins 82; with
one tree per class against the rest HDDT wins 80. This does the same on fresh points and prints its counts beside those.

The paper leaves two things open, so both readings are shown. "Gain ratio": C4.5's choice, which weighs a threshold against the
number of thresholds tried and so stops early, or the plain ratio over all splits. "AUROC": weighted by class size, which gives
the two rare classes one percent of the say, or the mean over the rare classes. A fourth tree is C4.4 after the step that
Weka 3.6 takes even with unpruned trees: a subtree that makes no fewer training errors than a leaf becomes one.

    python examples/four_gaussians.py              100 runs, a few minutes
    python examples/four_gaussians.py --runs 10    a quick look
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score

import rarewood as rw
from rarewood.datasets import make_four_gaussians
from rarewood.metrics import weighted_auroc

RARE = [1, 3]


@dataclass(frozen=True)
class Setting:
    """One of the three problems of the paper, and the runs of 100 that HDDT won against C4.4 there."""

    name: str
    published: int
    classes: int
    one_vs_all: bool = False

    def draw(self, seed):
        X, y = make_four_gaussians(random_state=seed)
        kept = y < self.classes
        return X[kept], y[kept]

    def trees(self, recipe, X, y):
        """The fitted tree, or one per class."""
        tree = rw.make(recipe)
        return rw.OneVsAllClassifier(tree).fit(X, y).estimators_ if self.one_vs_all else [tree.fit(X, y)]

    def probabilities(self, of_trees):
        if not self.one_vs_all:
            return of_trees[0]
        positive = np.column_stack([each[:, 1] for each in of_trees])
        return positive / positive.sum(axis=1, keepdims=True)


SETTINGS = [
    Setting("two classes", 85, classes=2),
    Setting("four classes, one tree", 18, classes=4),
    Setting("four classes, one against the rest", 80, classes=4, one_vs_all=True),
]


# A recipe, and which node of the fitted tree a row counts in, given the leaf it ends in.
MODELS = {
    "HDDT": ("hddt", lambda _: None),
    "C4.4": ("c4.4", lambda _: None),
    "gain ratio": ("gain-ratio", lambda _: None),
    "C4.4, collapsed": ("c4.4", lambda tree: collapsed(tree.tree_)),
}


def collapsed(tree):
    """For each node, the highest node above it whose subtree makes no fewer training errors than it would as a leaf."""
    errors = tree.value.sum(axis=1) - tree.value.max(axis=1)
    best, becomes_leaf = errors.copy(), tree.children_left == -1
    for node in np.flatnonzero(~becomes_leaf)[::-1]:  # children come after their parents
        best[node] = best[children(tree, node)].sum()
        if best[node] >= errors[node] - 1e-3:
            best[node], becomes_leaf[node] = errors[node], True
    counts_in = np.arange(tree.node_count)
    for node in np.flatnonzero(tree.children_left != -1):
        if becomes_leaf[node] or counts_in[node] != node:
            counts_in[children(tree, node)] = counts_in[node]
    return counts_in


def children(tree, node):
    return np.arange(tree.children_left[node], tree.children_left[node] + tree.n_children[node])


def judge(tree, X, counts_in):
    """Laplace probabilities and number of leaves."""
    if counts_in is None:
        return tree.predict_proba(X), tree.get_n_leaves()
    counts = tree.tree_.value[counts_in[tree.apply(X)]] + 1.0
    leaves = np.flatnonzero(tree.tree_.children_left == -1)
    return counts / counts.sum(axis=1, keepdims=True), len(np.unique(counts_in[leaves]))


def rare_auroc(y, probabilities):
    """Mean over the rare classes of their area against the rest."""
    rare = [c for c in RARE if c < probabilities.shape[1]]
    return np.mean([roc_auc_score(y == c, probabilities[:, c]) for c in rare])


def run(setting, n_runs):
    """Weighted AUROC, AUROC of the rare classes, leaves: an array (3, runs, models)."""
    figures = np.empty((3, n_runs, len(MODELS)))
    for seed in range(n_runs):
        X, y = setting.draw(2 * seed)
        X_test, y_test = setting.draw(2 * seed + 1)
        for column, (recipe, moves) in enumerate(MODELS.values()):
            judged = [judge(tree, X_test, moves(tree)) for tree in setting.trees(recipe, X, y)]
            p = setting.probabilities([probabilities for probabilities, _ in judged])
            leaves = sum(n_leaves for _, n_leaves in judged)
            figures[:, seed, column] = weighted_auroc(y_test, p), rare_auroc(y_test, p), leaves
    return figures


def wins(figures, rival):
    """Runs that HDDT wins against a rival, as percent, by both measures."""
    by_measure = 100 * np.mean(figures[:2, :, 0] > figures[:2, :, list(MODELS).index(rival)], axis=1)
    return " / ".join(f"{share:.0f}" for share in by_measure)


RIVALS = list(MODELS)[1:]
WINS = ["problem", "published: HDDT wins against C4.4", *(f"here: against {rival}" for rival in RIVALS)]
MEANS = ["problem", "tree", "weighted AUROC", "AUROC of the rare classes", "leaves"]


def study(n_runs):
    """The two tables: who wins how often, and by how much with trees of what size."""
    won, means = [], []
    for setting in SETTINGS:
        figures = run(setting, n_runs)
        won.append([setting.name, str(setting.published), *(wins(figures, rival) for rival in RIVALS)])
        for name, (weighted, rare, leaves) in zip(MODELS, figures.mean(axis=1).T, strict=True):
            means.append([setting.name, name, f"{weighted:.4f}", f"{rare:.4f}", f"{leaves:.0f}"])
    return won, means


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    n_runs = parser.parse_args().runs
    won, means = study(n_runs)
    print(f"Percent of {n_runs} runs that HDDT wins, by weighted AUROC / by the AUROC of the rare classes:\n")
    for row in won:
        print(row[0])
        for column, cell in zip(WINS[1:], row[1:], strict=True):
            print(f"    {column:<36}{cell:>9}")
    print("\nMeans over the runs (leaves: of all trees of a model together):\n")
    for row in [MEANS, *means]:
        print(f"{row[0]:<36}{row[1]:<17}{row[2]:>16}{row[3]:>27}{row[4]:>8}")


if __name__ == "__main__":
    main()
