"""Rules of the rare class, counted again on rows the model has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rarewood._rules import different, rule_in_report
from rarewood._tables import Rows, take_rows
from rarewood.ensemble.base import BaseForest
from rarewood.inspection import Patterns, RuleSet, extract_patterns, find_rules
from rarewood.report._subject import Subject
from rarewood.tree import TreeClassifier

_MOST_CONSIDERED = 500  # of a forest's thousands

LabelledPair = tuple[Rows, Any]


def strongest_rules(subject: Subject) -> dict[str, Any]:
    """Short rules of the training rows, counted on the test rows; without training rows, those of the model or its leaves."""
    model, positive, names, n_rules = subject.inner, subject.positive, subject.tables.names, subject.options.n_rules
    if n_rules == 0:
        return _none("No rules were asked for.")
    test, train_rows = (subject.tables.test_rows, subject.truth), subject.tables.train_rows
    own = getattr(model, "rules_", None)
    if isinstance(own, RuleSet) and model.positive_ == positive:
        return _of_the_model(own[:n_rules], test, positive, names)
    if train_rows is None:
        return _of_leaves(model, test, positive=positive, n_rules=n_rules, names=names)
    found = find_rules(
        train_rows,
        subject.train_truth,
        n_rules=n_rules,
        positive=positive,
        held_out=test,
        n_jobs=-1,
        random_state=subject.options.random_state,
    )
    if len(found) == 0:
        return _none(f"No rules: {found.reason}")
    note = (
        "These rules were found in the training rows, independently of the model: they describe the data. “Expected” "
        "is the precision expected on new rows, with its 90 % interval, estimated on rows that were not used to find "
        "the rule. A rule is listed only if that whole interval lies above the share of rare rows."
    )
    return {
        "source": "find_rules",
        "note": note,
        "n_found": len(found),
        "rules": _as_rows(found._renamed(names)),
        "together": _together(found, test, positive),
    }


def _of_the_model(own: RuleSet, test: LabelledPair, positive: Any, names: Sequence[str]) -> dict[str, Any]:
    if len(own) == 0:
        return _none(f"No rules: {own.reason}")
    rare = np.asarray(test[1]) == positive
    held = own.covers_encoded(test[0].matrix)
    counts = zip(held[rare].sum(axis=0).tolist(), held[~rare].sum(axis=0).tolist(), strict=True)
    return {
        "source": "model",
        "note": (
            "The model decides by these rules, each with a weight. “Expected” is the precision expected on new rows, "
            "with its 90 % interval, estimated on rows that were not used to find the rule."
        ),
        "n_found": len(own),
        "rules": [rule_in_report(rule, *each) for rule, each in zip(own._renamed(names), counts, strict=True)],
        "together": _together(own, test, positive),
    }


def _of_leaves(model: Any, test: LabelledPair, *, positive: Any, n_rules: int, names: Sequence[str]) -> dict[str, Any]:
    reason = why_none(model)
    if reason:
        return _none(f"{reason} Pass the training rows to see rules found on them.")
    patterns = extract_patterns(model, positive=positive, held_out=test)
    if len(patterns) == 0:
        return _none(
            "No leaf of the model holds more rare rows than others. Pass the training rows to see rules found on them."
        )
    considered = patterns[:_MOST_CONSIDERED]
    rare = take_rows(test[0], np.flatnonzero(np.asarray(test[1]) == positive))
    shown = considered[different(considered.covers(rare), n_rules)]
    return {
        "source": "model",
        "note": (
            "These rules are leaves of the model, the strongest first; rules that mostly repeat stronger ones are "
            "left out. Training counts are the weighted counts stored in the leaves, with each row counted as often "
            "as the tree drew it; they say little about new rows. Pass the training rows to see short rules with "
            "their expected precision."
        ),
        "n_found": len(patterns),
        "rules": _as_rows(shown._renamed(names)),
        "together": _together(shown, test, positive),
    }


def why_none(model: Any) -> str:
    """Why rules cannot be read from a model; empty if they can."""
    if not isinstance(model, (TreeClassifier, BaseForest)):
        return f"{type(model).__name__} does not decide by rules on single columns."
    if model.splitter == "hyperplane":
        return f"{type(model).__name__} splits along lines through two columns, which do not make readable rules."
    return ""


def _none(note: str) -> dict[str, Any]:
    return {"source": None, "note": note, "n_found": 0, "rules": [], "together": None}


def _as_rows(patterns: Patterns) -> list[dict[str, Any]]:
    return [rule_in_report(pattern, pattern.held_out_rare, pattern.held_out_rest) for pattern in patterns]


def _together(patterns: Patterns, test: LabelledPair, positive: Any) -> dict[str, int]:
    """Test rows for which at least one of the rules holds."""
    held = patterns.covers_encoded(test[0].matrix).any(axis=1)
    rare = np.asarray(test[1]) == positive
    return {"rare": int((held & rare).sum()), "rest": int((held & ~rare).sum())}
