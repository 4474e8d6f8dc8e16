"""Everything a report says, as a dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.utils.validation import check_is_fitted

from rarewood._decisions import choose_for_scores
from rarewood._pipelines import last_step, only_resamples, steps_of
from rarewood._progress import progress
from rarewood._validation import Integer, Number, check_parameter, column_of, encode_labels
from rarewood.ensemble.threshold import kept_threshold
from rarewood.metrics import DecisionThreshold, hand_till_auc, imbalance_ratio, rarest_label
from rarewood.metrics.thresholds import read_rule
from rarewood.report._baselines import compare_with_baselines
from rarewood.report._cases import single_rows
from rarewood.report._importances import importances
from rarewood.report._rules import strongest_rules
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
from rarewood.report._tables import ReportTables, read_tables
from rarewood.report.problems import find_problems, missing_shares

GivenRows = tuple[Any, Any]  # a caller's table and labels
FORMAT = 1  # of the dictionary; larger when a key goes or changes its meaning

_ORIGINS = {
    "f1": "for the highest F-measure",
    "precision": "for the highest recall at a precision of at least {floor:g}",
    "recall": "for the highest precision at a recall of at least {floor:g}",
    "cost": "for the lowest cost",
    "alerts": "for alarms on at most {alerts:.3g} of the rows",
}


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
    n_jobs: int | None = None,
    random_state: int = 0,
    verbose: int = 0,
) -> dict[str, Any]:
    """Measure a fitted classifier on rows it has not seen; what :func:`build` shows.

    Parameters
    ----------
    model, X, y, title, split, threshold, positive, costs, train, baseline, feature_names, n_rules, n_jobs, random_state, verbose :
        As in :func:`build`.

    Returns
    -------
    dict
        Strings, numbers, booleans, None, lists and dictionaries only: ``json.dumps`` takes it. Its keys are listed in
        `docs/report.md`.

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
    _check_model(model)
    last = _seeing_columns(model)
    labels = encode_labels(model, y, None)
    truth = labels.classes[labels.codes]
    known = _check_train(train)
    rule = read_rule(threshold, name="threshold") if isinstance(threshold, str) else None
    chosen = _chosen_threshold(model, None if rule is not None else threshold)
    wanted = _positive(model, positive, chosen, truth, None if known is None else known[1])
    column = column_of(wanted, model.classes_)
    columns = read_tables(last, X, None if known is None else known[0], feature_names)
    if len(columns.test) != len(truth):
        raise ValueError(f"X and y have inconsistent numbers of rows: {len(columns.test)} and {len(truth)}.")
    is_rare = np.asarray(truth == wanted)
    _check_both_kinds(is_rare, wanted)
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
    cases = single_rows(last, test_rows, rows, value, positive=wanted, names=columns.names, random_state=random_state)
    pair = _costs(costs, chosen, rows)
    decisions = decisions_at(rows, value, pair)
    others = [str(label) for label in model.classes_.tolist() if label != wanted]
    return {
        "format": FORMAT,
        "title": title or f"{_name(model)} on {len(truth):,} rows",
        "created": datetime.now().astimezone().isoformat(timespec="minutes"),
        "versions": {name: version(name) for name in ("rarewood", "scikit-learn", "numpy")},
        "model": {"name": _name(model), "text": repr(model)},
        "positive": str(wanted),
        "rest": others[0] if len(others) == 1 else "the rest",
        "n_classes": len(model.classes_),
        "hand_till_auc": float(hand_till_auc(truth, chances, labels=model.classes_)) if len(others) > 1 else None,
        "data": _about_data(columns, truth, known),
        "split": split,
        "threshold": _about_threshold(value, chosen, threshold, here=rule is not None, as_predict=as_predict),
        "costs": {"false_alarm": pair[0], "miss": pair[1]},
        "decisions": decisions,
        "measures": measures(rows),
        "cut_offs": cut_offs(rows, value),
        "recall_table": recall_table(rows, pair),
        "calibration": calibration(rows),
        "histogram": histogram(rows),
        "columns": _about_columns(columns, sizes, found["single"]),
        "importance_meaning": meaning,
        "rules": rules,
        "single_rows": cases,
        "baselines": _baselines(
            baseline, model, rows, columns, train_rare, decisions["alarms"], n_jobs, random_state, verbose
        ),
        "problems": found["problems"],
    }


@dataclass
class _Steps:
    """Counts what is done for a progress bar, if there is one."""

    report: Any
    n_done: int = 0

    def done(self) -> None:
        self.n_done += 1
        if self.report is not None:
            self.report(self.n_done)


# ---------------------------------------------------------------------------------------------------------
# what was passed


def _check_model(model: Any) -> None:
    if not hasattr(model, "predict_proba") or not hasattr(type(model), "fit"):
        raise TypeError(
            f"a report needs a fitted classifier with predict_proba; got {type(model).__name__}. For one that only "
            "has decision_function, wrap it in scikit-learn's CalibratedClassifierCV first."
        )
    check_is_fitted(model)


