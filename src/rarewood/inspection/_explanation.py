"""Contributions of columns to scores, and ways to look at them."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rarewood._pages.notebook import bars
from rarewood._tables import Columns
from rarewood._tables.frames import data_frame
from rarewood._terminal import shown
from rarewood._validation import NONE, Choice, Integer, check_parameter, column_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN = 10
_SHOWN_ROWS, _SHOWN_REASONS = 3, 6  # in a notebook


@dataclass(frozen=True, eq=False)
class Reason:
    """Contribution of one column to the score of a row.

    Parameters
    ----------
    column : str
        Name of the column.
    cell : str
        The value of the row in this column, as text.
    value : float
        Contribution to the probability.
    standard_error : float or None
        Standard error of the contribution, if it was sampled.
    """

    column: str
    cell: str
    value: float
    standard_error: float | None = None

    @shown
    def __str__(self) -> str:
        return f"{self.value:+.4f}  {self.column} = {self.cell}"


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Contributions of columns to the predicted probabilities; the result of :func:`explain`.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features), or (n_samples, n_features, n_classes) for more than two classes
        Contribution of each column to the probability; with two classes, to that of the positive class.
    base_values : float, or ndarray of shape (n_classes,)
        The prediction for a row about which nothing is known. The base value and the contributions of a row add up to
        its score.
    scores : ndarray of shape (n_samples,), or (n_samples, n_classes)
        The probabilities that `predict_proba` gives.
    standard_errors : ndarray of the shape of `values`, or None
        Standard errors of sampled contributions; None if all are exact.
    columns, cells :
        The columns of the model, and the rows in its coding.
    classes : ndarray of shape (n_classes,)
        The labels.
    positive : label
        The class that is explained, if there are two.

    Examples
    --------
    >>> import rarewood as rw
    >>> payments = rw.datasets.make_planted_rules(2000, random_state=0)
    >>> model = rw.HeDExClassifier(n_estimators=50, random_state=0).fit(payments.X, payments.y)
    >>> told = rw.inspection.explain(model, payments.X[:5])
    >>> print(told.text(0, top=2))
    probability of 1: 0.0031 = 0.0264 (base value)
      -0.0074  amount = 16.78
      -0.0062  payments_today = 0
      -0.0096  8 other columns
    >>> sorted(told.frame())[:3]
    ['cell', 'class', 'column']
    """

    values: NDArray[np.float64]
    base_values: float | NDArray[np.float64]
    scores: NDArray[np.float64]
    standard_errors: NDArray[np.float64] | None
    columns: Columns
    cells: NDArray[Any]
    classes: NDArray[Any]
    positive: Any

    def __len__(self) -> int:
        return len(self.values)

    def _repr_html_(self) -> str:
        """The strongest reasons of the first rows."""
        tables = []
        for row in range(min(len(self), _SHOWN_ROWS)):
            label = self._label(row, None)
            score = float(self.scores[row] if self.scores.ndim == 1 else self.scores[row, self._number(label)])
            reasons = [
                (f"{each.column} = {each.cell}", each.value, f"{each.value:+.4f}")
                for each in self.reasons(row, _SHOWN_REASONS)
            ]
            tables.append(bars(f"row {row}: probability of {label}: {score:.4f}", reasons))
        more = f"<p>{len(self) - _SHOWN_ROWS:,} more rows</p>" if len(self) > _SHOWN_ROWS else ""
        return f"<p>{escape(repr(self)[1:-1])}</p>{''.join(tables)}{more}"

    @shown
    def __repr__(self) -> str:
        what = (
            f"probability of {self.positive}"
            if self.values.ndim == 2
            else f"probabilities of {len(self.classes)} classes"
        )
        how = (
            "exact"
            if self.standard_errors is None
            else f"standard errors up to {self.standard_errors.max(initial=0.0):.2g}"
        )
        return f"<contributions of {self.values.shape[1]} columns to the {what}, {len(self)} rows, {how}>"

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns."""
        return [self.columns.name(column) for column in range(len(self.columns))]

    def of_class(self, label: Any = None) -> NDArray[np.float64]:
        """The contributions to the probability of one class.

        Parameters
        ----------
        label : label or None, default=None
            The class. None takes `positive` if there are two classes.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            For the negative of two classes, those of the positive class with the opposite sign.
        """
        if self.values.ndim == 2:
            sign = 1.0 if label is None or label == self.positive else -1.0
            self._number(label)
            return sign * self.values
        return self.values[:, :, self._number(label)]

    def reasons(self, row: int, top: int | None = None, *, label: Any = None) -> list[Reason]:
        """The contributions to the score of a row, the largest first.

        Parameters
        ----------
        row : int
            Number of the row.
        top : int or None, default=None
            Number of reasons. None gives all that are not 0.
        label : label or None, default=None
            The class. None takes `positive`; with more than two classes, the most probable one.

        Returns
        -------
        list of Reason
            Sorted by absolute value.
        """
        check_parameter("top", top, NONE, Integer(1))
        number = self._row(row)
        label = self._label(number, label)
        values = self.of_class(label)[number]
        order = np.argsort(-np.abs(values), kind="stable")[:top]
        errors = None
        if self.standard_errors is not None:
            errors = self.standard_errors[number]
            errors = errors if errors.ndim == 1 else errors[:, self._number(label)]
        return [
            Reason(
                self.columns.name(column),
                self._cell(number, column),
                float(values[column]),
                None if errors is None else float(errors[column]),
            )
            for column in order.tolist()
            if values[column] != 0.0
        ]

    @shown
    def text(self, row: int, top: int = _SHOWN, *, label: Any = None) -> str:
        """Explain the score of a row in words.

        Parameters
        ----------
        row : int
            Number of the row.
        top : int, default=10
            Number of columns to name; the others are added up.
        label : label or None, default=None
            The class. None takes `positive`; with more than two classes, the most probable one.

        Returns
        -------
        str
            A line for the score, then one per column.
        """
        check_parameter("top", top, Integer(1))
        number = self._row(row)
        label = self._label(number, label)
        base, score = self._base_and_score(number, label)
        reasons = self.reasons(number, label=label)
        lines = [f"probability of {label}: {score:.4f} = {base:.4f} (base value)"]
        for reason in reasons[:top]:
            error = "" if reason.standard_error is None else f"  (standard error {reason.standard_error:.2g})"
            lines.append(f"  {reason}{error}")
        if len(reasons) > top:
            lines.append(f"  {sum(reason.value for reason in reasons[top:]):+.4f}  {len(reasons) - top} other columns")
        return "\n".join(lines)

    def frame(self, backend: Any = None) -> Any:
        """All contributions as a table, one line per row, column and class.

        Parameters
        ----------
        backend : module or str, default=None
            The data-frame library, such as "polars". None takes the first installed of pandas, polars and pyarrow.

        Returns
        -------
        data frame, or dict of arrays if no such library is installed
            row, column, cell, class, value, and standard_error where contributions were sampled.
        """
        labels = [self.positive] if self.values.ndim == 2 else self.classes.tolist()
        n_rows, n_columns = self.values.shape[:2]
        names = np.array(self.feature_names, dtype=object)
        cells = [self._cell(row, column) for row in range(n_rows) for column in range(n_columns)]
        found: dict[str, NDArray[Any]] = {
            "row": np.repeat(np.arange(n_rows), n_columns * len(labels)),
            "column": np.tile(np.repeat(names, len(labels)), n_rows),
            "cell": np.repeat(np.array(cells, dtype=object), len(labels)),
            "class": np.tile(np.array(labels, dtype=self.classes.dtype), n_rows * n_columns),
            "value": self.values.ravel(),
        }
        if self.standard_errors is not None:
            found["standard_error"] = self.standard_errors.ravel()
        return data_frame(found, backend)

    def plot(
        self,
        row: int | None = None,
        *,
        kind: str = "beeswarm",
        top: int = _SHOWN,
        label: Any = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Plot the contributions: for one row as a waterfall, for all rows as a beeswarm or bars.

        Parameters
        ----------
        row : int or None, default=None
            Number of the row; None draws all.
        kind : {"beeswarm", "bar"}, default="beeswarm"
            For all rows: "beeswarm" draws a dot per row and column, coloured by the value of the cell; "bar" draws the
            mean absolute contribution of each column.
        top : int, default=10
            How many columns to draw.
        label : label or None, default=None
            The class. None takes `positive`; with more than two classes, the most probable class of the row or, for all rows,
            the rarest prediction.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        matplotlib Axes
            What was drawn on.
        """
        from rarewood.inspection import _explanation_plot as drawing

        check_parameter("kind", kind, Choice(("beeswarm", "bar")))
        check_parameter("top", top, Integer(1))
        if row is not None:
            number = self._row(row)
            label = self._label(number, label)
            base, score = self._base_and_score(number, label)
            return drawing.waterfall(self.reasons(number, label=label), base, score, label, top, ax)
        if label is None:
            label = self.positive
        values = self.of_class(label)
        if kind == "bar":
            return drawing.bars(values, self.feature_names, label, top, ax)
        return drawing.beeswarm(values, self.cells, self.columns.nominal, self.feature_names, label, top, ax)

    def _row(self, row: int) -> int:
        check_parameter("row", row, Integer(-len(self)))
        if row >= len(self):
            raise IndexError(f"there is no row {row}; {len(self)} rows were explained.")
        return int(row) % len(self)

    def _label(self, row: int, label: Any) -> Any:
        if label is not None:
            self._number(label)
            return label
        return self.positive if self.values.ndim == 2 else self.classes.tolist()[int(self.scores[row].argmax())]

    def _number(self, label: Any) -> int:
        if label is None and self.values.ndim == 3:
            raise ValueError(f"there are {len(self.classes)} classes; choose one with label=: {self.classes.tolist()}.")
        return column_of(self.positive if label is None else label, self.classes)

    def _base_and_score(self, row: int, label: Any) -> tuple[float, float]:
        if self.values.ndim == 3:
            number = self._number(label)
            return float(np.asarray(self.base_values)[number]), float(self.scores[row, number])
        base, score = float(self.base_values), float(self.scores[row])
        return (base, score) if label == self.positive else (1.0 - base, 1.0 - score)

    def _cell(self, row: int, column: int) -> str:
        value, kind = float(self.cells[row, column]), self.columns.kinds[column]
        if np.isnan(value):
            return "missing"
        if self.columns.nominal[column] and (kind.categories is None or value >= len(kind.categories)):
            return "not seen in training"
        return kind.in_words(value, 4)
