"""Converted parts in files, so that the next pass maps them into memory instead of reading and converting the rows again."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood.distributed._job import LoadedPart
from rarewood.distributed._profile import Schema
from rarewood.distributed._scratch import room_on_disk


class PackedParts:
    """A temporary folder with the parts of one table, as far as the disk has room for them."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._shape = schema.shape(len(schema.classes))
        self._room = room_on_disk()
        self._folder = tempfile.TemporaryDirectory(prefix="rarewood-", ignore_cleanup_errors=True)

    def part(self, number: int, load: Callable[[], LoadedPart]) -> LoadedPart:
        """Part `number`, whose columns are in memory only as far as they are being read; loaded unless its file is here."""
        if arrays := self._read(number, "columns", "weights"):
            packed, weights = arrays
            return LoadedPart(self._shape.unpacked(packed), weights.tolist())
        part = load()
        self._write(number, columns=part.dataset.packed(), weights=np.asarray(part.weights))
        return part

    def close(self) -> None:
        self._folder.cleanup()

    def _read(self, number: int, *kinds: str) -> list[NDArray[Any]] | None:
        """Some arrays of a part; None unless all of them are there."""
        files = [self._file(number, kind) for kind in kinds]
        return [np.load(file, mmap_mode="r") for file in files] if all(file.exists() for file in files) else None

    def _write(self, number: int, **arrays: NDArray[Any]) -> None:
        """Keep some arrays of a part, unless there is no room for them: then it must be loaded again."""
        size = sum(array.nbytes for array in arrays.values())
        if size > self._room:
            return
        self._room -= size
        unfinished = self._file(number, "unfinished")
        try:
            for kind, array in arrays.items():
                np.save(unfinished, array)
                unfinished.rename(self._file(number, kind))
        except OSError:  # somebody else has filled the disk
            unfinished.unlink(missing_ok=True)
            self._room = 0

    def _file(self, number: int, kind: str) -> Path:
        return Path(self._folder.name) / f"{number}.{kind}.npy"
