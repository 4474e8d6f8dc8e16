"""The plan of a comparison, written down before it starts: the first line of its record, and one cell per result."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rarewood.evaluation._data import LabelledData
from rarewood.evaluation._fingerprint import describe, fingerprint, method_fingerprint
from rarewood.evaluation._protocol import Protocol, learner_seed
from rarewood.evaluation.divisions import Fold
from rarewood.metrics import REGISTRY, Metric

_PACKAGES = ("rarewood", "numpy", "scipy", "scikit-learn", "imbalanced-learn", "joblib")


@dataclass(frozen=True)
class Cell:
    """One result to come: a method on a fold. Equal keys mean equal data, parameters, fold and seed."""

    dataset: str
    method: str
    fold: int
    repeat: int
    seed: int
    key: str


def describe_run(
    tables: Sequence[LabelledData],
    methods: Mapping[str, Any],
    protocol: Protocol,
    folds: Mapping[str, Sequence[Fold]],
    metrics: Sequence[Metric],
    random_state: int,
) -> dict[str, Any]:
    """The description of a run that its record file keeps: data sets, methods, protocol and measures."""
    return {
        "kind": "run",
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "protocol": protocol.name,
        "n_learner_repeats": protocol.n_learner_repeats,
        "random_state": random_state,
        "metrics": {metric.name: _describe_metric(metric) for metric in metrics},
        "methods": {
            name: {"fingerprint": method_fingerprint(method), "parameters": " ".join(repr(method).split())}
            for name, method in methods.items()
        },
        "datasets": {
            table.name: {**table.describe(), "folds": [fingerprint(*fold) for fold in folds[table.name]]}
            for table in tables
        },
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}},
        "machine": {"system": platform.platform(), "processors": os.cpu_count()},
    }


def cells_of(run: Mapping[str, Any]) -> list[Cell]:
    """All results of a run in their order: by data set, fold, repeat of the learner and method."""
    cells = []
    for dataset, about in run["datasets"].items():
        for fold, division in enumerate(about["folds"]):
            for repeat in range(run["n_learner_repeats"]):
                seed = learner_seed(run["random_state"], dataset, fold, repeat)
                for method, settings in run["methods"].items():
                    key = fingerprint(about["fingerprint"], settings["fingerprint"], division, str(seed))
                    cells.append(Cell(dataset, method, fold, repeat, seed, key))
    return cells


def holds_measures(record: Mapping[str, Any], run: Mapping[str, Any]) -> bool:
    """Whether a result has all measures of a run, each in the same meaning."""
    wanted = {name: about["fingerprint"] for name, about in run["metrics"].items()}
    return all(record["measures"].get(name) == meaning for name, meaning in wanted.items())


def _describe_metric(metric: Metric) -> dict[str, Any]:
    is_ours = REGISTRY.get(metric.name) is metric
    return {
        "title": metric.title,
        "larger_is_better": metric.larger_is_better,
        "limits": [limit if math.isfinite(limit) else None for limit in metric.limits],
        "fingerprint": "" if is_ours else fingerprint(describe(metric.compute)),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
