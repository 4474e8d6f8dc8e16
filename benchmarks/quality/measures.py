"""What is measured of probabilities and decisions, and the calibration that every method can be given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, f1_score, log_loss

from rarewood._decisions import fit_calibration, half_best_f1
from rarewood.metrics import weighted_auroc

MEASURES = {"AUC": 1, "average precision": 1, "F1": 1, "log-loss": -1}
"""What is measured, and whether more (1) or less (-1) is better."""


def measure(y: NDArray[np.int64], p: NDArray[np.float64], decided: NDArray[np.int64]) -> dict[str, float]:
    """Of the rare class, number 1 of two; with more classes the mean over them, for AUC weighted by their sizes."""
    n_classes = p.shape[1]
    p = p / p.sum(axis=1, keepdims=True, dtype=np.float64)  # some peers answer in single precision
    classes = [1] if n_classes == 2 else np.unique(y).tolist()
    return {
        "AUC": weighted_auroc(y, p, labels=range(n_classes)),
        "average precision": float(np.mean([average_precision_score(y == c, p[:, c]) for c in classes])),
        "F1": float(f1_score(y, decided, labels=classes, average="macro", zero_division=0.0)),
        "log-loss": log_loss(y, p, labels=range(n_classes)),
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
