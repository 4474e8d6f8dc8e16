"""
The day after: a year with a model
==================================

A model is fitted once and used for months. In this year of generated payments, frauds become more frequent in May, and in September a new
kind of fraud appears that the model has never seen. Which of the two needs a new calibration, which a new fit, and when can one know?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import log_loss

import rarewood as rw
from rarewood.monitoring import monitor, recalibrate

year = rw.datasets.make_payment_year(40_000, random_state=0)
winter = year.in_months(1, 3)
model = rw.RareClassifier(random_state=0, n_jobs=-1).fit(winter.X, winter.y)
print(model.decision_threshold_)

# %%
# Labels come late, so the months are first looked at without them. April is fine. In May, there are more alarms than chance explains,
# and the scores have two readings: the alarms are as good as ever, or better, because frauds are more frequent. Only labels can tell.

print(monitor(model, year.in_months(4, 4).X))

# %%

print(monitor(model, year.in_months(5, 5).X))

# %%
# All months at once, with the share of frauds that the scores suggest, and the true one, which is known only later. Until August the
# estimate is about right, if a little low, because old and new frauds look alike. From September on it is half of the truth, and nothing
# in the scores shows that.

later = year.in_months(4, 12)
months = monitor(model, later.X, times=later.times).summary["periods"]["groups"]
known = monitor(model, later.X, later.y, times=later.times).summary["periods"]["groups"]


def estimated(group):
    share = group["share"]
    return [share["value"], share["value"] - share["low"], share["high"] - share["value"]]


names = [group["label"][5:] for group in months]
value, below, above = np.transpose([estimated(group) for group in months])
fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.errorbar(
    names,
    value,
    yerr=[below, above],
    marker="o",
    capsize=3,
    label="estimated without labels",
)
ax.plot(names, [group["labels"]["share"][0] for group in known], marker="s", label="true")
ax.axhline(months[0]["share"]["before"], color="0.6", linestyle="--", label="in training")
ax.set(xlabel="month", ylabel="share of frauds", ylim=(0, None))
ax.legend()

# %%
# With labels, precision and recall tell the two changes apart. In May, precision rises and recall stays: the model still finds frauds
# as well as before, and only its probabilities are too low. In September, recall falls: half of the frauds are of a kind that it does
# not know.

fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for name, marker in (("precision", "o"), ("recall", "s")):
    middle, low, high = np.transpose([group["labels"][name] for group in known])
    ax.errorbar(
        names,
        middle,
        yerr=[middle - low, high - middle],
        marker=marker,
        capsize=3,
        label=f"{name}, by labels",
    )
ax.axvline(0.5, color="0.7", linestyle=":")
ax.axvline(4.5, color="0.7", linestyle=":")
ax.set(
    xlabel="month",
    ylabel="share",
    ylim=(0, 1),
    title="Frauds become frequent in May, and new in September",
)
ax.legend(loc="upper right")

# %%
# What to do? Two remedies, each with the 1,000 first payments of the new time, labelled: a new calibration, which leaves the trees as they
# are, and a new fit to old and new payments. They are tested on payments of later months.


def remedies(first, last):
    new, test = year.in_months(first, first), year.in_months(first + 1, last)
    rows = np.sort(np.random.default_rng(0).permutation(len(new.y))[:1000])
    X, y = new.X.iloc[rows], new.y[rows]
    both = pd.concat([winter.X, X]), np.concatenate([winter.y, y])
    models = {
        "as it is": model,
        "recalibrated": recalibrate(model, X, y),
        "fitted again": rw.RareClassifier(random_state=0, n_jobs=-1).fit(*both),
    }
    return {
        name: log_loss(test.y, each.predict_proba(test.X)[:, 1])
        for name, each in models.items()
    }


moved, new_kind = remedies(5, 8), remedies(9, 12)
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
places = np.arange(len(moved))
ax.bar(
    places - 0.2, moved.values(), width=0.38, label="the share has moved (June to August)"
)
ax.bar(
    places + 0.2, new_kind.values(), width=0.38, label="a new kind (October to December)"
)
ax.set_xticks(places, moved)
ax.set(ylabel="log-loss of later payments", ylim=(0, 0.22))
ax.legend(loc="upper right")
for name in moved:
    print(f"{name:<14}{moved[name]:.4f}  {new_kind[name]:.4f}")

# %%
# If only the share has moved, a new calibration does better than a new fit: the old rows, which are the majority, keep a fit to the old
# share. If something new has appeared, a new fit learns it, and a new calibration can only lower the confidence.
# :doc:`/guide/monitoring` has the rule in short, and the measured figures.
