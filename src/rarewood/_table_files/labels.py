"""Labels from the cells of a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.cells import MISSING
from rarewood._tables.notes import Note, NoteCode
from rarewood._tables.row_numbers import row_in_file

_LONGEST = 500


def as_labels(values: Any, label: str, where: str) -> NDArray[Any]:
    """The labels as an array: whole numbers or truth values where all are, text otherwise; a missing one is an error."""
    labels = np.asarray(values)
    unlabelled = [row for row, value in enumerate(labels.tolist()) if is_unlabelled(value)]
    if unlabelled:
        raise ValueError(
            f"{where}: row {row_in_file(unlabelled[0])} has no label in column {label!r}; leave such rows out."
        )
    if labels.dtype == bool:
        return labels
    if labels.dtype.kind in "OU":
        labels = labels.astype(str)
        if {text.lower() for text in labels.tolist()} <= {"false", "true"} and len(labels):
            return np.array([text.lower() == "true" for text in labels.tolist()])
    try:
        whole = labels.astype(np.int64)
    except ValueError:
        return labels
    same = whole.astype(str) == labels if labels.dtype.kind == "U" else whole == labels
    return whole if np.all(same) else labels


def classes_by_text(classes: Iterable[Any]) -> dict[str, Any]:
    """Classes by how files may write them: truth values in any case, or as 0 and 1."""
    known = {str(label): label for label in classes}
    if not {text.lower() for text in known} <= {"false", "true", "0", "1"}:
        return known
    other = {"false": "0", "true": "1", "0": "false", "1": "true"}
    for text, label in list(known.items()):
        for word in (text.lower(), other[text.lower()]):
            for written in (word, word.capitalize(), word.upper()):
                known.setdefault(written, label)
    return known


def is_unlabelled(value: Any) -> bool:
    """Whether a cell of a target says nothing."""
    try:
        return value is None or bool(value != value) or value in MISSING
    except (TypeError, ValueError):  # a list or an array says something, though no label
        return False


def factor_labels(cells: Sequence[Any], target: str, where: str) -> tuple[list[Any], NDArray[np.int32]]:
    """Distinct labels, and which of them each row has; -1 for none."""
    if set(map(type, cells)) == {str}:
        found = _factor_of_texts(cells)
        long = next((code for code, label in enumerate(found[0]) if len(label) > _LONGEST), None)
        if long is not None:  # an array of labels has room for the longest one in every row
            row = row_in_file(int(np.argmax(found[1] == long)))
            raise ValueError(
                f"{where}: row {row} of the target {target!r} has {found[0][long][:20]!r} and so on, {len(found[0][long]):,} characters, "
                f"which is no label; a label is a word or a number of at most {_LONGEST} characters"
            )
        return found
    places: dict[Any, int] = {}
    codes = np.empty(len(cells), dtype=np.int32)
    try:
        for row, cell in enumerate(cells):
            label = cell.strip() if isinstance(cell, str) else cell
            if isinstance(label, bytes):
                raise TypeError
            codes[row] = -1 if is_unlabelled(label) else places.setdefault((type(label), label), len(places))
    except (TypeError, ValueError):  # a list or an array
        raise ValueError(
            f"{where}: row {row_in_file(row)} of the target {target!r} has {cell!r:.60}, which is no label; a label is a word or a number"
        ) from None
    return [label for _, label in places], codes


def _factor_of_texts(cells: Sequence[str]) -> tuple[list[Any], NDArray[np.int32]]:
    """Each different text is looked at once."""
    places: dict[str, int] = {}
    code_of = {
        cell: -1 if is_unlabelled(cell.strip()) else places.setdefault(cell.strip(), len(places))
        for cell in dict.fromkeys(cells)
    }
    return list(places), np.fromiter(map(code_of.__getitem__, cells), dtype=np.int32, count=len(cells))


def notes_on_unlabelled(labelled: NDArray[np.bool_], target: str, told: Iterable[Note] = ()) -> Iterator[Note]:
    """That rows without a label are left out, but for a total at the end that is `told` of already."""
    n_totals = sum(note.code is NoteCode.FOOTER for note in told)
    n_without = int(np.count_nonzero(~labelled)) - n_totals
    if n_without:
        has = "has no label in column {} and is" if n_without == 1 else "have no label in column {} and are"
        yield Note(
            NoteCode.UNLABELLED,
            f"{n_without:,} of {len(labelled) - n_totals:,} rows {has.format(repr(target))} left out",
        )


def labels_alike(labels: NDArray[Any]) -> list[list[str]]:
    """Different labels that differ only by case or spaces, side by side."""
    written: dict[str, list[str]] = defaultdict(list)
    for label in map(str, labels.tolist()):
        written[bare_label(label)].append(label)
    return [same for same in written.values() if len(same) > 1]


def bare_label(label: str) -> str:
    """Without case and spaces."""
    return "".join(label.split()).casefold()
