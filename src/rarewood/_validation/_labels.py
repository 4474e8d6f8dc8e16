"""Labels to class numbers, weights to what the core multiplies counts with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets

from rarewood._validation._arrays import read_labels, read_numbers

Weights = NDArray[np.float64] | None

_WORTH_COUNTING = 1000
_LARGEST_COUNT = 2.0**40  # floating-point numbers far above are whole whatever they mean
_ROUNDING = 1e-12  # of a weight by its division by a mean


@dataclass(frozen=True)
class Labels:
    """The classes in sorted order and the number of the class of each row."""

    classes: NDArray[Any]
    codes: NDArray[np.int32]

    @property
    def n_classes(self) -> int:
        return len(self.classes)


def encode_labels(estimator: object, y: Any, n_rows: int | None) -> Labels:
    """Sort the distinct labels and number the rows by them; None for `n_rows` leaves their number unchecked.

    One class is enough: the tree is then a single leaf. Several outputs, continuous targets, missing labels and labels
    that cannot be sorted together are refused.
    """
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    y = read_labels(y, warn=True)
    if n_rows is not None and len(y) != n_rows:
        raise ValueError(f"X and y have inconsistent numbers of rows: {n_rows} and {len(y)}.")
    counted = _counted(y)
    if counted is not None:
        return counted
    assert_all_finite(y, input_name="y", estimator_name=type(estimator).__name__)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return Labels(classes, codes.reshape(-1).astype(np.int32, copy=False))


def _counted(y: NDArray[Any]) -> Labels | None:
    """Labels that are whole numbers close together, by counting instead of sorting; None where there are other labels, or few."""
    if y.dtype.kind not in "biu" or len(y) < _WORTH_COUNTING:
        return None
    low, high = int(y.min()), int(y.max())
    if high - low > len(y) // 4 or low < -(2**62) or high > 2**62:
        return None
    places = y.astype(np.int64)
    places -= low
    present = np.bincount(places) > 0
    numbers = np.cumsum(present, dtype=np.int32) - np.int32(1)
    return Labels((np.flatnonzero(present) + low).astype(y.dtype), numbers[places])


def rarest_class(sizes: NDArray[Any]) -> int:
    """The number of the class with fewest rows, among those that have any; the first of equals."""
    return int(np.where(sizes > 0, sizes, np.inf).argmin())


def rarest_label(y: ArrayLike) -> Any:
    """The class with the fewest rows, or the first in sorted order if several are equally small.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.

    Returns
    -------
    label

    Examples
    --------
    >>> from rarewood.metrics import rarest_label
    >>> rarest_label(["ok", "fault", "ok"])
    'fault'
    """
    labels = read_labels(y)
    if len(labels) == 0:
        raise ValueError("there is no rarest label: y is empty.")
    classes, sizes = np.unique(labels, return_counts=True)
    label = classes[rarest_class(sizes)]
    return label.item() if isinstance(label, np.generic) else label


def column_of(positive: Any, classes: NDArray[Any]) -> int:
    """The number of the class with the label that a user calls positive."""
    known: list[Any] = classes.tolist()
    if np.ndim(positive) > 0 or positive not in known:
        raise ValueError(f"positive={positive!r} is not among the classes, which are {known}.")
    return known.index(positive)


def check_sample_weight(sample_weight: Any, n_rows: int) -> Weights:
    """Weights as float64 (n_rows,), or None when every row counts once. A row of weight zero counts as absent."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_rows, sample_weight, dtype=np.float64)
    weights = read_numbers(sample_weight, "sample_weight")
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}: one weight for each row of X.")
    if weights.min() < 0:
        raise ValueError(
            f"Negative values in sample_weight, the smallest is {weights.min()!s}; weights must be at least 0."
        )
    if weights.max() == 0:
        raise ValueError("All values of sample_weight are zero: no row is left to learn from.")
    _check_sums(float(weights.max()), n_rows, "sample_weight")
    return None if bool(np.all(weights == 1.0)) else weights


def training_weights(sample_weight: Any, n_rows: int) -> Weights:
    """Weights to learn from, as `check_sample_weight` reads them: whole numbers count rows, any others are shares.

    What is learned knows counts: smoothing and penalties are so many rows. Shares have no unit, so they are scaled to a mean of 1
    over the rows that weigh anything; a constant factor on all of them changes nothing.
    """
    weights = check_sample_weight(sample_weight, n_rows)
    if weights is None or (bool(np.all(weights == np.floor(weights))) and weights.max() <= _LARGEST_COUNT):
        return weights
    largest = weights.max()
    shares = weights / largest  # first, because sums of tiny weights lose digits
    scaled = np.asarray(shares / shares[shares > 0].mean())
    return None if bool(np.all(np.abs(scaled - 1.0) <= _ROUNDING)) else scaled


def resolve_class_weight(class_weight: object, labels: Labels, sample_weight: Weights) -> Weights:
    """One factor per class, or None when all are 1.

    "balanced" divides the total weight by the number of classes times the weight of the class, so every class weighs the
    same; sample weights enter, so an integer weight does what repeating the row would do.
    """
    if class_weight is None:
        return None
    totals = np.bincount(labels.codes, weights=sample_weight, minlength=labels.n_classes)
    return class_weights_of(class_weight, labels.classes, totals)


def class_weights_of(class_weight: object, classes: NDArray[Any], totals: NDArray[Any]) -> Weights:
    """The same from the total weight of each class."""
    if class_weight is None:
        return None
    if isinstance(class_weight, str) and class_weight == "balanced":
        return _balanced_weights(totals)
    if isinstance(class_weight, Mapping):
        return _given_weights(class_weight, classes, totals)
    error = ValueError if isinstance(class_weight, str) else TypeError
    raise error(
        f"class_weight={class_weight!r} is not accepted; give None, 'balanced' or a dictionary from labels to weights."
    )


def _balanced_weights(totals: NDArray[Any]) -> NDArray[np.float64]:
    present = totals > 0
    factors = np.zeros(len(totals))
    factors[present] = totals.sum() / (present.sum() * totals[present])
    return factors


def _given_weights(class_weight: Mapping[Any, Any], classes: NDArray[Any], totals: NDArray[Any]) -> NDArray[np.float64]:
    known = {label: number for number, label in enumerate(classes.tolist())}
    factors = np.ones(len(totals))
    for label, weight in class_weight.items():
        if label not in known:
            raise ValueError(
                f"class_weight names the class {label!r}, which is not in y; the classes are {list(known)}."
            )
        factors[known[label]] = _class_factor(label, weight)
    if not np.any((factors > 0) & (totals > 0)):
        raise ValueError(f"class_weight={class_weight!r} leaves no row with a weight above zero.")
    _check_sums(float(factors.max()), float(totals.sum()), "class_weight")
    return factors


def _check_sums(largest: float, n_rows: float, name: str) -> None:
    """Sums of weights must not overflow, however often a tree draws the heaviest row."""
    if not largest * n_rows <= 1e306:
        raise ValueError(
            f"{name} has values as large as {largest:.3g}, whose sums overflow; divide all values by the largest."
        )


def _class_factor(label: object, weight: Any) -> float:
    try:
        factor = float(weight)
    except (TypeError, ValueError) as error:
        raise TypeError(f"class_weight[{label!r}]={weight!r} is not a number.") from error
    if not (np.isfinite(factor) and factor >= 0):
        raise ValueError(f"class_weight[{label!r}]={weight!r} must be finite and at least 0.")
    return factor
