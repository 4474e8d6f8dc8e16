"""Scoring a table block by block: the work of `rarewood predict`."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions import labels_by_costs
from rarewood._rules import RuleList
from rarewood._table_files.dialects import ORDINARY, Dialect
from rarewood._table_files.formats import WRITABLE_SUFFIXES
from rarewood._tables.cells import as_text
from rarewood._tables.notes import Note
from rarewood._validation import import_optional
from rarewood.cli._amounts import Amounts
from rarewood.cli._blocks import open_rows
from rarewood.cli._csv_writing import CsvWriter
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._files import as_file, check_table_name, is_read_once, name_of, whole_file
from rarewood.cli._model import ModelFile
from rarewood.cli._model_rules import rules_that_hold
from rarewood.cli._reasons import reasons_for
from rarewood.cli._settings import parse_threshold
from rarewood.ensemble.threshold import keep_threshold
from rarewood.metrics import DecisionThreshold
from rarewood.metrics.thresholds import ThresholdRule, read_rule

Write = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Scored:
    """How many rows were scored and how many are called positive; their lowest score, where they were counted out."""

    n_rows: int
    n_positive: int
    lowest: float | None = None
    expected_loss: float | None = None  # scores times amounts, where rows have these
    expected_in_alarms: float | None = None


@dataclass(frozen=True)
class Wanted:
    """What to write beside score and label of each row.

    Parameters
    ----------
    ids : sequence of str
        Columns to copy; none for those of the model.
    rules : RuleList or None
        Rules to name where they hold.
    n_reasons : int or None
        How many reasons to give, for the rows that are called positive or, with `reasons_for_all`, for every row.
    safe_csv : bool
        Whether to leave no text that a spreadsheet would take for a formula.
    amounts : Amounts or None
        What each row may cost: the loss to expect is written, and labels are by its own costs if a false alarm has one.
    """

    ids: Sequence[str] = ()
    rules: RuleList | None = None
    n_reasons: int | None = None
    reasons_for_all: bool = False
    safe_csv: bool = False
    amounts: Amounts | None = None

    @property
    def added(self) -> list[str]:
        """The columns of the output beside those that are copied."""
        on_request = {
            "expected_loss": self.amounts is not None,
            "rules": self.rules is not None,
            "reasons": self.n_reasons is not None,
        }
        return ["score", "label", *(name for name, is_wanted in on_request.items() if is_wanted)]


def score_file(
    source: str,
    target: str,
    file: ModelFile,
    wanted: Wanted,
    *,
    top: ThresholdRule | None = None,
    block_rows: int,
    verbose: int,
    dialect: Dialect = ORDINARY,
    note: Callable[[Note], None] | None = None,
) -> Scored:
    """Read `source`, write score and label of each row to `target`, with rules and reasons where asked for.

    With `top`, a rule of alerts, the file is read twice: so many of its highest scores are called positive, of equal ones the first.
    """
    check_table_name(target, WRITABLE_SUFFIXES, "a .csv, .csv.gz, .tsv or .parquet file")
    amounts = wanted.amounts
    at_stake = in_alarms = 0.0
    beside = [] if amounts is None or amounts.column in file.schema.names else [amounts.column]
    with ExitStack() as stack:
        if top is not None and is_read_once(source):
            source = str(stack.enter_context(as_file(source)))

        def rows(note: Callable[[Note], None] | None) -> Any:
            return open_rows(
                source,
                file.schema,
                as_text=[*(wanted.ids or file.schema.ids), *beside],
                block_rows=block_rows,
                dialect=dialect,
                note=note,
                verbose=verbose,
            )

        ranked = None if top is None else _ranked(file, rows(None), top)
        names, blocks = stack.enter_context(rows(note))
        where = name_of(source)
        kept = file.schema.copied(wanted.ids, names, wanted.added, where)
        if amounts is not None:
            amounts.check(names, where)
        write = stack.enter_context(_writer(target, wanted.safe_csv))
        n_rows = n_positive = 0
        for block, table in blocks:
            place = slice(n_rows, n_rows + block.n_rows)
            probabilities = file.model.predict_proba(table) if ranked is None else ranked.probabilities[place]
            scores = probabilities[:, file.positive_column]
            losses = None if amounts is None else amounts.read(block, table, where)
            if ranked is not None:
                labels = ranked.labels(file, place)
            elif amounts is not None and amounts.false_alarm is not None:
                costs = (amounts.false_alarm, losses)
                labels = labels_by_costs(probabilities, np.asarray(file.model.classes_), file.positive_column, costs)
            else:
                labels = decide(file, probabilities)
            is_called = labels == file.positive
            columns: dict[str, Any] = {name: as_text(block.columns[name]) for name in kept}
            columns = columns or {"row": list(range(block.first, block.first + block.n_rows))}
            columns["score"] = scores
            columns["label"] = labels
            if losses is not None:
                columns["expected_loss"] = scores * losses
                at_stake += float((scores * losses).sum())
                in_alarms += float((scores * losses)[is_called].sum())
            if wanted.rules is not None:
                columns["rules"] = rules_that_hold(wanted.rules, table)
            if wanted.n_reasons is not None:
                of_rows = np.ones(len(labels), dtype=bool) if wanted.reasons_for_all else is_called
                columns["reasons"] = reasons_for(file, table, wanted.n_reasons, np.flatnonzero(of_rows))
            write(columns)
            n_rows += block.n_rows
            n_positive += int(np.count_nonzero(is_called))
    lowest = None if ranked is None else ranked.lowest
    return Scored(n_rows, n_positive, lowest, *(() if amounts is None else (at_stake, in_alarms)))


@dataclass(frozen=True, eq=False)
class Ranked:
    """The probabilities of all rows of a file, which of them have the highest scores, and the lowest of these."""

    probabilities: NDArray[np.float64]
    is_top: NDArray[np.bool_]
    lowest: float | None

    def labels(self, file: ModelFile, rows: slice) -> NDArray[Any]:
        """The positive class for the highest scores, the most probable of the others elsewhere."""
        of_others = self.probabilities[rows].copy()
        of_others[:, file.positive_column] = -np.inf
        classes = np.asarray(file.model.classes_)
        return np.asarray(classes[np.where(self.is_top[rows], file.positive_column, of_others.argmax(axis=1))])


def _ranked(file: ModelFile, rows: AbstractContextManager[Any], top: ThresholdRule) -> Ranked:
    with rows as (_, blocks):
        found = np.concatenate([file.model.predict_proba(table) for _, table in blocks])
    scores = found[:, file.positive_column]
    share = top.alerts(len(scores))
    assert share is not None
    highest = np.argsort(-scores, kind="stable")[: int(share * len(scores) + 1e-9)]
    is_top = np.zeros(len(scores), dtype=bool)
    is_top[highest] = True
    return Ranked(found, is_top, float(scores[highest[-1]]) if len(highest) else None)


def give_threshold(file: ModelFile, text: str) -> ThresholdRule | None:
    """Have the model decide by a threshold that needs no labelled rows: a number, costs, or none.

    Alerts, so many rows or such a share of them, are no matter of the model: the rule is returned, for `score_file` to count out.
    """
    words = parse_threshold(text)
    rule = None if words is None else read_rule(words)
    if rule is not None and rule.name == "alerts" and rule.confidence is None:
        return rule
    if rule is not None and rule.value is None and rule.name != "cost":
        raise CommandError(
            ExitCode.USAGE,
            f"--threshold {text} needs labelled rows, so use it in `rarewood fit`; here, give a number, cost=1:20, alerts=200 "
            "or none",
        )
    positive, unknown = file.positive, float("nan")
    chosen = None
    if rule is not None:
        costs = rule.costs or (0.0, 1.0)
        value = costs[0] / sum(costs) if rule.value is None else rule.value
        chosen = DecisionThreshold(value, rule.name, positive, unknown, unknown, unknown, costs=rule.costs)
    keep_threshold(file.model, chosen)
    return None


def decide(file: ModelFile, probabilities: NDArray[np.float64]) -> NDArray[Any]:
    """Labels as the model predicts them: by its threshold, or the most probable ones."""
    classes = np.asarray(file.model.classes_)
    if file.threshold is None:
        return np.asarray(classes[probabilities.argmax(axis=1)])
    return np.asarray(file.threshold.labels(probabilities, classes))


# ---------------------------------------------------------------------------------------------------------
# writing


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


def _csv_writer(file: BinaryIO, target: str, safe_csv: bool) -> Iterator[Write]:
    lines = CsvWriter(file, "\t" if ".tsv" in Path(target).suffixes else ",", safe_csv)
    is_first = True

    def write(columns: dict[str, Any]) -> None:
        nonlocal is_first
        if is_first:
            lines.row(columns)
            is_first = False
        scores = map("{:.6g}".format, columns["score"].tolist())
        cells = {**columns, "score": scores, "label": columns["label"].tolist()}
        if "expected_loss" in columns:
            cells["expected_loss"] = map("{:.6g}".format, columns["expected_loss"].tolist())
        lines.rows(zip(*cells.values()))

    yield write


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
