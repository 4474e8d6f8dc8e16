"""What is wrong, or may be, with the data behind a report, or with a table to learn from.

To add a check, write a function `Examined -> Iterator[Problem]` and append it to `_CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables import Rows, take_rows
from rarewood._tables.suspicions import SUSPECT, Suspicion, column_suspicions
from rarewood.metrics.areas import area
from rarewood.report._pure_cuts import purest_cut
from rarewood.report._tables import Matrix, ReportTables, read_tables

Floats = NDArray[np.float64]

LEAK = 0.99  # a single column that ranks so well is more often a leak than luck
_MUCH_MISSING = 0.2
_FEW_RARE = 30
_FEWEST_RARE_FOR_LEAKS = 5
_DUPLICATES = 0.01
_LOOKED_AT = 50_000
_MOST_RARE = 0.25  # where more rows are rare, a nearly pure cut is no surprise


@dataclass(frozen=True)
class Problem:
    """Something to look at; `level` is "warning" where the figures of the report may mislead, else "note"."""

    kind: str
    level: str
    title: str
    text: str
    columns: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Examined:
    """The tables, and which of their rows are rare."""

    columns: ReportTables
    test_rare: NDArray[np.bool_]
    train_rare: NDArray[np.bool_] | None

    @cached_property
    def single(self) -> Floats:
        """The area under the ROC curve of each column alone."""
        return single_areas(self.columns, self.test_rare, self.train_rare)

    @cached_property
    def suspicions(self) -> dict[int, Suspicion]:
        """The columns that tell nothing of new rows."""
        return column_suspicions(Rows(self.all_rows, self.columns.wider), SUSPECT)

    def suspected(self, *suspicions: Suspicion) -> list[str]:
        """The names of columns under one of these suspicions."""
        return [self.columns.names[place] for place, found in self.suspicions.items() if found in suspicions]

    @cached_property
    def all_rows(self) -> Matrix:
        """Training and test rows, one below the other."""
        parts = [self.columns.test] if self.columns.train is None else [self.columns.train, self.columns.test]
        return np.concatenate(parts)

    @property
    def all_rare(self) -> NDArray[np.bool_]:
        """Which of them are rare."""
        parts = [self.test_rare] if self.train_rare is None else [self.train_rare, self.test_rare]
        return np.concatenate(parts)

    def named(self, chosen: NDArray[np.bool_]) -> list[str]:
        """The names of some columns."""
        return [name for name, wanted in zip(self.columns.names, chosen.tolist()) if wanted]


def find_problems(examined: Examined, more: Sequence[Problem] = ()) -> list[dict[str, Any]]:
    """All problems, and `more` that were found elsewhere; warnings first."""
    found = [*more, *(problem for check in _CHECKS for problem in check(examined))]
    found.sort(key=lambda problem: problem.level != "warning")
    return [asdict(problem) for problem in found]


def problems_of_table(X: Any, rare: NDArray[np.bool_], kinds: Sequence[str]) -> list[Problem]:
    """Problems of some kinds in a table to learn from; of a long one, rows at equal distances are looked at."""
    rows = np.flatnonzero(np.arange(len(rare)) % (1 + len(rare) // _LOOKED_AT) == 0)
    if len(rows) < len(rare):
        rows = np.union1d(rows, np.flatnonzero(rare)[:_LOOKED_AT])
        X, rare = take_rows(X, rows), rare[rows]
    examined = Examined(read_tables(None, X, None, None), rare, None)
    return [problem for check in _CHECKS for problem in check(examined) if problem.kind in kinds]


def missing_shares(columns: ReportTables) -> Floats:
    """Share of missing values per column among the test rows."""
    return np.asarray(np.isnan(columns.test).mean(axis=0), dtype=np.float64)


def single_areas(columns: ReportTables, test_rare: NDArray[np.bool_], train_rare: NDArray[np.bool_] | None) -> Floats:
    """How well each column alone ranks the test rows: the area under its ROC curve, in the better direction.

    Missing values rank below or above all others, whichever is better. A category ranks by its share of rare rows among the
    training rows; without those, among the other half of the test rows.
    """
    return np.array([_single_area(columns, j, test_rare, train_rare) for j in range(len(columns.names))])


def _single_area(
    columns: ReportTables, j: int, test_rare: NDArray[np.bool_], train_rare: NDArray[np.bool_] | None
) -> float:
    values = columns.test[:, j].astype(np.float64)
    if columns.nominal[j]:
        return area(_category_shares(columns, j, test_rare, train_rare), test_rare)
    missing = np.isnan(values)
    fills = (-np.inf, np.inf) if missing.any() else (0.0,)
    areas = [area(np.where(missing, fill, values), test_rare) for fill in fills]
    return max(max(each, 1.0 - each) for each in areas)


def _category_shares(
    columns: ReportTables, j: int, test_rare: NDArray[np.bool_], train_rare: NDArray[np.bool_] | None
) -> Floats:
    n_codes = int(columns.n_codes[j]) + 2  # one for values in neither table, one for missing
    codes = np.nan_to_num(columns.test[:, j], nan=n_codes - 1).astype(np.intp)
    if columns.train is not None and train_rare is not None:
        known = np.nan_to_num(columns.train[:, j], nan=n_codes - 1).astype(np.intp)
        return _shares(known, train_rare, n_codes)[codes]
    half = _alternating_halves(test_rare)
    shares = np.empty(len(codes))
    for one in (half, ~half):
        shares[one] = _shares(codes[~one], test_rare[~one], n_codes)[codes[one]]
    return shares


def _alternating_halves(rare: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Every second row of either class."""
    place = np.where(rare, np.cumsum(rare), np.cumsum(~rare))
    return np.asarray(place % 2 == 0)


