"""What a forest that is fitted on with warm_start=True has to share with the fit before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rarewood._warnings import warn
from rarewood.tree.base import TrainingData
from rarewood.tree.monotone import Signs, read_signs

if TYPE_CHECKING:
    from rarewood.ensemble._rare import RareClassifier
    from rarewood.ensemble.base import BaseForest


def check_continues(earlier: BaseForest, data: TrainingData) -> None:
    """Raise unless trees grown on `data` fit into the forest of an earlier fit: the same classes, columns, categories."""
    if not np.array_equal(earlier.classes_, data.labels.classes):
        raise ValueError(
            f"warm_start=True continues a forest for the classes {list(earlier.classes_)}, but y has "
            f"{list(data.labels.classes)}."
        )
    was_together, together = getattr(earlier, "oob_groups_", None), data.groups
    if hasattr(earlier, "n_groups_") != (together is not None and together.n_repeated is None) or (
        was_together is not None and together is not None and not np.array_equal(was_together, together.numbers)
    ):
        raise ValueError(
            "warm_start=True continues a forest whose trees left out other groups of rows; give the same groups as before."
        )
    signs = read_signs(earlier.monotonic_cst, data.columns, data.labels.n_classes)  # as the parameter says now
    was_under: Signs | None = getattr(earlier, "monotonic_cst_", None)
    free = np.zeros(len(data.columns), dtype=np.int8)
    if not np.array_equal(free if was_under is None else was_under, free if signs is None else signs):
        raise ValueError(
            "warm_start=True continues a forest whose trees obey other monotone constraints; give the same monotonic_cst as before."
        )
    was, now = _as_lists(earlier.categories_), _as_lists(data.columns.categories)
    if len(was) != len(now):
        raise ValueError(f"warm_start=True continues a forest for {len(was)} columns, but X has {len(now)}.")
    changed = [column for column in range(len(now)) if was[column] != now[column]]
    if changed:
        raise ValueError(
            f"warm_start=True continues a forest, but the columns {changed} of X have different categories than before."
        )


def check_prior_stays(earlier: RareClassifier, class_prior: NDArray[np.float64]) -> None:
    """Raise where the leaves of an earlier fit, which obey constraints, would be smoothed towards other shares than they were made for."""
    if getattr(earlier, "monotonic_cst_", None) is not None and not np.array_equal(earlier.class_prior_, class_prior):
        raise ValueError(
            "warm_start=True continues a forest under monotone constraints, which hold for the shares of the classes in its training rows; "
            "give the same rows as before."
        )


def check_adds_trees(n_estimators: int, n_grown: int) -> int:
    """How many trees are missing; raises if there are too many, warns if it is none."""
    missing = n_estimators - n_grown
    if missing < 0:
        raise ValueError(
            f"warm_start=True can only add trees: n_estimators={n_estimators}, but {n_grown} are grown already."
        )
    if missing == 0:
        warn(
            "warm_start=True but n_estimators is unchanged: no tree was added. Raise n_estimators to add trees.",
        )
    return missing


def _as_lists(categories: list[NDArray[Any] | None]) -> list[list[Any] | None]:
    """Categories per column in a form that can be compared."""
    return [None if levels is None else levels.tolist() for levels in categories]
