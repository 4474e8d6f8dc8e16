"""Amounts of memory, and how they are divided."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rarewood.distributed.parts import Part

_LEAST = 64 * 2**20
_LEAST_PER_ROW = 4  # bytes of the list of which row is in which node

_UNITS = {
    "": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}


def parse_memory(memory: str | int | None) -> int | None:
    """Bytes of "4GB", "512 MiB" or a number; None stays None."""
    if memory is None:
        return None
    if isinstance(memory, int) and not isinstance(memory, bool) and memory > 0:
        return memory
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", memory.lower()) if isinstance(memory, str) else None
    if found is None or found[2] not in _UNITS or float(found[1]) == 0:
        raise ValueError(
            f"memory={memory!r} is not accepted; give an amount such as '4GB' or '512MiB', or a number of bytes."
        )
    return int(float(found[1]) * _UNITS[found[2]])


class MemoryTooSmallError(MemoryError):
    """The memory limit is too small; the message says how much is needed.

    If `begins_with_limit`, the message begins with the limit as it was given in Python, "memory=...".
    """

    def __init__(self, message: str, *, begins_with_limit: bool = False) -> None:
        super().__init__(message)
        self.begins_with_limit = begins_with_limit


@dataclass(frozen=True)
class Budget:
    """Memory that a fit may take beyond what the process has.

    A quarter each is for the part in hand, for the lists of rows, for gathered rows, and for the model.
    """

    available: int
    used: int = 0  # by the process already

    @classmethod
    def of(cls, memory: int, parts: Sequence[Part]) -> Budget:
        """The part of `memory` that the process does not take yet; raises if that cannot hold these parts one by one."""
        used = _resident_bytes()
        largest = max(part.size_in_bytes for part in parts)
        lists = 4 * _LEAST_PER_ROW * sum(part.n_rows for part in parts)
        found = cls(memory - used, used)
        if found.available < (needed := max(_LEAST, 6 * largest, lists)):
            why = (
                f" The largest part, a row group of a Parquet file or a data frame, takes about {megabytes(largest)}; smaller ones need "
                "less."
            )
            raise MemoryTooSmallError(
                f"memory={megabytes(memory)} is too little: the process already takes {megabytes(used)}; give at least "
                f"{found.enough(needed)}.{why if needed == 6 * largest else ''}",
                begins_with_limit=True,
            )
        return found

    def enough(self, needed: int) -> str:
        """The limit to set so that `needed` bytes are available, as text."""
        return f"{-(-(self.used + needed) // 10**7) * 10:,} MB"

    @property
    def quarter(self) -> int:
        """The bytes for one of the four purposes."""
        return self.available // 4

    @property
    def part_bytes(self) -> int:
        """The largest size of a part in its file; reading and converting it takes about three times as much."""
        return self.quarter // 3

    def trees(self, n_rows: int, row_bytes: int) -> int:
        """The number of trees that may have lists of their rows at the same time."""
        trees = self.quarter // max(1, n_rows * row_bytes)
        if trees == 0:
            raise MemoryTooSmallError(
                f"the record of which of the {n_rows} rows is in which node takes {megabytes(n_rows * row_bytes)} for one "
                f"tree, but memory leaves only {megabytes(self.quarter)} for it; give at least "
                f"{self.enough(4 * n_rows * row_bytes)}."
            )
        return trees

    def group_rows(self, row_bytes: int) -> int:
        """The number of rows that may be gathered at a time; they are there twice, as messages and as a table."""
        return max(1, self.quarter // (3 * max(1, row_bytes)))


def megabytes(amount: float) -> str:
    """An amount of memory in words."""
    return f"{amount / 1e6:,.0f} MB"


def _resident_bytes() -> int:
    """The memory that the process takes at present; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    import resource

    return pages * resource.getpagesize()
