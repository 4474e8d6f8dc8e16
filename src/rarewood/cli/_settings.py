"""A method by its name and settings from a command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

import rarewood
from rarewood._decisions import read_prior
from rarewood._pipelines import last_step, steps_of
from rarewood._recipes import OTHERS, SUFFIX, OtherClassifier, WithPatterns
from rarewood._validation import did_you_mean
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.metrics.thresholds import read_rule

_WORDS = {"none": None, "null": None, "true": True, "false": False}


def make_method(name: str, settings: Sequence[str], *, n_jobs: int | None, seed: int, verbose: int) -> Any:
    """An unfitted classifier; processors, seed and progress go to those that know them, out-of-bag scores are asked for."""
    recipes = {**rarewood.recipes(), **OTHERS}
    base = name.removesuffix(SUFFIX)
    if base not in recipes:
        raise CommandError(
            ExitCode.USAGE,
            f"unknown method {name!r}{did_you_mean(base, recipes)} Choose from {', '.join(recipes)}; each may end in "
            f"{SUFFIX}",
        )
    recipe = recipes[base]
    accepted = recipe.parameters if base == name else WithPatterns(recipe).parameters
    parameters = parse_settings(settings, accepted, name)
    common = {"n_jobs": n_jobs, "random_state": seed, "verbose": verbose, "oob_score": True}
    if parameters.get("sampling", recipe.settings.get("sampling")) == "all":
        del common["oob_score"]  # every tree sees every row
    return rarewood.make(name, **{key: value for key, value in common.items() if key in accepted} | parameters)


def parse_settings(settings: Sequence[str], accepted: Sequence[str], method: str) -> dict[str, Any]:
    """``["n_estimators=500"]`` -> ``{"n_estimators": 500}``, for names that the method accepts."""
    parameters: dict[str, Any] = {}
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
        parameters[name] = parse_value(text.strip())
    return parameters


def parse_value(text: str) -> Any:
    """A number, true, false, none, a list or object as JSON writes it; everything else is a word."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def parse_threshold(text: str) -> str | None:
    """The words for a threshold, if they are understood; None for ``none``, the most probable class."""
    if text.strip().lower() == "none":
        return None
    try:
        read_rule(text)
    except ValueError:
        if text.count(":") == 1 and _names_column(text):
            raise CommandError(
                ExitCode.USAGE,
                f"--threshold {text}: a threshold is one number for all rows; give these costs to `rarewood predict` and `report`, where "
                "each row is decided by its own",
            ) from None
        raise CommandError(
            ExitCode.USAGE,
            f"--threshold {text} is not understood; give f1, precision=0.9, recall=0.8, cost=1:20 (a false alarm : a miss), "
            "alerts=0.5% or alerts=200 (rows that you can review), a number from 0 to 1, or none",
        ) from None
    return text


def given_threshold(text: str) -> str | float | None:
    """The same as a number where it is one."""
    words = parse_threshold(text)
    rule = None if words is None else read_rule(words)
    return words if rule is None or rule.value is None else rule.value


def parse_prior(text: str, positive: Any, classes: Sequence[Any]) -> dict[Any, float]:
    """``0.01``, the share of the positive class, or ``fraud=0.01,theft=0.02`` -> shares by label."""
    labels = {str(label): label for label in classes}
    try:
        if "=" not in text:
            return {positive: float(text)}
        pairs = [part.rpartition("=") for part in text.split(",")]
        return {labels[label.strip()]: float(share) for label, _, share in pairs}
    except (ValueError, KeyError):
        raise CommandError(
            ExitCode.USAGE,
            f"--prior {text} is not understood; give the share of {positive}, such as 0.01, or shares by label, such as "
            f"{positive}=0.01; the labels are {', '.join(labels)}",
        ) from None


def check_prior(model: Any, text: str, positive: Any, classes: Sequence[Any]) -> dict[Any, float]:
    """The shares by label, if the model, fitted or not, or the last step of a pipeline, can be told them."""
    last = last_step(model)
    if not hasattr(last, "set_prior"):
        raise CommandError(ExitCode.USAGE, f"--prior is for forests; this model is {type(last).__name__}")
    shares = parse_prior(text, positive, classes)
    try:
        read_prior(shares, np.array(classes, dtype=object), np.full(len(classes), 1 / len(classes)))
    except ValueError as error:
        raise CommandError(ExitCode.USAGE, f"--prior: {error}") from error
    return shares


