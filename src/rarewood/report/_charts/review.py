"""What is caught by reviewing N rows a day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rarewood._pages.axes import Axes


def review(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Recall and precision against the number of rows reviewed, on a logarithmic axis."""
    found = summary["review"]["curve"]
    at = summary["decisions"]
    n_rare = at["true_positives"] + at["false_negatives"]
    axes = Axes(x_from=1.0, x_limit=max(float(found["n"][-1]), 10.0))
    return {
        "axes": axes,
        "recall": axes.path([(n, caught / n_rare) for n, caught in zip(found["n"], found["caught"], strict=True)]),
        "precision": axes.path(
            [(n, hits / rows) for n, hits, rows in zip(found["n"], found["caught"], found["reviewed"], strict=True)]
        ),
    }
