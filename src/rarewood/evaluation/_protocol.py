"""How a data set is divided: the protocols of the papers, or any splitter of scikit-learn."""

from __future__ import annotations

import copy
import re
import warnings
import zlib
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold

from rarewood.evaluation._data import GivenData
from rarewood.exceptions import RarewoodWarning

Fold: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]  # rows to train on, rows to test on

_REPEATED = re.compile(r"(\d+)x(\d+)(?:x(\d+))?")
_ONCE = re.compile(r"(\d+)-?fold")


@dataclass(frozen=True)
class Protocol:
    """A splitter of scikit-learn, and how often each learner is trained on the same fold with another seed."""

    name: str
    splitter: Any
    n_learner_repeats: int = 1

    def folds(self, table: GivenData) -> list[Fold]:
        """The folds of a data set, the same for every method."""
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                folds = [
                    (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
                    for train, test in self.splitter.split(table.X, table.y, table.groups)
                ]
        except ValueError as error:
            raise ValueError(f"data set {table.name!r} cannot be divided by {self.name}: {error}") from error
        if not folds or any(len(part) == 0 for fold in folds for part in fold):
            raise ValueError(f"{self.name} leaves a fold of data set {table.name!r} empty.")
        if any("least populated class" in str(item.message) for item in caught):
            _warn_of_small_classes(table, self.name)
        return folds


def resolve_protocol(protocol: Any, random_state: int) -> Protocol:
    """The protocol that a word stands for, or a splitter as one; what is left to chance follows `random_state`."""
    if isinstance(protocol, str):
        repeats, folds, learner_repeats = _read_word(protocol)
        splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=random_state)
        return Protocol(protocol, splitter, learner_repeats)
    if not callable(getattr(protocol, "split", None)) or isinstance(protocol, type):
        raise TypeError(
            f"protocol={protocol!r} is not accepted; give a word such as '5x2', '10x10' or '10fold', or a splitter of "
            "scikit-learn such as StratifiedKFold(5)."
        )
    splitter = copy.deepcopy(protocol)
    if getattr(splitter, "random_state", 0) is None:
        splitter.random_state = random_state
    return Protocol(" ".join(repr(splitter).split()), splitter)


def _read_word(word: str) -> tuple[int, int, int]:
    """Repeats, folds and repeats of the learner."""
    if match := _REPEATED.fullmatch(word):
        repeats, folds, learner_repeats = int(match[1]), int(match[2]), int(match[3] or 1)
    elif match := _ONCE.fullmatch(word):
        repeats, folds, learner_repeats = 1, int(match[1]), 1
    else:
        raise ValueError(
            f"protocol={word!r} is not accepted; give repeats x folds as in '5x2', '10x10' or '50x2', repeats x folds x repeats "
            "of the learner as in '10x10x20', a single division as in '10fold', or a splitter of scikit-learn."
        )
    if repeats < 1 or folds < 2 or learner_repeats < 1:
        raise ValueError(f"protocol={word!r} is not accepted; it needs at least 1 repeat and 2 folds.")
    return repeats, folds, learner_repeats


def _warn_of_small_classes(table: GivenData, protocol: str) -> None:
    sizes = {label: int((table.y == label).sum()) for label in table.classes.tolist()}
    smallest = min(sizes, key=lambda label: sizes[label])
    warnings.warn(
        f"data set {table.name!r}: class {smallest!r} has {sizes[smallest]} rows, fewer than {protocol} has folds; scores of "
        "folds that lack a class are skipped and counted where they are not defined.",
        RarewoodWarning,
        stacklevel=4,
    )


def learner_seed(random_state: int, dataset: str, fold: int, repeat: int) -> int:
    """The seed of every method on a fold."""
    entropy = (random_state, zlib.crc32(dataset.encode()), fold, repeat)
    return int(np.random.SeedSequence(entropy).generate_state(1)[0]) % 2**31
