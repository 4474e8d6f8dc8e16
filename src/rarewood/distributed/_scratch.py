"""Gathered rows on disk, until their turn comes: one pass over the parts serves many groups of nodes."""

from __future__ import annotations

import shutil
import struct
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

_LENGTH = struct.Struct("<q")


def room_on_disk() -> int:
    """Half of the free space of the temporary folder: the rest is for others."""
    return shutil.disk_usage(tempfile.gettempdir()).free // 2


@dataclass(frozen=True)
class Group:
    """Nodes whose rows are gathered together: a message that names them, and about how many rows they have."""

    tasks: bytes
    n_rows: float


class Scratch:
    """A folder of files that goes away; of each group, the blocks in the order in which they came."""

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="rarewood-")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def add(self, group: int, block: bytes) -> None:
        with self._file(group).open("ab") as file:
            file.write(_LENGTH.pack(len(block)))
            file.write(block)

    def take(self, group: int) -> list[bytes]:
        """The blocks of a group, whose file is then removed."""
        blocks = []
        with self._file(group).open("rb") as file:
            while head := file.read(_LENGTH.size):
                blocks.append(file.read(_LENGTH.unpack(head)[0]))
        self._file(group).unlink()
        return blocks

    def _file(self, group: int) -> Path:
        return Path(self._folder.name) / f"{group}.rows"


def as_the_disk_allows(groups: Sequence[Group], row_bytes: int) -> Iterator[Sequence[Group]]:
    """Neighbouring groups whose rows take no more than the room on disk; at least one."""
    room = room_on_disk() / row_bytes
    begin, total = 0, 0.0
    for place, group in enumerate(groups):
        if place > begin and total + group.n_rows > room:
            yield groups[begin:place]
            begin, total = place, 0.0
        total += group.n_rows
    if begin < len(groups):
        yield groups[begin:]
