"""Labels of least expected cost: what a false alarm and a miss cost, or a matrix of costs, for all rows or for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from rarewood._validation import unmasked

Floats = NDArray[np.float64]

_ACCEPTED = (
    "give a pair, the cost of a false alarm and the cost of a miss, each a number or an array with one value per row, or words such as "
    "'1:20'; or a matrix of what each class costs if it is called another: a list of lists, or an array, with a row per true class and a "
    "column per label, or one such matrix per row"
)


def labels_by_costs(
    probabilities: Floats, classes: NDArray[Any], column: int, costs: Any, table: Any = None
) -> NDArray[Any]:
    """Labels of least expected cost.

    `costs` is a pair, the cost of a false alarm and of a miss of the class in `column`, each a number or one per row: where a miss is
    expected to cost at least as much as a false alarm, the class is called, elsewhere the most probable of the others. Words, "1:20" or
    "5:amount", say the same with numbers or columns of the `table`. Or it is a matrix of classes x labels, or one per row; of labels that
    are expected to cost the same, the first.
    """
    matrices = as_matrices(costs, len(probabilities), len(classes))
    if matrices is not None:
        expected = np.einsum("ni,nij->nj", probabilities, matrices)
        return np.asarray(classes[expected.argmin(axis=1)])
    pair = pair_in_words(costs, table) if isinstance(costs, str) else costs
    alarm, miss = check_pair(pair, len(probabilities))
    others = probabilities.copy()
    others[:, column] = -np.inf
    return np.asarray(classes[np.where(pays(probabilities[:, column], alarm, miss), column, others.argmax(axis=1))])


def pays(probability: Floats, alarm: Floats | float, miss: Floats | float) -> NDArray[np.bool_]:
    """Where a miss is expected to cost at least as much as a false alarm."""
    return np.asarray(probability * miss >= (1.0 - probability) * alarm)


def as_matrices(costs: Any, n_rows: int, n_classes: int) -> Floats | None:
    """One matrix per row, or the one of all rows; None if `costs` are not given so."""
    nested = isinstance(costs, list) and bool(costs) and all(isinstance(each, (list, tuple)) for each in costs)
    if not nested and not (isinstance(costs, np.ndarray) and costs.ndim > 1):
        return None
    try:
        matrices = np.asarray(unmasked(costs), dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"costs are a list of lists that is no matrix of numbers; {_ACCEPTED}.") from None
    if matrices.shape not in ((n_classes, n_classes), (n_rows, n_classes, n_classes)):
        raise ValueError(
            f"costs have shape {matrices.shape}, expected ({n_classes}, {n_classes}), a row per true class and a column per label in the "
            f"order of classes_, or ({n_rows}, {n_classes}, {n_classes}), one such matrix per row."
        )
    if not np.isfinite(matrices).all():
        raise ValueError(
            "costs have values that are missing or not finite; give finite numbers. A gain is a negative cost."
        )
    return np.broadcast_to(matrices, (n_rows, n_classes, n_classes))


def pair_in_words(costs: str, table: Any) -> tuple[Any, Any]:
    """``"1:20"`` or ``"5:amount"``: two numbers, or names of columns of the table."""
    alarm, colon, miss = (part.strip() for part in costs.partition(":"))
    if not (alarm and colon and miss):
        raise ValueError(f"costs={costs!r} is not understood; {_ACCEPTED}.")
    return _number_or_column(alarm, table), _number_or_column(miss, table)


def _number_or_column(word: str, table: Any) -> Any:
    try:
        return float(word)
    except ValueError:
        pass
    try:
        return np.asarray(table[word], dtype=np.float64)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        raise ValueError(
            f"costs name {word!r}, which is neither a number nor a column of numbers of X; give the costs of the rows as an array."
        ) from None


def check_pair(costs: Any, n_rows: int) -> list[Floats]:
    """The cost of a false alarm and of a miss, of each row."""
    if not isinstance(costs, (tuple, list)) or len(costs) != 2:
        raise ValueError(f"costs={costs!r:.100} is not accepted; {_ACCEPTED}.")
    read = []
    for cost, name in zip(costs, ("a false alarm", "a miss"), strict=True):
        values = (
            check_array(
                unmasked(cost), ensure_2d=False, dtype=np.float64, input_name=f"cost of {name}", ensure_min_samples=0
            )
            if np.ndim(cost)
            else np.full(n_rows, float(cost))
        )
        if values.shape != (n_rows,):
            raise ValueError(
                f"the cost of {name} has shape {values.shape}, expected ({n_rows},): give one value per row, or a "
                "single number."
            )
        if not np.isfinite(values).all() or values.min(initial=0.0) < 0.0:
            raise ValueError(
                f"the cost of {name} has values that are negative or not finite; give finite numbers of at least 0."
            )
        read.append(values)
    return read
