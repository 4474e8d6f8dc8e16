"""The data checks of `rarewood fit`, for a table in memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from rarewood._table_files.labels import labels_alike
from rarewood._tables import Columns, Rows, read_table
from rarewood._tables.frames import data_frame
from rarewood._tables.kinds import Categories, Numbers
from rarewood._tables.notes import NoteCode, note_number
from rarewood._tables.suspicions import rare_together, sentinel_in
from rarewood._terminal import shown
from rarewood._validation import column_of, rarest_label, read_labels
from rarewood._wording import share_in_words
from rarewood.exceptions import RarewoodWarning
from rarewood.report.problems import Problem, problems_of_table

_MOST_ALIKE = 10_000  # categories that are compared
_KINDS = (
    "few rare rows",
    "leak",
    "identifiers",
    "missing",
    "duplicates",
    "contradictions",
    "constant",
    "same columns",
)


@dataclass(frozen=True, eq=False)
class DataCheck:
    """What may be wrong with a table to learn from; prints as text.

    Parameters
    ----------
    problems : tuple
        The problems, warnings first; each has `kind`, `level`, `title`, `text` and `columns`.
    n_rows, n_rare : int
        Rows of the table, and those of the class to find.
    positive : label
        The class to find.
    """

    problems: tuple[Problem, ...]
    n_rows: int
    n_rare: int
    positive: Any

    @property
    def ok(self) -> bool:
        """Whether there is no warning."""
        return all(problem.level != "warning" for problem in self.problems)

    def frame(self, backend: Any = None) -> Any:
        """The problems as a data frame, a row for each.

        Parameters
        ----------
        backend : str or None, default=None
            "pandas", "polars" or "pyarrow". None takes the first that is installed.

        Returns
        -------
        DataFrame
            With the columns number, kind, level, title, text and columns, the latter with commas between names.
        """
        cells = {"number": [note_number(problem.kind) for problem in self.problems]}
        cells |= {
            name: [getattr(problem, name) for problem in self.problems] for name in ("kind", "level", "title", "text")
        }
        cells["columns"] = [", ".join(problem.columns) for problem in self.problems]
        return data_frame({name: np.array(values, dtype=object) for name, values in cells.items()}, backend)

    @shown
    def __repr__(self) -> str:
        head = f"{self.n_rows:,} rows, {self.n_rare:,} of class {self.positive}"
        if not self.problems:
            return f"{head}: nothing looks wrong"
        lines = (
            f"{problem.level} {note_number(problem.kind)}: {problem.title}{_named(problem)}. {problem.text}"
            for problem in self.problems
        )
        return "\n".join([head, *lines])


def check(X: Any, y: ArrayLike, *, positive: Any = None) -> DataCheck:
    """Look for what may be wrong with a table before a model is fitted: the data checks of ``rarewood fit``.

    Named are columns that give the class away, alone or by a single cut, identifiers, columns without information, columns that
    repeat another, numbers and dates written as text, numbers such as -999 that stand for missing values, missing values, rows
    that repeat or contradict each other or may belong together, labels and categories that differ only by case or spaces, more
    columns than rows, and few rare rows.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Training rows, as `fit` takes them.
    y : array-like of shape (n_samples,)
        Their labels.
    positive : label or None, default=None
        The class to find. None takes the rarest class in `y`.

    Returns
    -------
    DataCheck
        Prints what was found; `frame()` has it as a data frame, `ok` says whether there is no warning.

    See Also
    --------
    rarewood.report.build : A page on a fitted model, with the problems of its test rows.

    Examples
    --------
    >>> import numpy as np
    >>> import rarewood as rw
    >>> rng = np.random.default_rng(0)
    >>> y = (rng.random(500) < 0.1).astype(int)
    >>> X = np.column_stack([rng.normal(size=500), rng.permutation(500), y])
    >>> found = rw.check(X, y)
    >>> found.ok
    False
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    500 rows, 47 of class 1
    warning RW201: x2 alone ranks the rows almost perfectly. Its area under the ROC curve is 1.000. Make sure that its values are known
    before the class is, and are not derived from it.
    warning RW202: 1 column looks like an identifier (x1). Every row has a different value. Numbers assigned in order of time can give
    the class away in these rows, but not in new ones.
    """
    labels = read_labels(y)
    chosen = rarest_label(labels) if positive is None else positive
    column_of(chosen, np.unique(labels))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RarewoodWarning)
        owner = BaseEstimator()
        table = read_table(owner, X, reset=True)
        rows = Rows(*reversed(Columns.learn(table, names=getattr(owner, "feature_names_in_", None))))
    if len(rows) != len(labels):
        raise ValueError(f"X has {len(rows)} rows and y {len(labels)} labels.")
    rare = np.asarray(labels == chosen)
    found = [*problems_of_table(rows, rare, _KINDS), *_odd_words(caught), *_odd_labels(labels)]
    found += [*_odd_cells(rows), *_odd_rows(rows, rare)]
    found.sort(key=lambda problem: problem.level != "warning")
    return DataCheck(tuple(found), len(rows), int(rare.sum()), chosen)


def _named(problem: Problem) -> str:
    """Columns that the title only counts."""
    return f" ({', '.join(problem.columns)})" if problem.title[:1].isdigit() and problem.columns else ""


def _odd_words(caught: list[warnings.WarningMessage]) -> Iterator[Problem]:
    """Columns of words that are probably something else, as `fit` warns of them."""
    for each in caught:
        title, _, text = str(each.message).partition(", ")
        if "looks like an identifier" not in title:  # told already
            yield Problem("words", "warning", title, f"{text[:1].upper()}{text[1:]}")


def _odd_labels(labels: NDArray[Any]) -> Iterator[Problem]:
    for same in labels_alike(np.unique(labels)):
        yield Problem(
            "labels",
            "warning",
            f"The labels {', '.join(map(repr, same))} differ only by case or spaces",
            "They count as different classes; if they mean the same, write them in one way.",
        )


def _odd_cells(rows: Rows) -> Iterator[Problem]:
    """Numbers that stand for missing values, and categories that are probably one."""
    for name, kind, cells in zip(rows.names, rows.columns.kinds, rows.matrix.T, strict=True):
        sentinel = sentinel_in(cells) if isinstance(kind, Numbers) else None
        if sentinel is not None:
            yield Problem(
                NoteCode.SENTINEL,
                "note",
                f"{name} is {sentinel:.0f} in {int((cells == sentinel).sum()):,} rows, far from all other numbers",
                "If it means that the value is missing, put NaN there.",
                [name],
            )
        same = (
            labels_alike(kind.categories)
            if isinstance(kind, Categories) and len(kind.categories) <= _MOST_ALIKE
            else []
        )
        if same:
            yield Problem(
                NoteCode.ALIKE,
                "note",
                f"The categories {', '.join(map(repr, same[0]))} of {name} differ only by case or spaces",
                "They count as different ones; if they mean the same, write them in one way.",
                [name],
            )


def _odd_rows(rows: Rows, rare: NDArray[np.bool_]) -> Iterator[Problem]:
    """Rows that may belong together, and fewer rows than columns."""
    together = ((name, rare_together(cells, rare)) for name, cells in zip(rows.names, rows.matrix.T))
    group, share = next(((name, share) for name, share in together if share is not None), ("", 0.0))
    if group:
        yield Problem(
            NoteCode.TOGETHER,
            "warning",
            f"{share:.0%} of the rows with the same {group} as a rare row are rare, too",
            f"Of all rows, {share_in_words(float(rare.mean()))} are. If rows belong together, such as all rows of a customer, give fit the "
            "column as groups, or scores are too good.",
            [group],
        )
    if len(rows.columns) > len(rows):
        yield Problem(
            NoteCode.WIDE,
            "note",
            f"There are {len(rows.columns):,} columns for {len(rows):,} rows",
            "Chance makes some of them look useful, and scores vary with the seed; more trees help, and so do fewer columns.",
        )
