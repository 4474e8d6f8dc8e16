"""The subject of a page: the one thing that every section is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables import Rows
from rarewood._tables.periods import days_of
from rarewood._validation import column_of, encode_labels, unmasked
from rarewood.ensemble.left_out import FittedRows, fitted_rows
from rarewood.report._arguments import (
    check_both_kinds,
    check_model,
    check_review,
    check_row_names,
    check_train,
    rare_class,
    seeing_columns,
)
from rarewood.report._importances import Importances, importances
from rarewood.report._options import Options
from rarewood.report._scores import ScoredRows, decisions_at
from rarewood.report._tables import ReportTables, read_tables
from rarewood.report._threshold import PageThreshold, ThresholdRequest, amounts_of, costs_of
from rarewood.report.problems import Examined

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Subject:
    """A model, the labelled rows it is judged on, its scores, the threshold and the costs; all of it checked.

    `inner` is the classifier that reads the caller's columns: `model` itself, unless that wraps it without changing columns.
    """

    model: Any
    inner: Any
    X: Any  # the rows as the caller gave them
    truth: NDArray[Any]
    train_truth: NDArray[Any] | None
    positive: Any
    tables: ReportTables
    chances: Floats  # probabilities of all classes
    rows: ScoredRows
    threshold: PageThreshold
    costs: tuple[float, float]
    amounts: Floats | None  # what missing a row costs, where each has its own
    days: NDArray[np.int64] | None
    row_names: list[str] | None
    options: Options

    @property
    def train_rare(self) -> NDArray[np.bool_] | None:
        """True for each training row of the rare class."""
        return None if self.train_truth is None else np.asarray(self.train_truth == self.positive)

    @property
    def alarms(self) -> NDArray[np.bool_]:
        """True for each row that reaches the threshold."""
        return np.asarray(self.rows.scores >= self.threshold.value)

    @property
    def rows_of_model(self) -> Rows | None:
        """The rows in the coding of `inner`; None where it reads tables in a way of its own."""
        return self.tables.test_rows if self.tables.are_of(self.inner) else None

    @cached_property
    def fitted_rows(self) -> FittedRows | None:
        """The training rows, if the caller gave those that `inner` was fitted to and it can score them by trees that left them out."""
        rows = self.tables.train_rows if self.tables.are_of(self.inner) else None
        return None if rows is None or self.train_truth is None else fitted_rows(self.inner, rows, self.train_truth)

    @cached_property
    def decisions(self) -> dict[str, Any]:
        """The confusion matrix at the threshold and what follows from it."""
        return decisions_at(self.rows, self.threshold.value, self.costs)

    @cached_property
    def examined(self) -> Examined:
        """The tables as the checks of the data see them."""
        return Examined(self.tables, self.rows.is_rare, self.train_rare)

    @property
    def table(self) -> Any:
        """The rows as `scores` takes them: in the coding of the model where it has one, which is the fastest."""
        rows = self.rows_of_model
        return self.X if rows is None else rows

    def scores(self, table: Any) -> Floats:
        """The score of the rare class for rows like those of `table`."""
        model = self.inner if isinstance(table, Rows) else self.model
        chances = np.asarray(model.predict_proba(table), dtype=np.float64)
        return chances[:, column_of(self.positive, model.classes_)]

    @cached_property
    def importances(self) -> Importances:
        """The importance of each column to the model."""
        n_columns, seed = len(self.tables.names), self.options.random_state
        return importances(self.inner, self.scores, self.table, self.rows.is_rare, n_columns, seed)


def read_subject(model: Any, X: Any, y: Any, options: Options) -> Subject:
    """Check what a caller passes, read the tables and score the rows."""
    check_model(model)
    inner = seeing_columns(model)
    labels = encode_labels(model, y, None)
    truth = labels.classes[labels.codes]
    X = unmasked(X)
    train_X, train_truth = check_train(options.train)
    request = ThresholdRequest.read(model, options.threshold)
    positive = rare_class(model, options.positive, request.positive, truth, train_truth)
    column = column_of(positive, model.classes_)
    tables = read_tables(inner, X, train_X, options.feature_names)
    if len(tables.test) != len(truth):
        raise ValueError(f"X and y have inconsistent numbers of rows: {len(tables.test)} and {len(truth)}.")
    is_rare = np.asarray(truth == positive)
    check_both_kinds(is_rare, positive)
    check_review(options.review)
    days, row_names = days_of(options.times, len(truth)), check_row_names(options.row_names, len(truth))
    shares = inner.predict_proba(tables.test_rows) if tables.are_of(inner) else model.predict_proba(X)
    chances = np.asarray(shares, dtype=np.float64)
    rows = ScoredRows(chances[:, column], is_rare)
    threshold = request.on_rows(model, truth, chances, positive)
    amounts = amounts_of(options.costs, len(truth))
    costs = costs_of(options.costs, threshold.chosen, rows, amounts)
    return Subject(
        model,
        inner,
        X,
        truth,
        train_truth,
        positive,
        tables,
        chances,
        rows,
        threshold,
        costs,
        amounts,
        days,
        row_names,
        options,
    )
