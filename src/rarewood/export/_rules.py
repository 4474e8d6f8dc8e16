"""Lists of rules in model files: flat arrays of conditions, figures and weights."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._rules import Conditions, Figures, Origin, PatternTable, RuleSet, Together
from rarewood._tables import Columns
from rarewood._tables.kinds import WholeNumbers
from rarewood.exceptions import ModelFileError
from rarewood.export._container import is_count
from rarewood.export._values import Reader, Writer

Told = dict[str, Any]

_FLAT = {
    "start": np.int64,
    "column": np.int64,
    "lower": np.float64,
    "upper": np.float64,
    "missing": np.bool_,
    "code_start": np.int64,
    "codes": np.int64,
}


def write_rules(writer: Writer, rules: RuleSet, label: int, intercept: float, weights: NDArray[np.float64]) -> Told:
    """A list, the class it speaks of, and the weights of its rules."""
    found, figures = rules.found, rules.figures
    whole = np.array([kind.whole for kind in rules.columns.kinds], dtype=np.bool_)
    return {
        "positive": label,
        "intercept": writer.value(float(intercept), "intercept_"),
        "weights": writer.add(np.asarray(weights, dtype=np.float64)),
        "rules": {
            **{
                name: writer.add(np.asarray(getattr(found.conditions, name), dtype=kind))
                for name, kind in _FLAT.items()
            },
            "rare": writer.add(np.asarray(found.rare, dtype=np.int64)),
            "rest": writer.add(np.asarray(found.rest, dtype=np.int64)),
            "whole": writer.add(whole),
            "figures": {each.name: writer.add(getattr(figures, each.name)) for each in fields(figures)},
            "together": {each.name: getattr(rules.together, each.name) for each in fields(rules.together)},
            "reason": rules.reason,
        },
    }


def read_rules(
    reader: Reader, told: Told, columns: Columns, classes: NDArray[Any]
) -> tuple[RuleSet, float, NDArray[np.float64], int]:
    """The inverse of `write_rules`; every number is checked before a rule is made of it."""
    label, listed = told.get("positive"), told.get("rules")
    if not is_count(label) or label >= len(classes) or not isinstance(listed, dict):
        raise _nonsense()
    flat = {name: _array(reader, listed.get(name), kind) for name, kind in _FLAT.items()}
    n_rules = _checked_conditions(flat, columns)
    rare, rest = (_array(reader, listed.get(name), np.int64, n_rules) for name in ("rare", "rest"))
    whole = _array(reader, listed.get("whole"), np.bool_, len(columns))
    weights = _array(reader, told.get("weights"), np.float64, n_rules)
    intercept = reader.value(told.get("intercept"))
    if (
        not isinstance(intercept, float)
        or not np.isfinite(intercept)
        or not np.all(np.isfinite(weights) & (weights >= 0))
    ):
        raise _nonsense()
    kinds = tuple(
        WholeNumbers() if is_whole and not kind.n_categories else kind
        for kind, is_whole in zip(columns.kinds, whole.tolist(), strict=True)
    )
    conditions = Conditions(nominal=columns.nominal[flat["column"]], **flat)
    rules = RuleSet(
        PatternTable.of_no_leaf(conditions, label, rare, rest),
        Origin(replace(columns, kinds=kinds), classes, label, decimals=6),
        figures=_figures(reader, listed.get("figures"), n_rules),
        together=_together(listed.get("together")),
        reason=str(listed.get("reason", "")),
    )
    return rules, intercept, weights, label


def _array(reader: Reader, told: object, kind: Any, length: int | None = None) -> NDArray[Any]:
    array = reader.contents.take(told).copy()
    if array.dtype != np.dtype(kind) or array.ndim != 1 or length not in (None, len(array)):
        raise _nonsense()
    return array


def _checked_conditions(flat: dict[str, NDArray[Any]], columns: Columns) -> int:
    n_conditions = len(flat["column"])
    n_rules = len(flat["start"]) - 1
    starts = ((flat["start"], n_rules, n_conditions), (flat["code_start"], n_conditions, len(flat["codes"])))
    for start, n_items, end in starts:
        if len(start) != n_items + 1 or n_items < 0 or start[0] != 0 or start[-1] != end or np.any(np.diff(start) < 0):
            raise _nonsense()
    if any(len(flat[name]) != n_conditions for name in ("lower", "upper", "missing")):
        raise _nonsense()
    if np.any((flat["column"] < 0) | (flat["column"] >= len(columns))):
        raise _nonsense()
    if np.isnan(flat["lower"]).any() or np.isnan(flat["upper"]).any():
        raise _nonsense()
    known = np.repeat(columns.n_categories[flat["column"]], np.diff(flat["code_start"]))
    if np.any((flat["codes"] < 0) | (flat["codes"] >= known)):
        raise _nonsense()
    return n_rules


def _figures(reader: Reader, told: object, n_rules: int) -> Figures:
    if not isinstance(told, dict):
        raise _nonsense()
    arrays = {each.name: reader.contents.take(told.get(each.name)).copy() for each in fields(Figures)}
    for name, array in arrays.items():
        if array.dtype != np.float64 or array.shape != ((n_rules, 2) if name == "shapes" else (n_rules,)):
            raise _nonsense()
    return Figures(**arrays)


def _together(told: object) -> Together:
    names = [each.name for each in fields(Together)]
    if not isinstance(told, dict) or set(told) != set(names):
        raise _nonsense()
    if not all(
        value is None if name.startswith("held_out") and value is None else is_count(value)
        for name, value in told.items()
    ):
        raise _nonsense()
    if told["n_rows"] < 1:
        raise _nonsense()
    return Together(**told)


def _nonsense() -> ModelFileError:
    return ModelFileError("the rules of a model are not valid.")
