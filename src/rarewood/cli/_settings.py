"""A method by its name and settings from a command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import rarewood
from rarewood._pipelines import steps_of
from rarewood._recipes import SUFFIX, WithPatterns
from rarewood._validation import did_you_mean
from rarewood.cli._errors import CommandError, ExitCode

_WORDS = {"none": None, "null": None, "true": True, "false": False}


def make_method(name: str, settings: Sequence[str], *, n_jobs: int | None, seed: int, verbose: int) -> Any:
    """An unfitted classifier; processors, seed and progress go to those that know them, out-of-bag scores are asked for."""
    known = rarewood.recipes()
    base = name.removesuffix(SUFFIX)
    if base not in known:
        raise CommandError(
            ExitCode.USAGE,
            f"unknown method {name!r}{did_you_mean(base, known)} Known are {', '.join(known)}; {SUFFIX} may follow",
        )
    recipe = known[base]
    accepted = recipe.parameters if base == name else WithPatterns(recipe).parameters
    chosen = parse_settings(settings, accepted, name)
    common = {"n_jobs": n_jobs, "random_state": seed, "verbose": verbose, "oob_score": True}
    if chosen.get("sampling", recipe.settings.get("sampling")) == "all":
        del common["oob_score"]  # every tree sees every row
    return rarewood.make(name, **{key: value for key, value in common.items() if key in accepted} | chosen)


def parse_settings(settings: Sequence[str], accepted: Sequence[str], method: str) -> dict[str, Any]:
    """``["n_estimators=500"]`` -> ``{"n_estimators": 500}``, for names that the method accepts."""
    chosen: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        name = name.strip()
        if not equals:
            raise CommandError(ExitCode.USAGE, f"--set {setting} should be NAME=VALUE, such as --set n_estimators=500")
        if name not in accepted:
            raise CommandError(
                ExitCode.USAGE,
                f"{method} has no parameter {name!r}{did_you_mean(name, accepted)} It has {', '.join(accepted)}",
            )
        chosen[name] = parse_value(text.strip())
    return chosen


def parse_value(text: str) -> Any:
    """A number, true, false, none, a list or object as JSON writes it; everything else is a word."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return json.loads(text)
    except ValueError:
        return text


def parse_threshold(text: str) -> dict[str, Any]:
    """``f1``, ``precision=0.9``, ``recall=0.8`` or ``cost=1:20`` -> the arguments of `choose_threshold`."""
    rule, equals, value = text.partition("=")
    try:
        if rule == "f1" and not equals:
            return {"rule": "f1"}
        if rule in ("precision", "recall"):
            return {"rule": rule, "floor": float(value)}
        if rule == "cost":
            return {"rule": "cost", "costs": _pair(value)}
    except ValueError:
        pass
    raise CommandError(
        ExitCode.USAGE,
        f"--threshold {text} is not understood; give f1, precision=0.9, recall=0.8 or cost=1:20 (a false alarm : a miss)",
    )


def parse_costs(text: str) -> tuple[float, float]:
    """``1:20`` -> the costs of a false alarm and of a miss."""
    try:
        return _pair(text)
    except ValueError:
        raise CommandError(
            ExitCode.USAGE,
            f"--costs {text} is not understood; give the cost of a false alarm and of a miss, as in 1:20",
        ) from None


def _pair(text: str) -> tuple[float, float]:
    alarm, miss = text.split(":")
    return float(alarm), float(miss)


def check_method(model: Any, method: str) -> None:
    """Raise for parameters out of range, and for parts that are not ours: a model file cannot hold them."""
    for part in steps_of(model):
        if not type(part).__module__.startswith("rarewood."):
            raise CommandError(
                ExitCode.USAGE, f"{method} cannot be kept in a model file; it is there for `rarewood compare` only"
            )
        try:
            for each in (part, *([part.estimator] if hasattr(part, "estimator") else [])):
                if hasattr(each, "_check_parameters"):
                    each._check_parameters()
        except (TypeError, ValueError) as error:
            raise CommandError(ExitCode.USAGE, f"{method}: {error}") from error
