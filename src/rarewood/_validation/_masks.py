"""NumPy arrays of kinds that few functions read: masked ones, whose masked cells are missing, and texts of any length."""

from __future__ import annotations

from typing import Any

import numpy as np

_EXACT = 2**53  # whole numbers up to here are floats


def unmasked(values: Any) -> Any:
    """A masked array as a plain one with NaN, NaT or None for what is masked, texts of any length as objects; anything else as it is."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "T":
        values = values.astype(object)
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.getmaskarray(values).any():
        return values.data
    mask, kind = np.ma.getmaskarray(values), values.dtype.kind
    if kind in "biu":
        fits = bool(mask.all()) or max(-int(values.min()), int(values.max())) <= _EXACT
        plain = values.data.astype(np.float64 if fits else object)
    else:
        plain = values.data.astype(object if kind not in "fmM" else values.dtype)
    plain[mask] = None if plain.dtype == object else np.array("NaT" if kind in "mM" else np.nan).astype(plain.dtype)
    return plain
