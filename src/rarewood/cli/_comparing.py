"""Comparing methods on tables: the work of `rarewood compare`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rarewood._table_files.formats import split_table
from rarewood._validation import did_you_mean
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._files import STANDARD
from rarewood.cli._settings import make_method
from rarewood.cli._suspects import examine
from rarewood.cli._training import TableOptions, read_training
from rarewood.datasets import load
from rarewood.evaluation import Comparison
from rarewood.evaluation import compare as compare_methods
from rarewood.metrics import REGISTRY


def compare_tables(
    sources: Sequence[str],
    methods: Sequence[str],
    metrics: Sequence[str],
    protocol: str | None,
    options: TableOptions,
    positive: str | None,
    *,
    drop_suspects: bool,
    note: Callable[[str, str], None],
    reference: str | None,
    cache: str | None,
    n_jobs: int,
    seed: int,
    verbose: int,
) -> Comparison:
    """Read the tables, make the methods, compare; `note` is told the name of a table and what to know about it."""
    unknown = [name for name in metrics if name not in REGISTRY]
    if unknown:
        known = ", ".join(REGISTRY)
        raise CommandError(
            ExitCode.USAGE, f"unknown measure {unknown[0]!r}{did_you_mean(unknown[0], REGISTRY)} Choose from {known}"
        )
    if reference is not None and reference not in methods:
        raise CommandError(ExitCode.USAGE, f"--reference {reference} is not among the methods: {', '.join(methods)}")
    # compare() runs folds side by side; each method gets one processor then
    estimators = {
        name: _without_out_of_bag(make_method(name, (), n_jobs=None, seed=seed, verbose=0)) for name in methods
    }
    tables = {_name(source): _table(source, options, positive, drop_suspects) for source in sources}
    for name, table in tables.items():
        for text in table.notes:
            note(name, text)
    try:
        return compare_methods(
            estimators,
            {name: (table.X, table.y, table.rare) for name, table in tables.items()},
            protocol,
            list(metrics),
            time={name: table.time for name, table in tables.items() if table.time is not None} or None,
            groups={name: table.groups for name, table in tables.items() if table.groups is not None} or None,
            delay=options.delay,
            n_jobs=n_jobs,
            progress=bool(verbose),
            cache=cache,
            random_state=seed,
        )
    except ValueError as error:
        raise CommandError(ExitCode.USAGE, str(error)) from error


def _without_out_of_bag(model: Any) -> Any:
    return model.set_params(oob_score=False) if "oob_score" in model.get_params() else model


def _name(source: str) -> str:
    return Path(split_table(source)[0]).name.split(".")[0] if _is_file(source) else source


def _is_file(source: str) -> bool:
    path = Path(split_table(source)[0].removesuffix(".gz"))
    return source == STANDARD or path.exists() or path.suffix != ""


@dataclass(frozen=True)
class _Table:
    """A table to compare on, and what rows are divided by: series with the names of their columns, or these names."""

    X: Any
    y: Any
    rare: Any
    time: Any
    groups: Any
    notes: tuple[str, ...] = ()


def _table(source: str, options: TableOptions, positive: str | None, drop_suspects: bool) -> _Table:
    if _is_file(source):
        at_once = replace(options, delay=None)  # compare() itself leaves out what is not known in time
        read = examine(read_training(source, at_once, positive, with_hash=False), drop_suspects)
        time, groups = (None, None) if read.split is None else read.split.cells
        return _Table(read.X, read.y, read.positive, time, groups, tuple(map(str, read.notes)))
    try:
        data = load(source)
    except (ValueError, OSError) as error:
        raise CommandError(ExitCode.UNREADABLE, str(error)) from error
    return _Table(data.X, data.y, data.rare, options.time, options.group)
