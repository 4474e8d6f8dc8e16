"""Patterns as a reader meets them: a ranked sequence with text, table and picture."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rarewood._pages.notebook import framed
from rarewood._rules._distinct import different
from rarewood._rules._measures import growth_rate, strength
from rarewood._rules._pattern_table import PatternTable
from rarewood._rules._python import rules_in_python
from rarewood._rules._rule import Pattern
from rarewood._rules._sql import select_in_sql
from rarewood._rules._words import name_condition, rule_in_words
from rarewood._tables import Columns
from rarewood._tables.frames import data_frame
from rarewood._terminal import shown
from rarewood._validation import Integer, check_parameter
from rarewood._wording import number_in_words, share_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN = 10
_MOST_CONSIDERED = 500  # of a forest's thousands, when distinct ones are wanted


@dataclass(frozen=True)
class Origin:
    """The training table of patterns, as far as they need it to speak of themselves."""

    columns: Columns
    classes: NDArray[Any]
    rarest: int | None  # the number of the class whose rows are simply called rare
    backend: Any = None  # the data-frame library of the table
    decimals: int = 3  # of numbers in rules
    rare_rows: NDArray[Any] | None = None  # encoded rows of the class; None if the patterns were counted on none


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

    def __init__(self, table: PatternTable, origin: Origin) -> None:
        self._table = table
        self._origin = origin

    def __len__(self) -> int:
        return len(self._table.label)

    def __iter__(self) -> Iterator[Pattern]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Pattern: ...
    @overload
    def __getitem__(self, index: slice | NDArray[Any]) -> Patterns: ...
    def __getitem__(self, index: int | slice | NDArray[Any]) -> Pattern | Patterns:
        if isinstance(index, (slice, np.ndarray, list)):
            chosen = np.arange(len(self))[index]
            return self._take(chosen)
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"there is no pattern {index}: there are {len(self)} patterns")
        return self._pattern(position)

    def _pattern(self, i: int) -> Pattern:
        table, origin = self._table, self._origin
        rule = table.conditions.rule(i)
        held_out = (table.held_out_rare, table.held_out_rest)
        return Pattern(
            rule=rule_in_words(rule, origin.columns, origin.decimals),
            conditions=tuple(name_condition(condition, origin.columns, origin.decimals) for condition in rule),
            label=origin.classes[table.label[i]],
            rare=table.rare[i].item(),
            rest=table.rest[i].item(),
            growth_rate=float(self.growth_rate[i]),
            strength=float(self.strength[i]),
            occurrences=int(table.occurrences[i]),
            tree=int(table.tree[i]),
            leaf=int(table.leaf[i]),
            held_out_rare=None if held_out[0] is None else int(held_out[0][i]),
            held_out_rest=None if held_out[1] is None else int(held_out[1][i]),
            members="rare" if table.label[i] == origin.rarest else f"of class {origin.classes[table.label[i]]}",
        )

    def _renamed(self, names: Sequence[str]) -> Self:
        """The same patterns with other names for the columns, in the order of the training table."""
        renamed = copy(self)
        columns = replace(self.columns, names=np.array(names, dtype=object))
        renamed._origin = replace(self._origin, columns=columns)
        return renamed

    def _take(self, chosen: NDArray[Any]) -> Self:
        """Some of the patterns, in the order given."""
        return type(self)(self._table.take(chosen), self._origin)

    @property
    def found(self) -> PatternTable:
        """Conditions and counts of the patterns, as arrays."""
        return self._table

    @property
    def columns(self) -> Columns:
        """The columns of the training table."""
        return self._origin.columns

    @property
    def rare(self) -> NDArray[Any]:
        """Rows of the class of each pattern for which it holds."""
        return self._table.rare

    @property
    def rest(self) -> NDArray[Any]:
        """Other rows for which each pattern holds."""
        return self._table.rest

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
        return self.covers_encoded(self.columns.read(self.columns.put_on(BaseEstimator()), X))

    def covers_encoded(self, matrix: NDArray[Any]) -> NDArray[np.bool_]:
        """For which encoded rows (in the codes of `columns`) each pattern holds."""
        return self._table.conditions.covers(matrix)

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
        if self._origin.rare_rows is None:
            raise ValueError(
                "these patterns were not counted on any rows, so it is not known which of them find the same rows; "
                "pass X and y to extract_patterns."
            )
        considered = self._take(np.arange(min(len(self), _MOST_CONSIDERED)))
        finds = considered.covers_encoded(self._origin.rare_rows)
        return considered._take(different(finds, n))

    def to_sql(self, table: str | Sequence[str] = "rows", *, dialect: str | None = None) -> str:
        """An SQL query that says which patterns hold for each row of a database table.

        Parameters
        ----------
        table : str or tuple of str, default="rows"
            Name of the table. A tuple has the names around it first: its schema, or a database that is attached, such as
            ``("sales", "orders")``. A text is a single name, even with a point in it.
        dialect : "sqlite" or None, default=None
            "sqlite" reads points in time that have a time zone from text such as 2024-01-31 12:00:00+01:00, of any zone. None is
            for databases with types for dates.

        Returns
        -------
        str
            A SELECT of all its columns and of rule_1, rule_2, ..., each 1 or 0. A missing value must be NULL there. Where dates are
            text, as in SQLite, it must be in the form 2024-01-31 or 2024-01-31 12:00:00; those with a time zone need `dialect`, or UTC.
            What a database cannot hold (NUL, infinity, lengths of time in SQLite) raises ValueError. The expression of a single
            pattern, for a WHERE, is ``patterns[0].to_sql()``.
        """
        return select_in_sql([pattern.conditions for pattern in self], table, dialect)

    def to_python(self) -> str:
        """The patterns as source code of a Python function that needs only the standard library.

        Returns
        -------
        str
            The definition of ``rules_that_hold(row)``: given a mapping from column names to values, it returns a list with
            True for every pattern that holds. Values may be of any type that data frames have; None and NaN are missing. Dates
            and times may be ISO text, too. A value of another kind than that of its column raises TypeError or ValueError.
            Categories such as intervals are compared by their text, ``str(value)``.
        """
        return rules_in_python([(pattern.rule, pattern.conditions) for pattern in self])

    @shown
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
        several = len(np.unique(self._table.label)) > 1
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
            The data-frame library, such as "polars". None takes that of the table the patterns were counted on; for an array, the
            first installed of pandas, polars and pyarrow.

        Returns
        -------
        data frame, or dict of arrays if no such library is installed
            One row per pattern: rule, class, rare, rest, growth_rate, strength, n_conditions, occurrences, tree, leaf; and the
            same counts and measures among held-out rows, if there were any.
        """
        return data_frame(self._columns(), backend or self._origin.backend)

    def _columns(self) -> dict[str, NDArray[Any]]:
        table, origin = self._table, self._origin
        rules = [rule_in_words(table.conditions.rule(i), origin.columns, origin.decimals) for i in range(len(self))]
        columns = {
            "rule": np.array(rules, dtype=object),
            "class": origin.classes[table.label],
            "rare": table.rare,
            "rest": table.rest,
            "growth_rate": self.growth_rate,
            "strength": self.strength,
            "n_conditions": table.conditions.sizes,
            "occurrences": table.occurrences,
            "tree": table.tree,
            "leaf": table.leaf,
        }
        if table.held_out_rare is not None and table.held_out_rest is not None:
            columns["held_out_rare"] = table.held_out_rare
            columns["held_out_rest"] = table.held_out_rest
            columns["held_out_growth_rate"] = growth_rate(table.held_out_rare, table.held_out_rest)
            columns["held_out_strength"] = strength(table.held_out_rare, table.held_out_rest)
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
        from rarewood._rules._plot import plot_patterns

        return plot_patterns(self._top(top), ax)

    @shown
    def __str__(self) -> str:
        return self.text()

    @shown
    def __repr__(self) -> str:
        return f"<{len(self)} {self._noun}>\n{self.text()}"

    def _repr_html_(self) -> str:
        """The strongest patterns with what fits beside a rule in a notebook; `frame` has the rest."""
        shown = self._top(2 * _SHOWN)
        count = f"{len(self)} {self._noun}" + (f", the strongest {len(shown)}" if len(shown) < len(self) else "")
        table = {name: column for name, column in shown._columns().items() if name in self._html}
        if len(np.unique(self._table.label)) < 2:
            table.pop("class", None)
        head = "".join(f"<th{_style(name)}>{self._html[name]}</th>" for name in table)
        rows = "".join(
            "<tr>"
            + "".join(f"<td{_style(name)}>{html.escape(_cell(name, value))}</td>" for name, value in zip(table, values))
            + "</tr>"
            for values in zip(*table.values(), strict=True)
        )
        table_of_rules = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
        return framed(f'<table class="figures"><caption>{count}</caption>{table_of_rules}</table>')


_SHARES = ("precision", "low", "high", "recall")  # shown in percent


def _style(name: str) -> str:
    """Notebooks set tables right-aligned, some without line breaks; rules are text to read."""
    return ' style="text-align: left; white-space: normal"' if name == "rule" else ""


def _cell(name: str, value: Any) -> str:
    if name in _SHARES:
        return share_in_words(value)
    return number_in_words(float(value), 1) if isinstance(value, np.floating) else str(value)
