"""Fitting a model to a table, judging it on unseen rows, choosing its threshold, finding rules: the work of `rarewood fit`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._rules import RuleList
from rarewood._validation import rarest_label
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._model_rules import as_sentences, find_rules
from rarewood.cli._monotone import described_constraints
from rarewood.cli._settings import check_method, check_prior, make_method, tell_prior
from rarewood.cli._training import TableFile
from rarewood.ensemble.threshold import has_chosen, keep_threshold, takes_groups, tell_positive, tell_rule
from rarewood.ensemble.unseen import UnseenScores, scores_of_folds, silent, unseen_scores
from rarewood.export import save
from rarewood.metrics import DecisionThreshold, Predictions
from rarewood.metrics import get as get_metric
from rarewood.metrics.thresholds import read_rule
from rarewood.report.intervals import Estimate, area_with_interval, average_precision_with_interval
from rarewood.tree.base import BaseTreeModel

_RULES_BY_CHANCE = (
    "These figures come from a random split of the rows, not from --time or --group: treat them as optimistic."
)
MEASURES = ("auc", "average_precision", "log_loss")


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model and what is known of it."""

    table: TableFile
    method: str
    model: Any
    how: str
    measures: dict[str, Measure]
    threshold: DecisionThreshold | None
    rules: RuleList
    seconds: float

    @property
    def is_no_better_than_chance(self) -> bool:
        """Whether rows in any order would do as well, as far as the rare rows can tell."""
        area = self.measures.get("auc")
        return area is not None and area.low is not None and area.low <= area.chance

    def save(self, path: str, *, memory: bool = True) -> None:
        """Write the model with everything that `predict`, `rules` and `report` will ask for."""
        metadata = {
            **self.table.schema.as_metadata(),
            "method": self.method,
            "positive": str(self.table.positive),
            "fitted_to": {"file": self.table.source, "sha256": self.table.sha256},
            "n_rows": len(self.table.y),
            "class_counts": {str(label): count for label, count in self.table.class_counts.items()},
            "judged_by": self.how,
            "split": None if self.table.split is None else self.table.split.as_metadata(),
            "measures": {name: measure.value for name, measure in self.measures.items()},
            **self.rules.to_json(),
        }
        try:
            save(self.model, path, metadata=metadata, memory=memory)
        except OSError as error:
            raise CommandError(ExitCode.UNWRITABLE, f"{path} cannot be written: {error.strerror or error}") from error

    def as_json(self, path: str) -> dict[str, Any]:
        """The result for programs."""
        threshold = self.threshold
        return {
            "model": path,
            "method": self.method,
            "rows": len(self.table.y),
            **self.table.schema.as_metadata(),
            "classes": {str(label): count for label, count in self.table.class_counts.items()},
            "positive": str(self.table.positive),
            "judged_by": self.how,
            "split": None if self.table.split is None else self.table.split.as_metadata(),
            "measures": {name: measure.value for name, measure in self.measures.items()},
            "intervals": {name: [measure.low, measure.high] for name, measure in self.measures.items()},
            "chance": {name: measure.chance for name, measure in self.measures.items()},
            "threshold": None if threshold is None else asdict(threshold),
            "constraints": described_constraints(self.model, self.table.positive),
            **self.rules.to_json(),
            "notes": [str(note) for note in self.table.notes],
            "seconds": round(self.seconds, 3),
        }


def prepare(method: str, settings: Sequence[str], *, n_jobs: int, seed: int, verbose: int) -> Any:
    """The unfitted model; asked for before the table is read, so that a misspelt name costs no time."""
    model = make_method(method, settings, n_jobs=n_jobs, seed=seed, verbose=verbose)
    check_method(model, method)
    return model


def rows_for(model: Any, table: TableFile) -> Any:
    """The rows of a table as a method takes them: in the coding of trees, or as a frame for samplers and other libraries."""
    is_tree = isinstance(model, BaseTreeModel) and model.categorical_features == "from_dtype"
    return table.data.rows if is_tree else table.X


