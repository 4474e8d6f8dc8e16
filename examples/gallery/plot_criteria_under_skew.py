"""
What skew does to a split criterion
===================================

A criterion sees a split as a table of class counts. Take one split that sends 60 % of the rare class and 10 % of the others to the
left, and make the other class ever larger: the split tells the classes apart as well as before. Which criteria notice?
"""

# %%
# The table for one rare row among `ratio` others, in thousands of rows so that nothing depends on rounding. Scores have scales of
# their own, so each is divided by what it gives between equally frequent classes.

import matplotlib.pyplot as plt
import numpy as np

import rarewood as rw


def table(ratio):
    return np.array([[100 * ratio, 600], [900 * ratio, 400]])


ratios = np.geomspace(1, 1000, 40)
shown = ["gini", "entropy", "gain_ratio", "dkm", "hellinger", "ccp_gini", "ihdw"]

fig, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
for name in shown:
    scores = np.array([rw.criteria.score(name, table(ratio)) for ratio in ratios])
    style = {"linewidth": 3} if name == "hellinger" else {}
    ax.plot(ratios, scores / scores[0], label=name, **style)
ax.set(
    xscale="log", xlabel="rows of the frequent class for one of the rare class", ylabel="score, 1 between equal classes"
)
ax.legend()

# %%
# The Hellinger distance compares the two shares, 60 % and 10 %, and never the counts. Gini and entropy measure how much tidier the
# rows become, and a rare class is hardly untidy to begin with.
#
# Small scores alone would do no harm: a tree takes the largest. What matters is the order of two splits. The first below catches
# half of the rare class with few false alarms, the second nearly all of it with many.

first, second = (0.5, 0.02), (0.95, 0.25)


def counts(shares, ratio):
    rare, rest = shares
    return np.array([[1000 * rest * ratio, 1000 * rare], [1000 * (1 - rest) * ratio, 1000 * (1 - rare)]])


print(f"{'criterion':<12}" + "".join(f"{f'1 : {ratio}':>10}" for ratio in (1, 10, 100, 1000)))
for name in shown:
    chosen = []
    for ratio in (1, 10, 100, 1000):
        scores = [rw.criteria.score(name, counts(shares, ratio)) for shares in (first, second)]
        chosen.append("first" if scores[0] > scores[1] else "second")
    print(f"{name:<12}" + "".join(f"{choice:>10}" for choice in chosen))

# %%
# A criterion whose line changes its mind grows another tree when the same population is sampled with fewer rare rows.
