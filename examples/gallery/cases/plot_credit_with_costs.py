"""
Credit: a decision with costs
=============================

KEEL's table *crx* has 653 applications for a credit card, with six columns of numbers and nine of words. Their meaning was hidden to
protect the applicants. The bank turned down a little more than half. Which applications would it turn down? No class is rare here. The
point is that the two kinds of mistakes cost different amounts.
"""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import rarewood as rw

applications = rw.datasets.load("keel:crx")  # pip install 'rarewood[keel]'
X, good = applications.X, np.asarray(applications.y) == "positive"
y = np.where(good, "approved", "turned down")
print(X.head(3).to_string())

# %%
# Say that approving a bad application costs five times as much as turning down a good one. If the probabilities can be trusted, the
# threshold follows from these costs alone: approve at five sixths or above. This is ``threshold="cost=5:1"``: the cost of a
# false alarm, then the cost of a miss. The smaller class, here *approved*, is the one to find.

model = rw.RareClassifier(threshold="cost=5:1", random_state=0, n_jobs=-1).fit(X, y)
print(textwrap.fill(str(model.decision_threshold_), 90))

# %%
# Can the probabilities be trusted? Each application is scored by a model that has not seen it. In each tenth of the predictions, the
# observed share should be equal to the predicted one:

folds = StratifiedKFold(5, shuffle=True, random_state=0)
approved = list(model.classes_).index("approved")
both = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
probability = both[:, approved]
tenth = np.digitize(probability, np.quantile(probability, np.arange(1, 10) / 10))
predicted = [probability[tenth == n].mean() for n in range(10)]
observed = [good[tenth == n].mean() for n in range(10)]

fig, ax = plt.subplots(figsize=(5, 3.8), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.7")
ax.plot(predicted, observed, marker="o")
ax.set(xlabel="predicted probability of approval", ylabel="observed share")
ax.set_title("Ten equal groups")


# %%
# The cost of each possible threshold, over all applications. The minimum is near five sixths, as theory says, not at one half:


def cost_at(threshold):
    called = probability >= threshold
    return 5 * np.sum(called & ~good) + np.sum(~called & good)


thresholds = np.linspace(0.01, 0.99, 99)
fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.plot(thresholds, [cost_at(each) for each in thresholds])
ax.axvline(5 / 6, color="0.6", linestyle="--", label="five sixths")
ax.set(xlabel="threshold", ylabel="cost of all mistakes")
ax.legend()
print(f"cost at one half {cost_at(0.5)}, at five sixths {cost_at(5 / 6)}")

# %%
# If somebody asks why, there are reasons. For the first applicant, the hidden column A9 matters most:

print(rw.inspection.explain(model, X.iloc[[0]], positive="approved").text(0, top=3))

# %%
# What to do next
# ---------------
# Ask what the two mistakes really cost: the threshold follows, and ``model.set_params(threshold="cost=10:1")`` with a new fit, or
# :func:`rarewood.ensemble.fit_threshold` without one, moves it. If the costs depend on the sum that is asked for,
# :meth:`rarewood.RareClassifier.decide` takes a cost per row. And keep in mind what the labels are: the decisions of the bank, not whether
# a customer paid.