def _shares(codes: NDArray[np.intp], rare: NDArray[np.bool_], n_codes: int) -> Floats:
    hits = np.bincount(codes[rare], minlength=n_codes)
    total = np.bincount(codes, minlength=n_codes)
    prior = rare.mean() if len(rare) else 0.0
    return np.asarray((hits + prior) / (total + 1.0), dtype=np.float64)


# ---------------------------------------------------------------------------------------------------------
# the checks


def _few_rare_rows(examined: Examined) -> Iterator[Problem]:
    n_rare = int(examined.test_rare.sum())
    if n_rare < _FEW_RARE:
        yield Problem(
            "few rare rows",
            "warning",
            f"Only {n_rare} rare row{'s' if n_rare > 1 else ''} to measure on",
            f"A single rare row moves the recall by {100 / n_rare:.0f} points. Treat the figures as rough, and test "
            "on more rows.",
        )


def _leaks(examined: Examined) -> Iterator[Problem]:
    if examined.test_rare.sum() < _FEWEST_RARE_FOR_LEAKS:
        return
    suspects = examined.single >= LEAK
    for name, value in zip(examined.named(suspects), examined.single[suspects].tolist()):
        yield Problem(
            "leak",
            "warning",
            f"{name} alone ranks the rows almost perfectly",
            f"Its area under the ROC curve is {value:.3f}. Make sure that its values are known before the class is, "
            "and are not derived from it.",
            [name],
        )


def _pure_cuts(examined: Examined) -> Iterator[Problem]:
    """Columns that a single question nearly settles for many rare rows: the others may have been filled in before the class."""
    rare = examined.all_rare
    if rare.mean() > _MOST_RARE:
        return
    for place, name in enumerate(examined.columns.names):
        cut = purest_cut(examined.all_rows[:, place], rare, nominal=bool(examined.columns.nominal[place]))
        if cut is None or examined.single[place] >= LEAK:
            continue
        n_rows = f"{cut.n_called:,} rows"
        called = f"All {n_rows}" if cut.n_hits == cut.n_called else f"{cut.n_hits:,} of the {n_rows}"
        rule = f"{name} {cut.words(lambda value, place=place: examined.columns.in_words(place, value))}"  # type: ignore[misc]
        yield Problem(
            "leak",
            "warning",
            f"{name} alone finds {cut.n_hits / rare.sum():.0%} of the rare rows: {rule}",
            f"{called} with {rule} are rare. Make sure that its values are known before the class "
            "is, and are not derived from it.",
            [name],
        )


def _shared_rows(examined: Examined) -> Iterator[Problem]:
    if examined.columns.train is None:
        return
    group = _equal_rows(examined.all_rows)
    n_train = len(examined.columns.train)
    shared = int(np.isin(group[n_train:], group[:n_train]).sum())
    n_test = len(group) - n_train
    if shared:
        yield Problem(
            "shared rows",
            "warning" if shared > _DUPLICATES * n_test else "note",
            f"{shared:,} of {n_test:,} test rows also occur among the training rows",
            "The model may have memorised them. If the columns have few distinct values, this can happen by chance. "
            "Otherwise split the data again, by customer or by date rather than by row.",
        )


def _duplicates(examined: Examined) -> Iterator[Problem]:
    group = _equal_rows(examined.columns.test)
    repeated = len(group) - len(np.unique(group))
    if repeated:
        yield Problem(
            "duplicates",
            "note",
            f"{repeated:,} row{'s are duplicates' if repeated > 1 else ' is a duplicate'}",
            f"{100 * repeated / len(group):.1f} % of {len(group):,} rows equal an earlier row in all columns and are "
            "counted again.",
        )


