"""Results on disk: one line of JSON per finished cell, so that a run can stop anywhere and methods can be added one by one.

A cell is a method on a part of a problem. It keeps probabilities, not measures: what is measured, and the calibration that
all get, can change without fitting anything again.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
DEFAULT = ROOT / "benchmarks" / "results" / "quality.jsonl"
_CODE = [
    "core/include",
    "core/src",
    "bindings",
    "src/rarewood/ensemble",
    "src/rarewood/tree",
    "src/rarewood/_validation",
    "src/rarewood/_decisions",
    "src/rarewood/_node_tests",
    "src/rarewood/_tables",
]

Key = tuple[str, ...]


@functools.cache
def fingerprint() -> str:
    """Of the code that a result of ours depends on."""
    digest = hashlib.sha256()
    for path in sorted(
        path for folder in _CODE for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".hpp", ".cpp"}
    ):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


class Store:
    """Cells by their key, the last one written if there are several."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cells: dict[Key, dict[str, Any]] = {}
        self._latest: dict[Key, dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                self._keep(json.loads(line))

    def __contains__(self, key: Key) -> bool:
        return key in self.cells

    def __getitem__(self, key: Key) -> dict[str, Any]:
        return self.cells[key]

    def latest(self, problem: str, fold: int, kind: str, method: str) -> dict[str, Any] | None:
        """The last cell written for this, with whatever settings, versions and code."""
        return self._latest.get((problem, str(fold), kind, method))

    def outdated(self) -> list[str]:
        """Methods of ours whose last results were made by other code than is here now."""
        keys = [cell["key"] for cell in self._latest.values()]
        return sorted({key[3] for key in keys if key[5] not in ("", fingerprint())})

    def add(self, key: Key, **values: Any) -> None:
        cell = {"key": list(key), **values}
        self._keep(cell)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab", buffering=0) as handle:
            handle.write(f"{json.dumps(cell)}\n".encode())  # in one piece: several processes may add lines

    def _keep(self, cell: dict[str, Any]) -> None:
        key = tuple(cell["key"])
        self.cells[key] = self._latest[key[:4]] = cell


def pack(values: NDArray[Any]) -> dict[str, Any]:
    raw = base64.b64encode(zlib.compress(np.ascontiguousarray(values).tobytes())).decode()
    return {"dtype": str(values.dtype), "shape": values.shape, "data": raw}


def unpack(packed: dict[str, Any]) -> NDArray[Any]:
    raw = zlib.decompress(base64.b64decode(packed["data"]))
    return np.frombuffer(raw, packed["dtype"]).reshape(packed["shape"])
