"""The seeded tables the benchmarks run on; they are part of the library."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarewood.datasets import Workload, make_workload, workload_names

__all__ = ["Workload", "e_in_frames", "make_workload", "names", "traps"]


def names() -> list[str]:
    """All workloads: a, b, c, d, e, then the traps."""
    return workload_names()


def traps() -> list[str]:
    return [name for name in workload_names() if name.startswith("trap-")]


def e_in_frames(quick: bool = False) -> tuple[Any, Any, Any]:
    """Workload e as data frames whose nominal columns are categories: rows to learn from, their labels, fresh rows."""
    import pandas as pd

    train, fresh = (make_workload("e", rows=2000 if quick else None, part=part) for part in ("train", "test"))
    names = [f"x{j}" for j in range(train.X.shape[1])]
    frames = [pd.DataFrame(data.X, columns=names) for data in (train, fresh)]
    for j in train.categorical_features:
        levels = np.unique(train.X[:, j][~np.isnan(train.X[:, j])]).astype(int)
        for frame in frames:
            words = frame[names[j]].map(lambda code: f"v{int(code)}", na_action="ignore")
            frame[names[j]] = pd.Categorical(words, categories=[f"v{level}" for level in levels])
    return frames[0], train.y, frames[1]
