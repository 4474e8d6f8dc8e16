"""Probabilities that mean what they say: beta calibration, for any number of classes, towards the identity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarewood._decisions._minimum import minimise, sum_over_blocks
from rarewood._terminal import shown
from rarewood._validation import unmasked

LEAST_PROBABILITY = (
    1e-7  # of a probability before its logarithm is taken: a larger one would tie the scores of a very rare class
)
STEEPEST = 2.0  # |log a|
FARTHEST = 6.0  # |b|


@dataclass(frozen=True, eq=False)
class Calibration:
    r"""Calibration: turns the scores of a forest into probabilities.

    Class k gets a probability in proportion to :math:`p_k^{a_k} e^{b_k}`: for two classes this is beta calibration, which can
    sharpen, flatten and shift scores, and, unlike isotonic regression, keeps their order free of ties. Made by `fit` from
    out-of-bag rows.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The class of each column.
    slopes : ndarray of shape (n_classes,)
        The exponents a, above 0.
    offsets : ndarray of shape (n_classes,)
        The offsets b.
    prior : ndarray of shape (n_classes,)
        The weighted shares of the classes among the rows it was fitted to.
    n_rows : int
        Number of these rows.

    References
    ----------
    M. Kull, T. Silva Filho and P. Flach, "Beta calibration: a well-founded and easily implemented improvement on logistic
    calibration for binary classifiers", AISTATS 2017.

    Examples
    --------
    >>> from rarewood import RareClassifier
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(n_samples=500, weights=[0.9], random_state=0)
    >>> model = RareClassifier(n_estimators=30, random_state=0).fit(X, y)
    >>> calibrated = model.calibration_.apply([[0.9, 0.1], [0.6, 0.4]])
    >>> calibrated.shape
    (2, 2)
    """

    classes: NDArray[Any]
    slopes: NDArray[np.float64]
    offsets: NDArray[np.float64]
    prior: NDArray[np.float64]
    n_rows: int

    def apply(self, probabilities: ArrayLike, shift: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Calibrate.

        Parameters
        ----------
        probabilities : array-like of shape (n_samples, n_classes)
            Scores of the forest.
        shift : ndarray of shape (n_samples,), default=None
            Added to the log score of the last class, such as what :meth:`ColumnEffects.apply` returns.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities; rows sum to 1.
        """
        p = np.asarray(unmasked(probabilities), dtype=np.float64)
        z = self.slopes * _logarithm(p) + self.offsets
        if shift is not None:
            z[:, -1] += shift
        e = np.exp(z - z.max(axis=1, keepdims=True))
        return np.asarray(e / e.sum(axis=1, keepdims=True))

    def log_odds(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """For two classes: the calibrated log-odds of the second."""
        z = self.slopes * _logarithm(probabilities) + self.offsets
        return np.asarray(z[:, 1] - z[:, 0])

    def stretched(self, slope: float, offset: float) -> Calibration:
        """For two classes: the log-odds of the second times `slope`, plus `offset`."""
        offsets = slope * self.offsets + np.array([0.0, offset])
        return Calibration(self.classes, slope * self.slopes, offsets, self.prior, self.n_rows)

    @shown
    def __str__(self) -> str:
        names = [str(label) for label in self.classes.tolist()]
        if len(names) == 2:
            (first, second), shift = self.slopes, self.offsets[1] - self.offsets[0]
            terms = f"{second:.3g} log p({names[1]}) - {first:.3g} log p({names[0]}) {shift:+.3g}"
            formula = f"log odds of {names[1]} = {terms}"
        else:
            each = zip(names, self.slopes, self.offsets, strict=True)
            formula = "softmax of " + ", ".join(f"{a:.3g} log p({name}) {b:+.3g}" for name, a, b in each)
        return f"beta calibration on {self.n_rows:,} out-of-bag rows: {formula}"

    __repr__ = __str__


def fit_calibration(
    probabilities: NDArray[np.float64],
    codes: NDArray[Any],
    classes: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
) -> Calibration:
    """The calibration of largest likelihood, penalised by sum u_k^2 + sum b_k^2 / 2 where a_k = exp(u_k).

    `codes` are the positions of the true classes. A row of weight 2 counts as two rows; the penalty as about one.
    """
    n_rows, n_classes = probabilities.shape
    weight = np.ones(n_rows) if weights is None else weights
    logs = _logarithm(np.ascontiguousarray(probabilities.T))  # a row per class: sums over classes are sums of long rows
    totals = np.bincount(codes, weights=weight, minlength=n_classes)
    logs_of_true = np.bincount(codes, weights=weight * logs[codes, np.arange(n_rows)], minlength=n_classes)

    def loss(v: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        u, b = v[:n_classes], v[n_classes:]
        a = np.exp(u)
        reached, expected, expected_logs = sum_over_blocks(
            n_rows, lambda block: _expected(logs[:, block], weight[block], a, b)
        )
        misfit = reached - (a * logs_of_true).sum() - (b * totals).sum()
        slope = np.concatenate([(expected_logs - logs_of_true) * a + 2.0 * u, expected - totals + b])
        return float(misfit + (u * u).sum() + 0.5 * (b * b).sum()), slope

    bounds = [(-STEEPEST, STEEPEST)] * n_classes + [(-FARTHEST, FARTHEST)] * n_classes
    found = minimise(loss, np.zeros(2 * n_classes), bounds)
    return Calibration(classes, np.exp(found[:n_classes]), found[n_classes:], totals / totals.sum(), n_rows)


def _expected(
    logs: NDArray[np.float64], weight: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[Any, ...]:
    """Over some rows, the sums of the logarithms that probabilities are divided by, of probabilities, and of these times `logs`."""
    e = a[:, np.newaxis] * logs
    e += b[:, np.newaxis]
    top = e.max(axis=0)
    e -= top
    np.exp(e, out=e)
    total = e.sum(axis=0)
    reached = (weight * (np.log(total) + top)).sum()
    e *= weight / total
    return reached, e.sum(axis=1), np.einsum("ki,ki->k", e, logs)


def _logarithm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.log(np.clip(p, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)))
