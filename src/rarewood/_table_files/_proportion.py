"""How much memory a file may take: a small one may describe a table that no machine holds.

Packed text, codes for words, rows that leave out most columns, expressions in databases: each format has its own way to say much in few
bytes. Readers hand over small blocks, whatever the format (`_columns.MOST_IN_BLOCK`); who keeps all rows asks here before the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LEAST = 2**29
"""Bytes that any file may take."""

TIMES = 1000
"""How many bytes each byte of a file may take. Sparse tables that are packed well take some hundred."""

_CELL = 8


@dataclass(frozen=True)
class Proportion:
    """What the rows of a file may take in memory."""

    where: str
    file_size: int

    @classmethod
    def of(cls, path: Path, where: str) -> Proportion:
        """By the size of a file."""
        return cls(where, path.stat().st_size)

    def check(self, n_rows: int, n_columns: int, n_characters: int = 0) -> None:
        """Raise where so many cells, and characters in words that differ, are out of proportion."""
        needed = _CELL * n_rows * n_columns + n_characters
        if needed > max(LEAST, TIMES * self.file_size):
            words = f" with {n_characters:,} characters in words" if n_characters > LEAST // 2 else ""
            raise ValueError(
                f"{self.where} has {self.file_size:,} bytes, but at least {n_rows:,} rows of {n_columns:,} columns{words}, which take "
                f"{needed // 10**6:,} MB in memory: more than {TIMES:,} times its size. If you trust it, write it as plain CSV, or leave "
                "columns out."
            )
