"""The names in which conditions are written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rarewood._patterns._conditions import Conditions
from rarewood._validation import TableEncoder, read_table
from rarewood._wording import category_in_words, membership_in_words, missing_in_words, number_in_words, or_missing


@dataclass(frozen=True)
class Condition:
    """What a pattern asks of one column.

    Parameters
    ----------
    column : str
        Name of the column.
    lower, upper : float
        A number must be above `lower` and at most `upper`; infinite where there is no bound, and for nominal columns.
    categories : tuple or None
        The categories that meet the condition; None for a column of numbers.
    missing : bool
        Whether a missing value meets it.
    text : str
        The same in words.
    """

    column: str
    lower: float
    upper: float
    categories: tuple[Any, ...] | None
    missing: bool
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Vocabulary:
    """Names of columns and categories, and how many decimals numbers get; reads tables that have these columns."""

    encoder: TableEncoder
    names: NDArray[Any] | None  # None: the training table had no column names
    decimals: int = 3

    @property
    def nominal(self) -> NDArray[np.bool_]:
        """Which columns are nominal."""
        return np.array([levels is not None for levels in self.encoder.categories], dtype=bool)

    def encode(self, X: Any) -> NDArray[Any]:
        """Check and encode a table of the caller's."""
        columns: Any = BaseEstimator()
        columns.n_features_in_ = len(self.encoder.categories)
        if self.names is not None:
            columns.feature_names_in_ = self.names
        return self.encoder.transform(read_table(columns, X, reset=False))

    def condition(self, conditions: Conditions, c: int) -> Condition:
        """Condition number `c` with its names."""
        column = int(conditions.column[c])
        levels = self.encoder.categories[column]
        chosen = None if levels is None else tuple(levels[code] for code in conditions.codes_of(c).tolist())
        return Condition(
            self._name(column),
            float(conditions.lower[c]),
            float(conditions.upper[c]),
            chosen,
            bool(conditions.missing[c]),
            self._text(conditions, c),
        )

    def rule(self, conditions: Conditions, pattern: int) -> str:
        """A whole pattern in words."""
        texts = [self._text(conditions, c) for c in conditions.of(pattern)]
        if len(texts) > 1:
            texts = [f"({text})" if text.endswith(" or missing") else text for text in texts]
        return " and ".join(texts) or "every row"

    def _text(self, conditions: Conditions, c: int) -> str:
        column = conditions.column[c].item()
        name, missing = self._name(column), conditions.missing[c].item()
        levels = self.encoder.categories[column]
        if levels is not None:
            return self._set(name, levels, conditions.codes_of(c), missing)
        return self._interval(name, conditions.lower[c].item(), conditions.upper[c].item(), missing)

    def _name(self, column: int) -> str:
        return f"x{column}" if self.names is None else str(self.names[column])

    def _interval(self, name: str, lower: float, upper: float, missing: bool) -> str:
        if not lower < upper:
            return missing_in_words(name, missing=True)
        if lower == -math.inf and upper == math.inf:
            return missing_in_words(name, missing=False)
        if lower == -math.inf:
            text = f"{name} <= {number_in_words(upper, self.decimals)}"
        elif upper == math.inf:
            text = f"{name} > {number_in_words(lower, self.decimals)}"
        else:
            text = f"{number_in_words(lower, self.decimals)} < {name} <= {number_in_words(upper, self.decimals)}"
        return or_missing(text) if missing else text

    def _set(self, name: str, levels: NDArray[Any], codes: NDArray[np.int64], missing: bool) -> str:
        if len(codes) == 0:
            return missing_in_words(name, missing=True)
        if len(codes) == len(levels):
            return missing_in_words(name, missing=False)
        inside = 2 * len(codes) <= len(levels)
        listed = codes if inside else np.setdiff1d(np.arange(len(levels)), codes)
        words = [category_in_words(levels[code], self.decimals) for code in listed.tolist()]
        text = membership_in_words(name, words, inside=inside)
        return or_missing(text) if missing else text
