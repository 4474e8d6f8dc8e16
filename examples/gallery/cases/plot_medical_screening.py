"""
Medicine: few cases, and another population
===========================================

scikit-learn's breast cancer table comes from a clinic: 37 % of the tumours are malignant. To imitate a screening, only one in ten of the
malignant ones is kept here, which leaves 22 cases among 379. With so few cases, two questions arise: how reliable are the figures, and
what do the probabilities mean where the disease is even rarer?
"""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import rarewood as rw

table = load_breast_cancer(as_frame=True)
malignant = np.flatnonzero(table.target == 0)
rest = np.setdiff1d(malignant, malignant[::10])
seen = np.sort(np.concatenate([malignant[::10], np.flatnonzero(table.target == 1)]))
X, y = table.data.iloc[seen], np.array(["malignant", "benign"])[table.target.iloc[seen]]

# %%
# A miss is far worse than a second look, so the threshold asks for recall. It is chosen on out-of-bag rows, and with about twenty cases
# it is only an estimate:

model = rw.RareClassifier(threshold="recall=0.95", random_state=0, n_jobs=-1).fit(X, y)
print(textwrap.fill(str(model.decision_threshold_), 90))

# %%
# The malignant tumours that were set aside were not used for training. How many of them are found at each threshold? At the threshold of
# the model, fewer than was asked for: with 22 cases, a recall of 0.95 means that one case was missed, and it could as well have been
# three. If that is not good enough, ask for more recall than you need, or collect more cases.

column = list(model.classes_).index("malignant")
cases = model.predict_proba(table.data.iloc[rest])[:, column]
healthy = model.oob_decision_function_[y == "benign", column]
groups = {
    "malignant, not trained on: found": cases,
    "benign, out of bag: called": healthy,
}
chosen = model.decision_threshold_.value
thresholds = np.geomspace(0.002, 0.9, 80)

fig, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for name, scores in groups.items():
    ax.plot(thresholds, [np.mean(scores >= each) for each in thresholds], label=name)
ax.axvline(chosen, color="0.6", linestyle="--", label="threshold of the model")
ax.set(xscale="log", xlabel="threshold", ylabel="share of the rows")
ax.legend()
print(f"found {np.sum(cases >= chosen)} of the {len(cases)} tumours that were set aside")

# %%
# Another population
# ------------------
# In the table, one row in seventeen is a case. In a screening, it may be one in two hundred. If cases look the same there, Bayes' rule
# corrects the probabilities, without a new fit:

one = table.data.iloc[rest[:1]]
before = model.predict_proba(one)[0, column]
after = model.set_prior({"malignant": 0.005}).predict_proba(one)[0, column]
print(f"the same tumour: {before:.2f} here, {after:.2f} where one in 200 is malignant")

# %%
# Reasons for one patient
# -----------------------

model.set_prior(None)
print(rw.inspection.explain(model, one, positive="malignant").text(0, top=5))

# %%
# What to do next
# ---------------
# Before such a model sees a patient, ask for more recall than is needed, such as ``threshold="recall=0.99"``, and count the misses on cases
# that were collected later and elsewhere. State every figure with the number of cases behind it; the report does, with intervals. Where the
# disease is rarer, set the prior to what is known about that population, and check that cases look the same there.
