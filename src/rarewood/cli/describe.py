"""`rarewood describe`: what is in a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rarewood.cli import _options as options
from rarewood.cli._errors import told_in_one_line
from rarewood.cli._screen import Screen, told_threshold

_SHOWN = 30


_TITLES = {"auc": "ROC area", "average_precision": "avg precision", "log_loss": "log-loss"}


@told_in_one_line
def describe(model: options.ModelPath, quiet: options.Quiet = False, as_json: options.Json = False) -> None:
    """Print what is in a model file: the model, its classes, columns and scores, and when and with what it was made.

    Example: rarewood describe payments.rarewood
    """
    from rarewood.cli._model import read_model
    from rarewood.cli._monotone import described_constraints, told_constraints
    from rarewood.export import describe as describe_file

    screen = Screen(quiet, as_json)
    file = read_model(model, None)
    told = describe_file(model)
    columns = {name: kind.word for name, kind in zip(file.schema.names, file.schema.columns.kinds)}
    counts: dict[str, Any] = file.metadata.get("class_counts") or {}
    screen.title(f"{Path(model).name}: {told.model}, format {told.format_version}")
    n_rows = file.metadata.get("n_rows")
    for title, value in (
        ("method", file.metadata.get("method")),
        ("rows", f"{n_rows:,}" if isinstance(n_rows, int) else None),
        ("target", file.schema.target),
        ("identifiers", ", ".join(file.schema.ids)),
        ("judged by", file.metadata.get("judged_by")),
    ):
        if value:
            screen.line(f"{title:<14}{value}")
    for key, score in (file.metadata.get("measures") or {}).items():
        screen.line(f"{_TITLES.get(key, key.replace('_', ' ')):<14}{score:.4f}")
    classes = [str(label) for label in file.model.classes_.tolist()]
    named = [f"{label} ({counts[label]:,} rows)" if label in counts else label for label in classes]
    screen.line(f"{'classes':<14}{', '.join(named)}; {file.positive} is the class to find")
    screen.line(f"{'threshold':<14}{told_threshold(file.threshold)}")
    constraints = told_constraints(file.model, file.positive)
    if constraints:
        screen.line(f"{'probability':<14}{constraints}")
    screen.table(["column", "kind"], [[name, kind] for name, kind in list(columns.items())[:_SHOWN]], left=[0, 1])
    if len(columns) > _SHOWN:
        screen.line(f"... {len(columns) - _SHOWN} more columns")
    screen.line(f"{'written':<14}{', '.join(f'{key} {value}' for key, value in told.provenance.items())}")
    screen.result(
        {
            "model": told.model,
            "format_version": told.format_version,
            "classes": classes,
            "positive": str(file.positive),
            "columns": columns,
            "constraints": described_constraints(file.model, file.positive),
            "provenance": told.provenance,
            "metadata": file.stored,
        }
    )
