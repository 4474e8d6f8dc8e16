"""
Medicine: few cases, and another population
===========================================

scikit-learn's breast cancer table comes from a clinic: 37 % of the tumours are malignant. To imitate a screening, only one in ten of the
malignant ones is kept here, which leaves 22 cases among 379. With so few cases, two questions arise: how reliable are the figures, and
what do the probabilities mean where the disease is even rarer?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import rarewood as rw

table = load_breast_cancer(as_frame=True)
malignant = np.flatnonzero(table.target == 0)
rest = np.setdiff1d(malignant, malignant[::10])
seen = np.sort(np.concatenate([malignant[::10], np.flatnonzero(table.target == 1)]))
X, y = table.data.iloc[seen], np.where(table.target.iloc[seen] == 0, "malignant", "benign")

# %%
# A miss is far worse than a second look, so the threshold asks for recall. It is chosen on out-of-bag rows, and with about twenty cases
# it is only an estimate:

model = rw.RareClassifier(threshold="recall=0.95", random_state=0, n_jobs=-1).fit(X, y)
print(model.decision_threshold_)

# %%
# The malignant tumours that were set aside were not used for training. How many of them are found at each threshold? At the threshold of
# the model, fewer than was asked for: with 22 cases, a recall of 0.95 means that one case was missed, and it could as well have been
# three. If that is not good enough, ask for more recall than you need, or collect more cases.

column = list(model.classes_).index("malignant")
cases = model.predict_proba(table.data.iloc[rest])[:, column]
healthy = model.oob_decision_function_[y == "benign", column]
thresholds = np.geomspace(0.002, 0.9, 80)
fig, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
ax.plot(thresholds, [(cases >= t).mean() for t in thresholds], label=f"malignant, not trained on ({len(cases)}): found")
ax.plot(thresholds, [(healthy >= t).mean() for t in thresholds], label=f"benign, out of bag ({len(healthy)}): called")
ax.axvline(model.decision_threshold_.value, color="0.6", linestyle="--", label="threshold of the model")
ax.set(xscale="log", xlabel="threshold", ylabel="share of the rows")
ax.legend()
print(f"found {np.mean(cases >= model.decision_threshold_.value):.1%} of the malignant tumours that were set aside")

# %%
# Another population
# ------------------
# In the table, one row in seventeen is a case. In a screening, it may be one in two hundred. If cases look the same there, Bayes' rule
# corrects the probabilities, without a new fit:

one = table.data.iloc[rest[:1]]
before = model.predict_proba(one)[0, column]
after = model.set_prior({"malignant": 0.005}).predict_proba(one)[0, column]
print(f"the same tumour: {before:.3f} in this table, {after:.3f} where one in two hundred is malignant")

# %%
# Reasons for one patient
# -----------------------

model.set_prior(None)
print(rw.inspection.explain(model, one, positive="malignant").text(0, top=5))
