"""Monotone constraints from a command line: --increasing and --decreasing, about the class to find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rarewood._pipelines import last_step
from rarewood._validation import did_you_mean
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._schema import some
from rarewood.ensemble.threshold import tell_positive
from rarewood.tree.monotone import constraints_on


@dataclass(frozen=True)
class Constraints:
    """Columns that the probability of the class to find may only rise with, and those that it may only fall with."""

    increasing: tuple[str, ...] = ()
    decreasing: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.increasing or self.decreasing)

    def check(self, model: Any, method: str) -> None:
        """Raise where they contradict each other, or the method has none; asked for before the table is read."""
        both = [name for name in self.increasing if name in self.decreasing]
        if both:
            raise CommandError(ExitCode.USAGE, f"column {both[0]!r} cannot be both --increasing and --decreasing")
        if self and "monotonic_cst" not in last_step(model).get_params(deep=False):
            raise CommandError(
                ExitCode.USAGE,
                f"{method} takes no --increasing and --decreasing; trees and forests do, such as rare, hedex and hddt",
            )

    def tell(self, model: Any, kinds: Mapping[str, bool], positive: Any, classes: Sequence[Any], where: str) -> None:
        """Give them to an unfitted model, or to the last step of a pipeline.

        `kinds` says of each column to learn from whether it holds categories. A model that cannot be told the class to find takes the
        second.
        """
        if not self:
            return
        self._check_columns(kinds, where)
        signs = dict.fromkeys(self.increasing, 1) | dict.fromkeys(self.decreasing, -1)
        last = last_step(model)
        tell_positive(model, positive)
        if "positive" not in last.get_params(deep=False) and positive == classes[0]:
            signs = {name: -sign for name, sign in signs.items()}
        last.set_params(monotonic_cst=signs)

    def _check_columns(self, kinds: Mapping[str, bool], where: str) -> None:
        names = list(kinds)
        for option, given in (("increasing", self.increasing), ("decreasing", self.decreasing)):
            for name in given:
                if name not in names:
                    raise CommandError(
                        ExitCode.DATA,
                        f"{where} has no column {name!r} to learn from (--{option}){did_you_mean(name, names)} It has {some(names)}",
                    )
                if kinds[name]:
                    raise CommandError(
                        ExitCode.DATA,
                        f"--{option} {name}: the column holds categories, which have no order; --numeric {name} reads it as numbers",
                    )


def described_constraints(model: Any, positive: Any) -> dict[str, list[str]] | None:
    """Those that a fitted model obeys, for programs; None without any."""
    increasing, decreasing = constraints_on(last_step(model), positive)
    return {"increasing": increasing, "decreasing": decreasing} if increasing or decreasing else None


def told_constraints(model: Any, positive: Any) -> str | None:
    """Those that a fitted model obeys, for a line of their own; None without any."""
    increasing, decreasing = constraints_on(last_step(model), positive)
    parts = (("can only rise with", increasing), ("can only fall with", decreasing))
    return "; ".join(f"{way} {', '.join(names)}" for way, names in parts if names) or None
