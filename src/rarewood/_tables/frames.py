"""Results as data frames: one rule for every `frame()`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import narwhals.stable.v2 as nw
from numpy.typing import NDArray

_LIBRARIES = ("pandas", "polars", "pyarrow")


def data_frame(columns: dict[str, NDArray[Any]], backend: Any = None) -> Any:
    """A data frame of the library asked for, or of the first one installed; the columns themselves if there is none."""
    if backend is None:
        backend = next((name for name in _LIBRARIES if find_spec(name)), None)
    return columns if backend is None else nw.from_dict(columns, backend=backend).to_native()
