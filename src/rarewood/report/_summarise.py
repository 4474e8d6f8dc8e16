"""Everything a report says, as a dictionary."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions import choose_for_scores
from rarewood._progress import progress
from rarewood._validation import Integer, check_parameter, column_of, encode_labels
from rarewood.metrics import DecisionThreshold, hand_till_auc, imbalance_ratio
from rarewood.metrics.thresholds import read_rule
from rarewood.report._asked import (
    GivenRows,
    check_both_kinds,
    check_model,
    check_review,
    check_row_names,
    check_train,
    days_of,
    name_of,
    rare_class,
    seeing_columns,
)
from rarewood.report._scored import (
    ScoredRows,
    calibration,
    cut_of_most_probable,
    cut_offs,
    decisions_at,
    histogram,
    measures,
    recall_table,
)
from rarewood.report._sections.baselines import compare_with_baselines
from rarewood.report._sections.card import files_behind, limits, versions
from rarewood.report._sections.cases import single_rows
from rarewood.report._sections.cost_curve import cost_curve
from rarewood.report._sections.dictionary import dictionary
from rarewood.report._sections.drift import drift, rare_shares
from rarewood.report._sections.gains import gains
from rarewood.report._sections.importances import importances
from rarewood.report._sections.intervals import intervals
from rarewood.report._sections.periods import periods
from rarewood.report._sections.review import review as reviewed
from rarewood.report._sections.rules import strongest_rules
from rarewood.report._sections.segments import segments as in_segments
from rarewood.report._tables import ReportTables, read_tables
from rarewood.report._threshold import about_threshold, costs_of, known_threshold
from rarewood.report.problems import find_problems

FORMAT = 1  # of the dictionary; larger when a key goes or changes its meaning


def summarise(
    model: Any,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    split: str | None = None,
    threshold: float | str | DecisionThreshold | None = None,
    positive: Any = None,
    costs: tuple[float, float] | None = None,
    train: GivenRows | None = None,
    baseline: bool = True,
    feature_names: Sequence[str] | None = None,
    n_rules: int = 10,
    segments: Sequence[str] | Mapping[str, Any] | None = None,
    review: Sequence[int] | None = None,
    times: Any = None,
    row_names: Sequence[Any] | None = None,
    files: Mapping[str, str | os.PathLike[str]] | None = None,
    card: Mapping[str, str] | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    verbose: int = 0,
) -> dict[str, Any]:
    """Compute all figures of a report: a fitted classifier measured on rows it has not seen.

    Parameters
    ----------
    model : classifier
        A fitted classifier with `predict_proba`: of this package, of scikit-learn, or a pipeline.
    X, y : array-like or data frame of shape (n_samples, n_features), array-like of shape (n_samples,)
        Rows that the model has not seen, and their labels.
    title : str, default=None
        Heading. None uses the name of the model and the number of rows.
    split : str, default=None
        A sentence for the page that says how these rows were separated from the training rows: at random, by time, by
        customer.
    threshold : float, str or DecisionThreshold, default=None
        A row is called rare if its score is at least this. None takes `decision_threshold_` of the model, or else calls the
        most probable class as `predict` does; with several classes, it calls as many rows as `predict`. "f1",
        "precision=0.9", "recall=0.8", "cost=1:20", "alerts=0.5%" and "alerts=200" choose a threshold on the rows of the
        report, using their labels.
    positive : label, default=None
        The rare class. None takes that of the threshold, or else the rarest label in the training rows, or else in `y`.
        With more than two classes, the page is about this one against the rest.
    costs : tuple of two floats, default=None
        Initial cost of a false alarm and of a missed rare row; the reader can change them on the page. None takes those
        of the threshold, or else 1 and the number of other rows for each rare one.
    train : tuple (X, y), default=None
        The rows the model was trained on, used for drift, baselines and rules, and to find rows and leaks that both
        tables share.
    baseline : bool, default=True
        Whether to compare with a logistic regression and a class-weighted forest, fitted to `train`.
    feature_names : sequence of str, default=None
        Names of the columns; None takes those of the table or of the model.
    n_rules : int, default=10
        How many rules to show.
    segments : sequence of str, or mapping from str to array-like, default=None
        Columns to group the rows by, with rare share, recall and precision of each group. A mapping gives the values of
        columns that are not in `X`, one per row; None as the value takes the column of `X` with this name.
    review : sequence of int, default=None
        Numbers of rows that can be reviewed per day; the page lists what each of them catches. None lists a few
        suitable numbers.
    times : array-like of dates of shape (n_samples,), default=None
        Date of each row: rows are reviewed day by day, and figures are shown over time. None treats the table as one day.
    row_names : sequence of shape (n_samples,), default=None
        Names of the rows, such as database keys. None numbers them from 0.
    files : mapping from str to path, default=None
        Files the page is based on, by their role, such as ``{"model": "fraud.rarewood", "test rows": "test.csv"}``; the
        model card gives the name, the size and the SHA-256 hash of each.
    card : mapping from str to str, default=None
        Further lines for the model card, such as ``{"Owner": "Fraud team", "Meant for": "ranking card payments for review"}``.
    n_jobs : int or None, default=None
        Number of processes for the baselines.
    random_state : int, default=0
        Seed of the baselines and of all other random choices.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    dict
        Only strings, numbers, booleans, None, lists and dictionaries, so ``json.dumps`` can write it. Its keys are
        listed in `docs/report.md`.

    See Also
    --------
    build : The same as a page.

    Examples
    --------
    >>> from rarewood import BalancedForestClassifier
    >>> from rarewood.datasets import make_planted_rules
    >>> from rarewood.report import summarise
    >>> train, test = (make_planted_rules(2000, random_state=seed) for seed in (0, 1))
    >>> model = BalancedForestClassifier(random_state=0).fit(train.X, train.y)
    >>> summary = summarise(model, test.X, test.y, threshold=0.6)
    >>> summary["measures"]["auc"] > 0.9
    True
    >>> bool(summary["decisions"]["alarms"] == sum(model.predict_proba(test.X)[:, 1] >= 0.6))
    True
    """
    check_parameter("n_rules", n_rules, Integer(0))
    check_parameter("random_state", random_state, Integer(0, 2**32 - 1))
    check_model(model)
    last = seeing_columns(model)
    labels = encode_labels(model, y, None)
    truth = labels.classes[labels.codes]
    known = check_train(train)
    rule = read_rule(threshold, name="threshold") if isinstance(threshold, str) else None
    chosen = known_threshold(model, None if rule is not None else threshold)
    of_threshold = None if chosen is None else chosen.positive
    wanted = rare_class(model, positive, of_threshold, truth, None if known is None else known[1])
    column = column_of(wanted, model.classes_)
    columns = read_tables(last, X, None if known is None else known[0], feature_names)
    if len(columns.test) != len(truth):
        raise ValueError(f"X and y have inconsistent numbers of rows: {len(columns.test)} and {len(truth)}.")
    is_rare = np.asarray(truth == wanted)
    check_both_kinds(is_rare, wanted)
    check_review(review)
    days, named = days_of(times, len(truth)), check_row_names(row_names, len(truth))
    with progress(4, "writing the report", verbose) as report:
        step = _Steps(report)
        test_rows = columns.test_rows if columns.are_of(last) else None
        asked = model.predict_proba(X) if test_rows is None else last.predict_proba(test_rows)
        chances = np.asarray(asked, dtype=np.float64)
        rows = ScoredRows(chances[:, column], is_rare)
        step.done()
        train_rare = None if known is None else np.asarray(known[1]) == wanted
        found = find_problems(columns, is_rare, train_rare)
        step.done()
        sizes, meaning = importances(model, last, X, is_rare, column, random_state)
        step.done()
        train_rows = columns.train_rows
        rules = strongest_rules(
            last,
            (columns.test_rows, truth),
            None if train_rows is None or known is None else (train_rows, known[1]),
            positive=wanted,
            n_rules=n_rules,
            names=columns.names,
            random_state=random_state,
        )
    if rule is not None:
        chosen = choose_for_scores(model, rule, truth, rows.scores, wanted)
    value, as_predict = cut_of_most_probable(chances, column) if chosen is None else (chosen.value, True)
    by_group = in_segments(rows, columns, segments, value)
    cases = single_rows(
        last, test_rows, rows, value, positive=wanted, names=columns.names, row_names=named, random_state=random_state
    )
    pair = costs_of(costs, chosen, rows)
    decisions = decisions_at(rows, value, pair)
    others = [str(label) for label in model.classes_.tolist() if label != wanted]
    summary = {
        "format": FORMAT,
        "title": title or f"{name_of(model)} on {len(truth):,} rows",
        "created": datetime.now().astimezone().isoformat(timespec="minutes"),
        "versions": versions(),
        "model": {"name": name_of(model), "text": repr(model)},
        "positive": str(wanted),
        "rest": others[0] if len(others) == 1 else "the rest",
        "n_classes": len(model.classes_),
        "hand_till_auc": float(hand_till_auc(truth, chances, labels=model.classes_)) if len(others) > 1 else None,
        "data": _about_data(columns, truth, known),
        "split": split,
        "threshold": about_threshold(value, chosen, threshold, here=rule is not None, as_predict=as_predict),
        "costs": {"false_alarm": pair[0], "miss": pair[1]},
        "decisions": decisions,
        "measures": measures(rows),
        "cut_offs": cut_offs(rows, value),
        "recall_table": recall_table(rows, pair),
        "calibration": calibration(rows),
        "histogram": histogram(rows),
        "intervals": intervals(rows, value, random_state),
        "gains": gains(rows),
        "review": reviewed(rows, review, days),
        "cost_curve": cost_curve(rows, pair, value),
        "segments": by_group,
        "periods": periods(rows, days, value),
        "drift": _drift(columns, train_rare, is_rare),
        "columns": dictionary(columns, sizes, found["single"]),
        "importance_meaning": meaning,
        "rules": rules,
        "single_rows": cases,
        "baselines": _baselines(
            baseline, model, rows, columns, train_rare, decisions["alarms"], n_jobs, random_state, verbose
        ),
        "problems": found["problems"],
    }
    lines = {str(name): str(text) for name, text in (card or {}).items()}
    return summary | {"card": {"files": files_behind(files), "lines": lines, "limits": limits(summary)}}


@dataclass
class _Steps:
    """Counts what is done for a progress bar, if there is one."""

    report: Any
    n_done: int = 0

    def done(self) -> None:
        self.n_done += 1
        if self.report is not None:
            self.report(self.n_done)


def _about_data(columns: ReportTables, truth: NDArray[Any], train: GivenRows | None) -> dict[str, Any]:
    counts = _class_counts(truth)
    known = None if train is None else _class_counts(train[1])
    return {
        "n_rows": len(truth),
        "n_columns": len(columns.names),
        "n_nominal": int(columns.nominal.sum()),
        "missing_share": float(np.isnan(columns.test).mean()),
        "imbalance_ratio": imbalance_ratio(truth),
        "classes": [
            {"label": label, "n_rows": n, "n_train": None if known is None else known.get(label, 0)}
            for label, n in sorted(counts.items(), key=lambda item: -item[1])
        ],
        "n_train_rows": None if train is None else len(train[1]),
    }


def _class_counts(truth: Any) -> dict[str, int]:
    labels, counts = np.unique(np.asarray(truth), return_counts=True)
    return {str(label): int(count) for label, count in zip(labels.tolist(), counts)}


def _drift(
    columns: ReportTables, train_rare: NDArray[np.bool_] | None, is_rare: NDArray[np.bool_]
) -> dict[str, Any] | None:
    found = drift(columns)
    if found is None or train_rare is None:
        return None
    return found | {"rare_share": rare_shares(train_rare, is_rare)}


def _baselines(
    wanted: bool,
    model: Any,
    rows: ScoredRows,
    columns: ReportTables,
    train_rare: NDArray[np.bool_] | None,
    n_alarms: int,
    n_jobs: int | None,
    random_state: int,
    verbose: int,
) -> dict[str, Any]:
    if not wanted:
        return {"compared": [], "n_alarms": n_alarms, "note": "No comparison with baselines was asked for."}
    if train_rare is None:
        note = "Baselines need the rows that the model was trained on; pass them to see a comparison here."
        return {"compared": [], "n_alarms": n_alarms, "note": note}
    return compare_with_baselines(
        name_of(model), rows, columns, train_rare, n_alarms, n_jobs=n_jobs, random_state=random_state, verbose=verbose
    )
