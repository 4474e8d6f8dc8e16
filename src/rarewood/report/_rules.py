"""The strongest rules of the rare class, counted again on rows the model has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rarewood._tables import EncodedRows, take_rows
from rarewood.ensemble.base import BaseForest
from rarewood.inspection import Patterns, extract_patterns
from rarewood.inspection.stand_in import DEPTH, different_rules, grow_stand_in
from rarewood.tree import TreeClassifier

_MOST_ROWS = 200_000  # for counting the rules of training rows: enough for a support to three digits

Rows = tuple[Any, Any]


def strongest_rules(
    model: Any,
    test: Rows,
    train: Rows | None,
    *,
    positive: Any,
    n_rules: int,
    names: Sequence[str],
    nominal: Sequence[bool],
    random_state: int,
) -> dict[str, Any]:
    """Rules of the model; where it has none that can be read, those of a forest grown beside it on the training rows."""
    reason = why_none(model)
    if reason and train is None:
        return _none(f"{reason} Pass the training rows to see the rules of a forest grown on them instead.")
    if reason:
        assert train is not None
        forest: Any = grow_stand_in(*train, nominal=nominal, n_jobs=-1, random_state=random_state)
        note = (
            f"{reason} These are the rules of another forest, HeDEx of depth {DEPTH}, grown on the same training "
            "rows: they describe the data, not the model."
        )
    else:
        forest, note = model, "Rules are read from the leaves of the model, the strongest first."
    known = train if train is not None and len(train[1]) <= _MOST_ROWS else (None, None)
    test = EncodedRows.of(forest, test[0]), test[1]
    known = (None, None) if known[0] is None else (EncodedRows.of(forest, known[0]), known[1])
    patterns = extract_patterns(forest, *known, positive=positive, held_out=test)
    if len(patterns) == 0:
        return _none("No leaf of the model holds more rare rows than others, so there is no rule to show.")
    if known[0] is None:
        note += " Training counts are those kept in the leaves: weighted, a row as often as the tree drew it."
    X, y = test if known[0] is None else known
    shown = different_rules(patterns, take_rows(X, np.flatnonzero(np.asarray(y) == positive)), n_rules)
    note += " A rule that finds mostly what stronger ones find is left out."
    return {
        "source": "stand-in" if reason else "model",
        "note": note,
        "n_found": len(patterns),
        "rules": _as_rows(shown._renamed(names)),
        "together": _together(shown, test, positive),
    }


def why_none(model: Any) -> str:
    """Why rules cannot be read from a model; empty if they can."""
    if not isinstance(model, (TreeClassifier, BaseForest)):
        return f"{type(model).__name__} does not decide by rules on single columns."
    if model.splitter == "hyperplane":
        return f"{type(model).__name__} splits along lines through two columns, which make no readable rules."
    return ""


def _none(note: str) -> dict[str, Any]:
    return {"source": None, "note": note, "n_found": 0, "rules": [], "together": None}


def _as_rows(patterns: Patterns) -> list[dict[str, Any]]:
    return [
        {
            "rule": pattern.rule,
            "conditions": [str(condition) for condition in pattern.conditions],
            "train_rare": float(pattern.rare),
            "train_rest": float(pattern.rest),
            "strength": pattern.strength,
            "test_rare": pattern.held_out_rare,
            "test_rest": pattern.held_out_rest,
        }
        for pattern in patterns
    ]


def _together(patterns: Patterns, test: Rows, positive: Any) -> dict[str, int]:
    """Test rows for which at least one of the rules holds."""
    held = patterns.covers(test[0]).any(axis=1)
    rare = np.asarray(test[1]) == positive
    return {"rare": int((held & rare).sum()), "rest": int((held & ~rare).sum())}
