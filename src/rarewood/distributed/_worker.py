"""What runs on the workers of a cluster: plain functions of parts and messages.

Which parts a worker has loaded, and which of their rows are in which node, is kept between tasks only to save time; whatever is not there
is made again.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rarewood._core import PartRows, Subtree, grow_gathered, sum_of_answers
from rarewood.distributed._job import Job, LoadedPart, load
from rarewood.distributed._parts import ParquetPart
from rarewood.distributed._profile import PartProfile, Reading, profile_part


@dataclass
class _Kept:
    loaded: LoadedPart
    rows: PartRows
    lock: threading.Lock = field(default_factory=threading.Lock)


_kept: dict[tuple[str, int], _Kept] = {}
_guard = threading.Lock()


def keep_only(job: str | None, numbers: Sequence[int]) -> None:
    """Forget all parts but these, and those of other jobs if a job is named."""
    with _guard:
        for name, number in list(_kept):
            if name != job or number not in numbers:
                del _kept[name, number]


def profile(parts: Sequence[Any], numbers: Sequence[int], reading: Reading) -> list[tuple[int, PartProfile]]:
    return [(number, profile_part(_frame(part), reading)) for number, part in zip(numbers, parts, strict=True)]


def answer(parts: Sequence[Any], numbers: Sequence[int], job: Job, splits: bytes, questions: bytes) -> bytes:
    """The sum of what these parts answer."""
    answers = []
    for number, part in zip(numbers, parts, strict=True):
        kept = _part(job, number, part)
        with kept.lock:
            answers.append(kept.rows.answer(kept.loaded.dataset, splits, questions))
        answers = [sum_of_answers(answers)]
    return answers[0]


def gather(
    parts: Sequence[Any], numbers: Sequence[int], job: Job, splits: bytes, tasks: bytes
) -> list[tuple[int, bytes]]:
    """The rows of the nodes of tasks, part by part."""
    blocks = []
    for number, part in zip(numbers, parts, strict=True):
        kept = _part(job, number, part)
        with kept.lock:
            blocks.append((number, kept.rows.gather(kept.loaded.dataset, splits, tasks)))
    return blocks


def total(answers: Sequence[bytes]) -> bytes:
    return sum_of_answers(list(answers))


def grow(job: Job, tasks: bytes, gathered: Sequence[Sequence[tuple[int, bytes]]]) -> list[Subtree]:
    in_order = sorted(((number, block) for blocks in gathered for number, block in blocks), key=lambda pair: pair[0])
    return grow_gathered(job.schema.shape, job.plan(), tasks, [block for _, block in in_order])


def _part(job: Job, number: int, part: Any) -> _Kept:
    with _guard:
        found = _kept.get((job.name, number))
    if found is None:
        loaded = load(_frame(part), job.schema, number)
        found = _Kept(loaded, loaded.rows(job, number))
        with _guard:
            found = _kept.setdefault((job.name, number), found)
    return found


def _frame(part: Any) -> Any:
    """The rows of a file, or those that are at hand."""
    return part.read() if isinstance(part, ParquetPart) else part
