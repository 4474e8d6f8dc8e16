"""Scoring a table block by block: the work of `rarewood predict`."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions import labels_by_costs
from rarewood._rules import RuleList
from rarewood._table_files.dialects import ORDINARY, Dialect
from rarewood._table_files.formats import TABLE_SUFFIXES, WRITABLE_SUFFIXES, suffix_of
from rarewood._tables.cells import as_text
from rarewood._tables.notes import Note
from rarewood._validation import import_optional
from rarewood.cli._amounts import Amounts
from rarewood.cli._blocks import open_rows
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._files import name_of, whole_file
from rarewood.cli._model import ModelFile
from rarewood.cli._model_rules import rules_that_hold
from rarewood.cli._reasons import reasons_for
from rarewood.cli._schema import some
from rarewood.cli._settings import parse_threshold
from rarewood.ensemble.threshold import keep_threshold
from rarewood.metrics import DecisionThreshold
from rarewood.metrics.thresholds import read_rule

Write = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Scored:
    """How many rows were scored and how many are called positive; the losses to expect."""

    n_rows: int
    n_positive: int
    expected_loss: float | None = None  # scores times amounts, where rows have these
    expected_in_alarms: float | None = None


def score_file(
    source: str,
    target: str,
    file: ModelFile,
    *,
    ids: Sequence[str],
    rules: RuleList | None,
    n_reasons: int | None = None,
    amounts: Amounts | None = None,
    block_rows: int,
    verbose: int,
    safe_csv: bool = False,
    dialect: Dialect = ORDINARY,
    note: Callable[[Note], None] | None = None,
) -> Scored:
    """Read `source`, write score and label of each row to `target`, with the rules that fired and reasons where asked for.

    With `amounts`, also the loss to expect of each row, and labels by its own costs if these say what a false alarm costs. With
    `safe_csv`, no text is left that a spreadsheet would take for a formula.
    """
    where = name_of(source)
    _check_target(target)
    schema = file.schema.written_as(dialect)
    n_rows = n_positive = 0
    at_stake = in_alarms = 0.0
    beside = [] if amounts is None or amounts.column in schema.names else [amounts.column]
    with ExitStack() as stack:
        names, blocks = stack.enter_context(
            open_rows(
                source,
                schema,
                as_text=[*(ids or schema.ids), *beside],
                block_rows=block_rows,
                dialect=dialect,
                note=note,
                verbose=verbose,
            )
        )
        kept = _identifiers(ids, file, names, where)
        if amounts is not None:
            amounts.check(names, where)
        write = stack.enter_context(_writer(target, safe_csv))
        for block in blocks:
            table = schema.table(block, where)
            probabilities = file.model.predict_proba(table)
            scores = probabilities[:, file.positive_column]
            losses = None if amounts is None else amounts.read(block, table, where)
            if amounts is not None and amounts.false_alarm is not None:
                costs = (amounts.false_alarm, losses)
                labels = labels_by_costs(probabilities, np.asarray(file.model.classes_), file.positive_column, costs)
            else:
                labels = decide(file, probabilities)
            called = labels == file.positive
            columns: dict[str, Any] = {name: as_text(block.columns[name]) for name in kept}
            columns = columns or {"row": list(range(block.first, block.first + block.n_rows))}
            columns["score"] = scores
            columns["label"] = labels
            if losses is not None:
                columns["expected_loss"] = scores * losses
                at_stake += float((scores * losses).sum())
                in_alarms += float((scores * losses)[called].sum())
            if rules is not None:
                columns["rules"] = rules_that_hold(rules, table)
            if n_reasons is not None:
                columns["reasons"] = reasons_for(file, table, n_reasons)
            write(columns)
            n_rows += block.n_rows
            n_positive += int(np.count_nonzero(called))
    return Scored(n_rows, n_positive) if amounts is None else Scored(n_rows, n_positive, at_stake, in_alarms)


def give_threshold(file: ModelFile, text: str) -> None:
    """Have the model decide by a threshold that needs no labelled rows: a number, costs, or none."""
    words = parse_threshold(text)
    rule = None if words is None else read_rule(words)
    if rule is not None and rule.value is None and rule.name != "cost":
        raise CommandError(
            ExitCode.USAGE,
            f"--threshold {text} needs labelled rows, so use it in `rarewood fit`; here, give a number, cost=1:20 or "
            "none",
        )
    positive, unknown = file.positive, float("nan")
    chosen = None
    if rule is not None:
        costs = rule.costs or (0.0, 1.0)
        value = costs[0] / sum(costs) if rule.value is None else rule.value
        chosen = DecisionThreshold(value, rule.name, positive, unknown, unknown, unknown, costs=rule.costs)
    keep_threshold(file.model, chosen)


def decide(file: ModelFile, probabilities: NDArray[np.float64]) -> NDArray[Any]:
    """Labels as the model predicts them: by its threshold, or the most probable ones."""
    classes = np.asarray(file.model.classes_)
    if file.threshold is None:
        return np.asarray(classes[probabilities.argmax(axis=1)])
    return np.asarray(file.threshold.labels(probabilities, classes))


def _identifiers(ids: Sequence[str], file: ModelFile, names: Sequence[str], where: str) -> list[str]:
    """Columns to copy: those asked for, or those of the model that are there."""
    absent = [name for name in ids if name not in names]
    if absent:
        raise CommandError(ExitCode.DATA, f"{where} has no column {absent[0]!r} (--id); it has {some(names)}")
    taken = [name for name in ids if name in ("score", "label", "expected_loss", "rules", "reasons")]
    if taken:
        raise CommandError(ExitCode.USAGE, f"--id {taken[0]} is also the name of an output column; rename the column")
    return list(ids) or [name for name in file.schema.ids if name in names]


# ---------------------------------------------------------------------------------------------------------
# writing


def _check_target(target: str) -> None:
    """Raise for names that promise what is not written; a CSV file called .xlsx opens in no spreadsheet."""
    suffix = suffix_of(target)
    if suffix in TABLE_SUFFIXES - WRITABLE_SUFFIXES:
        raise CommandError(
            ExitCode.USAGE,
            f"--output {target}: {suffix} files cannot be written; name a .csv, .csv.gz, .tsv or .parquet file",
        )


@contextmanager
def _writer(target: str, safe_csv: bool) -> Iterator[Write]:
    with whole_file(target) as file:
        if target.lower().endswith(".parquet"):
            yield from _parquet_writer(file)
        elif target.lower().endswith(".gz"):
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                yield from _csv_writer(packed, target, safe_csv)  # type: ignore[arg-type]
        else:
            yield from _csv_writer(file, target, safe_csv)


def not_a_formula(cell: Any) -> Any:
    """The cell, with a quote in front if a spreadsheet would compute it: =, +, -, @, and no number."""
    if not isinstance(cell, str) or cell.lstrip("\t\r\n ")[:1] not in tuple("=+-@"):
        return cell
    try:
        float(cell)
    except ValueError:
        return "'" + cell
    return cell


def _csv_writer(file: BinaryIO, target: str, safe_csv: bool) -> Iterator[Write]:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    delimiter = "\t" if ".tsv" in Path(target).suffixes else ","
    lines = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    is_first = True

    def write(columns: dict[str, Any]) -> None:
        nonlocal is_first
        if is_first:
            lines.writerow(map(not_a_formula, columns) if safe_csv else columns)
            is_first = False
        scores = map("{:.6g}".format, columns["score"].tolist())
        cells = {**columns, "score": scores, "label": columns["label"].tolist()}
        if "expected_loss" in columns:
            cells["expected_loss"] = map("{:.6g}".format, columns["expected_loss"].tolist())
        safe = [map(not_a_formula, column) for column in cells.values()] if safe_csv else cells.values()
        lines.writerows(zip(*safe))

    try:
        yield write
    finally:
        text.detach()


def _parquet_writer(file: BinaryIO) -> Iterator[Write]:
    arrow = import_optional("pyarrow", "data", "writing Parquet")
    parquet = import_optional("pyarrow.parquet", "data", "writing Parquet")
    opened: list[Any] = []

    def write(columns: dict[str, Any]) -> None:
        table = arrow.table(columns)
        if not opened:
            opened.append(parquet.ParquetWriter(file, table.schema))
        opened[0].write_table(table)

    try:
        yield write
    finally:
        for each in opened:
            each.close()
