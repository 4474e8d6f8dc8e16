"""The base of our samplers. This file alone decides what they take from imbalanced-learn.

imbalanced-learn lends its base classes, its `sampling_strategy` and its tags. Tables are read by our own rules, because its own
reading knows neither nominal columns nor polars and turns every table into one array.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import narwhals.stable.v2 as nw
import numpy as np
from imblearn.utils import check_sampling_strategy, check_target_type
from scipy.sparse import issparse

from rarewood._tables import Columns, Table, read_table
from rarewood._validation import Constraint, Labels, check_parameters, encode_labels, unmasked


@dataclass(frozen=True)
class SamplerInput:
    """The table and the labels passed to `fit_resample`, as they were and as we read them."""

    X: Any
    y: Any
    table: Table
    labels: Labels

    @property
    def backend(self) -> Any:
        """The data-frame library of X, or None."""
        frame = nw.from_native(self.X, pass_through=True)
        return frame.implementation if isinstance(frame, nw.DataFrame) else None


class TableSampler:
    """Mixin of our samplers, to stand before a base class of imbalanced-learn.

    A subclass lists in `_accepted` what its parameters accept and implements `_fit_resample`. The rows it gives back should be
    made by `rarewood.sampling._containers`, which keeps the caller's containers and types; that holds for `y`, too, so labels
    given as one column per class come back so.
    """

    _accepted: ClassVar[Mapping[str, tuple[Constraint, ...]]]
    _sampling_type: ClassVar[str]

    categorical_features: Any
    sampling_strategy: Any = "auto"
    sampling_strategy_: Mapping[Any, int]

    def fit(self, X: Any, y: Any) -> Any:
        """Check parameters, rows and labels, and compute `sampling_strategy_`; nothing is resampled.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        Self
            The sampler itself.
        """
        Columns.learn(self._read(X, y).table, self.categorical_features)
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Resample.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows: a NumPy array, nested lists, or a pandas, polars or pyarrow table. NaN and None are missing values.
        y : array-like of shape (n_samples,)
            Labels: numbers or strings.

        Returns
        -------
        X_resampled : as X
            The rows in the container they came in, with its column types.
        y_resampled : as y
            Their labels.
        """
        return self._fit_resample(self._read(X, y))

    @abstractmethod
    def _fit_resample(self, given: SamplerInput) -> tuple[Any, Any]:
        """Resample rows that have been read; set the fitted attributes."""

    def _read(self, X: Any, y: Any) -> SamplerInput:
        check_parameters(self.get_params(deep=False), self._accepted)  # type: ignore[attr-defined]
        X, y = unmasked(X), unmasked(y)
        table = read_table(self, X, reset=True)
        labels = encode_labels(self, _one_column(y), table.shape[0])
        strategy = None
        if self.sampling_strategy is not None:
            strategy = check_sampling_strategy(
                self.sampling_strategy, labels.classes[labels.codes], self._sampling_type
            )
        if strategy is None:  # of what it does not know, bytes for instance
            raise TypeError(
                f"sampling_strategy={self.sampling_strategy!r} is not accepted; give 'auto', a number, a dictionary or a function."
            )
        self.sampling_strategy_ = strategy
        return SamplerInput(X, y, table, labels)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = False
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _one_column(y: Any) -> Any:
    """Labels in one dimension; one column of zeros and ones per class becomes class numbers."""
    shape = np.shape(y)
    if len(shape) != 2 or issparse(y):
        return y
    array = np.asarray(y)
    return array[:, 0] if shape[1] == 1 else check_target_type(array)
