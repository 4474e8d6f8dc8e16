"""The rules of a model: found by `rarewood fit`, read from a model file, shown in a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._rules import RuleList, rule_in_report
from rarewood._tables import Rows
from rarewood._tables.kinds import Categories
from rarewood._tables.suspicions import NOTED, SUSPECT, Suspicion, column_suspicions
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._kept import check_rules
from rarewood.cli._schema import columns_of
from rarewood.cli._split import is_point
from rarewood.inspection import RuleSet, extract_patterns
from rarewood.inspection import find_rules as find_rule_set

ABOUT = "precision, lift and recall are estimates for new rows, from rows that were not used to find the rules, with 90 % intervals"
_LONG = 20 * 365.25 * 86_400.0  # seconds
_MOST_OF_LEAVES = 20  # a fully grown forest has thousands


def find_rules(rows: Rows, y: NDArray[Any], positive: Any, *, most: int, n_jobs: int | None, seed: int) -> RuleList:
    """Short rules that hold, at most so many; on columns whose values can come again in new rows."""
    single = columns_that_pass(rows)
    places = [place for place, name in enumerate(rows.names) if name not in single]
    if not places:
        return RuleList((), f"No rules: {_passing(single)}")
    if single:
        rows = Rows(rows.matrix[:, places], rows.columns.only(places))
    found = RuleList.of(find_rule_set(rows, y, positive=positive, n_rules=most, n_jobs=n_jobs, random_state=seed))
    return replace(found, note=as_sentences(found.note, _passing(single))) if single else found


def as_sentences(*parts: str) -> str:
    """Parts of a note, of which some end in a full stop and some do not, one behind the other."""
    return ". ".join(part.rstrip(".") for part in parts if part)


def columns_that_pass(rows: Rows) -> list[str]:
    """Columns whose values do not come again: numbers and names of rows, and moments of the time when the rows were made.

    Dates that lie far apart, such as those of births, are none of these. Of words, a new one in every other row is enough: rules would
    list hundreds of them.
    """
    names_rows, names_most = (column_suspicions(rows, rule) for rule in (SUSPECT, NOTED))
    found = []
    for place, (name, kind) in enumerate(zip(rows.names, rows.columns.kinds, strict=True)):
        suspicion = (names_most if isinstance(kind, Categories) else names_rows).get(place)
        is_name = suspicion in (Suspicion.COUNTER, Suspicion.IDENTIFIER)
        if is_name or (is_point(kind) and _span(rows.matrix[:, place]) < _LONG):
            found.append(name)
    return found


def _span(cells: NDArray[Any]) -> float:
    known = cells[~np.isnan(cells)]
    return float(np.ptp(known)) if len(known) else 0.0


def _passing(names: Sequence[str]) -> str:
    return f"Rules do not ask for {', '.join(names)}, whose values hardly ever come again in new rows"


def rules_of(model: Any, metadata: dict[str, Any], positive: Any) -> RuleList:
    """The rules in a model file; of a model that was not made by `rarewood fit`, its own, or the strongest of its leaves."""
    if isinstance(metadata.get("rules"), list):
        try:
            found = RuleList.from_json(metadata, positive)
            check_rules(found, columns_of(model))
        except (KeyError, TypeError, ValueError) as error:
            raise CommandError(ExitCode.MODEL_FILE, f"the rules in the model file are damaged: {error}") from error
        return found
    own = getattr(model, "rules_", None)
    if isinstance(own, RuleSet):
        return RuleList.of(own)
    try:
        strongest = extract_patterns(model, positive=positive)[:_MOST_OF_LEAVES]
    except (TypeError, ValueError) as error:
        raise CommandError(
            ExitCode.MODEL_FILE, f"the model file holds no rules, and none can be read from its model: {error}"
        ) from error
    note = (
        "These rules are leaves of the model, counted on its training rows, so the figures say little about new rows."
    )
    return RuleList(tuple(strongest), note)


def rules_that_hold(rules: RuleList, table: Any) -> list[str]:
    """Per row of a data frame, the rules that hold, in words."""
    texts = [""] * len(table)
    for rule, cover in zip(rules.rules, rules.covers(table).T, strict=True):
        for row in np.flatnonzero(cover).tolist():
            texts[row] = f"{texts[row]} | {rule.rule}" if texts[row] else rule.rule
    return texts


def rules_in_report(rules: RuleList, table: Any, is_rare: NDArray[np.bool_]) -> dict[str, Any]:
    """The section of a report on rules of a model file, counted on the rows of a data frame."""
    if not rules.rules:
        return {"source": "file", "note": rules.note, "n_found": 0, "rules": [], "together": None}
    held = rules.covers(table)
    rare, rest = held[is_rare], held[~is_rare]
    counts = zip(rare.sum(axis=0).tolist(), rest.sum(axis=0).tolist(), strict=True)
    expected = (
        " “Expected” is the precision expected on new rows, with its 90 % interval, estimated on rows that were "
        "not used to find the rule."
    )
    return {
        "source": "file",
        "note": f"These are the rules stored in the model file.{expected} {rules.note}",
        "n_found": len(rules.rules),
        "rules": [rule_in_report(rule, *pair) for rule, pair in zip(rules.rules, counts, strict=True)],
        "together": {"rare": int(rare.any(axis=1).sum()), "rest": int(rest.any(axis=1).sum())},
    }
