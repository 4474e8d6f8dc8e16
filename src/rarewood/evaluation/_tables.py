"""Tables in the form of papers, as text, Markdown and HTML."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._pages.notebook import framed
from rarewood._tables.frames import data_frame
from rarewood._terminal import shown
from rarewood.statistics import WinDrawLoss, rank_scores, win_draw_loss

_NEGATIVE = re.compile(r"(?<=>)-(?=\d)|(?<= to )-(?=\d)")  # the hyphen before a number in a cell
_BETTER, _WORSE = "v", "*"  # as Weka and the papers mark them


@dataclass(frozen=True)
class TextTable:
    """Cells that are ready to print: a head, rows that begin with their name, and notes below."""

    title: str
    head: list[str]
    rows: list[list[str]]
    notes: list[str]

    @shown
    def text(self) -> str:
        """Columns aligned by spaces."""
        widths = [max(len(row[i]) for row in [self.head, *self.rows]) for i in range(len(self.head))]
        lines = [
            "  ".join(
                [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
            ).rstrip()
            for row in [self.head, *self.rows]
        ]
        return "\n".join([self.title, *lines, *self.notes])

    def markdown(self) -> str:
        """A table of Markdown; a best value is bold."""
        rows = [[_bold(cell.strip().replace("|", "&#124;"), "**", "**") for cell in row] for row in self.rows]
        ruler = ["---", *["---:"] * (len(self.head) - 1)]
        lines = [f"| {' | '.join(row)} |" for row in [self.head, ruler, *rows]]
        return "\n".join([self.title, "", *lines, "", *self._notes_on_bold()]).rstrip()

    def html(self) -> str:
        """A table element with its caption and notes; a best value is bold."""
        notes = "<br>".join(map(escape, self._notes_on_bold()))
        return framed(f'<table class="figures">{self._content(self.title, self.head)}</table><p>{notes}</p>')

    def page_html(self) -> tuple[str, str]:
        """For a page of ours: a table as wide as it, whose words begin with capital letters, and the notes below."""
        title, *head = map(_capital, (self.title, *self.head))
        notes = "<br>".join(escape(_capital(note)) for note in self._notes_on_bold())
        content = _NEGATIVE.sub("\u2212", self._content(title, head))
        return (
            f'<table class="wide">{content}</table>',
            f'<p class="soft">{notes}</p>' if notes else "",
        )

    def _content(self, title: str, head: list[str]) -> str:
        names = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
        body = "".join(
            f'<tr><th scope="row">{escape(row[0])}</th>'
            + "".join(f"<td>{_bold(escape(cell.strip()), '<b>', '</b>')}</td>" for cell in row[1:])
            + "</tr>"
            for row in self.rows
        )
        return f"<caption>{escape(title)}</caption><thead><tr>{names}</tr></thead><tbody>{body}</tbody>"

    def _notes_on_bold(self) -> list[str]:
        """The notes where a best value is bold instead of bracketed."""
        return [f"bold: {note.removeprefix('[ ] ')}" if note.startswith("[ ] ") else note for note in self.notes]


def _capital(words: str) -> str:
    """Words that begin with a capital letter; a sign that is explained stays as it is."""
    return words if words.startswith(f"{_BETTER} ") else words[:1].upper() + words[1:]


def _bold(cell: str, start: str, end: str) -> str:
    return cell.replace("[", start).replace("]", end) if cell.startswith("[") else cell


class TableDisplay(ABC):
    """Base of results that are shown as a table: in a terminal, in a notebook, in Markdown."""

    @abstractmethod
    def cells(self) -> TextTable:
        """The printed table, cell by cell."""

    def markdown(self) -> str:
        """The table in Markdown.

        Returns
        -------
        str
        """
        return self.cells().markdown()

    @shown
    def __repr__(self) -> str:
        return self.cells().text()

    def _repr_html_(self) -> str:
        return self.cells().html()


@dataclass(frozen=True, repr=False, eq=False)
class ScoreTable(TableDisplay):
    """Mean scores of methods on data sets; prints as a table in the form that papers use.

    Parameters
    ----------
    title, protocol : str
        Headline.
    datasets, methods : tuple of str
        Rows and columns.
    means : ndarray of shape (n_datasets, n_methods)
        NaN where a method failed or has no such score.
    larger_is_better : bool
        Which values are best.
    ranks : dict of str to float or None
        Average ranks of the methods that can be ranked.
    reference : str or None
        The method that the others are tested against.
    p_values : ndarray of shape (n_datasets, n_methods) or None
        p-values of these tests.
    level : float
        Significance level of these tests.
    decimals : int or None
        Digits after the point; None chooses.
    n_skipped : int
        Scores of single folds that are not defined.
    """

    title: str
    protocol: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    means: NDArray[np.float64]
    larger_is_better: bool
    ranks: Mapping[str, float] | None = None
    reference: str | None = None
    p_values: NDArray[np.float64] | None = None
    level: float = 0.05
    decimals: int | None = None
    n_skipped: int = 0

    def win_draw_loss(self, method: str) -> WinDrawLoss:
        """Significant wins, draws and losses of a method against the reference.

        Parameters
        ----------
        method : str
            The method.

        Returns
        -------
        WinDrawLoss
        """
        if self.reference is None or self.p_values is None:
            raise ValueError("the table has no reference to compare with; name one: table(metric, reference=...).")
        column, base = self.methods.index(method), self.methods.index(self.reference)
        return win_draw_loss(
            self.means[:, column],
            self.means[:, base],
            p_values=self.p_values[:, column],
            level=self.level,
            larger_is_better=self.larger_is_better,
        )

    def mark(self, dataset: str, method: str) -> str:
        """The sign that says how a method compares with the reference on a data set.

        Parameters
        ----------
        dataset, method : str
            Row and column.

        Returns
        -------
        {"v", "*", ""}
            Significantly better, significantly worse, or neither.
        """
        row, column = self.datasets.index(dataset), self.methods.index(method)
        if self.reference is None or self.p_values is None or not self.p_values[row, column] < self.level:
            return ""
        gap = self.means[row, column] - self.means[row, self.methods.index(self.reference)]
        return _BETTER if (gap > 0) == self.larger_is_better else _WORSE

    def cells(self) -> TextTable:
        """The printed table, cell by cell."""
        digits = digits_of(self.means) if self.decimals is None else self.decimals
        rows = [
            [
                dataset,
                *_marked(self.means[i], self.larger_is_better, digits, [self.mark(dataset, m) for m in self.methods]),
            ]
            for i, dataset in enumerate(self.datasets)
        ]
        whole = self.means[comparable(self.means)[1]]
        several = len(self.datasets) > 1  # of one, its own line is the mean
        if several and len(whole):
            rows.append(["mean", *_marked(whole.mean(axis=0), self.larger_is_better, digits)])
        if self.ranks is not None:
            ranks = np.array([self.ranks.get(method, np.nan) for method in self.methods])
            rows.append(["average rank", *_marked(ranks, False, 2)])
        if several and self.reference is not None:
            counts = ["" if m == self.reference else repr(self.win_draw_loss(m)) for m in self.methods]
            rows.append(["win/draw/loss", *counts])
        if any(cell.endswith((_BETTER, _WORSE)) for row in rows for cell in row[1:]):
            rows = [
                [row[0], *(cell if cell.endswith((_BETTER, _WORSE)) else cell + "  " for cell in row[1:])]
                for row in rows
            ]
        return TextTable(f"{self.title}, {self.protocol}", ["", *self.methods], rows, self._notes(len(whole)))

    def _notes(self, n_whole: int) -> list[str]:
        notes = ["[ ] best of the row"]
        if self.reference is not None:
            notes.append(
                f"{_BETTER} {_WORSE} significantly better, worse than {self.reference} (corrected paired t, p < "
                f"{self.level:g})"
            )
        if n_whole < len(self.datasets) > 1:
            notes.append(f"mean and ranks over the {n_whole} data sets without missing scores")
        if not np.isfinite(self.means).all():
            notes.append("- the method failed (see failures()) or has no such score")
        if self.n_skipped:
            notes.append(f"{self.n_skipped} undefined fold scores were skipped")
        return notes

    def frame(self, backend: Any = None) -> Any:
        """The means as a data frame.

        Parameters
        ----------
        backend : module or str, default=None
            The data-frame library, such as "polars". None takes the first installed of pandas, polars and pyarrow.

        Returns
        -------
        data frame, or dict of arrays if no such library is installed
            A column with the names of the data sets and one per method.
        """
        columns = {"dataset": np.array(self.datasets, dtype=object)}
        columns |= {method: self.means[:, i] for i, method in enumerate(self.methods)}
        return data_frame(columns, backend)


@dataclass(frozen=True, repr=False)
class WinTable(TableDisplay):
    """Count how often each method beats each other one.

    Parameters
    ----------
    title : str
        The measure.
    methods : tuple of str
        Rows and columns.
    counts : dict of (str, str) to WinDrawLoss
        Wins, draws and losses of the first method against the second.
    level : float or None
        Significance level of a win; None if every difference counts.
    """

    title: str
    methods: tuple[str, ...]
    counts: Mapping[tuple[str, str], WinDrawLoss]
    level: float | None

    def __getitem__(self, pair: tuple[str, str]) -> WinDrawLoss:
        return self.counts[pair]

    def cells(self) -> TextTable:
        """The printed table, cell by cell."""
        rule = "every difference counts" if self.level is None else f"corrected paired t, p < {self.level:g}"
        rows = [
            [first, *("" if first == second else repr(self.counts[first, second]) for second in self.methods)]
            for first in self.methods
        ]
        title = f"wins/draws/losses of the row against the column in {self.title}\n({rule})"
        return TextTable(title, ["", *self.methods], rows, [])


def comparable(means: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks of the methods with a score anywhere, and of the data sets on which all of these have one."""
    known = np.isfinite(means)
    able: NDArray[np.bool_] = np.asarray(known.any(axis=0))
    whole: NDArray[np.bool_] = np.asarray(known[:, able].all(axis=1)) & bool(able.any())
    return able, whole


def digits_of(values: NDArray[np.float64]) -> int:
    largest = np.nanmax(np.abs(values)) if np.isfinite(values).any() else 0.0
    return 3 if largest < 100 else 0


def _marked(
    values: NDArray[np.float64], larger_is_better: bool, digits: int, marks: list[str] | None = None
) -> list[str]:
    """Numbers as text, the best in brackets, each with its mark."""
    known = np.isfinite(values)
    best = np.zeros(len(values), dtype=bool)
    if known.sum() > 1:
        ranks = rank_scores(values[known][np.newaxis], larger_is_better=larger_is_better)[0]
        best[known] = ranks == ranks.min()
    cells = []
    for i, value in enumerate(values):
        cell = f"{value:,.{digits}f}" if known[i] else "-"
        cell = f"[{cell}]" if best[i] else cell
        cells.append(f"{cell} {marks[i]}" if marks and marks[i] else cell)
    return cells
