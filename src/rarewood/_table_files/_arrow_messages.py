"""How large the packed parts of an Arrow file become: Arrow unpacks them without asking, and thousands of times is possible.

A file is a row of messages. Each has a head, a FlatBuffers table that says where the buffers of its body are; a packed buffer begins with
the number of bytes that it becomes.
"""

from __future__ import annotations

import struct
from typing import BinaryIO

from rarewood._table_files.proportion import Proportion

_BEGIN = 0xFFFFFFFF
_DICTIONARY, _ROWS = 2, 3  # kinds of heads that have buffers


def check_unpacked_size(file: BinaryIO, begin: int, where: str) -> None:
    """Raise where a file, whose messages begin there, becomes more than its size allows; what is no message is left to Arrow."""
    may_take = Proportion.of(file, where)
    size = may_take.file_size
    place = begin
    try:
        while place < size:
            start, length = struct.unpack("<Ii", _read(file, place, 8))
            if start != _BEGIN or length <= 0:
                return
            head = _read(file, place + 8, min(length, size))
            unpacked, body_length = _sizes(head, file, place + 8 + length)
            may_take.check_unpacked(unpacked)
            place += 8 + length + max(0, body_length)
    except struct.error:
        return


def _sizes(head: bytes, file: BinaryIO, body: int) -> tuple[int, int]:
    """What the buffers of a message become, and the length of its body."""
    message = _at(head, 0)
    body_length = _field(head, message, 3)
    n_bytes = 0 if body_length is None else struct.unpack_from("<q", head, body_length)[0]
    kind, inner = _field(head, message, 1), _field(head, message, 2)
    if kind is None or inner is None or head[kind] not in (_DICTIONARY, _ROWS):
        return 0, n_bytes
    rows = _at(head, inner)
    if head[kind] == _DICTIONARY:
        data = _field(head, rows, 1)
        if data is None:
            return 0, n_bytes
        rows = _at(head, data)
    buffers = _field(head, rows, 2)
    if buffers is None or _field(head, rows, 3) is None:  # not packed
        return 0, n_bytes
    vector = _at(head, buffers)
    (n_buffers,) = struct.unpack_from("<I", head, vector)
    unpacked = 0
    for number in range(min(n_buffers, len(head) // 16)):
        offset, length = struct.unpack_from("<qq", head, vector + 4 + 16 * number)
        if length > 0:
            unpacked += max(0, struct.unpack("<q", _read(file, body + offset, 8))[0])
    return unpacked, n_bytes


def _read(file: BinaryIO, place: int, n_bytes: int) -> bytes:
    if place < 0:
        raise struct.error
    file.seek(place)
    return file.read(n_bytes)


def _at(head: bytes, place: int) -> int:
    """Where an offset leads."""
    return int(place + struct.unpack_from("<I", head, place)[0])


def _field(head: bytes, table: int, number: int) -> int | None:
    """Where a field of a FlatBuffers table is; None if it has its default."""
    layout = table - struct.unpack_from("<i", head, table)[0]
    if layout < 0:
        raise struct.error
    (size,) = struct.unpack_from("<H", head, layout)
    if 4 + 2 * number >= size:
        return None
    (offset,) = struct.unpack_from("<H", head, layout + 4 + 2 * number)
    return table + offset if offset else None