def fit_table(
    model: Any,
    table: TableFile,
    method: str,
    *,
    rule: str | None,
    prior: str | None,
    n_rules: int,
    n_jobs: int,
    seed: int,
    verbose: int,
) -> Fitted:
    """Fit, judge, choose, find."""
    start = time.perf_counter()
    X, y, positive = rows_for(model, table), table.y, table.positive
    groups, how, folds = None, "", None
    if table.split is not None and table.split.division.time is None and takes_groups(model):
        groups, how = table.split.groups(y, positive)
    elif table.split is not None:
        how, folds = table.split.folds(y, positive, seed)
    if folds is not None and "oob_score" in model.get_params():
        model.set_params(oob_score=False)  # not asked for: trees know the neighbours of the rows they left out
    if prior is not None:
        check_prior(model, prior, positive, list(table.class_counts))  # before the work of a fit
    if positive != rarest_label(y):
        tell_positive(model, positive)
    tell_rule(model, rule)  # what the file says of the model and what it does are the same
    try:
        model.fit(X, y) if groups is None else model.fit(X, y, groups=groups)
    except (TypeError, ValueError) as error:  # a parameter out of range, or rows that the method cannot take
        raise CommandError(ExitCode.USAGE, f"{method}: {error}") from error
    memory = getattr(model, "memory_", None)
    if memory is not None and table.split is not None and table.split.dates is not None:
        model.memory_ = memory.dated(table.split.dates)
    silent(model)  # the model file should not remember the terminal
    if prior is not None:
        tell_prior(model, prior, positive)
    if folds is None:
        try:
            unseen = unseen_scores(model, X, y, verbose=verbose)
        except ValueError as error:  # too few rows of a class that differ
            raise CommandError(ExitCode.DATA, f"{table.name}: {error}") from error
        unseen = replace(unseen, how=how or unseen.how)
    else:
        unseen = replace(scores_of_folds(model, X, y, folds, how, verbose=verbose), calibrated=False)
    judged = y[unseen.kept] == positive
    if judged.all() or not judged.any():
        raise CommandError(
            ExitCode.DATA,
            f"{table.name}: {'no row other than' if judged.any() else 'no row of'} class {positive!r} has a score by trees that did not "
            "learn from it or from its copies, so nothing can be said of the model; give more rows that differ",
        )
    if folds is not None or not has_chosen(model, positive):
        try:
            keep_threshold(model, None if rule is None else unseen.threshold(model, read_rule(rule), y, positive))
        except ValueError as error:
            raise CommandError(ExitCode.USAGE, f"--threshold: {error}") from error
    together = None if table.split is None else table.split.division.groups
    measures = measures_of(unseen, y, model.classes_, positive, together)
    rules = find_rules(table.data.rows, y, positive, most=n_rules, n_jobs=n_jobs, seed=seed) if n_rules else RuleList()
    if table.split is not None and rules.rules:
        rules = replace(rules, note=as_sentences(rules.note, _RULES_BY_CHANCE))
    seconds = time.perf_counter() - start
    return Fitted(table, method, model, unseen.how, measures, model.decision_threshold_, rules, seconds)


@dataclass(frozen=True)
class Measure:
    """A figure of unseen rows, the ends of its 95 % interval where they are known, and what scores by chance give."""

    value: float
    low: float | None
    high: float | None
    chance: float


def measures_of(
    unseen: UnseenScores,
    y: NDArray[Any],
    classes: NDArray[Any],
    positive: Any,
    groups: NDArray[np.intp] | None = None,
) -> dict[str, Measure]:
    """What the scores of rows by what did not learn from them are worth; rows of one of the `groups` belong together."""
    labels, scores = y[unseen.kept], unseen.probabilities[unseen.kept]
    given = Predictions(labels, classes, positive, scores=scores)
    values = {name: float(get_metric(name).compute(given)) for name in MEASURES}
    is_rare, of_rare = labels == positive, scores[:, int(np.flatnonzero(classes == positive)[0])]
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    chance = {
        "auc": 0.5,
        "average_precision": float(is_rare.mean()),
        "log_loss": float(-(shares * np.log(shares)).sum()),
    }
    found: dict[str, Estimate] = {}
    if is_rare.any() and not is_rare.all():
        together = None if groups is None else groups[unseen.kept]
        found["auc"] = area_with_interval(of_rare, is_rare, together)
        if together is None:
            found["average_precision"] = average_precision_with_interval(of_rare, is_rare, 0)
    ends = {name: (each.low, each.high) for name, each in found.items()}
    return {name: Measure(value, *ends.get(name, (None, None)), chance[name]) for name, value in values.items()}
