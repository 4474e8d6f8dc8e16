"""One pattern and one rule, as a reader meets them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rarewood._rules._sql import rule_in_sql
from rarewood._rules._words import Condition
from rarewood._terminal import shown
from rarewood._wording import number_in_words, share_in_words


@dataclass(frozen=True)
class Pattern:
    """One rule of a tree: the conditions on the path to a leaf in which a class outnumbers the rest.

    Parameters
    ----------
    rule : str
        The rule in words.
    conditions : tuple of Condition
        The conditions of the rule, one per column.
    label : object
        The class that the rule describes.
    rare, rest : int or float
        Rows of that class, and of all others, for which the rule holds.
    growth_rate : float
        ``rare / rest``, infinite if the rule holds for no other row.
    strength : float
        ``rare**2 / (rare + rest)``: the support times g / (g + 1), g being the growth rate.
    occurrences : int
        Number of leaves of the forest with this rule.
    tree, leaf : int
        Tree and leaf in which it was found first.
    held_out_rare, held_out_rest : int or None
        The two counts among held-out rows, if there were any.
    members : str
        What rows of the class are called when the pattern is printed.
    """

    rule: str
    conditions: tuple[Condition, ...]
    label: Any
    rare: int | float
    rest: int | float
    growth_rate: float
    strength: float
    occurrences: int
    tree: int
    leaf: int
    held_out_rare: int | None = None
    held_out_rest: int | None = None
    members: str = "rare"

    def to_sql(self, *, dialect: str | None = None) -> str:
        """The rule as a boolean SQL expression; the rule does not hold where it is false or NULL.

        Parameters
        ----------
        dialect : "sqlite" or None, default=None
            "sqlite" reads points in time that have a time zone from text such as 2024-01-31 12:00:00+01:00, of any zone. None is
            for databases with types for dates.

        Returns
        -------
        str
            For example ``"amount" > 900 AND "country" IN ('NG', 'RO')``. A missing value must be NULL. Where dates are text, as in
            SQLite, it must be in the form 2024-01-31 or 2024-01-31 12:00:00; those with a time zone need `dialect`, or UTC.
        """
        return rule_in_sql(self.conditions, dialect)

    @shown
    def __str__(self) -> str:
        share = _share(self.rare, self.rest)
        text = f"{self.rule}  |  {share} {self.members}, strength {number_in_words(self.strength, 1)}"
        if self.held_out_rare is None or self.held_out_rest is None:
            return text
        return f"{text}, held out {_share(self.held_out_rare, self.held_out_rest)}"


@dataclass(frozen=True)
class Rule(Pattern):
    """A rule of the rare class, with its precision, lift and recall on rows that were not used to find it.

    It also has everything a :class:`Pattern` has; the counts `rare` and `rest` are those of the training rows.

    Parameters
    ----------
    precision, low, high : float
        Share of rare rows among those for which the rule holds, and its 90 % interval.
    lift, lift_low, lift_high : float
        The same, divided by the share of rare rows in the table.
    recall, recall_low, recall_high : float
        Share of the rare rows for which the rule holds, and its 90 % interval.
    """

    precision: float = math.nan
    low: float = math.nan
    high: float = math.nan
    lift: float = math.nan
    lift_low: float = math.nan
    lift_high: float = math.nan
    recall: float = math.nan
    recall_low: float = math.nan
    recall_high: float = math.nan

    @shown
    def __str__(self) -> str:
        text = (
            f"{self.rule}  |  precision {share_in_words(self.precision)} ({share_in_words(self.low)} to {share_in_words(self.high)}), "
            f"lift {number_in_words(self.lift, 1)}, recall {share_in_words(self.recall)}"
        )
        if self.held_out_rare is None or self.held_out_rest is None:
            return text
        return f"{text}, held out {self.held_out_rare} of {self.held_out_rare + self.held_out_rest}"


def _share(rare: float, rest: float) -> str:
    return f"{number_in_words(rare, 1)} of {number_in_words(rare + rest, 1)}"
