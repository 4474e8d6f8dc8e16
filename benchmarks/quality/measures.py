"""What is measured of probabilities and decisions, and the calibration that every method can be given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score, log_loss

from rarewood._decisions import fit_calibration, half_best_f1
from rarewood.metrics import weighted_auroc

MEASURES = {"AUC": 1, "average precision": 1, "F1": 1, "log-loss": -1}
"""What is measured, and whether more (1) or less (-1) is better."""

RELIABILITY = ("calibration error", "slope")
"""Of the probabilities of the rarer of two classes."""


def measure(y: NDArray[np.int64], p: NDArray[np.float64], decided: NDArray[np.int64]) -> dict[str, float]:
    """Of the rare class, number 1 of two; with more classes the mean over them, for AUC weighted by their sizes."""
    p = p / p.sum(axis=1, keepdims=True, dtype=np.float64)  # some peers answer in single precision
    n_classes = p.shape[1]
    if n_classes == 2:
        return RareMeasures(y, p[:, 1], decided)(np.ones(len(y)))
    classes = np.unique(y).tolist()
    return {
        "AUC": weighted_auroc(y, p, labels=range(n_classes)),
        "average precision": float(np.mean([average_precision_score(y == c, p[:, c]) for c in classes])),
        "F1": float(f1_score(y, decided, labels=classes, average="macro", zero_division=0.0)),
        "log-loss": log_loss(y, p, labels=range(n_classes)),
    }


def reliability(y: NDArray[np.int64], p: NDArray[np.float64]) -> dict[str, float]:
    """Mean distance of probability and frequency in tenths of the rows; the slope of the truth on the log-odds, 1 if they are right."""
    p = p.astype(np.float64)
    tenths = np.array_split(np.argsort(p, kind="stable"), 10)
    error = sum(len(rows) * abs(y[rows].mean() - p[rows].mean()) for rows in tenths if len(rows)) / len(p)
    inside = np.clip(p, 1e-9, 1.0 - 1e-9)
    line = LogisticRegression(C=1e6).fit(np.log(inside / (1.0 - inside))[:, np.newaxis], y)
    return dict(zip(RELIABILITY, (float(error), float(line.coef_[0, 0])), strict=True))


class RareMeasures:
    """The measures of the rare class for any weights of the rows; rows are sorted once."""

    def __init__(self, y: NDArray[np.int64], p: NDArray[np.float64], decided: NDArray[np.int64]) -> None:
        self._order = np.argsort(-p, kind="stable")
        p = p[self._order]
        self._ends = np.append(np.flatnonzero(np.diff(p)), len(p) - 1)  # the last row of each run of equal scores
        self._rare = y[self._order] == 1
        self._called = decided[self._order] == 1
        certain = np.finfo(np.float64).eps
        self._loss = -np.log(np.clip(np.where(self._rare, p, 1.0 - p), certain, 1.0 - certain))

    def __call__(self, weights: NDArray[np.float64]) -> dict[str, float]:
        w = weights[self._order].astype(np.float64)
        hits, alarms = (np.cumsum(np.where(side, w, 0.0))[self._ends] for side in (self._rare, ~self._rare))
        found = hits + alarms
        precision = np.divide(hits, found, out=np.ones_like(hits), where=found > 0)
        recall, fallout = (np.append(0.0, counts / counts[-1]) for counts in (hits, alarms))
        called_or_rare = w[self._called].sum() + w[self._rare].sum()
        return {
            "AUC": float(np.diff(fallout) @ (recall[1:] + recall[:-1]) / 2.0),
            "average precision": float(np.diff(recall) @ precision),
            "F1": float(2.0 * w[self._called & self._rare].sum() / called_or_rare),
            "log-loss": float(np.average(self._loss, weights=w)),
        }


def two_columns(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.column_stack([1.0 - p, p]) if p.ndim == 1 else p


def calibrated(
    honest: NDArray[np.float64], y: NDArray[np.int64], p: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Probabilities and decisions by what RareClassifier does: beta calibration, then half the best F1 as the threshold.

    `honest` are scores of the training rows by models that had not seen them; `p` is what the model says of new rows.
    """
    calibration = fit_calibration(honest, y, np.arange(2))
    threshold = half_best_f1(calibration.apply(honest)[:, 1], y == 1)
    fresh = calibration.apply(p)
    return fresh, (fresh[:, 1] >= threshold).astype(np.int64)
