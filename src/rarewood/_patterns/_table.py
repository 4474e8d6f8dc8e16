"""Patterns as a reader meets them: a ranked sequence with text, table and picture."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast, overload

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rarewood._patterns._dialects import rules_in_python, select_in_sql
from rarewood._patterns._different import different
from rarewood._patterns._found import Found
from rarewood._patterns._measures import growth_rate, strength
from rarewood._patterns._pattern import Pattern
from rarewood._patterns._words import name_condition, rule_in_words
from rarewood._tables import Columns
from rarewood._validation import Integer, check_parameter
from rarewood._wording import number_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN = 10
_MOST_CONSIDERED = 500  # of a forest's thousands, when distinct ones are wanted


class Patterns(Sequence[Pattern]):
    """Rules found in the leaves of a forest, the strongest first.

    Made by :func:`rarewood.inspection.extract_patterns`, and kept by :class:`rarewood.PatternOversampler`. Indexing gives a
    :class:`Pattern`; slicing and boolean masks give shorter lists. `rare`, `rest`, `growth_rate` and `strength` are also
    there as arrays, one value per pattern.

    See Also
    --------
    rarewood.inspection.extract_patterns : How to get one, with examples.
    """

    _noun: ClassVar[str] = "patterns"
    _html: ClassVar[dict[str, str]] = {  # what fits beside a rule in a notebook, and its heading
        "rule": "rule",
        "class": "class",
        "rare": "rare",
        "rest": "rest",
        "strength": "strength",
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
        decimals: int = 3,
        rare_rows: NDArray[Any] | None = None,
    ) -> None:
        self._found = found
        self._of_columns = columns
        self._decimals = decimals
        self._classes = classes
        self._rarest = rarest
        self._backend = backend
        self._rare_rows = rare_rows  # encoded rows of the class, None where the patterns were counted on none

    def __len__(self) -> int:
        return len(self._found.label)

    def __iter__(self) -> Iterator[Pattern]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Pattern: ...
    @overload
    def __getitem__(self, index: slice | NDArray[Any]) -> Patterns: ...
    def __getitem__(self, index: int | slice | NDArray[Any]) -> Pattern | Patterns:
        if isinstance(index, (slice, np.ndarray, list)):
            chosen = np.arange(len(self))[index]
            return self._with(self._found.take(chosen), self._of_columns, chosen)
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"there is no pattern {index}: there are {len(self)} patterns")
        return self._pattern(position)

    def _pattern(self, i: int) -> Pattern:
        found, conditions = self._found, self._found.conditions
        columns, decimals = self._of_columns, self._decimals
        held_out = (found.held_out_rare, found.held_out_rest)
        return Pattern(
            rule=rule_in_words(columns, conditions, i, decimals),
            conditions=tuple(name_condition(columns, conditions, c, decimals) for c in conditions.of(i)),
            label=self._classes[found.label[i]],
            rare=found.rare[i].item(),
            rest=found.rest[i].item(),
            growth_rate=float(self.growth_rate[i]),
            strength=float(self.strength[i]),
            occurrences=int(found.occurrences[i]),
            tree=int(found.tree[i]),
            leaf=int(found.leaf[i]),
            held_out_rare=None if held_out[0] is None else int(held_out[0][i]),
            held_out_rest=None if held_out[1] is None else int(held_out[1][i]),
            members="rare" if found.label[i] == self._rarest else f"of class {self._classes[found.label[i]]}",
        )

    def _renamed(self, names: Sequence[str]) -> Patterns:
        """The same patterns with other names for the columns, in the order of the training table."""
        return self._with(self._found, replace(self._of_columns, names=np.array(names, dtype=object)))

    def _with(self, found: Found, columns: Columns, chosen: NDArray[Any] | None = None) -> Patterns:  # noqa: ARG002
        """Other patterns in place of these; `chosen` says which of these they are, None that they are all."""
        return Patterns(found, columns, self._classes, self._rarest, self._backend, self._decimals, self._rare_rows)

    @property
    def found(self) -> Found:
        """Conditions and counts of the patterns, as arrays."""
        return self._found

    @property
    def columns(self) -> Columns:
        """The columns of the training table."""
        return self._of_columns

    @property
    def rare(self) -> NDArray[Any]:
        """Rows of the class of each pattern for which it holds."""
        return self._found.rare

    @property
    def rest(self) -> NDArray[Any]:
        """Other rows for which each pattern holds."""
        return self._found.rest

    @cached_property
    def growth_rate(self) -> NDArray[np.float64]:
        """Growth rate of each pattern."""
        return growth_rate(self.rare, self.rest)

    @cached_property
    def strength(self) -> NDArray[np.float64]:
        """Strength of each pattern."""
        return strength(self.rare, self.rest)

    def covers(self, X: Any) -> NDArray[np.bool_]:
        """For which rows each pattern holds.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of bool of shape (n_rows, n_patterns)
            True where the pattern holds. A category that training did not see meets no condition.
        """
        return self.covers_encoded(self._of_columns.read(self._of_columns.put_on(BaseEstimator()), X))

    def covers_encoded(self, matrix: NDArray[Any]) -> NDArray[np.bool_]:
        """For which encoded rows (in the codes of `columns`) each pattern holds."""
        nominal = self._of_columns.nominal
        columns = [self._found.conditions.covers(i, matrix, nominal) for i in range(len(self))]
        return np.array(columns, dtype=bool).reshape(len(self), len(matrix)).T

    def distinct(self, n: int = _SHOWN) -> Self:
        """Keep the first patterns that find different rows; drop those whose rows earlier patterns mostly find.

        Parameters
        ----------
        n : int, default=10
            Maximum number of patterns.

        Returns
        -------
        Patterns
            In the same order.
        """
        check_parameter("n", n, Integer(1))
        if self._rare_rows is None:
            raise ValueError(
                "these patterns were not counted on any rows, so it is not known which of them find the same rows; "
                "pass X and y to extract_patterns."
            )
        considered = self[:_MOST_CONSIDERED]
        conditions, nominal = considered._found.conditions, self._of_columns.nominal
        found = [conditions.covers(i, self._rare_rows, nominal) for i in range(len(considered))]
        finds = np.array(found, dtype=bool).reshape(len(considered), len(self._rare_rows)).T
        return cast("Self", considered[different(finds, n)])

    def to_sql(self, table: str = "rows") -> str:
        """An SQL query that says which patterns hold for each row of a database table.

        Parameters
        ----------
        table : str, default="rows"
            Name of the table.

        Returns
        -------
        str
            A SELECT of all its columns and of rule_1, rule_2, ..., each 1 or 0. A missing value must be NULL there. The
            expression of a single pattern, for a WHERE, is ``patterns[0].to_sql()``.
        """
        return select_in_sql([pattern.conditions for pattern in self], table)

    def to_python(self) -> str:
        """The patterns as source code of a Python function without dependencies.

        Returns
        -------
        str
            The definition of ``rules_that_hold(row)``: given a mapping from column names to values, it returns a list with
            True for every pattern that holds. None and NaN are missing.
        """
        return rules_in_python([(pattern.rule, pattern.conditions) for pattern in self])

    def text(self, top: int | None = _SHOWN) -> str:
        """The patterns in words, one per line.

        Parameters
        ----------
        top : int or None, default=10
            How many, the strongest first; None for all.

        Returns
        -------
        str
            For example "amount > 912.5 and country in {NG, RO}  |  41 of 52 rare, strength 32.3".
        """
        if len(self) == 0:
            return "no patterns: in no leaf does the class outnumber the rest"
        shown = self._top(top)
        several = len(np.unique(self._found.label)) > 1
        lines = [f"{pattern.label}: {pattern}" if several else str(pattern) for pattern in shown]
        more = len(self) - len(shown)
        return "\n".join([*lines, f"... {more} more"] if more else lines)

    def _top(self, top: int | None) -> Patterns:
        if top is None:
            return self
        check_parameter("top", top, Integer(1))
        return self[:top]

    def frame(self, backend: Any = None) -> Any:
        """The patterns as a table.

        Parameters
        ----------
        backend : module or str, default=None
            The data-frame library, "pandas" for instance. None takes that of the table the patterns were counted on.

        Returns
        -------
        data frame, or dict of arrays if the patterns were counted on an array
            One row per pattern: rule, class, rare, rest, growth_rate, strength, n_conditions, occurrences, tree, leaf; and the
            same counts and measures among held-out rows, if there were any. Any data-frame library can read the dictionary.
        """
        columns = self._columns()
        backend = backend or self._backend
        if backend is None:
            return columns
        return nw.from_dict(columns, backend=backend).to_native()

    def _columns(self) -> dict[str, NDArray[Any]]:
        found = self._found
        rules = [rule_in_words(self._of_columns, found.conditions, i, self._decimals) for i in range(len(self))]
        columns = {
            "rule": np.array(rules, dtype=object),
            "class": self._classes[found.label],
            "rare": found.rare,
            "rest": found.rest,
            "growth_rate": self.growth_rate,
            "strength": self.strength,
            "n_conditions": found.conditions.sizes,
            "occurrences": found.occurrences,
            "tree": found.tree,
            "leaf": found.leaf,
        }
        if found.held_out_rare is not None and found.held_out_rest is not None:
            columns["held_out_rare"] = found.held_out_rare
            columns["held_out_rest"] = found.held_out_rest
            columns["held_out_growth_rate"] = growth_rate(found.held_out_rare, found.held_out_rest)
            columns["held_out_strength"] = strength(found.held_out_rare, found.held_out_rest)
        return columns

    def plot(self, top: int = _SHOWN, *, ax: Axes | None = None) -> Axes:
        """Plot the strongest patterns as bars: how many rows of the class each one finds, and how many others.

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
        from rarewood._patterns._plot import plot_patterns

        return plot_patterns(self._top(top), ax)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{len(self)} {self._noun}>\n{self.text()}"

    def _repr_html_(self) -> str:
        """The strongest patterns with what fits beside a rule in a notebook; `frame` has the rest."""
        shown = self._top(2 * _SHOWN)
        count = f"{len(self)} {self._noun}" + (f", the strongest {len(shown)}" if len(shown) < len(self) else "")
        table = {name: column for name, column in shown._columns().items() if name in self._html}
        if len(np.unique(self._found.label)) < 2:
            table.pop("class", None)
        head = "".join(f"<th{_style(name)}>{self._html[name]}</th>" for name in table)
        rows = "".join(
            "<tr>"
            + "".join(f"<td{_style(name)}>{html.escape(_cell(value))}</td>" for name, value in zip(table, values))
            + "</tr>"
            for values in zip(*table.values(), strict=True)
        )
        return f"<p>{count}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _style(name: str) -> str:
    """Notebooks set tables right-aligned, some without line breaks; rules are text to read."""
    return ' style="text-align: left; white-space: normal"' if name == "rule" else ""


def _cell(value: Any) -> str:
    return number_in_words(float(value), 1) if isinstance(value, np.floating) else str(value)
