"""Protocols divide a data set into folds: those of the papers, or any splitter of scikit-learn."""

from __future__ import annotations

import copy
import re
import warnings
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold

from rarewood._tables.found_groups import together_of
from rarewood._tables.groups import folds_of
from rarewood._warnings import warn
from rarewood.evaluation._data import LabelledData
from rarewood.evaluation.divisions import Division, Fold

_REPEATED = re.compile(r"(\d+)x(\d+)(?:x(\d+))?")
_ONCE = re.compile(r"(\d+)-?fold")


Splits = Callable[[LabelledData], Iterable[Fold]]


@dataclass(frozen=True)
class Protocol:
    """The way to divide a data set, and the number of seeds that each learner is trained with on each fold."""

    name: str
    splits: Splits
    n_learner_repeats: int = 1

    def folds(self, table: LabelledData) -> list[Fold]:
        """The folds of a data set, the same for every method."""
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                folds = [
                    (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
                    for train, test in self.splits(table)
                ]
        except ValueError as error:
            raise ValueError(f"data set {table.name!r} cannot be split by {self.name}: {error}") from error
        if not folds or any(len(part) == 0 for fold in folds for part in fold):
            raise ValueError(f"{self.name} leaves a fold of data set {table.name!r} empty.")
        if table.division is not None:
            _check_rare_rows(table, folds, self.name)
        elif any("least populated class" in str(item.message) for item in caught):
            _warn_of_small_classes(table, self.name)
        return folds


def resolve_protocol(
    protocol: Any, random_state: int, division: Division | None = None, *, divides_copies: bool = False
) -> Protocol:
    """The protocol that a word stands for, or a splitter as one; what is left to chance follows `random_state`.

    `division` is that of any of the data sets: all have one, by the same columns, or none has. Unless a word `divides_copies`, rows
    that are copies of others stay in one fold; splitters of scikit-learn divide rows as they do.
    """
    by_time = division is not None and division.time is not None
    if protocol is None:
        protocol = "5fold" if by_time else "5x2"
    if isinstance(protocol, str):
        repeats, folds, learner_repeats = _read_word(protocol)
        if by_time and repeats > 1:
            raise ValueError(
                f"protocol={protocol!r} is not accepted with time: time has only one order, so there are no repeats; "
                "give '5fold' to test five periods, each after training on all earlier ones."
            )
        splits = _splits_of_words(repeats, folds, random_state, division, divides_copies)
        return Protocol(f"{protocol}{_in_words(division)}", splits, learner_repeats)
    if not callable(getattr(protocol, "split", None)) or isinstance(protocol, type):
        raise TypeError(
            f"protocol={protocol!r} is not accepted; give a word such as '5x2', '10x10' or '10fold', or a "
            "scikit-learn splitter such as StratifiedKFold(5)."
        )
    if by_time:
        raise ValueError(
            "with time, protocol should be a word such as '5fold': scikit-learn splitters do not use the time column."
        )
    splitter = copy.deepcopy(protocol)
    if getattr(splitter, "random_state", 0) is None:
        splitter.random_state = random_state
    name = " ".join(repr(splitter).split())
    return Protocol(name, lambda table: splitter.split(table.X, table.y, table.groups))


def _splits_of_words(
    repeats: int, folds: int, random_state: int, division: Division | None, divides_copies: bool
) -> Splits:
    if division is None:
        splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=random_state)
        return lambda table: folds_of(splitter, table.y, None if divides_copies else _together(table))
    if division.time is not None:
        return lambda table: _division(table).periods(folds)
    return lambda table: _division(table).group_folds(table.y, repeats, folds, random_state)


def _together(table: LabelledData) -> NDArray[np.intp] | None:
    found = together_of(table.X, table.y)
    return None if found is None else found[0].numbers.astype(np.intp)


def _division(table: LabelledData) -> Division:
    if table.division is None:
        raise ValueError("it has no such column.")
    return table.division


def _in_words(division: Division | None) -> str:
    return "" if division is None else f", {division.in_words()}"


def _read_word(word: str) -> tuple[int, int, int]:
    """Repeats, folds and repeats of the learner."""
    if match := _REPEATED.fullmatch(word):
        repeats, folds, learner_repeats = int(match[1]), int(match[2]), int(match[3] or 1)
    elif match := _ONCE.fullmatch(word):
        repeats, folds, learner_repeats = 1, int(match[1]), 1
    else:
        raise ValueError(
            f"protocol={word!r} is not accepted; give repeats x folds such as '5x2', '10x10' or '50x2', repeats x "
            "folds x repeats of the learner such as '10x10x20', a single division such as '10fold', or a "
            "scikit-learn splitter."
        )
    if repeats < 1 or folds < 2 or learner_repeats < 1:
        raise ValueError(f"protocol={word!r} is not accepted; it needs at least 1 repeat and 2 folds.")
    return repeats, folds, learner_repeats


def _warn_of_small_classes(table: LabelledData, protocol: str) -> None:
    sizes = {label: int((table.y == label).sum()) for label in table.classes.tolist()}
    smallest = min(sizes, key=lambda label: sizes[label])
    warn(
        f"data set {table.name!r}: class {smallest!r} has {sizes[smallest]} rows, fewer than the folds of {protocol}; "
        "where a fold lacks a class, undefined scores are skipped and counted.",
    )


def _check_rare_rows(table: LabelledData, folds: Sequence[Fold], protocol: str) -> None:
    """Periods and groups are as they are: without rare rows to learn from nothing can be compared, without any to find little."""
    is_rare = table.y == table.rare
    for number, (train, _) in enumerate(folds, start=1):
        if not is_rare[train].any() or is_rare[train].all():
            which = "no row" if not is_rare[train].any() else "only rows"
            raise ValueError(
                f"data set {table.name!r}, {protocol}: fold {number} has {which} of the rare class {table.rare!r} to "
                "train on; use fewer folds."
            )
    without = sum(not is_rare[test].any() for _, test in folds)
    if without:
        warn(
            f"data set {table.name!r}, {protocol}: {without} of {len(folds)} folds have no rows of the rare class "
            f"{table.rare!r} to test on; undefined scores are skipped and counted.",
        )


def learner_seed(random_state: int, dataset: str, fold: int, repeat: int) -> int:
    """The seed of every method on a fold."""
    entropy = (random_state, zlib.crc32(dataset.encode()), fold, repeat)
    return int(np.random.SeedSequence(entropy).generate_state(1)[0]) % 2**31
