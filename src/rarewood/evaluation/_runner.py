"""Cells worked on one after the other, or side by side in processes that may die without taking the run with them."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import Any, TypeAlias

import joblib
from joblib.externals.loky.backend import resource_tracker as tracker_of_loky

from rarewood.evaluation._cell import empty_result, run_cell
from rarewood.evaluation._data import LabelledData
from rarewood.evaluation._plan import Cell
from rarewood.evaluation.divisions import Fold
from rarewood.metrics import Metric

Record: TypeAlias = dict[str, Any]

_DIED = "the process died: killed by the system for lack of memory, or by a crash in native code"
_IN_FLIGHT = 3  # cells per process that joblib may have handed out and not yet brought back


@dataclass(frozen=True)
class Work:
    """Everything that the cells of a plan are made of."""

    estimators: Mapping[str, Any]
    tables: Mapping[str, LabelledData]
    folds: Mapping[str, Sequence[Fold]]
    metrics: Sequence[Metric]

    def results(self, cells: Sequence[Cell], n_processes: int) -> Generator[Record, None, None]:
        """The record of every cell, as they are finished."""
        if n_processes == 1:
            for cell in cells:
                yield _record(cell, run_cell(*self._parts(cell), False))
            return
        waiting = dict.fromkeys(cells)
        while waiting:
            try:
                for cell, result in self._side_by_side(list(waiting), n_processes):
                    del waiting[cell]
                    yield _record(cell, result)
            except BrokenProcessPool:
                for cell in list(waiting)[: _IN_FLIGHT * n_processes]:  # one of these is to blame
                    del waiting[cell]
                    yield _record(cell, self._by_itself(cell))

    def _by_itself(self, cell: Cell) -> Record:
        try:
            return next(iter(self._side_by_side([cell], n_processes=2)))[1]
        except BrokenProcessPool as error:
            reason = f"{_last_line(error.__cause__)}: {error}" if error.__cause__ else _DIED
            return empty_result(self.folds[cell.dataset][cell.fold]) | {"error": f"{type(error).__name__}: {reason}"}

    def _side_by_side(self, cells: Iterable[Cell], n_processes: int) -> Iterator[tuple[Cell, Record]]:
        """Compute cells in several processes with one native thread each."""
        with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
            parallel = joblib.Parallel(n_jobs=n_processes, return_as="generator_unordered", batch_size=1)
            try:
                with _held_back_from_workers():
                    results = parallel(joblib.delayed(_in_worker)(cell, self._parts(cell)) for cell in cells)
                yield from results
            except pickle.PicklingError as error:
                raise TypeError(
                    "a method, a data set or a measure cannot be sent to another process "
                    f"({_last_line(error.__cause__ or error)}); use n_jobs=1."
                ) from error

    def _parts(self, cell: Cell) -> tuple[Any, LabelledData, Fold, int, Sequence[Metric]]:
        fold = self.folds[cell.dataset][cell.fold]
        return self.estimators[cell.method], self.tables[cell.dataset], fold, cell.seed, self.metrics


@contextmanager
def _held_back_from_workers() -> Iterator[None]:
    """Processes and threads that start inside never see Ctrl-C, which a terminal sends to all: this process ends them.

    They inherit the mask of this thread, from their first instruction on. If Ctrl-C comes meanwhile, this process gets it at the end.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    for tracker in (resource_tracker, tracker_of_loky):  # some versions start with the workers and end the block
        tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _in_worker(cell: Cell, parts: tuple[Any, LabelledData, Fold, int, Sequence[Metric]]) -> tuple[Cell, Record]:
    return cell, run_cell(*parts, True)


def _last_line(error: BaseException) -> str:
    """The message alone; joblib's causes quote a whole traceback."""
    return str(error).strip('"\n ').splitlines()[-1]


def _record(cell: Cell, result: Record) -> Record:
    about = {
        "dataset": cell.dataset,
        "method": cell.method,
        "fold": cell.fold,
        "repeat": cell.repeat,
        "seed": cell.seed,
    }
    return {"kind": "result", "key": cell.key, **about, **result}
