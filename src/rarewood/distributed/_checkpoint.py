"""Trees that are grown, in a file: what a fit that was killed need not grow again."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from rarewood._core import Forest
from rarewood.distributed._job import Job


class Checkpoint:
    """A file that belongs to one job: the same data, parameters and seed."""

    def __init__(self, path: str | os.PathLike[str], job: Job) -> None:
        self._path = Path(path)
        self._job = fingerprint(job)

    def read(self) -> Forest | None:
        """The trees grown so far, None if there is no file."""
        if not self._path.exists():
            return None
        with np.load(self._path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        if str(arrays.pop("job", "")) != self._job:
            raise ValueError(
                f"the checkpoint {str(self._path)!r} belongs to another fit: other data, parameters or random_state. Delete it, or "
                "name another file."
            )
        forest = Forest.__new__(Forest)
        forest.__setstate__(arrays)
        return forest

    def write(self, forest: Forest) -> None:
        beside = self._path.with_name(self._path.name + ".part")
        with beside.open("wb") as file:
            arrays: dict[str, Any] = {**forest.__getstate__(), "job": np.array(self._job)}
            np.savez(file, **arrays)
        beside.replace(self._path)


def fingerprint(job: Job) -> str:
    """The same for the same data, parameters and seed, as far as the profile of the data tells."""
    schema = job.schema
    options = {name: np.asarray(value).tolist() if value is not None else None for name, value in job.options.items()}
    criteria = [repr(each) if not callable(each) else f"{each.__module__}.{each.__qualname__}" for each in job.criteria]
    categories = [None if levels is None else levels.tolist() for levels in schema.columns.categories]
    names = None if schema.columns.names is None else schema.columns.names.tolist()
    sizes = schema.class_rows.sum(axis=0).tolist()
    told = (
        sorted(options.items()),
        criteria,
        categories,
        names,
        schema.classes.tolist(),
        sizes,
        schema.class_totals.tolist(),
    )
    return hashlib.sha256(repr(told).encode()).hexdigest()
