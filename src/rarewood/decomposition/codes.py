"""Code books: which classes each binary problem sets against which others.

A code book is an int8 array (classes, bits). In the problem of a bit, classes of code 1 stand against classes of code 0; classes
of code -1 take no part. Every column has both a 1 and a 0, and none repeats another or its complement: that would be the same
problem again. Rows differ, or no decoding could tell their classes apart.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._validation import unmasked

CodeBook = NDArray[np.int8]

LEFT_OUT = -1
MOST_EXHAUSTIVE_CLASSES = 11  # 1023 columns

_MOST_CANDIDATES = 100
_MOST_TRIES = 10_000
_MOST_ENUMERATED = 7  # classes: 966 columns, those that leave classes out included


def one_vs_all_code(n_classes: int) -> CodeBook:
    """Column j sets class j against all others."""
    return np.eye(n_classes, dtype=np.int8)


def exhaustive_code(n_classes: int) -> CodeBook:
    """Every division of the classes in two: row 0 is all ones, row i alternates runs of 2^(k-1-i) zeros and ones.

    Dietterich and Bakiri, "Solving multiclass learning problems via error-correcting output codes", JAIR 2, 1995.
    """
    bits = np.arange(most_dense_columns(n_classes))
    rows = [np.ones(len(bits), dtype=np.int8)]
    rows += [(bits >> (n_classes - 1 - i) & 1).astype(np.int8) for i in range(1, n_classes)]
    return np.array(rows)


def random_code(n_classes: int, n_bits: int, rng: np.random.RandomState, *, sparse: bool = False) -> CodeBook:
    """Of many random codes, the one whose two closest rows are furthest apart (Allwein, Schapire and Singer, 2000)."""
    n_possible = most_sparse_columns(n_classes) if sparse else most_dense_columns(n_classes)
    if n_bits == n_possible:
        return _all_columns(n_classes, sparse)
    n_candidates = int(np.clip(1e7 / (n_classes**2 * n_bits), 10, _MOST_CANDIDATES))
    best, best_distance = None, 0.0
    for attempt in range(_MOST_TRIES):
        if attempt >= n_candidates and best is not None:
            break
        by_rows = n_bits < n_classes and not sparse
        code = _draw_rows(n_classes, n_bits, rng) if by_rows else _draw_columns(n_classes, n_bits, rng, sparse)
        distance = smallest_row_distance(code)
        if distance > best_distance and (not by_rows or columns_differ(code)):
            best, best_distance = code, distance
    if best is None:
        raise ValueError(f"No code of {n_bits} columns for {n_classes} classes was found; give more columns.")
    return best


def default_bits(n_classes: int, *, sparse: bool) -> int:
    """Length of a random code: 10 log2 k columns, 15 log2 k where classes are left out, or as many as there are."""
    wanted = math.ceil((15 if sparse else 10) * math.log2(n_classes))
    return min(wanted, most_sparse_columns(n_classes) if sparse else most_dense_columns(n_classes))


def most_dense_columns(n_classes: int) -> int:
    """Ways to divide the classes in two."""
    return int(2 ** (n_classes - 1) - 1)


def most_sparse_columns(n_classes: int) -> int:
    """Like `most_dense_columns`, for codes that leave classes out."""
    return int((3**n_classes - 2 ** (n_classes + 1) + 1) // 2)


def smallest_row_distance(code: CodeBook) -> float:
    """Number of bits in which the two closest rows differ; a bit that leaves one of them out counts half."""
    signs = signs_of(code)
    distances = (code.shape[1] - signs @ signs.T) / 2.0
    return float(distances[np.triu_indices(len(code), 1)].min())


def signs_of(code: CodeBook) -> NDArray[np.float64]:
    """1 for a one, -1 for a zero, 0 where a class is left out."""
    return np.where(code == LEFT_OUT, 0.0, 2.0 * code - 1.0)


def columns_differ(code: CodeBook) -> bool:
    """Every column has a one and a zero, and none is another or its complement."""
    if not ((code == 1).any(axis=0) & (code == 0).any(axis=0)).all():
        return False
    different = np.unique(_canonical(code), axis=1)
    return bool(different.shape[1] == code.shape[1])


def check_code_book(given: Any, n_classes: int) -> CodeBook:
    """A code book of the user's own."""
    code = np.asarray(unmasked(given))
    if code.ndim != 2 or len(code) != n_classes or code.shape[1] == 0:
        raise ValueError(
            f"code has the shape {code.shape}; give one row for each of the {n_classes} classes and one column for each "
            "binary problem."
        )
    if not np.isin(code, (0, 1, LEFT_OUT)).all():
        raise ValueError("code has entries other than 1, 0 and -1; use -1 for a class that a problem leaves out.")
    code = code.astype(np.int8)
    if not columns_differ(code):
        raise ValueError(
            "Every column of code must have a 1 and a 0, and none may repeat another column or its complement."
        )
    if smallest_row_distance(code) <= 0:
        raise ValueError("Two rows of code are the same, so their classes cannot be told apart.")
    return code


def _canonical(code: CodeBook) -> CodeBook:
    """Columns complemented where needed, so that the first class that takes part has a one."""
    first = (code != LEFT_OUT).argmax(axis=0)
    flip = (code[first, np.arange(code.shape[1])] == 0) & (code != LEFT_OUT)
    return np.where(flip, 1 - code, code).astype(np.int8)


def _all_columns(n_classes: int, sparse: bool) -> CodeBook:
    """Every column that splits the classes, once."""
    if not sparse:
        return exhaustive_code(n_classes)
    every = np.array(list(product((LEFT_OUT, 0, 1), repeat=n_classes)), dtype=np.int8).T
    splits = (every == 1).any(axis=0) & (every == 0).any(axis=0)
    return np.unique(_canonical(every[:, splits]), axis=1)


def _draw_columns(n_classes: int, n_bits: int, rng: np.random.RandomState, sparse: bool) -> CodeBook:
    """Different columns at random; rows may come out equal. In sparse ones a class is left out with probability 1/2."""
    if n_classes <= _MOST_ENUMERATED:
        every = _all_columns(n_classes, sparse)
        chances = 2.0 ** np.sum(every == LEFT_OUT, axis=0)
        chosen = rng.choice(every.shape[1], n_bits, replace=False, p=chances / chances.sum())
        return every[:, np.sort(chosen)]
    shares = [0.5, 0.25, 0.25] if sparse else [0.0, 0.5, 0.5]
    columns: dict[bytes, CodeBook] = {}
    while len(columns) < n_bits:
        drawn = _canonical(rng.choice([LEFT_OUT, 0, 1], size=(n_classes, n_bits), p=shares).astype(np.int8))
        splits = (drawn == 1).any(axis=0) & (drawn == 0).any(axis=0)
        for column in drawn.T[splits]:
            columns.setdefault(column.tobytes(), column)
    return np.array(list(columns.values())[:n_bits]).T


def _draw_rows(n_classes: int, n_bits: int, rng: np.random.RandomState) -> CodeBook:
    """Different rows at random; columns may come out equal, or with one value only."""
    n_words = 2**n_bits
    if n_words <= 4 * n_classes:
        words = rng.permutation(n_words)[:n_classes]
        drawn = (words[:, np.newaxis] >> np.arange(n_bits) & 1).astype(np.int8)
    else:
        drawn = rng.randint(2, size=(n_classes, n_bits)).astype(np.int8)
    return _canonical(drawn)
