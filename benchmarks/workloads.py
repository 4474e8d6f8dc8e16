"""The seeded tables the benchmarks run on; they are part of the library."""

from __future__ import annotations

from rarewood.datasets import Workload, make_workload, workload_names

__all__ = ["Workload", "make_workload", "names", "traps"]


def names() -> list[str]:
    """All workloads: a, b, c, d, e, then the traps."""
    return workload_names()


def traps() -> list[str]:
    return [name for name in workload_names() if name.startswith("trap-")]