def _seeing_columns(model: Any) -> Any:
    """The classifier that sees the columns of the caller: the last of a pipeline whose other steps only resample.

    Searches for parameters and for thresholds hand their columns on, too.
    """
    if hasattr(model, "best_estimator_"):
        return _seeing_columns(model.best_estimator_)
    if isinstance(model, (FixedThresholdClassifier, TunedThresholdClassifierCV)):
        return _seeing_columns(model.estimator_)
    last = last_step(model)
    return _seeing_columns(last) if last is not model and only_resamples(model) else model


def _name(model: Any) -> str:
    return " + ".join(type(step).__name__ for step in steps_of(model))


def _check_train(train: Any) -> GivenRows | None:
    if train is None:
        return None
    if not isinstance(train, (tuple, list)) or len(train) != 2:
        raise TypeError(
            f"train={type(train).__name__} is not accepted; give a pair (X, y) of the rows the model learned from."
        )
    X, y = train
    labels = encode_labels(train, y, None)
    if np.shape(X)[0] != len(labels.codes):
        raise ValueError(
            f"the two of train have inconsistent numbers of rows: {np.shape(X)[0]} and {len(labels.codes)}."
        )
    return X, labels.classes[labels.codes]


def _chosen_threshold(model: Any, threshold: Any) -> Any:
    """A threshold with `value`, `rule` and `positive`; None where neither the caller nor the model has one."""
    if threshold is None:
        kept = [kept_threshold(each) for each in (model, _seeing_columns(model))]
        tuned = model.best_threshold_ if isinstance(model, TunedThresholdClassifierCV) else None
        return next((each for each in kept if each is not None), None if tuned is None else _Given(float(tuned)))
    if isinstance(threshold, DecisionThreshold):
        return threshold
    check_parameter("threshold", threshold, Number(0.0))
    return _Given(float(threshold))


@dataclass(frozen=True)
class _Given:
    """A threshold that is only a number."""

    value: float
    rule: str = ""
    positive: Any = None
    floor: float | None = None
    costs: tuple[float, float] | None = None


def _positive(model: Any, positive: Any, chosen: Any, truth: NDArray[Any], train_labels: Any) -> Any:
    of_threshold = None if chosen is None else chosen.positive
    if positive is not None and of_threshold is not None and positive != of_threshold:
        raise ValueError(
            f"positive={positive!r}, but the threshold was chosen for the class {of_threshold!r}; pass a threshold for the "
            "class of the report."
        )
    unknown = np.setdiff1d(truth, model.classes_)
    if len(unknown):
        raise ValueError(
            f"y has labels that the model does not know: {unknown.tolist()}; its classes are {model.classes_.tolist()}."
        )
    if positive is not None:
        return positive
    return of_threshold if of_threshold is not None else rarest_label(truth if train_labels is None else train_labels)


def _check_both_kinds(is_rare: NDArray[np.bool_], positive: Any) -> None:
    if not is_rare.any():
        raise ValueError(f"y has no row of the class {positive!r}: nothing can be said about finding it.")
    if is_rare.all():
        raise ValueError(f"all rows of y are of the class {positive!r}: there is nothing to tell it from.")


def _costs(costs: Any, chosen: Any, rows: ScoredRows) -> tuple[float, float]:
    """Those given, those of the threshold, or a miss as many times as dear as there are other rows for each rare one."""
    if costs is None:
        known = None if chosen is None else chosen.costs
        return known or (1.0, float(max(1, round(rows.n_rest / rows.n_rare))))
    if not isinstance(costs, (tuple, list)) or len(costs) != 2:
        raise TypeError(f"costs={costs!r} is not accepted; give a pair: the cost of a false alarm and of a miss.")
    for cost in costs:
        check_parameter("costs", cost, Number(0.0))
    return float(costs[0]), float(costs[1])


# ---------------------------------------------------------------------------------------------------------
# parts of the dictionary


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


def _about_threshold(value: float, chosen: Any, given: Any, here: bool, as_predict: bool) -> dict[str, Any]:
    rule = getattr(chosen, "rule", "")
    if rule in _ORIGINS:
        words = _ORIGINS[rule].format(floor=chosen.floor, alerts=chosen.alerts)
        where = "on the rows of this page" if here else "on rows the model had not seen when it scored them"
        origin = f"chosen {words}, {where}"
    elif rule == "given" and given is None:
        origin = "given as a number to the model"
    elif given is not None:
        origin = "given by whoever made this report"
    elif chosen is not None:
        origin = "tuned inside the model by cross-validation"
    elif as_predict:
        origin = "where the class becomes the most probable, which predict calls: none was chosen for this model"
    else:
        origin = (
            "which calls as many rows as predict does, though not quite the same ones: none was chosen for this model, and "
            "predict calls the most probable of several classes"
        )
    return {"value": float(value), "rule": rule or None, "origin": origin}


def _about_columns(
    columns: ReportTables, sizes: NDArray[np.float64], single: NDArray[np.float64]
) -> list[dict[str, Any]]:
    missing = missing_shares(columns)
    return [
        {
            "name": columns.names[j],
            "nominal": bool(columns.nominal[j]),
            "importance": float(sizes[j]),
            "auc_alone": float(single[j]),
            "missing_share": float(missing[j]),
        }
        for j in np.argsort(-sizes, kind="stable").tolist()
    ]


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
        _name(model), rows, columns, train_rare, n_alarms, n_jobs=n_jobs, random_state=random_state, verbose=verbose
    )
