"""A report on a model file and tables in files: the work of `rarewood report`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._table_files.dialects import ORDINARY, Dialect
from rarewood._table_files.formats import split_table
from rarewood._table_files.labels import classes_by_text
from rarewood._tables.cells import MISSING, as_text
from rarewood._tables.kinds import Categories, Numbers
from rarewood._tables.kinds.guessing import TextHints, guess_kind
from rarewood._tables.notes import OF_FILE
from rarewood._validation import did_you_mean
from rarewood.cli._amounts import as_amounts
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._model import ModelFile
from rarewood.cli._model_rules import rules_in_report, rules_of
from rarewood.cli._split import split_in_words, time_kind_of
from rarewood.cli._training import TableFile, read_labelled
from rarewood.report import Report, build


@dataclass(frozen=True)
class Extras:
    """What a user asks for beyond the usual page."""

    segments: tuple[str, ...] = ()
    review: tuple[int, ...] = ()
    card: Mapping[str, str] = field(default_factory=dict)
    others: Sequence[ModelFile] = ()


def build_report(
    file: ModelFile,
    test: str,
    train: str | None,
    *,
    target: str | None,
    title: str | None,
    threshold: float | str | None,
    costs: tuple[float, float | str] | None,
    baseline: bool,
    learning_curve: bool = True,
    n_jobs: int,
    seed: int,
    verbose: int,
    dialect: Dialect = ORDINARY,
    extras: Extras = Extras(),
    note: Callable[[str], None] = lambda _: None,
) -> Report:
    """Read the rows and build the page; rules that `rarewood fit` has kept in the file are shown as they are there.

    `note` is told what to know of how the tables were read.
    """
    sources = [each for each in (test, train) if each is not None]
    split = file.metadata.get("split") or {}
    also = [*(split[key] for key in ("time", "group") if split.get(key)), *file.schema.ids[:1], *extras.segments]
    if costs is not None and isinstance(costs[1], str):
        also.append(costs[1])
    tables = [read_labelled(each, file.schema, target, file.positive, dialect, also) for each in sources]
    for table in tables:
        for each in table.notes:
            note(str(each) if each.code in OF_FILE else f"{table.name}: {each}")
    _check_unseen(file, tables[0])
    rows = [(table.X, known_labels(table, file)) for table in tables]
    rules_shown = None
    if file.metadata.get("rules") or file.metadata.get("rules_note"):
        is_rare = rows[0][1] == file.positive
        rules = rules_of(file.model, file.metadata, file.positive)
        rules_shown = rules_in_report(rules, tables[0].X, is_rare)
    beside = tables[0].beside
    try:
        page = build(
            file.model,
            *rows[0],
            title=title,
            split=split_in_words(file.metadata, beside, tables[1].beside if train is not None else None) or None,
            threshold=threshold,
            positive=file.positive,
            costs=None if costs is None else (costs[0], amounts_in(costs[1], tables[0], file.schema.names)),
            train=rows[1] if train is not None else None,
            baseline=baseline and train is not None,
            learning_curve=learning_curve,
            others=_scores_of_others(extras.others, test, target, file.positive, dialect, len(tables[0].y)),
            n_rules=10 if rules_shown is None else 0,
            segments=_segments(extras.segments, tables[0], file.schema.names),
            review=list(extras.review) or None,
            times=_times(split, beside),
            row_names=_row_names(file, tables[0]),
            files=_files(file, test, train),
            card={**extras.card, **history_of(file, tables[1] if train is not None else None), **_sheets(tables)},
            n_jobs=n_jobs,
            random_state=seed,
            verbose=verbose,
        )
    except ValueError as error:
        raise CommandError(ExitCode.DATA, str(error)) from error
    return page if rules_shown is None else Report({**page.summary, "rules": rules_shown})


def _scores_of_others(
    others: Sequence[ModelFile], test: str, target: str | None, positive: Any, dialect: Dialect, n_rows: int
) -> dict[str, NDArray[np.float64]]:
    """The scores that other models give the test rows for the same class, by the names of their files."""
    scores = {}
    for other in others:
        labels = [str(label) for label in other.model.classes_.tolist()]
        if str(positive) not in labels:
            raise CommandError(
                ExitCode.MISMATCH,
                f"{other.path} does not know the class {positive}; its classes are {', '.join(labels)}",
            )
        table = read_labelled(test, other.schema, target, other.positive, dialect)
        if len(table.y) != n_rows:
            raise CommandError(
                ExitCode.MISMATCH, f"{other.path} has another target than the model of the page; use --target"
            )
        scores[Path(other.path).stem] = np.asarray(other.model.predict_proba(table.X))[:, labels.index(str(positive))]
    return scores


def _check_unseen(file: ModelFile, test: TableFile) -> None:
    """Refuse the file that the model was fitted to; of one with several tables, the same table."""
    fitted_to = file.metadata.get("fitted_to") or {}
    is_same_table = test.sheet is None or str(fitted_to.get("file")).endswith(f"::{test.sheet}")
    if fitted_to.get("sha256") is not None and fitted_to["sha256"] == test.sha256 and is_same_table:
        raise CommandError(
            ExitCode.USAGE,
            f"{test.source} is the file the model was fitted to, so its figures would be too good; test a model on rows it has not seen",
        )


def known_labels(table: TableFile, file: ModelFile) -> NDArray[Any]:
    """Labels in the type of the model's classes; one that it does not know is an error."""
    classes = classes_by_text(file.model.classes_.tolist())
    labels = table.data.labels
    unknown = sorted(set(map(str, labels.classes.tolist())) - set(classes))
    if unknown:
        raise CommandError(
            ExitCode.MISMATCH,
            f"{table.name} has labels that the model does not know: {', '.join(unknown[:5])}; its labels are "
            f"{', '.join(map(str, file.model.classes_.tolist()))}",
        )
    return np.array([classes[str(label)] for label in labels.classes.tolist()])[labels.codes]