def _contradictions(examined: Examined) -> Iterator[Problem]:
    group = _equal_rows(examined.all_rows)
    rare = examined.all_rare
    both = np.intersect1d(group[rare], group[~rare])
    n_rare = int(np.isin(group[rare], both).sum())
    if n_rare:
        yield Problem(
            "contradictions",
            "note",
            f"{n_rare:,} rare row{'s' if n_rare > 1 else ''} equal{'' if n_rare > 1 else 's'} a row that is not rare",
            "Rows with the same values in all columns have different classes: no model can tell them apart.",
        )


def _constant(examined: Examined) -> Iterator[Problem]:
    names = examined.suspected(Suspicion.CONSTANT, Suspicion.EMPTY)
    if names:
        yield Problem(
            "constant",
            "note",
            f"{len(names)} column{'s have' if len(names) > 1 else ' has'} the same value in every row",
            f"{'They say' if len(names) > 1 else 'It says'} nothing about the class and can be left out, unless the value varies "
            "elsewhere.",
            names,
        )


def _missing(examined: Examined) -> Iterator[Problem]:
    shares = missing_shares(examined.columns)
    much = shares >= _MUCH_MISSING
    if much.any():
        order = np.argsort(-shares, kind="stable")
        named = [f"{examined.columns.names[j]} ({100 * shares[j]:.0f} %)" for j in order.tolist() if much[j]]
        several = len(named) > 1
        yield Problem(
            "missing",
            "note",
            f"{len(named)} column{'s lack' if several else ' lacks'} at least a fifth of {'their' if several else 'its'} values",
            "Whether a value is missing may itself depend on the class; a model can use that only if it stays so in "
            "new rows.",
            named,
        )
    if examined.columns.train is not None:
        new = np.asarray(np.isnan(examined.columns.test).any(axis=0) & ~np.isnan(examined.columns.train).any(axis=0))
        if new.any():
            yield Problem(
                "newly missing",
                "warning",
                "Values are missing in columns where training had them all",
                "The model never learned what a missing value there means.",
                examined.named(new),
            )


def _unseen(examined: Examined) -> Iterator[Problem]:
    columns = examined.columns
    if columns.train is None:
        return
    unseen = np.array(
        [
            np.mean(columns.test[:, j] >= columns.n_categories[j]) if columns.nominal[j] else 0.0
            for j in range(len(columns.names))
        ]
    )
    if unseen.any():
        named = [f"{columns.names[j]} ({100 * unseen[j]:.1f} %)" for j in np.flatnonzero(unseen).tolist()]
        yield Problem(
            "unseen categories",
            "note",
            "Test rows have categories that training did not see",
            "The model has learned nothing about them. In brackets: their share of the test rows.",
            named,
        )


def _identifiers(examined: Examined) -> Iterator[Problem]:
    names = examined.suspected(Suspicion.IDENTIFIER, Suspicion.COUNTER)
    if names:
        yield Problem(
            "identifiers",
            "warning",
            f"{len(names)} column{'s look like identifiers' if len(names) > 1 else ' looks like an identifier'}",
            "Every row has a different value. Numbers assigned in order of time can give the class away in these "
            "rows, but not in new ones.",
            names,
        )


def _same_columns(examined: Examined) -> Iterator[Problem]:
    rows, names = examined.all_rows, examined.columns.names
    first: dict[bytes, str] = {}
    for j, name in enumerate(names):
        column = np.where(np.isnan(rows[:, j]), np.nan, rows[:, j] + 0.0)
        if len(np.unique(column)) == 1:
            continue  # told apart as constant
        kind = b"nominal" if examined.columns.nominal[j] else b"number"
        earlier = first.setdefault(kind + column.tobytes(), name)
        if earlier != name:
            yield Problem(
                "same columns",
                "note",
                f"{name} is the same as {earlier}",
                "One of the two can be dropped; until then, they share their importance.",
                [name],
            )


def _equal_rows(rows: Matrix) -> NDArray[np.intp]:
    """A number for each row, the same for equal rows; missing values are equal."""
    plain = np.ascontiguousarray(np.where(np.isnan(rows), np.nan, rows + 0.0))  # one NaN, one zero
    keys = plain.view(np.dtype((np.void, plain.dtype.itemsize * plain.shape[1]))).ravel()
    return np.asarray(np.unique(keys, return_inverse=True)[1]).ravel()


_CHECKS: tuple[Callable[[Examined], Iterator[Problem]], ...] = (
    _few_rare_rows,
    _leaks,
    _pure_cuts,
    _identifiers,
    _shared_rows,
    _missing,
    _duplicates,
    _contradictions,
    _constant,
    _same_columns,
    _unseen,
)
