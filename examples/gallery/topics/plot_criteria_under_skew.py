"""
What skew does to a split criterion
===================================

A criterion sees a split as a table of class counts. Take a split that sends 60 % of the rare class and 10 % of the others to the left.
Now make the other class larger and larger. The split still separates the classes equally well. Which criteria give it the same score?
"""

# %%
# The table for one rare row per `ratio` others, in thousands of rows so that nothing depends on rounding. Each criterion has its own
# scale, so each score is divided by the score for equally frequent classes.

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
ax.set(xscale="log", xlabel="rows of the frequent class for one of the rare class")
ax.set(ylabel="score, 1 between equal classes")
ax.legend()

# %%
# The Hellinger distance compares the two shares, 60 % and 10 %, and never the counts. Gini and entropy measure how much purer the
# rows become, and with a rare class the rows are almost pure to begin with.
# Small scores alone would do no harm, because a tree takes the largest. What matters is the order of two splits. The first split below
# catches half of the rare class with few false alarms, the second nearly all of it with many.

first, second = (0.5, 0.02), (0.95, 0.25)


def counts(shares, ratio):
    rare, rest = shares
    return 1000 * np.array([[rest * ratio, rare], [(1 - rest) * ratio, 1 - rare]])


some = (1, 10, 100, 1000)
print(f"{'criterion':<12}" + "".join(f"{f'1 : {ratio}':>10}" for ratio in some))
for name in shown:
    chosen = []
    for ratio in some:
        of_first, of_second = (
            rw.criteria.score(name, counts(shares, ratio)) for shares in (first, second)
        )
        chosen.append("first" if of_first > of_second else "second")
    print(f"{name:<12}" + "".join(f"{choice:>10}" for choice in chosen))

# %%
# If a criterion prefers one split in some columns and the other split elsewhere, it grows a different tree when the same population is
# sampled with fewer rare rows.
