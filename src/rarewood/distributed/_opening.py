"""From what a caller passes to an engine: where the parts are, and how much memory there is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from rarewood.distributed._engine import Engine, LocalEngine
from rarewood.distributed.memory import Budget, parse_memory
from rarewood.distributed.parts import check_proportion, joined, parts_of


@contextmanager
def opened(data: Any, client: Any, memory: str | int | None, n_threads: int) -> Iterator[tuple[Engine, Budget | None]]:
    """An engine on the parts of some data, and what memory it may take; freed at the end."""
    limit = parse_memory(memory)
    if limit is not None and client is not None:
        raise ValueError(
            "memory= applies to this process; with client=, workers use the memory they were started with."
        )
    if client is not None:
        from rarewood.distributed._dask import DaskEngine

        with closing(DaskEngine(client, data)) as on_workers:
            yield on_workers, None
        return
    parts = parts_of(data)
    if limit is None:
        check_proportion(parts)
    budget = None if limit is None else Budget.of(limit, parts)
    engine = (
        LocalEngine(parts, keep=True, n_threads=n_threads)
        if budget is None
        else LocalEngine(joined(parts, budget.part_bytes), keep=False, n_threads=n_threads)
    )
    with closing(engine):
        yield engine, budget
