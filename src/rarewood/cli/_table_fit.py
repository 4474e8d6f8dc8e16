"""Fitting a model to a table, judging it on unseen rows, choosing its threshold, finding rules: the work of `rarewood fit`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rarewood._rules import RuleList
from rarewood._validation import rarest_label
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._figures import Figures, check_judged, figures_of
from rarewood.cli._model_rules import as_sentences, find_rules
from rarewood.cli._monotone import described_constraints
from rarewood.cli._settings import check_method, check_prior, make_method, tell_prior
from rarewood.cli._split import RowSplit
from rarewood.cli._training import TableFile
from rarewood.ensemble.threshold import has_chosen, keep_threshold, takes_groups, tell_positive, tell_rule
from rarewood.ensemble.unseen import scores_of_folds, silent, unseen_scores
from rarewood.export import save
from rarewood.metrics import DecisionThreshold
from rarewood.metrics.thresholds import read_rule
from rarewood.tree.base import BaseTreeModel

_RULES_BY_CHANCE = (
    "These figures come from a random split of the rows, not from --time or --group: treat them as optimistic."
)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model and what is known of it."""

    table: TableFile
    method: str
    model: Any
    how: str
    figures: Figures
    threshold: DecisionThreshold | None
    rules: RuleList
    seconds: float

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
            "measures": {name: measure.value for name, measure in self.figures.measures.items()},
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
            **self.figures.as_json(),
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
    check_judged(unseen, y, positive, table.name)
    if folds is not None or not has_chosen(model, positive):
        try:
            keep_threshold(model, None if rule is None else unseen.threshold(model, read_rule(rule), y, positive))
        except ValueError as error:
            raise CommandError(ExitCode.USAGE, f"--threshold: {error}") from error
    together = None if table.split is None else table.split.division.groups
    figures = figures_of(unseen, y, model.classes_, model.decision_threshold_, positive, together)
    rules = find_rules(table.data.rows, y, positive, most=n_rules, n_jobs=n_jobs, seed=seed) if n_rules else RuleList()
    seconds = time.perf_counter() - start
    return Fitted(
        table,
        method,
        model,
        unseen.how,
        figures,
        model.decision_threshold_,
        rules_of_split(rules, table.split),
        seconds,
    )


def rules_of_split(rules: RuleList, split: RowSplit | None) -> RuleList:
    """The same with a word on their figures, where the model is judged by time or by groups and they are not."""
    return (
        rules if split is None or not rules.rules else replace(rules, note=as_sentences(rules.note, _RULES_BY_CHANCE))
    )
