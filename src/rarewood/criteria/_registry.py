"""Criteria by name, and what can be done with any of them."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarewood._core import MOST_ENUMERATED_CLASSES
from rarewood._core import score as score_table
from rarewood._validation import did_you_mean, unmasked
from rarewood._warnings import warn
from rarewood.criteria._alpha import AlphaDivergence
from rarewood.criteria._base import Criterion
from rarewood.criteria._c45 import C45
from rarewood.criteria._ccp_entropy import CCPEntropy
from rarewood.criteria._ccp_gini import CCPGini
from rarewood.criteria._dcsm import DCSM
from rarewood.criteria._dkm import DKM
from rarewood.criteria._entropy import Entropy
from rarewood.criteria._gain_ratio import GainRatio
from rarewood.criteria._gini import Gini
from rarewood.criteria._hellinger import Hellinger
from rarewood.criteria._hellinger_ova import HellingerOVA
from rarewood.criteria._ihd import IHD
from rarewood.criteria._ihdw import IHDw

ScoreFunction: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64]], Any]

_CLASSES: tuple[type[Criterion], ...] = (
    Gini,
    Entropy,
    GainRatio,
    C45,
    DKM,
    Hellinger,
    HellingerOVA,
    AlphaDivergence,
    IHD,
    IHDw,
    DCSM,
    CCPEntropy,
    CCPGini,
)
REGISTRY = MappingProxyType({cls.name: cls for cls in _CLASSES})


def names() -> list[str]:
    """The names that ``criterion=`` accepts.

    Examples
    --------
    >>> from rarewood import criteria
    >>> criteria.names()[:3]
    ['gini', 'entropy', 'gain_ratio']
    """
    return list(REGISTRY)


def get(criterion: str | Criterion | ScoreFunction) -> Criterion | ScoreFunction:
    """Look up a criterion by name; objects and functions are returned unchanged.

    Parameters
    ----------
    criterion : str, Criterion or callable
        A name from :func:`names`, which gives the criterion with its default parameters; objects and functions are
        returned as they are.

    Returns
    -------
    Criterion or callable

    Examples
    --------
    >>> from rarewood import criteria
    >>> criteria.get("alpha")
    AlphaDivergence(alpha=0.5, reference='marginal')
    >>> criteria.get("helinger")
    Traceback (most recent call last):
        ...
    ValueError: unknown criterion 'helinger', did you mean 'hellinger'? Choose from gini, entropy, ...
    """
    if isinstance(criterion, Criterion):
        return criterion
    if isinstance(criterion, str):
        if criterion not in REGISTRY:
            raise ValueError(_unknown(criterion))
        return REGISTRY[criterion]()
    if isinstance(criterion, type) and issubclass(criterion, Criterion):
        raise TypeError(
            f"criterion must be an object, got the class {criterion.__name__}; write {criterion.__name__}()."
        )
    if callable(criterion):
        return criterion
    raise TypeError(
        f"criterion must be a name, a criterion object or a function score(left, right), got {criterion!r}; "
        f"names are {', '.join(REGISTRY)}."
    )


def check(criterion: str | Criterion | ScoreFunction, n_classes: int) -> None:
    """Raise an error if a criterion is not defined for this number of classes.

    Parameters
    ----------
    criterion : str, Criterion or callable
        A name from :func:`names`, a criterion object, or a function ``score(left, right)``.
    n_classes : int
        Number of classes of the problem.

    Raises
    ------
    ValueError
        If the criterion is unknown, or not defined for this many classes.
    """
    chosen = get(criterion)
    limit = chosen.max_classes if isinstance(chosen, Criterion) else None
    if limit is not None and n_classes > limit:
        raise ValueError(
            f"{chosen!r} is defined for at most {limit} classes, got {n_classes}; 'hellinger' and 'ihd' accept any number."
        )


def score(criterion: str | Criterion | ScoreFunction, counts: ArrayLike) -> float:
    """Score one split; larger is better.

    Parameters
    ----------
    criterion : str, Criterion or callable
        A name, a criterion object, or a function ``score(left, right)`` that gets the class counts of the two children
        of each candidate as arrays of shape (candidates, classes) and returns one number per candidate.
    counts : array-like of shape (n_children, n_classes)
        How many rows of each class go to each child; weighted counts may be fractional. With a function there must be
        two children.

    Returns
    -------
    float
        0 where fewer than two classes are present (except for DCSM, whose formula is not relative to the parent).

    Examples
    --------
    >>> from rarewood import criteria
    >>> counts = [[90, 1], [10, 9]]
    >>> round(criteria.score("hellinger", counts), 4)
    0.8944
    >>> round(criteria.score(criteria.AlphaDivergence(alpha=0.8), counts), 4)
    0.1337

    A custom criterion: how few rows of the second class are lost in children where the first has the majority.

    >>> def fewest_missed(left, right):
    ...     missed = (left[:, 0] > left[:, 1]) * left[:, 1] + (right[:, 0] > right[:, 1]) * right[:, 1]
    ...     return -missed
    >>> criteria.score(fewest_missed, [[90, 1], [1, 9]])
    -1.0
    """
    table = _as_table(counts)
    chosen = get(criterion)
    check(chosen, table.shape[1])
    if isinstance(chosen, Hellinger):
        _warn_if_too_many_classes(table)
    return score_table(chosen._spec() if isinstance(chosen, Criterion) else chosen, table)


def _warn_if_too_many_classes(table: NDArray[np.float64]) -> None:
    n_classes, most = np.count_nonzero(table.sum(axis=0)), MOST_ENUMERATED_CLASSES
    if len(table) > 2 and n_classes > most:
        warn(
            f"the Hellinger distance over {len(table)} children tries all bipartitions of at most {most} classes; "
            f"with {n_classes} classes present, it sets one class against the rest, like 'hellinger_ova'.",
        )


def _unknown(name: str) -> str:
    return f"unknown criterion {name!r}{did_you_mean(name, REGISTRY)} Choose from {', '.join(REGISTRY)}."


def _as_table(counts: ArrayLike) -> NDArray[np.float64]:
    """The counts as the core takes them: float64 (children, classes), C order."""
    try:
        table = np.asarray(unmasked(counts))
        if table.dtype.kind == "O":
            table = table.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"counts must be a table of numbers, one row per child and one column per class: {error}"
        ) from error
    if table.dtype.kind not in "biuf":
        raise ValueError(f"counts must be numbers, got dtype {table.dtype}.")
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"counts must have shape (children, classes), at least one of each, got shape {table.shape}.")
    wrong = ~((table >= 0) & np.isfinite(table))
    if wrong.any():
        child, cls = np.argwhere(wrong)[0]
        raise ValueError(
            f"counts must be finite and not negative, got {table[child, cls]} for class {cls} in child {child}."
        )
    return np.ascontiguousarray(table, dtype=np.float64)
