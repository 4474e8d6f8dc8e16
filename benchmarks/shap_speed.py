"""How fast are exact contributions beside shap's compiled TreeExplainer? One thread, the same trees, the same values.

python benchmarks/shap_speed.py [rows] [trees]
"""

import sys
import time

import numpy as np
import shap
from sklearn.datasets import make_classification

import rarewood as rw

n_rows, n_trees = (int(given) for given in (*sys.argv[1:], "1000", "100")[: max(2, len(sys.argv) - 1)][:2])
X, y = make_classification(4000, 20, n_informative=8, weights=[0.9], random_state=0)
forest = rw.ForestClassifier(
    n_trees, splitter="random", n_cuts=1, criterion="gini", sampling="all", random_state=0
).fit(X, y)
rows = X[:n_rows]

start = time.process_time()
ours = rw.inspection.explain(forest, rows, positive=1, n_jobs=1)
own = time.process_time() - start

found = rw.export.to_shap(forest)
explainer = shap.TreeExplainer(found, feature_perturbation="tree_path_dependent")
start = time.process_time()
theirs = explainer.shap_values(found.encode(rows), check_additivity=False)
other = time.process_time() - start

difference = np.abs(theirs[:, :, 1] - ours.values).max()
nodes = sum(tree["values"].shape[0] for tree in found["trees"])
print(
    f"{n_rows} rows, {n_trees} trees, {nodes} nodes, CPU seconds: rarewood {own:.2f}, shap {other:.2f}, ratio {other / own:.1f}"
)
print(f"largest difference {difference:.1e}")
