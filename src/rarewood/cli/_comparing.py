"""Comparing methods on tables: the work of `rarewood compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rarewood._validation import did_you_mean
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._files import STANDARD, split_table
from rarewood.cli._settings import make_method
from rarewood.cli._training import Said, read_training
from rarewood.datasets import load
from rarewood.evaluation import Comparison
from rarewood.evaluation import compare as compare_methods
from rarewood.metrics import REGISTRY


def compare_tables(
    sources: Sequence[str],
    methods: Sequence[str],
    metrics: Sequence[str],
    protocol: str | None,
    said: Said,
    positive: str | None,
    *,
    reference: str | None,
    cache: str | None,
    n_jobs: int,
    seed: int,
    verbose: int,
) -> Comparison:
    """Read the tables, make the methods, compare."""
    unknown = [name for name in metrics if name not in REGISTRY]
    if unknown:
        known = ", ".join(REGISTRY)
        raise CommandError(
            ExitCode.USAGE, f"unknown measure {unknown[0]!r}{did_you_mean(unknown[0], REGISTRY)} Known are {known}"
        )
    if reference is not None and reference not in methods:
        raise CommandError(ExitCode.USAGE, f"--reference {reference} is not among the methods: {', '.join(methods)}")
    # compare() runs folds side by side; each method gets one processor then
    estimators = {
        name: _without_out_of_bag(make_method(name, (), n_jobs=None, seed=seed, verbose=0)) for name in methods
    }
    tables = {_name(source): _table(source, said, positive) for source in sources}
    data = {name: (X, y, rare) for name, (X, y, rare, _, _) in tables.items()}
    time = {name: time for name, (_, _, _, time, _) in tables.items() if time is not None}
    groups = {name: groups for name, (_, _, _, _, groups) in tables.items() if groups is not None}
    try:
        return compare_methods(
            estimators,
            data,
            protocol,
            list(metrics),
            time=time or None,
            groups=groups or None,
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


def _table(source: str, said: Said, positive: str | None) -> tuple[Any, Any, Any, Any, Any]:
    """X, y, the rare label, and what rows are divided by: series with the names of their columns, or these names."""
    if _is_file(source):
        table = read_training(source, said, positive, with_hash=False)
        return table.X, table.y, table.positive, *(table.divided.cells if table.divided is not None else (None, None))
    try:
        data = load(source)
    except (ValueError, OSError) as error:
        raise CommandError(ExitCode.UNREADABLE, str(error)) from error
    return data.X, data.y, data.rare, said.time, said.group
