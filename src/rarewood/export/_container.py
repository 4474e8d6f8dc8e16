"""The outside of a model file: a JSON header and numbered arrays in one run of bytes (docs/format-v1.md).

Nothing here knows what a model is. Everything read is checked against the size of the file before anything is made of it, and
arrays lie one behind the other without overlap, so the work and the memory that a file asks for are bounded by its size.
"""

from __future__ import annotations

import json
import math
import re
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from rarewood._files import MODEL_MAGIC as MAGIC
from rarewood.exceptions import ModelFileError

VERSION = 1
MOST_HEADER_BYTES = 64 * 2**20

_PREAMBLE = struct.Struct("<8sIIIIQ")  # magic, version, CRC-32 of header and of arrays, their sizes in bytes
PREAMBLE_SIZE = _PREAMBLE.size
_ALIGNMENT = 8
_MOST_DIMENSIONS = 2
_MOST_DIGITS = 20  # of a whole number: 64 bits and the sign
_LARGEST_CODE_POINT = 0x10FFFF
_DTYPE = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<U[1-9][0-9]{0,5}")


def pack(header: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> bytes:
    """A header and arrays as the bytes of a file."""
    directory, pieces = [], []
    for array in arrays:
        plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        directory.append([plain.dtype.str, list(array.shape)])
        pieces += [plain.tobytes(), bytes(_padding(plain.nbytes))]
    text = json.dumps({**header, "arrays": directory}, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * _padding(len(text))
    if len(text) > MOST_HEADER_BYTES:
        raise ModelFileError(
            f"the description of this model takes {len(text) / 2**20:.0f} MiB, more than the "
            f"{MOST_HEADER_BYTES // 2**20} MiB that a model file may have besides its arrays; give less metadata."
        )
    data = b"".join(pieces)
    return _PREAMBLE.pack(MAGIC, VERSION, zlib.crc32(text), zlib.crc32(data), len(text), len(data)) + text + data


@dataclass
class Contents:
    """What `unpack` found. Each array is handed out once, so a file cannot ask for more memory than it has bytes."""

    header: dict[str, Any]
    arrays: list[NDArray[Any] | None]

    def take(self, number: object) -> NDArray[Any]:
        """Array `number`: a view of the file, read-only, or an aligned copy."""
        if not is_count(number) or number >= len(self.arrays):
            raise ModelFileError(f"the file refers to array {number!r}, but has {len(self.arrays)} arrays.")
        array, self.arrays[number] = self.arrays[number], None
        if array is None:
            raise ModelFileError(f"the file uses its array {number} twice.")
        return array

    def check_all_taken(self) -> None:
        """Raise if arrays are left: then the file is not what it says."""
        n_left = sum(array is not None for array in self.arrays)
        if n_left:
            raise ModelFileError(f"the file has {n_left} arrays that nothing uses.")


def unpack(data: bytes) -> Contents:
    """The header and the arrays of a file, checked."""
    _, _, _, checksum, text_size, size = _check_preamble(data)
    start = PREAMBLE_SIZE + text_size
    if len(data) - start != size:
        raise ModelFileError(
            f"the file has {len(data)} bytes but should have {start + size}: it is truncated or damaged."
        )
    header = read_header(data)
    if zlib.crc32(memoryview(data)[start:]) != checksum:
        raise ModelFileError("the arrays are damaged: their checksum is wrong.")
    directory = header.get("arrays")
    if not isinstance(directory, list):
        raise ModelFileError("the header has no list of arrays.")
    arrays: list[NDArray[Any] | None] = []
    for number, entry in enumerate(directory):
        dtype, shape = _check_entry(number, entry)
        n_bytes = math.prod(shape, start=dtype.itemsize)
        if max([start + n_bytes, *shape]) > len(data):
            raise ModelFileError(f"array {number} does not fit into the file.")
        array: NDArray[Any] = np.ndarray(shape, dtype, data, start)
        arrays.append(_check_content(number, array))
        start += n_bytes + _padding(n_bytes)
    if start != len(data):
        raise ModelFileError("the arrays do not fill the file.")
    return Contents(header, arrays)


def read_header(data: bytes) -> dict[str, Any]:
    """The header, checked; `data` may end behind it."""
    _, _, checksum, _, size, _ = _check_preamble(data)
    if size > MOST_HEADER_BYTES or size > len(data) - PREAMBLE_SIZE:
        raise ModelFileError(
            f"the header should have {size} bytes, which do not fit: the file is truncated or damaged."
        )
    text = data[PREAMBLE_SIZE : PREAMBLE_SIZE + size]
    if zlib.crc32(text) != checksum:
        raise ModelFileError("the header is damaged: its checksum is wrong.")
    return _parse(text)


def header_size(preamble: bytes) -> int:
    """How many bytes of header follow these first bytes of a file; never more than a header may have."""
    return min(int(_check_preamble(preamble)[4]), MOST_HEADER_BYTES)


def _check_preamble(data: bytes) -> tuple[Any, ...]:
    if data[: len(MAGIC)] != MAGIC:
        raise ModelFileError("this is not a rarewood model file, or its first bytes are damaged.")
    if len(data) < PREAMBLE_SIZE:
        raise ModelFileError(f"the file is truncated: it has {len(data)} bytes.")
    fields = _PREAMBLE.unpack_from(data)
    if fields[1] != VERSION:
        raise ModelFileError(
            f"the file has format version {fields[1]}, but this library reads version {VERSION}: it was written by a "
            "later version of rarewood, or is damaged. Upgrade rarewood, or save the model again with this version."
        )
    return fields


def _padding(size: int) -> int:
    """Bytes that are missing to a multiple of 8."""
    return -size % _ALIGNMENT


def can_hold(array: NDArray[Any]) -> bool:
    """Whether a file can hold an array as it is."""
    return array.ndim <= _MOST_DIMENSIONS and _DTYPE.fullmatch(array.dtype.newbyteorder("<").str) is not None


def is_count(value: object) -> TypeGuard[int]:
    """Whether this is a whole number of at least 0, True and False not counted."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _parse(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode(), parse_int=_parse_int, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:  # ValueError: no UTF-8, no JSON, or refused below
        raise ModelFileError(f"the header is not valid JSON: {type(error).__name__}.") from error
    if not isinstance(header, dict):
        raise ModelFileError("the header is not a JSON object.")
    return header


def _parse_int(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:  # longer ones can be made to collide in a dictionary
        raise ValueError("a number has too many digits")
    return int(digits)


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _check_entry(number: int, entry: object) -> tuple[np.dtype[Any], list[int]]:
    if isinstance(entry, list) and len(entry) == 2:
        dtype, shape = entry
        fits = isinstance(shape, list) and len(shape) <= _MOST_DIMENSIONS and all(map(is_count, shape))
        if fits and isinstance(dtype, str) and _DTYPE.fullmatch(dtype):
            return np.dtype(dtype), shape
    raise ModelFileError(f"the entry of array {number} in the header is not valid: {str(entry)[:80]}")


def _check_content(number: int, array: NDArray[Any]) -> NDArray[Any]:
    """Bytes that NumPy would take for any value must be values that exist."""
    if array.dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
        raise ModelFileError(f"array {number} holds booleans that are neither true nor false.")
    if array.dtype.kind == "U" and array.size:
        code_points = np.frombuffer(array.tobytes(), dtype="<u4")
        if code_points.max() > _LARGEST_CODE_POINT:
            raise ModelFileError(f"array {number} holds invalid characters.")
    # a header of any length may come before the arrays, and the core reads no number across its natural border
    return np.require(array.astype(array.dtype.newbyteorder("="), copy=False), requirements=["ALIGNED"])
