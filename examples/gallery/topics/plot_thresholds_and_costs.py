"""
Where to draw the line
======================

A forest ranks payments; somebody has to decide at which score a payment is stopped. This threshold depends on what a false alarm and a
missed fraud cost. It should be chosen on scores of rows that the trees have not seen.
"""

import matplotlib.pyplot as plt
import numpy as np

import rarewood as rw
from rarewood.ensemble import fit_threshold
from rarewood.metrics import choose_threshold

payments = rw.datasets.make_planted_rules(10_000, random_state=0)
fresh = rw.datasets.make_planted_rules(10_000, random_state=1)
forest = rw.ForestClassifier(sampling="stratified", oob_score=True, random_state=0)
forest.fit(payments.X, payments.y)
unseen = forest.oob_decision_function_[:, 1]

# %%
# Four ways to choose. The scores are out-of-bag: each row is scored only by trees that did not draw it.

for choice in (
    {"rule": "f1"},
    {"rule": "precision", "floor": 0.7},
    {"rule": "recall", "floor": 0.95},
    {"rule": "cost", "costs": (5, 100)},
):
    print(choose_threshold(payments.y, unseen, **choice))

# %%
# The last one as a picture: the mean cost of a payment if a false alarm costs 5 and a missed fraud 100. The usual threshold of 0.5 is
# a choice of costs, too, and here not a good one.

costs = (5, 100)
threshold = fit_threshold(forest, payments.X, payments.y, rule="cost", costs=costs)
scores = forest.predict_proba(fresh.X)[:, 1]


def mean_cost(truth, scores, line):
    called = scores >= line
    false_alarms, misses = np.mean(called & (truth == 0)), np.mean(~called & (truth == 1))
    return costs[0] * false_alarms + costs[1] * misses


lines = np.linspace(0, 1, 201)
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
out_of_bag = [mean_cost(payments.y, unseen, line) for line in lines]
on_fresh = [mean_cost(fresh.y, scores, line) for line in lines]
ax.plot(lines, out_of_bag, label="out-of-bag")
ax.plot(lines, on_fresh, label="fresh payments")
chosen = f"chosen: {threshold.value:.2f}"
ax.axvline(threshold.value, color="black", linestyle=":", label=chosen)
ax.set(xlabel="threshold", ylabel="cost per payment", ylim=(0, 3))
ax.legend()

# %%
# What the chosen threshold saves on fresh payments:

for name, line in (("0.5", 0.5), ("chosen", threshold.value)):
    print(f"{name:<7} {mean_cost(fresh.y, scores, line):.2f} per payment")
