"""Rules as a reader meets them: each with honest figures, and what they are worth together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from rarewood._patterns import Found, Pattern, Patterns
from rarewood._rules._asking import CodedRule, conditions_of
from rarewood._rules._figures import Figures
from rarewood._rules._plot import plot_rules
from rarewood._tables import Columns
from rarewood._wording import number_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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

    precision: float = np.nan
    low: float = np.nan
    high: float = np.nan
    lift: float = np.nan
    lift_low: float = np.nan
    lift_high: float = np.nan
    recall: float = np.nan
    recall_low: float = np.nan
    recall_high: float = np.nan

    def __str__(self) -> str:
        text = (
            f"{self.rule}  |  precision {_percent(self.precision)} ({_percent(self.low)} to {_percent(self.high)}), "
            f"lift {number_in_words(self.lift, 1)}, recall {_percent(self.recall)}"
        )
        if self.held_out_rare is None or self.held_out_rest is None:
            return text
        return f"{text}, held out {self.held_out_rare} of {self.held_out_rare + self.held_out_rest}"


@dataclass(frozen=True)
class Together:
    """Joint precision and recall of a list of rules.

    Parameters
    ----------
    n_rare, n_rows : int
        Number of rare rows and of all rows in the training table.
    training_rare, training_rows : int
        Rare rows and all rows of the training table for which at least one rule holds. Optimistic, because the rules
        were chosen on these rows.
    unseen_rare, unseen_rows : int
        The same for lists found in the same way on parts of the rows, counted on the rows left out.
    held_out_rare, held_out_rows, held_out_all_rare : int or None
        The same for these rules on held-out rows, and the number of all rare rows there; None without held-out rows.
    """

    n_rare: int
    n_rows: int
    training_rare: int
    training_rows: int
    unseen_rare: int
    unseen_rows: int
    held_out_rare: int | None = None
    held_out_rows: int | None = None
    held_out_all_rare: int | None = None

    @property
    def precision(self) -> float:
        """Share of rare rows among those for which a rule holds, on rows left out; NaN if no rule holds for any row."""
        return self.unseen_rare / self.unseen_rows if self.unseen_rows else float("nan")

    @property
    def recall(self) -> float:
        """Share of the rare rows for which a rule holds, on rows left out."""
        return self.unseen_rare / self.n_rare if self.n_rare else float("nan")

    def __str__(self) -> str:
        text = (
            f"Together: {_percent(self.recall)} of the rare rows found with a precision of "
            f"{_percent(self.precision)}, {_percent(1 - self.recall)} not found (lists found in the same way, on rows "
            "they had not seen)"
        )
        if self.held_out_rare is None:
            return text
        return (
            f"{text}\nHeld out: {self.held_out_rare} of {self.held_out_all_rare} rare rows found; "
            f"{self.held_out_rare} of the {self.held_out_rows} rows found are rare"
        )


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
        self,
        found: Found,
        columns: Columns,
        classes: NDArray[Any],
        rarest: int | None,
        backend: Any = None,
        decimals: int = 6,
        rare_rows: NDArray[Any] | None = None,
        *,
        figures: Figures,
        together: Together,
        reason: str = "",
    ) -> None:
        super().__init__(found, columns, classes, rarest, backend, decimals, rare_rows)
        self._figures = figures
        self.together = together
        self.reason = reason

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice | NDArray[Any]) -> RuleSet: ...
    def __getitem__(self, index: int | slice | NDArray[Any]) -> Rule | RuleSet:
        return super().__getitem__(index)  # type: ignore[return-value]

    def _with(self, found: Found, columns: Columns, chosen: NDArray[Any] | None = None) -> RuleSet:
        figures = self._figures if chosen is None else self._figures.take(chosen)
        return RuleSet(
            found,
            columns,
            self._classes,
            self._rarest,
            self._backend,
            self._decimals,
            self._rare_rows,
            figures=figures,
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
        return plot_rules(self._top(top), self.together.n_rare / self.together.n_rows, ax)

    def as_json(self) -> dict[str, Any]:
        """The rules in a form that JSON can store.

        Returns
        -------
        dict
            "rules", each with its conditions and figures, "together" and "reason".
        """
        return {
            "rules": [_as_json(self[i]) for i in range(len(self))],
            "together": {
                **vars(self.together),
                "precision": _finite(self.together.precision),
                "recall": self.together.recall,
            },
            "reason": self.reason,
        }


def _as_json(rule: Rule) -> dict[str, Any]:
    conditions = [
        {
            "column": condition.column,
            "lower": _finite(condition.lower),
            "upper": _finite(condition.upper),
            "categories": None if condition.categories is None else [_plain(each) for each in condition.categories],
            "missing": condition.missing,
            "text": condition.text,
        }
        for condition in rule.conditions
    ]
    honest = ("precision", "low", "high", "lift", "lift_low", "lift_high", "recall", "recall_low", "recall_high")
    told: dict[str, Any] = {"rule": rule.rule, "rare": rule.rare, "rest": rule.rest, "conditions": conditions}
    told |= {name: getattr(rule, name) for name in honest}
    if rule.held_out_rare is not None:
        told |= {"held_out_rare": rule.held_out_rare, "held_out_rest": rule.held_out_rest}
    return told


def found_of(rules: Sequence[CodedRule], label: int, rare: NDArray[Any], rows: NDArray[Any], held_out: Any) -> Found:
    """Rules and their counts as patterns have them; they come from no leaf that is kept."""
    nowhere = np.full(len(rules), -1, dtype=np.int64)
    held_rare, held_rest = (None, None) if held_out is None else held_out
    return Found(
        conditions_of(rules),
        np.full(len(rules), label, dtype=np.int64),
        rare,
        rows - rare,
        nowhere,
        nowhere,
        np.ones(len(rules), dtype=np.int64),
        held_rare,
        held_rest,
    )


def _percent(share: float) -> str:
    return "-" if share != share else f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
