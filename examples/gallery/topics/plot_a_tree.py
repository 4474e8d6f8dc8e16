"""
One tree, drawn and read
========================

One in ten of scikit-learn's handwritten digits is an eight. A Hellinger tree looks for the eights. Its first levels are enough to see
which pixels it tests.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score

import rarewood as rw

digits = load_digits()
X, y = digits.data, digits.target == 8
names = {"feature_names": digits.feature_names, "class_names": ["other", "eight"]}
tree = rw.TreeClassifier(max_depth=3).fit(X, y)

fig, ax = plt.subplots(figsize=(12, 5), layout="constrained")
rw.inspection.plot_tree(tree, ax=ax, **names)

# %%
# The same tree as text, for a terminal or an email:

print(rw.inspection.export_text(tree, show_weights=True, **names))

# %%
# Three levels are easy to read. For ranking, trees are fully grown, and their leaves are smoothed by Laplace's correction:

for depth in (3, 6, None):
    tree = rw.TreeClassifier(max_depth=depth)
    auc = cross_val_score(tree, X, y, scoring="roc_auc").mean()
    print(f"max_depth={depth!s:<5} AUC {auc:.3f}")
