"""
Credit: a decision with costs
=============================

KEEL's table *crx* has 653 applications for a credit card, six columns of numbers and nine of words whose meaning was hidden to protect the
applicants. The bank turned down somewhat more than half. Which applications would it turn down? The classes are not rare here; what makes
the case is that the two mistakes cost different amounts.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import rarewood as rw

applications = rw.datasets.load("keel:crx")  # pip install 'rarewood[keel]'
X, y = applications.X, np.where(np.asarray(applications.y) == "positive", "approved", "turned down")
print(X.head(3).to_string())

# %%
# Say that approving a bad application costs five times as much as turning down a good one. The threshold follows from that and from
# nothing else: with probabilities that can be believed, approve from five sixths on. In words: ``threshold="cost=5:1"``, the cost of a
# false alarm before that of a miss. The smaller class, here *approved*, is the one that is called.

model = rw.RareClassifier(threshold="cost=5:1", random_state=0, n_jobs=-1).fit(X, y)
print(model.decision_threshold_)

# %%
# Can the probabilities be believed? Each application is scored by a model that has not seen it. In each tenth of the predictions, the
# observed share should be the predicted one:

folds = StratifiedKFold(5, shuffle=True, random_state=0)
approved = list(model.classes_).index("approved")
probability = cross_val_predict(model, X, y, cv=folds, method="predict_proba")[:, approved]
good = y == "approved"
tenth = np.digitize(probability, np.quantile(probability, np.arange(1, 10) / 10))
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
left.plot([0, 1], [0, 1], color="0.7")
left.plot([probability[tenth == n].mean() for n in range(10)], [good[tenth == n].mean() for n in range(10)], marker="o")
left.set(xlabel="predicted probability of approval", ylabel="observed share", title="Ten equal groups")


# %%
# The cost of each possible threshold, for all applications. The minimum lies near five sixths, where theory puts it, not at one half:


def cost_at(threshold: float) -> int:
    """Of all mistakes together."""
    called = probability >= threshold
    return int(5 * (called & ~good).sum() + (~called & good).sum())


thresholds = np.linspace(0.01, 0.99, 99)
right.plot(thresholds, [cost_at(each) for each in thresholds])
right.axvline(5 / 6, color="0.6", linestyle="--")
right.set(xlabel="threshold", ylabel="cost of all mistakes", title="Cost by threshold")
print(f"cost at one half {cost_at(0.5)}, at five sixths {cost_at(5 / 6)}")

# %%
# Who asks why gets reasons. For the first applicant the hidden column A9 speaks loudest:

print(rw.inspection.explain(model, X.iloc[[0]], positive="approved").text(0, top=3))
