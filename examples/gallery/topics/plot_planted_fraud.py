"""
The rules behind the frauds
===========================

The payments are generated, and three known rules are behind the frauds. One in a hundred of the genuine payments follows the same rules.
What does a forest find, and how close is it to the planted rules?
"""

import matplotlib.pyplot as plt

import rarewood as rw

payments = rw.datasets.make_planted_rules(10_000, random_state=0)
print(payments.X.head(4).to_string())
print(f"\n{payments.y.sum()} frauds among {len(payments.y)} payments; behind them:")
for rule in payments.rules:
    print("  ", rule)

# %%
# Leaves in which frauds outnumber genuine payments are rules. Shallow trees make short rules. Each rule is counted on the training rows
# and on fresh ones. The strength of a rule grows with the number of frauds it finds and with their share among the rows it finds.

forest = rw.HeDExClassifier(max_depth=4, random_state=0).fit(payments.X, payments.y)
fresh = rw.datasets.make_planted_rules(10_000, random_state=1)
held_out = (fresh.X, fresh.y)
patterns = rw.inspection.extract_patterns(
    forest, payments.X, payments.y, held_out=held_out, decimals=1
)
print(patterns.text(top=5).replace("  |  ", "\n    "))

# %%
# Many trees find variants of one rule. We go down the list and skip rules whose frauds have mostly been found already. A few are left:

covered = patterns.covers(payments.X) & (payments.y == 1)[:, None]
chosen, known = [], covered[:, 0] & False
for number in range(len(patterns)):
    new = covered[:, number] & ~known
    if new.sum() > covered[:, number].sum() / 2:
        chosen.append(number)
        known |= covered[:, number]
    if len(chosen) == 3:
        break
distinct = patterns[chosen]
fig, ax = plt.subplots(figsize=(10, 3), layout="constrained")
distinct.plot(ax=ax)

# %%
# How similar are they to the planted rules? Of the rows for which a planted rule or a pattern holds, this is the share for which both
# hold:

for rule in payments.rules:
    planted = rule.holds(fresh.X)
    found = distinct.covers(fresh.X)
    alike = [(planted & column).sum() / (planted | column).sum() for column in found.T]
    print(f"{max(alike):4.0%}  {rule}")
