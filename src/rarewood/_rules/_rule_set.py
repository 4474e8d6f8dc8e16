"""Rules as a reader meets them: each with honest figures, and what they are worth together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

import numpy as np
from numpy.typing import NDArray

from rarewood._rules._json import rule_as_json, together_as_json
from rarewood._rules._pattern_table import PatternTable
from rarewood._rules._patterns import Origin, Patterns
from rarewood._rules._rule import Rule
from rarewood._rules._together import Together
from rarewood._rules.search import Figures
from rarewood._terminal import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RuleSet(Patterns):
    """A short list of rules of the rare class, the most useful first.

    Made by :func:`rarewood.inspection.find_rules`, and kept by :class:`rarewood.RuleSetClassifier`. Indexing gives a
    :class:`Rule`; slicing, boolean masks and `distinct` give shorter lists. `precision`, `low`, `high`, `lift` and `recall`
    are also there as arrays, one value per rule.

    Attributes
    ----------
    reason : str
        Why there are no rules, and what would help; empty if there are some.
    together : Together
        Precision and recall of the whole list, as it was found.

    See Also
    --------
    rarewood.inspection.find_rules : How to get one, with examples.
    """

    _noun: ClassVar[str] = "rules"
    _html: ClassVar[dict[str, str]] = {
        "rule": "rule",
        "precision": "precision",
        "low": "from",
        "high": "to",
        "lift": "lift",
        "recall": "recall",
        "held_out_rare": "held out: rare",
        "held_out_rest": "rest",
    }

    def __init__(
        self, table: PatternTable, origin: Origin, *, figures: Figures, together: Together, reason: str = ""
    ) -> None:
        super().__init__(table, origin)
        self._figures = figures
        self.together = together
        self.reason = reason

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice | NDArray[Any]) -> RuleSet: ...
    def __getitem__(self, index: int | slice | NDArray[Any]) -> Rule | RuleSet:
        return super().__getitem__(index)  # type: ignore[return-value]

    def _take(self, chosen: NDArray[Any]) -> Self:
        return type(self)(
            self._table.take(chosen),
            self._origin,
            figures=self._figures.take(chosen),
            together=self.together,
            reason=self.reason,
        )

    def _pattern(self, i: int) -> Rule:
        figures: dict[str, Any] = {name: float(values[i]) for name, values in self._honest().items()}
        return Rule(**vars(super()._pattern(i)), **figures)

    def _honest(self) -> dict[str, NDArray[np.float64]]:
        figures = self._figures
        base = self.together.n_rare / self.together.n_rows
        return {
            "precision": figures.precision,
            "low": figures.low,
            "high": figures.high,
            "lift": figures.lift,
            "lift_low": figures.low / base,
            "lift_high": figures.high / base,
            "recall": figures.recall,
            "recall_low": figures.recall_low,
            "recall_high": figures.recall_high,
        }

    @property
    def figures(self) -> Figures:
        """All figures of the rules."""
        return self._figures

    @property
    def precision(self) -> NDArray[np.float64]:
        """Share of rare rows among those for which each rule holds, on rows that were not used to find it."""
        return self._figures.precision

    @property
    def low(self) -> NDArray[np.float64]:
        """Lower end of the 90 % interval of each precision."""
        return self._figures.low

    @property
    def high(self) -> NDArray[np.float64]:
        """Upper end of the 90 % interval of each precision."""
        return self._figures.high

    @property
    def lift(self) -> NDArray[np.float64]:
        """Each precision, divided by the share of rare rows in the table."""
        return self._figures.lift

    @property
    def recall(self) -> NDArray[np.float64]:
        """Share of the rare rows for which each rule holds, on rows that were not used to find it."""
        return self._figures.recall

    @shown
    def text(self, top: int | None = 10) -> str:
        """The rules in words, one per line, and their joint precision and recall.

        Parameters
        ----------
        top : int or None, default=10
            How many rules; None for all.

        Returns
        -------
        str
            One line per rule; if there are none, the reason.
        """
        if len(self) == 0:
            return f"no rules: {self.reason}" if self.reason else "no rules"
        return f"{super().text(top)}\n{self.together}"

    def _columns(self) -> dict[str, NDArray[Any]]:
        table = super()._columns()
        renamed = {"rare": "training_rare", "rest": "training_rest"}
        kept = ("rule", "class", "n_conditions", "rare", "rest", "held_out_rare", "held_out_rest")
        counts = {renamed.get(name, name): table[name] for name in kept if name in table}
        rule = {name: counts.pop(name) for name in ("rule", "class")}
        return {**rule, **self._honest(), **counts}

    def plot(self, top: int = 10, *, ax: Axes | None = None) -> Axes:
        """Plot the rules: the precision of each with its interval, the share of the rare class, and held-out figures.

        Parameters
        ----------
        top : int, default=10
            How many.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        matplotlib Axes
            The picture.
        """
        from rarewood._rules._plot import plot_rules

        return plot_rules(self._top(top), self.together.n_rare / self.together.n_rows, ax)

    def as_json(self) -> dict[str, Any]:
        """The rules in a form that JSON can store.

        Returns
        -------
        dict
            "rules", each with its conditions and figures, "together" and "reason".
        """
        return {
            "rules": [rule_as_json(self[i]) for i in range(len(self))],
            "together": together_as_json(self.together),
            "reason": self.reason,
        }
