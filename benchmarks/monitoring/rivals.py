"""The same scores given to NannyML and QuaPy, in an environment of their own; run `study.py --arrays FOLDER` first.

    python -m venv rivals && rivals/bin/pip install quapy nannyml statsmodels
    rivals/bin/python benchmarks/monitoring/rivals.py FOLDER

NannyML's CBPE estimates precision and recall from out-of-bag rows as reference and new rows as analysis; QuaPy's PACC and EMQ estimate the
share of the rare class from the same probabilities.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import numpy as np

os.environ["NML_DISABLE_USAGE_LOGGING"] = "1"  # NannyML would tell its makers
warnings.simplefilter("ignore")
SCENARIOS = ("none", "covariate", "prior x3", "prior x1/3", "prior x4", "prior x1/4", "new kind")


def shares(oob, y, p):
    """By the functions of QuaPy on posteriors."""
    from quapy import functional
    from quapy.method.aggregative import EMQ

    pacc = functional.solve_adjustment_binary(p.mean(), tpr=oob[y == 1].mean(), fpr=oob[y == 0].mean())
    new = np.stack([1 - p, p], axis=1)
    emq, _ = EMQ.EM(functional.prevalence_from_labels(y, classes=[0, 1]), new)
    return float(np.ravel(pacc)[-1]), float(emq[1])


def performance(oob, y, p, cut):
    """By CBPE of NannyML."""
    import nannyml
    import pandas as pd

    reference = pd.DataFrame({"p": oob, "called": (oob >= cut).astype(int), "y": y})
    estimator = nannyml.CBPE(
        y_pred_proba="p",
        y_pred="called",
        y_true="y",
        problem_type="classification_binary",
        metrics=["precision", "recall"],
        chunk_number=1,
    )
    estimator.fit(reference)
    found = estimator.estimate(pd.DataFrame({"p": p, "called": (p >= cut).astype(int)})).to_df()
    return [float(found[(name, "value")].iloc[-1]) for name in ("precision", "recall")]


def main():
    folder = Path(sys.argv[1])
    errors = {}
    for path in sorted(folder.glob("*.npz")):
        kept = np.load(path)
        size, cut = int(path.stem.split("-")[1]), float(kept["cut"])
        scored = ~np.isnan(kept["oob"])
        oob, y = kept["oob"][scored], kept["y"][scored]
        for scenario in SCENARIOS:
            p, truth = kept[f"{scenario}|p"], kept[f"{scenario}|y"]
            called = p >= cut
            found = errors.setdefault((scenario, size), {"PACC": [], "EMQ": [], "precision": [], "recall": []})
            for name, share in zip(("PACC", "EMQ"), shares(oob, y, p)):
                found[name].append(abs(np.log(max(share, 1e-3) / max(truth.mean(), 1e-3))))
            if called.any() and truth.any():
                precision, recall = performance(oob, y, p, cut)
                found["precision"].append(abs(precision - truth[called].mean()))
                found["recall"].append(abs(recall - called[truth == 1].mean()))
    for (scenario, size), found in sorted(errors.items()):
        cells = [f"{name} {np.median(found[name]):.2f}" for name in ("PACC", "EMQ")]
        cells += [f"{name} {np.mean(found[name]):.3f}" for name in ("precision", "recall")]
        print(f"{size:>4} {scenario:<12}", "  ".join(cells), f"  ({len(found['PACC'])} tables)")


if __name__ == "__main__":
    main()
