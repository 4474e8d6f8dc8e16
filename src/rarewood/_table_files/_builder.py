"""Rows built from blocks of a file, each column straight in the coding that trees read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._table_files._matrix import GrowingMatrix
from rarewood._table_files._structures import refuse_structures
from rarewood._table_files.reading_notes import errors_in
from rarewood._table_files.sources import Block
from rarewood._tables import Columns, Rows, in_order
from rarewood._tables.cells import TRUTH_WORDS, InfiniteCellError, truth_word
from rarewood._tables.date_texts import DateWriting
from rarewood._tables.kinds import Categories, Kind, Moments, Numbers, codes_of, named_kind
from rarewood._tables.kinds.guessing import TextHints, guess_among_odd, guess_kind
from rarewood._tables.kinds.odd_cells import FEWEST_USUAL, OddCells, Parse, are_few
from rarewood._tables.moments import are_days

Kinds = dict[str, Kind]


class RowsBuilder:
    """A matrix that takes blocks of rows; its categories are numbered as they appear until `build` sorts them.

    The kind of a column is doubted unless it is `certain`: then it is an error if most cells are not of its kind.
    """

    def __init__(
        self,
        kinds: Kinds,
        certain: Collection[str] = (),
        hints: TextHints | None = None,
        *,
        strict: bool = False,
        unsettled: Collection[str] = (),
    ) -> None:
        """Without `hints`, cells are written as the kinds say, and in no other way.

        A few cells that do not fit are counted and missing, or an error if reading is `strict`. In `unsettled` columns only whole
        numbers were seen: what a point among their digits means, the first that has one must tell.
        """
        self.kinds = dict(kinds)
        self.errors: Counter[str] = Counter()
        self.odd = OddCells()
        self._certain = frozenset(certain)
        self._hints = hints
        self._strict = strict
        self._unsettled = set(unsettled)
        self._matrix: GrowingMatrix | None = None
        self._codes: dict[str, dict[str, int]] = {
            name: {} for name, kind in kinds.items() if isinstance(kind, Categories)
        }
        self._with_values: set[str] = set()
        self.n_characters = 0
        """In the words of all nominal columns, each counted once."""

    def add(self, block: Block, where: str, about: int, used: NDArray[np.bool_] | None = None) -> Kinds:
        """Append the rows of a block; the kinds of columns that cannot be of the kind they were taken for.

        `about` so many rows are to be expected in all. Rows that are not `used` have no say in what a column is.
        """
        if self._matrix is None:
            codes_only = all(isinstance(kind, Categories) for kind in self.kinds.values())
            self._matrix = GrowingMatrix(len(self.kinds), about, np.float32 if codes_only else np.float64)
        refuse_structures(
            {name: block.columns[name] for name in self._codes}, where, block.first, may_drop=self._hints is not None
        )
        corrections: Kinds = {}
        for place, name in enumerate(self.kinds):
            cells = self._read(name, block, where, used)
            if isinstance(cells, np.ndarray):
                self._matrix.add(place, cells)
                missing = np.isnan(cells) if used is None else np.isnan(cells) & used
                self.errors[name] += errors_in(block.columns[name], missing)
            else:
                corrections[name] = cells
        return corrections

    def corrections(self) -> Kinds:
        """Columns with so many cells that do not fit, or so few different ones that do, that they are categories after all."""
        found: Kinds = {}
        for place, name in enumerate(self.kinds):
            if name not in self.odd.counts or name in self._certain or self._matrix is None:
                continue
            cells = self._matrix.column(place)
            present = cells[~np.isnan(cells)]
            n_odd, n_words = self.odd.counts[name], len(self.odd.words[name])
            if not are_few(n_odd, n_words, len(present) + n_odd) or len(np.unique(present)) < FEWEST_USUAL:
                found[name] = named_kind(Categories.word)
        return found

    def _read(self, name: str, block: Block, where: str, used: NDArray[np.bool_] | None) -> NDArray[Any] | Kind:
        """The cells of a block as floats, or a kind that fits better."""
        cells, kind = block.columns[name], self.kinds[name]
        counted = cells if used is None else some_cells(cells, used)
        if isinstance(kind, Categories):
            codes = self._codes_of(name, kind, counted)
            return codes if used is None else _in_place(codes, used)
        parse = kind.parse_seconds if isinstance(kind, Moments) else kind.parse
        try:
            floats: NDArray[Any] = parse(cells, name, where, block.first)
        except InfiniteCellError:
            raise
        except ValueError:
            again = self._read_again(name, kind, parse, _emptied(cells, used), where, block.first)
            if not isinstance(again, tuple):
                return again
            floats, counted = again
        if isinstance(kind, Moments) and name not in self._certain:
            wider = _wider(name, kind, counted)
            if wider is not None:
                return wider
        if name in self._unsettled and not is_whole(floats):
            settled = self._settle(name, kind, block)
            if settled is not None:
                return settled
        if name not in self._with_values and not np.isnan(floats).all():
            self._with_values.add(name)
        return floats

    def _read_again(
        self, name: str, kind: Kind, parse: Parse, cells: Any, where: str, first: int
    ) -> tuple[NDArray[Any], Any] | Kind:
        """Cells that are not all of the kind: as floats where odd ones may be left out, or as a kind that fits better."""
        try:
            return parse(cells, name, where, first), cells
        except InfiniteCellError:
            raise
        except ValueError as error:
            found = None if self._hints is None else guess_kind(cells, name, self._hints)
            among_odd = None if self._hints is None else guess_among_odd(cells, name, self._hints)
            for other in (found, among_odd):
                if other is not None and _family(other) == _family(kind) and other != kind:
                    return other  # written in another way
            is_certain = name in self._certain
            if isinstance(found, Moments) and not is_certain and name not in self._with_values:
                return found  # a first block without any value is no evidence against dates later on
            try:
                without_odd = self.odd.parse(parse, cells, name, where, first, self._n_present(name))
            except ValueError:
                if is_certain:
                    raise error from None
                return named_kind(Categories.word)
            if self._strict:
                raise
            return without_odd

    def _n_present(self, name: str) -> int:
        """Cells of a column so far that are not missing, odd ones among them."""
        assert self._matrix is not None
        cells = self._matrix.column(list(self.kinds).index(name))
        return int(np.count_nonzero(~np.isnan(cells))) + self.odd.counts[name]

    def _settle(self, name: str, kind: Kind, block: Block) -> Kind | None:
        """The first numbers with a point, or a comma, in a column of whole ones: another way to write them, or None."""
        assert self._matrix is not None
        self._unsettled.discard(name)
        if self._hints is None:
            return None
        texts = block.columns[name] if block.texts is None else block.texts(name)
        earlier = self._matrix.column(list(self.kinds).index(name))
        largest = np.nanmax(np.abs(earlier)) if len(earlier) and not np.isnan(earlier).all() else 0.0
        found = guess_kind([*texts, f"{largest:.0f}"], name, self._hints)
        return found if isinstance(found, Numbers) and found != kind else None

    def _codes_of(self, name: str, kind: Categories, cells: Any) -> NDArray[np.float64]:
        codes = self._codes[name]
        n_known = len(codes)
        if hasattr(cells, "categories"):  # a pandas Categorical
            of_levels = np.full(len(cells.categories) + 1, np.nan)
            for level in np.unique(np.asarray(cells.codes)).tolist():
                if level >= 0:
                    of_levels[level] = codes.setdefault(str(cells.categories[level]), len(codes))
            found = np.asarray(of_levels[np.asarray(cells.codes)])
        else:
            words = kind.words(cells)
            found = np.array([np.nan if word is None else codes.setdefault(word, len(codes)) for word in words])
        self.n_characters += n_characters_of_last(codes, len(codes) - n_known)
        return found

    def build(self, rows: NDArray[np.bool_] | None = None, *, ordered: bool = True) -> Rows:
        """The rows, all or some of them; nothing can be added any more.

        Categories are `ordered` as everywhere, so that no order of rows shows in a model, or else as they appear.
        """
        matrix = np.empty((0, len(self.kinds))) if self._matrix is None else self._matrix.end(rows)
        self._matrix = None
        kinds = [self._learn(name, cells, ordered) for name, cells in zip(self.kinds, matrix.T, strict=True)]
        names = np.array(list(self.kinds), dtype=object)
        found = Columns(tuple(kinds), names, np.zeros(len(kinds), dtype=bool))
        return Rows(matrix, Columns.learn(Rows(matrix, found))[0])

    def _learn(self, name: str, cells: NDArray[Any], ordered: bool) -> Kind:
        """The kind of a whole column, whose codes are put in order."""
        kind = self.kinds[name]
        if isinstance(kind, Moments):
            if kind.word == "datetime" and are_days(cells):
                self.kinds[name] = replace(kind, word="date")
            return kind.learned_from(cells)
        if not isinstance(kind, Categories):
            return kind
        written = list(self._codes[name])
        texts = [truth_word(text) for text in written]
        if not (kind.are_truths if self._hints is None else set(texts) <= set(TRUTH_WORDS)):
            texts = written
        wanted = in_order(dict.fromkeys(texts)) if ordered else list(dict.fromkeys(texts))
        if wanted != written:
            place_of = {text: place for place, text in enumerate(wanted)}
            places = np.array([*(place_of[text] for text in texts), np.nan])
            cells[:] = places[codes_of(cells)]
        return kind.listed(wanted)


def n_characters_of_last(known: dict[Any, Any], n: int) -> int:
    """Characters in the last `n` keys that are text."""
    return sum(len(key) for key in islice(reversed(known), n) if isinstance(key, str))


def is_whole(floats: NDArray[Any]) -> bool:
    """Whether all numbers among floats are whole."""
    return not bool(((floats != np.trunc(floats)) & ~np.isnan(floats)).any())


def _in_place(cells: NDArray[Any], rows: NDArray[np.bool_]) -> NDArray[Any]:
    """Cells of some rows among all, where the others are missing."""
    spread = np.full(len(rows), np.nan)
    spread[rows] = cells
    return spread


def _wider(name: str, kind: Moments, cells: Sequence[Any]) -> Kind | None:
    """Points in time among days, or something else altogether; None if the cells are of the kind."""
    written: dict[str | None, DateWriting] = {} if kind.writing is None else {name: kind.writing}
    found = guess_kind(cells, name, TextHints(dates=written))
    word = None if found is None else found.word
    if word is None or word == kind.word or (word == "date" and kind.word == "datetime"):
        return None
    if word == "datetime" and kind.word == "date":
        return replace(kind, word="datetime")
    return named_kind(Categories.word)


def _family(kind: Kind) -> str:
    return "point" if kind.word in ("date", "datetime") else kind.word


def _emptied(cells: Any, rows: NDArray[np.bool_] | None) -> Any:
    """Cells of some rows, None elsewhere."""
    return cells if rows is None else [cell if is_used else None for cell, is_used in zip(cells, rows.tolist())]


def some_cells(cells: Any, rows: NDArray[np.bool_]) -> Any:
    """Some of the cells of a column, in a container of the same kind."""
    if isinstance(cells, np.ndarray) or hasattr(cells, "categories"):
        return cells[rows]
    return [cell for cell, is_wanted in zip(cells, rows.tolist()) if is_wanted]
