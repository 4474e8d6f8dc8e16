"""Labels from the cells of a file."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.cells import MISSING


def as_labels(values: Any, label: str, where: str) -> NDArray[Any]:
    """The labels as an array: whole numbers where all are, text otherwise; a missing one is an error."""
    labels = np.asarray(values)
    unlabelled = [row for row, value in enumerate(labels.tolist()) if is_unlabelled(value)]
    if unlabelled:
        raise ValueError(f"{where}: row {unlabelled[0] + 1} has no label in column {label!r}; leave such rows out.")
    if labels.dtype.kind in "OU":
        labels = labels.astype(str)
    try:
        whole = labels.astype(np.int64)
    except ValueError:
        return labels
    same = whole.astype(str) == labels if labels.dtype.kind == "U" else whole == labels
    return whole if np.all(same) else labels


def is_unlabelled(value: Any) -> bool:
    """Whether a cell of a target says nothing."""
    return value is None or value != value or value in MISSING


def labels_alike(labels: NDArray[Any]) -> list[list[str]]:
    """Different labels that differ only by case or spaces, side by side."""
    written: dict[str, list[str]] = defaultdict(list)
    for label in map(str, labels.tolist()):
        written[bare_label(label)].append(label)
    return [same for same in written.values() if len(same) > 1]


def bare_label(label: str) -> str:
    """Without case and spaces."""
    return "".join(label.split()).casefold()
