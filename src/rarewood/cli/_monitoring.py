"""New rows in files against what a model remembers: the work of `rarewood monitor`, `recalibrate` and `review`."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._table_files.dialects import ORDINARY, Dialect
from rarewood._table_files.labels import classes_by_text, is_unlabelled
from rarewood._table_files.sources import Block
from rarewood._tables.cells import CellError, as_text
from rarewood._tables.kinds import Kind, named_kind
from rarewood._tables.kinds.guessing import guess_kind
from rarewood._tables.notes import Note
from rarewood._tables.row_numbers import row_in_file
from rarewood._validation import did_you_mean
from rarewood.cli._blocks import BLOCK_ROWS, open_rows
from rarewood.cli._csv_writing import CsvWriter
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._files import name_of, open_binary, reading, whole_file
from rarewood.cli._labels import spelled_as
from rarewood.cli._model import ModelFile
from rarewood.cli._reporting import known_labels
from rarewood.cli._split import is_point, time_kind_of
from rarewood.cli._training import TableFile, read_labelled
from rarewood.monitoring import Estimates, Monitoring, Review, estimate, recalibrate
from rarewood.monitoring.watching import CODES, Watch

REVIEW_COLUMNS = ("row", "score", "chosen", "weight", "alarm", "label")


def read_codes(given: Sequence[str]) -> tuple[str, ...]:
    """The findings that make the program end with 1; all of them unless some are named."""
    if not given:
        return CODES
    if list(given) == ["none"]:
        return ()
    unknown = [code for code in given if code not in CODES]
    if unknown:
        raise CommandError(
            ExitCode.USAGE, f"--fail-on {unknown[0]} is not understood; give none or some of {', '.join(CODES)}"
        )
    return tuple(given)


def watch_file(
    source: str,
    file: ModelFile,
    *,
    target: str | None,
    time: str | None,
    block_rows: int = BLOCK_ROWS,
    dialect: Dialect = ORDINARY,
    note: Callable[[Note], None] | None = None,
    verbose: int = 0,
) -> Monitoring:
    """All rows of a file; with their labels, if it has the column."""
    where, label = name_of(source), target or file.schema.target
    try:
        watch = Watch(file.model)
    except (ValueError, TypeError) as error:
        raise CommandError(ExitCode.MODEL_FILE, str(error)) from error
    beside = [name for name in (label, time) if name is not None]
    kind: Kind | None = None
    with open_rows(
        source, file.schema, as_text=beside, block_rows=block_rows, dialect=dialect, note=note, verbose=verbose
    ) as (names, blocks):
        for name, option in ((target, "target"), (time, "time")):
            if name is not None and name not in names:
                near = did_you_mean(name, names)
                raise CommandError(ExitCode.DATA, f"{where} has no column {name!r} (--{option}){near}")
        for block, table in blocks:
            y = None if label is None or label not in names else _labels(block, label, file, where)
            if time is not None and kind is None:
                kind = _time_kind(block, time, file, dialect)
            days = None if time is None or kind is None else _days(block, time, kind, where)
            watch.add(table, y, days)
    return watch.finish()


def _labels(block: Block, label: str, file: ModelFile, where: str) -> list[Any]:
    cells = as_text(block.columns[label])
    if file.schema.spelling:
        cells = spelled_as(np.asarray(cells, dtype=str), file.schema.spelling).tolist()
    classes = classes_by_text(file.model.classes_.tolist())
    found = []
    for number, cell in enumerate(cells):
        text = None if is_unlabelled(cell) else str(cell).strip()
        if text is not None and text not in classes:
            raise CommandError(
                ExitCode.MISMATCH,
                f"{where}: row {block.first + number} has the label {text!r}, which the model does not know; its labels are "
                f"{', '.join(map(str, file.model.classes_.tolist()))}",
            )
        found.append(None if text is None else classes[text])
    return found


def _time_kind(block: Block, time: str, file: ModelFile, dialect: Dialect) -> Kind:
    """How the dates of a column are written: as the user says, as in the training rows, or as the first rows look."""
    told = dialect.text_hints(dialect)
    split = file.metadata.get("split") or {}
    if told.date_writing(time) is None:
        known = (
            time_kind_of(split) if split.get("time") == time and split.get("time_kind") else file.schema.kinds.get(time)
        )
        if is_point(known):
            assert known is not None
            return known
    found = guess_kind(block.columns[time], time, told)
    return found if found is not None and is_point(found) else named_kind("datetime")


def _days(block: Block, time: str, kind: Kind, where: str) -> NDArray[np.int64]:
    try:
        moments = np.asarray(kind.parse(as_text(block.columns[time]), time, where, block.first))
    except (CellError, ValueError) as error:
        raise CommandError(ExitCode.DATA, f"{error} (--time)") from error
    if np.isnat(moments).any():
        row = block.first + int(np.argmax(np.isnat(moments)))
        raise CommandError(ExitCode.DATA, f"{where}: row {row} has no date in column {time!r} (--time)")
    return moments.astype("M8[D]").astype(np.int64)


def recalibrate_file(
    source: str, file: ModelFile, *, target: str | None, weight: str | None, dialect: Dialect = ORDINARY
) -> Any:
    """The model with probabilities fitted to the rows of a file."""
    table = read_labelled(source, file.schema, target, file.positive, dialect, [] if weight is None else [weight])
    labels = known_labels(table, file)
    weights = None if weight is None else _weights(table, weight)
    try:
        return recalibrate(file.model, table.X, labels, sample_weight=weights)
    except (ValueError, TypeError) as error:
        raise CommandError(ExitCode.DATA, str(error)) from error


def _weights(table: TableFile, name: str) -> NDArray[np.float64]:
    if name not in table.beside:
        raise CommandError(ExitCode.DATA, f"{table.name} has no column {name!r} beside those of the model (--weight)")
    try:
        return np.array([float(cell) for cell in table.beside[name]])
    except (TypeError, ValueError) as error:
        raise CommandError(
            ExitCode.DATA, f"{table.name}: column {name!r} (--weight) has a cell that is no number: {error}"
        ) from error


def review_file(
    source: str,
    file: ModelFile,
    n: int,
    *,
    ids: Sequence[str],
    seed: int,
    dialect: Dialect = ORDINARY,
    note: Callable[[Note], None] | None = None,
    verbose: int = 0,
) -> tuple[Review, dict[str, list[Any]]]:
    """The rows of a file to label next, and what they are called there."""
    where, scores = name_of(source), []
    named: dict[str, list[Any]] = {}
    wanted = list(ids) or list(file.schema.ids)
    with open_rows(source, file.schema, as_text=wanted, dialect=dialect, note=note, verbose=verbose) as (names, blocks):
        kept = file.schema.copied(ids, names, REVIEW_COLUMNS, where)
        for block, table in blocks:
            scores.append(file.model.predict_proba(table)[:, file.positive_column])
            for name in kept:
                named.setdefault(name, []).extend(as_text(block.columns[name]))
    p = np.concatenate(scores)
    cut = 0.5 if file.threshold is None else file.threshold.value
    chosen = Review.of_scores(p, n, cut, file.positive, np.random.RandomState(seed))
    return chosen, {name: [cells[row] for row in chosen.rows.tolist()] for name, cells in named.items()}


def write_review(target: str, chosen: Review, named: dict[str, list[Any]], safe_csv: bool = False) -> None:
    """A CSV file with an empty column for the labels."""
    columns = {**named, **{name: each.tolist() for name, each in chosen.columns().items()}}
    columns["row"] = [row_in_file(row) for row in columns["row"]]
    columns["label"] = [""] * len(chosen.rows)
    with whole_file(target) as file:
        lines = CsvWriter(file, safe=safe_csv)
        lines.row(columns)
        lines.rows(zip(*columns.values(), strict=True))


def read_review(source: str) -> dict[str, list[str]]:
    """A file that `write_review` wrote and somebody labelled."""
    where = name_of(source)
    with reading(where), open_binary(source) as file:
        lines = csv.DictReader(io.TextIOWrapper(file, encoding="utf-8-sig", newline=""))
        rows = list(lines)
        names = lines.fieldnames or []
    absent = [name for name in ("chosen", "weight", "alarm", "label") if name not in names]
    if absent:
        raise CommandError(
            ExitCode.DATA, f"{where} has no column {absent[0]!r}; give a file that `rarewood review` wrote, with labels"
        )
    return {name: [str(row[name] or "").strip() for row in rows] for name in ("chosen", "weight", "alarm", "label")}


def estimates_of(columns: dict[str, list[str]], file: ModelFile) -> Estimates:
    """What the labels of a review say of all rows."""
    known = {str(each) for each in file.model.classes_.tolist()}
    strange = next((label for label in columns["label"] if label and label not in known), None)
    if strange is not None:
        raise CommandError(
            ExitCode.MISMATCH, f"the label {strange!r} is not one of the model, {', '.join(sorted(known))}"
        )
    labels = np.array([label or None for label in columns["label"]], dtype=object)
    try:
        weights = [float(weight) for weight in columns["weight"]]
        alarms = [{"True": True, "False": False}[alarm.capitalize()] for alarm in columns["alarm"]]
        told = {"chosen": columns["chosen"], "weight": weights, "alarm": alarms, "label": labels}
        return estimate(told, positive=str(file.positive))
    except KeyError as error:
        raise CommandError(ExitCode.DATA, f"the column 'alarm' holds {error}; it should be True or False") from error
    except ValueError as error:
        raise CommandError(ExitCode.DATA, str(error)) from error
