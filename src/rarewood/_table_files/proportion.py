"""How much memory a file may take: a small one may describe a table that no machine holds.

Packed text, codes for words, rows that leave out most columns, expressions in databases: each format has its own way to say much in few
bytes. Readers hand over small blocks, whatever the format (`_columns.MOST_IN_BLOCK`); who keeps all rows asks here before the next one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

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
    def of(cls, file: BinaryIO | str | Path, where: str) -> Proportion:
        """By the size of a file, which is open or not."""
        return cls(where, Path(file).stat().st_size if isinstance(file, (str, Path)) else file.seek(0, os.SEEK_END))

    def allows(self, n_bytes: int) -> bool:
        """Whether so much memory is in proportion."""
        return n_bytes <= max(LEAST, TIMES * self.file_size)

    def check(self, n_rows: int, n_columns: int, n_characters: int = 0) -> None:
        """Raise where so many cells, and characters in words that differ, are out of proportion."""
        needed = _CELL * n_rows * n_columns + n_characters
        if not self.allows(needed):
            words = f" with {n_characters:,} characters in words" if n_characters > LEAST // 2 else ""
            raise ValueError(
                f"{self.where} has {self.file_size:,} bytes, but at least {n_rows:,} rows of {n_columns:,} columns{words}, which take "
                f"{needed // 10**6:,} MB in memory: more than {TIMES:,} times its size. If you trust it, write it as plain CSV, or leave "
                "columns out."
            )

    def check_unpacked(self, n_bytes: int) -> None:
        """Raise where a packed piece, which has to be in memory in whole, is out of proportion."""
        if not self.allows(n_bytes):
            raise ValueError(
                f"{self.where} has {self.file_size:,} bytes, but a part that becomes {n_bytes:,}: more than {TIMES:,} times its size. If "
                "you trust it, write it without compression."
            )
