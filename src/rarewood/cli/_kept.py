"""What `rarewood fit` keeps beside a model, checked where a command reads a model file.

To the format of model files, metadata are anything that JSON can express: they are their author's. Commands rely on the entries of
`rarewood fit`, so these have to be what it writes. In a file with other metadata, an entry that only has such a name is left alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from rarewood._rules import RuleList
from rarewood._tables import Columns
from rarewood._tables.moments import MOMENTS, OF_A_DAY
from rarewood.cli._errors import CommandError, ExitCode

Check = Callable[[Any], bool]

_KINDS = ("number", "nominal", *MOMENTS)


def checked_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of `rarewood fit` in the metadata of a model file; an error if it made the file, and they are not what it writes."""
    strange = [name for name, check in _ENTRIES.items() if name in metadata and not check(metadata[name])]
    if strange and isinstance(metadata.get("columns"), dict):
        raise CommandError(
            ExitCode.MODEL_FILE,
            f"the model file cannot be used: its metadata have under {strange[0]!r} something else than `rarewood fit` writes",
        )
    return {name: metadata[name] for name in _ENTRIES if name in metadata and name not in strange}


def check_columns(words: Mapping[str, str], known: Columns | None) -> None:
    """Raise unless columns, by name and kind, are those of a model, as far as it knows them."""
    if known is None or known.names is None:
        return
    kinds = dict(zip(known.names.tolist(), known.kinds, strict=True))
    if list(words) != list(kinds) or any(_sort(word) != _sort(kinds[name].word) for name, word in words.items()):
        raise CommandError(
            ExitCode.MODEL_FILE, "the model file cannot be used: its metadata and its model are about different columns"
        )


def check_rules(rules: RuleList, known: Columns | None) -> None:
    """Raise ValueError unless rules ask for columns of a model as these are, as far as it knows them."""
    if known is None:
        return
    kinds = {known.name(place): kind.word for place, kind in enumerate(known.kinds)}
    for condition in (condition for rule in rules.rules for condition in rule.conditions):
        word = "nominal" if condition.categories is not None else condition.kind
        if _sort(kinds.get(condition.column, "")) != _sort(word):
            raise ValueError(f"they ask for {condition.text!r:.60}, which does not fit the columns of the model")


def _sort(word: str) -> str:
    """What cells of a kind have in common: points in time with and without a zone, or of days, can stand for each other."""
    if word in MOMENTS:
        return "length" if word in OF_A_DAY else "point"
    return word if word in ("nominal", "") else "number"  # that of any word, as `named_kind` has it


def _is_text(value: Any) -> bool:
    """Text that a file can hold: without half characters."""
    return isinstance(value, str) and value == value.encode("utf-8", "ignore").decode()


def _is_kind(value: Any) -> bool:
    return isinstance(value, str) and value in _KINDS


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_scalar(value: Any) -> bool:
    return value is None or _is_text(value) or isinstance(value, (int, float))


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _each(check: Check) -> Check:
    """Of an object, whatever its keys."""
    return lambda value: isinstance(value, dict) and all(map(_is_text, value)) and all(map(check, value.values()))


def _object(**checks: Check) -> Check:
    """An object whose entries with these names pass."""
    return lambda value: (
        isinstance(value, dict) and all(check(value[name]) for name, check in checks.items() if name in value)
    )


_MISSING = _object(column=_or_none(_is_text), words=_list_of(_is_text))
_WRITTEN = _each(_or_none(lambda value: isinstance(value, (str, list))))
_SPLIT = _object(
    time=_or_none(_is_text),
    group=_or_none(_is_text),
    time_kind=_is_kind,
    last=_or_none(_is_number),
    time_written=_or_none(_WRITTEN),
    delay=_or_none(_is_number),
)
_CONDITION = _object(
    column=_is_text,
    lower=_or_none(_is_number),
    upper=_or_none(_is_number),
    categories=_or_none(_list_of(_is_scalar)),
    missing=lambda value: isinstance(value, bool),
    text=_is_text,
    kind=_is_kind,
)
_RULE = _object(
    rule=_is_text,
    rare=lambda value: _is_number(value) and value >= 0,
    rest=lambda value: _is_number(value) and value >= 0,
    strength=_is_number,
    unseen=_or_none(_each(_is_number)),
    conditions=_list_of(_CONDITION),
)
_ENTRIES: dict[str, Check] = {
    "columns": _each(_is_text),
    "target": _or_none(_is_text),
    "ids": _list_of(_is_text),
    "spelling": _list_of(_is_text),
    "written": _each(_WRITTEN),
    "missing": _list_of(_MISSING),
    "method": _or_none(_is_text),
    "positive": _is_scalar,
    "fitted_to": _object(file=_or_none(_is_text), sha256=_or_none(_is_text)),
    "n_rows": _is_count,
    "class_counts": _each(_is_count),
    "judged_by": _or_none(_is_text),
    "split": _or_none(_SPLIT),
    "measures": _each(_is_number),
    "rules": _list_of(_RULE),
    "rules_note": _is_text,
}
