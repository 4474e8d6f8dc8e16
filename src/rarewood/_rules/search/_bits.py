"""Covers of many rules, one bit per row: counting is a population count, and 2,000 rules take a few megabytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]

_BYTES = 8  # of a word


def packed(flags: Flags) -> Words:
    """The last axis, 64 flags to a word; the bits after the last flag are 0."""
    bits = np.packbits(flags, axis=-1)
    room = -bits.shape[-1] % _BYTES
    if room:
        bits = np.concatenate([bits, np.zeros((*bits.shape[:-1], room), dtype=np.uint8)], axis=-1)
    return np.ascontiguousarray(bits).view(np.uint64)


def unpacked(words: Words, n_rows: int) -> Flags:
    """The inverse of `packed` for the first `n_rows` flags."""
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, count=n_rows).astype(bool)


def _counted_by_table(words: Words) -> NDArray[Any]:
    return _OF_BYTE[np.ascontiguousarray(words).view(np.uint8)]


_OF_BYTE = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)
_bits_set = getattr(np, "bitwise_count", _counted_by_table)  # NumPy 2 asks the processor


def count(words: Words) -> NDArray[np.int64]:
    """Flags that are set, along the last axis."""
    return np.asarray(_bits_set(words).sum(axis=-1, dtype=np.int64))