def tell_prior(model: Any, text: str, positive: Any) -> None:
    """Have a fitted model, or the last step of a pipeline, answer for a population with other shares of the classes."""
    last = last_step(model)
    shares = check_prior(model, text, positive, last.classes_.tolist() if hasattr(last, "classes_") else [positive])
    try:
        last.set_prior(shares)
    except ValueError as error:
        raise CommandError(ExitCode.USAGE, f"--prior: {error}") from error


def parse_review(numbers: Sequence[str]) -> tuple[int, ...]:
    """``["20", "100"]`` -> ``(20, 100)``."""
    for text in numbers:
        if not text.isdecimal() or int(text) < 1:
            raise CommandError(ExitCode.USAGE, f"--review {text} should be a number of rows, such as --review 20,100")
    return tuple(map(int, numbers))


def parse_card(lines: Sequence[str]) -> dict[str, str]:
    """``["Owner=Fraud team"]`` -> ``{"Owner": "Fraud team"}``."""
    texts = {}
    for line in lines:
        name, equals, text = (part.strip() for part in line.partition("="))
        if not (name and equals and text):
            raise CommandError(ExitCode.USAGE, f"--card {line} should be NAME=TEXT, such as --card 'Owner=Fraud team'")
        texts[name] = text
    return texts


def parse_costs(
    text: str | None, column: str | None = None, option: str = "--costs"
) -> tuple[float, float | str] | None:
    """``1:20`` -> the costs of a false alarm and of a miss; of the latter, the name of a column that has it for each row.

    With a `column` beside it, `text` says what a false alarm costs, and without, that it costs nothing.
    """
    if text is None:
        return None if column is None else (0.0, column)
    alarm, colon, miss = (part.strip() for part in text.partition(":"))
    try:
        if (column is None) != bool(colon) or (colon and not miss):
            raise ValueError
        cost = _cost(alarm)
    except ValueError:
        wanted = (
            "the cost of a false alarm alone, such as 5"
            if column is not None
            else (
                "the cost of a false alarm and of a miss, such as 1:20, or 5:amount with a column that has the cost of missing each row"
            )
        )
        raise CommandError(ExitCode.USAGE, f"{option} {text} is not understood; give {wanted}") from None
    try:
        return cost, column if column is not None else _cost(miss)
    except ValueError:
        return cost, miss


def _names_column(threshold: str) -> bool:
    """Whether a threshold says cost=5:amount."""
    word, _, pair = (part.strip() for part in threshold.partition("="))
    try:
        costs = parse_costs(pair) if word == "cost" else None
    except CommandError:
        return False
    return costs is not None and isinstance(costs[1], str)


def costs_by_row(threshold: str | None, column: str | None) -> tuple[str | None, tuple[float, str] | None]:
    """What --threshold and --cost-column say together: a threshold for all rows, and costs with a column that has those of misses.

    ``cost=5:amount``, or ``cost=5`` beside a column, decides each row by its own costs: there is no threshold then.
    """
    word, _, alarm = ("", "", "") if threshold is None else (part.strip() for part in threshold.partition("="))
    if threshold is not None and _names_column(threshold):
        if column is not None:
            raise CommandError(ExitCode.USAGE, f"--threshold {threshold} and --cost-column both name a column of costs")
        costs = parse_costs(alarm)
    elif column is not None and word == "cost" and ":" not in alarm:
        costs = parse_costs(alarm, column, "--threshold cost=")
    else:
        return threshold, None
    assert costs is not None
    return None, (costs[0], str(costs[1]))


def _cost(text: str) -> float:
    cost = float(text)
    if not 0.0 <= cost < float("inf"):
        raise ValueError
    return cost


def check_method(model: Any, method: str) -> None:
    """Raise for parameters out of range, and for parts that are not ours: a model file cannot hold them."""
    for part in steps_of(model):
        if not type(part).__module__.startswith("rarewood.") or isinstance(part, OtherClassifier):
            raise CommandError(
                ExitCode.USAGE, f"{method} cannot be saved in a model file; it works only in `rarewood compare`"
            )
        try:
            for each in (part, *([part.estimator] if hasattr(part, "estimator") else [])):
                if hasattr(each, "_check_parameters"):
                    each._check_parameters()
        except (TypeError, ValueError) as error:
            raise CommandError(ExitCode.USAGE, f"{method}: {error}") from error
