"""Finished trees in a file, so that a fit that was killed need not grow them again."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rarewood._core import Forest
from rarewood._files import written_whole
from rarewood.distributed._job import Job


class Checkpoint:
    """A file with the trees of one fit: of the same data, parameters and seed; a forest for each of its jobs."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._states: dict[int, dict[str, Any]] = {}
        if self._path.exists():
            self._load()

    def _load(self) -> None:
        with self._reading():
            with zipfile.ZipFile(self._path) as packed:  # as they are: what is read is no larger than the file
                if any(each.compress_type != zipfile.ZIP_STORED for each in packed.infolist()):
                    raise ValueError("its arrays are packed")
            with np.load(self._path, allow_pickle=False) as file:
                for name in file.files:
                    number, _, array = name.partition(".")
                    self._states.setdefault(int(number), {})[array] = file[name]

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Whatever a damaged file makes its readers raise; a file that cannot be opened says so itself."""
        try:
            yield
        except OSError:
            raise
        except Exception as error:
            raise ValueError(
                f"{str(self._path)!r} is not a checkpoint, or is damaged: {error}. Delete it, or name another file."
            ) from error

    def read(self, number: int, job: Job) -> Forest | None:
        """The trees grown so far of job `number`, None if there are none."""
        state = dict(self._states.get(number, {}))
        if not state:
            return None
        if str(state.pop("job", "")) != fingerprint(job):
            raise ValueError(
                f"the checkpoint {str(self._path)!r} belongs to another fit: other data, parameters or random_state. Delete it, or "
                "name another file."
            )
        with self._reading():
            return Forest(state)

    def write(self, number: int, job: Job, forest: Forest) -> None:
        self._states[number] = {**forest.__getstate__(), "job": np.array(fingerprint(job))}
        arrays = {f"{number}.{name}": array for number, state in self._states.items() for name, array in state.items()}
        with written_whole(self._path) as beside, beside.open("wb") as file:
            np.savez(file, **arrays)


def fingerprint(job: Job) -> str:
    """A hash that is equal for equal data, parameters and seeds, as far as the profile of the data tells."""
    schema = job.schema
    criteria, settings = job.plan.__getstate__()
    options = {name: None if value is None else np.asarray(value).tolist() for name, value in settings.items()}
    criteria = [repr(each) if not callable(each) else f"{each.__module__}.{each.__qualname__}" for each in criteria]
    categories = [None if levels is None else levels.tolist() for levels in schema.columns.categories]
    names = None if schema.columns.names is None else schema.columns.names.tolist()
    told = (
        sorted(options.items()),
        criteria,
        categories,
        names,
        schema.classes.tolist(),
        job.class_sizes,
        job.class_map,
        schema.class_totals.tolist(),
        schema.checksums,
        None if schema.groups is None else [hashlib.sha256(each.tobytes()).hexdigest() for each in schema.groups],
    )
    return hashlib.sha256(repr(told).encode()).hexdigest()
