"""The classes of a table: which is to be found, and what is odd about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._table_files.labels import bare_label, classes_by_text, labels_alike
from rarewood._tables.notes import Note, NoteCode
from rarewood._validation import rarest_label
from rarewood.cli._errors import CommandError, ExitCode

FEWEST = 5  # rows of the class to be found, unless it is named
_FEW = 10
_MOST_NOTES = 3


def find_label(positive: str | None, labels: NDArray[Any], where: str) -> Any:
    """The label that is written so; if none is named, the rarest that has enough rows to be learned from and tested on."""
    if positive is None:
        found, counts = np.unique(labels, return_counts=True)
        enough = found[counts >= FEWEST]
        return rarest_label(labels[np.isin(labels, enough)] if len(enough) > 1 else labels)
    classes = np.unique(labels).tolist()
    known = classes_by_text(classes)
    if positive not in known:
        listed = ", ".join(map(str, classes[:10]))
        raise CommandError(
            ExitCode.DATA, f"{where}: no row has the label {positive!r} (--positive); the labels are {listed}"
        )
    return known[positive]


def is_positive(labels: NDArray[Any], classes: Sequence[Any], positive: Any) -> NDArray[np.bool_]:
    """Which labels of a file are the class to be found of a model with these classes; labels that it does not know are not."""
    known = classes_by_text(classes)
    found, places = np.unique(labels, return_inverse=True)
    return np.array([known.get(str(label)) == positive for label in found.tolist()], dtype=bool)[places]


def spelled_as(labels: NDArray[Any], spelling: Sequence[str]) -> NDArray[Any]:
    """Labels that differ from one of these only by case or spaces, written as that one."""
    known = {bare_label(label): label for label in spelling}
    found, places = np.unique(labels.astype(str), return_inverse=True)
    return np.array([known.get(bare_label(label), label) for label in found.tolist()])[places]


def frequent_spelling(labels: NDArray[Any]) -> tuple[str, ...]:
    """One label of those that differ only by case or spaces, the most frequent."""
    found, counts = np.unique(labels.astype(str), return_counts=True)
    often = [str(label) for label in found[np.argsort(counts, kind="stable")]]
    return tuple({bare_label(label): label for label in often}.values())


def notes_on_labels(labels: NDArray[Any], target: str, positive: Any) -> Iterator[Note]:
    """Labels that are probably one, and classes of few rows."""
    found, counts = np.unique(labels, return_counts=True)
    for same in labels_alike(found):
        yield Note(
            NoteCode.ALIKE,
            f"the labels {', '.join(map(repr, same))} of {target!r} differ only by case or spaces and count as different classes; "
            "if they mean the same, use --merge-labels",
        )
    few = {str(label): int(count) for label, count in zip(found.tolist(), counts.tolist()) if count < _FEW}
    if len(few) > _MOST_NOTES:
        listed = ", ".join(map(repr, list(few)[:3]))
        yield Note(
            NoteCode.FEW_ROWS, f"{len(few)} of {len(found)} classes have fewer than {_FEW} rows, such as {listed}"
        )
        few = {label: count for label, count in few.items() if label == str(positive)}
    for label, count in few.items():
        what = "is the class to find" if label == str(positive) else "is not the class to find"
        yield Note(
            NoteCode.FEW_ROWS,
            f"class {label!r} has {count} rows and {what}: its scores are rough, a single row moves its recall by "
            f"{100 / count:.0f} points",
        )
    if positive != rarest_label(labels):
        yield Note(
            NoteCode.NOT_RAREST,
            f"the class to find is {str(positive)!r}, which is not the rarest; use --positive to choose another",
        )
