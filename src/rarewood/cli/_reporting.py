"""A report on a model file and tables in files: the work of `rarewood report`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.blocks import ORDINARY
from rarewood._tables.dialects import Dialect
from rarewood.cli._dividing import split_in_words
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._model import ModelFile
from rarewood.cli._rules import rules_of
from rarewood.cli._training import LabelledTable, read_labelled
from rarewood.report import Report, build


def build_report(
    file: ModelFile,
    test: str,
    train: str | None,
    *,
    target: str | None,
    title: str | None,
    threshold: float | str | None,
    costs: tuple[float, float] | None,
    baseline: bool,
    n_jobs: int,
    seed: int,
    verbose: int,
    dialect: Dialect = ORDINARY,
) -> Report:
    """Read the rows and build the page; rules that `rarewood fit` has kept in the file are shown as they are there."""
    sources = [each for each in (test, train) if each is not None]
    told = file.metadata.get("split") or {}
    dividing = [told[key] for key in ("time", "group") if told.get(key)]
    tables = [read_labelled(each, file.wanted, target, file.positive, dialect, dividing) for each in sources]
    rows = [(table.X, known_labels(table, file)) for table in tables]
    kept = None
    if file.metadata.get("rules") or file.metadata.get("rules_note"):
        is_rare = tables[0].y.astype(str) == str(file.positive)
        kept = rules_of(file.model, file.metadata, file.positive).as_section(tables[0].X, is_rare)
    try:
        page = build(
            file.model,
            *rows[0],
            title=title,
            split=split_in_words(file.metadata, tables[0].beside, tables[1].beside if train is not None else None)
            or None,
            threshold=threshold,
            positive=file.positive,
            costs=costs,
            train=rows[1] if train is not None else None,
            baseline=baseline and train is not None,
            n_rules=10 if kept is None else 0,
            n_jobs=n_jobs,
            random_state=seed,
            verbose=verbose,
        )
    except ValueError as error:
        raise CommandError(ExitCode.DATA, str(error)) from error
    return page if kept is None else Report({**page.summary, "rules": kept})


def known_labels(table: LabelledTable, file: ModelFile) -> NDArray[Any]:
    """Labels in the type of the model's classes; one that it does not know is an error."""
    classes: dict[str, Any] = {str(label): label for label in file.model.classes_.tolist()}
    unknown = sorted(set(map(str, table.y.tolist())) - set(classes))
    if unknown:
        raise CommandError(
            ExitCode.MISMATCH,
            f"{table.name} has labels that the model does not know: {', '.join(unknown[:5])}; it knows {', '.join(classes)}",
        )
    return np.array([classes[str(label)] for label in table.y.tolist()])