def history_of(file: ModelFile, train: TableFile | None) -> dict[str, str]:
    """When the model was fitted, with what, and to which file; and whether the training rows given are that file."""
    saved, release = file.provenance.get("saved"), file.provenance.get("rarewood")
    words = f"{str(saved)[:16].replace('T', ' ')} UTC with rarewood {release}" if saved else ""
    source = file.metadata.get("fitted_to") or {}
    n_rows, name, sha256 = file.metadata.get("n_rows"), source.get("file"), source.get("sha256")
    if n_rows:
        words += f", to {n_rows:,} rows" + (f" of {name}" if name else "")
    if sha256 and train is not None and train.sha256 == sha256:
        words += ", the same file as the training rows listed below"
    elif sha256:
        words += f" (SHA-256 {sha256})"
        words += "" if train is None else ". The training rows given for this page are from a different file"
    return {"Fitted": f"{words}."} if words else {}


def _row_names(file: ModelFile, table: TableFile) -> Sequence[Any] | None:
    """The keys of the rows; without a column of keys their numbers in the file, as messages count them."""
    for name in file.schema.ids[:1]:
        if name in table.beside:
            return table.beside[name]
    return None if table.row_numbers is None else [f"row {number}" for number in table.row_numbers.tolist()]


def _sheets(tables: Sequence[TableFile]) -> dict[str, str]:
    """Which sheets of workbooks, or tables of databases, with several of them were read."""
    roles = zip(("test rows", "training rows"), tables)
    told = [f"{role}: {table.sheet} of {table.name}" for role, table in roles if table.sheet is not None]
    return {"Sheets": "; ".join(told)} if told else {}


def _files(file: ModelFile, test: str, train: str | None) -> dict[str, str]:
    sources = {"model": file.path, "test rows": test, "training rows": train}
    paths = {role: split_table(each)[0] for role, each in sources.items() if each is not None}
    return {role: path for role, path in paths.items() if Path(path).is_file()}


def _times(split: Mapping[str, Any], beside: Mapping[str, Sequence[Any]]) -> NDArray[Any] | None:
    """The moments of the rows, if the model was divided by dates and each row has one."""
    name, kind = str(split.get("time")), split.get("time_kind")
    if name not in beside or kind not in ("date", "datetime", "datetime_utc"):
        return None
    moments = time_kind_of(split).parse(beside[name], name, "the table", 1)
    return None if np.isnat(moments).any() else np.asarray(moments)


def amounts_in(miss: float | str, table: TableFile, of_model: Sequence[str]) -> Any:
    """What a miss costs: a number, or the cells of a column, one per row."""
    if not isinstance(miss, str):
        return miss
    if miss not in of_model and miss not in table.beside:
        names = [*of_model, *table.beside]
        raise CommandError(
            ExitCode.DATA, f"{table.name} has no column {miss!r} of costs (--cost-column){did_you_mean(miss, names)}"
        )
    cells = table.X[miss] if miss in of_model else _values(table.beside[miss], miss)
    return as_amounts(cells, miss, table.name)


def _segments(wanted: Sequence[str], table: TableFile, of_model: Sequence[str]) -> dict[str, Any] | None:
    """None for a column of the model, values for one beside it."""
    segments: dict[str, Any] = {}
    for name in wanted:
        if name not in of_model and name not in table.beside:
            names = [*of_model, *table.beside]
            raise CommandError(
                ExitCode.DATA,
                f"{table.name} has no column {name!r} to group by (--segments){did_you_mean(name, names)}",
            )
        segments[name] = None if name in of_model else _values(table.beside[name], name)
    return segments or None


def _values(cells: Sequence[Any], name: str) -> Any:
    """Cells of a column that the model does not read, as numbers or dates where all of them are."""
    kind = guess_kind(cells, name, TextHints()) or Numbers()
    if not isinstance(kind, Categories):
        return kind.parse(cells, name, "the table", 1)
    return np.array([None if text in MISSING else text for text in as_text(cells)], dtype=object)
