"""Loaded parts in files, so that the next pass looks into them instead of reading and converting the rows again."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from rarewood.distributed._job import LoadedPart
from rarewood.distributed._profile import Schema
from rarewood.distributed._scratch import room_on_disk


class PackedParts:
    """A folder of files that goes away, of one table; has what fits into the room on disk."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._room = room_on_disk()
        self._folder = tempfile.TemporaryDirectory(prefix="rarewood-", ignore_cleanup_errors=True)

    def get(self, number: int) -> LoadedPart | None:
        """Part `number` if it was put here; its columns stay in the file, and in memory only as far as they are being read."""
        file = self._file(number)
        if not file.exists():
            return None
        dataset = self.schema.shape.unpacked(np.memmap(file, dtype=np.uint8, mode="r"))
        weights = file.with_suffix(".weights")
        return LoadedPart(dataset, np.load(weights).tolist() if weights.exists() else [])

    def put(self, number: int, part: LoadedPart) -> None:
        """Keep a part, unless there is no room for it: then it must be loaded again."""
        packed = part.dataset.packed()
        size = packed.nbytes + 8 * len(part.weights)
        if size > self._room:
            return
        self._room -= size
        unfinished = self._file(number).with_suffix(".part")
        try:
            if part.weights:
                with self._file(number).with_suffix(".weights").open("wb") as file:
                    np.save(file, part.weights)
            with unfinished.open("wb") as file:
                file.write(packed.data)
            unfinished.rename(self._file(number))
        except OSError:  # somebody else has filled the disk
            unfinished.unlink(missing_ok=True)
            self._room = 0

    def close(self) -> None:
        self._folder.cleanup()

    def _file(self, number: int) -> Path:
        return Path(self._folder.name) / f"{number}.columns"
