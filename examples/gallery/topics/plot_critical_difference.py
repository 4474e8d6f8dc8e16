"""
Which methods differ?
=====================

Five methods are compared on twelve simulated tables of different shapes and degrees of imbalance. The diagram shows average ranks. If two
methods are joined by a bar, twelve tables are not enough to tell them apart.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

import rarewood as rw


def table(seed):
    rare, columns = (0.05, 0.1, 0.2)[seed % 3], (6, 10)[seed % 2]
    shape = {"n_informative": 4, "n_redundant": 1, "class_sep": 0.8, "flip_y": 0.02}
    shares = [1 - rare, rare]
    return make_classification(400, columns, weights=shares, random_state=seed, **shape)


datasets = {f"table {seed}": table(seed) for seed in range(12)}
methods = {
    "regression": LogisticRegression(max_iter=1000),
    "C4.4": rw.make("c4.4"),
    "HDDT": rw.make("hddt"),
    "balanced forest": rw.make("brf", n_estimators=30),
    "HeDEx": rw.make("hedex", n_estimators=30),
}
metric = "average_precision"
result = rw.evaluation.compare(methods, datasets, "2x2", metric, progress=False)
result.table(metric, reference="HeDEx")

# %%
# Do the methods differ at all? Friedman's test answers for all of them at once:

print(result.friedman(metric))

# %%
# Which methods differ? All pairs are compared by Nemenyi's critical difference:

fig, ax = plt.subplots(figsize=(9, 3), layout="constrained")
result.plot_ranks(metric, ax=ax)

# %%
# Twelve tables from one generator say something about that generator only. For conclusions about methods, use different tables; see
# :doc:`/guide/comparing`.
