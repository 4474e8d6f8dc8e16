"""How much data do I need? Figures and their intervals by the number of rare rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from rarewood._tables import take_rows
from rarewood._tables.divisions import groups_of
from rarewood._tables.frames import data_frame
from rarewood._tables.groups import folds_of
from rarewood._terminal import shown
from rarewood._validation import Number, check_parameter, column_of, import_optional, rarest_label, read_labels
from rarewood.exceptions import RarewoodWarning
from rarewood.metrics import choose_threshold
from rarewood.metrics.uncertainty import (
    Estimate,
    average_precision_with_interval,
    share_with_interval,
    times_for_half,
    worth_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURES = ("average_precision", "precision", "recall")
_TITLES = {"average_precision": "average precision", "precision": "precision", "recall": "recall"}
_SHARES = (0.125, 0.25, 0.5, 1.0)
_SHARE = Number(0.0, 1.0, open_low=True)
_FEWEST = 10  # rare rows that anything is fitted to
_N_FOLDS = 5
_TIMES_FOR_HALF = 4.0  # as many rows make an interval half as wide, as far as it shrinks like 1 / sqrt(n)


@dataclass(frozen=True)
class CurvePoint:
    """What a part of the rows gives: figures with their 95 % intervals; None where nothing can be told.

    Parameters
    ----------
    share : float
        Which part of the rows of each class.
    n_rows, n_rare : int
        Rows, and those of the rare class.
    average_precision : Estimate
        Of scores that rows have from models that did not see them.
    precision, recall : Estimate or None
        At the threshold that the rule chooses.
    n_alarms : int
        Rows at or above it.
    """

    share: float
    n_rows: int
    n_rare: int
    average_precision: Estimate
    precision: Estimate | None
    recall: Estimate | None
    n_alarms: int


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve:
    """Figures by the number of rare rows; made by :func:`learning_curve`. ``print`` shows it as a table with two sentences.

    Parameters
    ----------
    points : tuple of CurvePoint
        From few rows to all.
    positive : label
        The rare class.
    rule : str or float
        How thresholds were chosen.
    how : str
        How rows got scores from models that did not see them.
    """

    points: tuple[CurvePoint, ...]
    positive: Any
    rule: str | float
    how: str

    def needed(self, measure: str = "recall") -> int | None:
        """How many rare rows would make the interval of a measure half as wide, if the measure itself stayed.

        Parameters
        ----------
        measure : {"average_precision", "precision", "recall"}, default="recall"
            Which.

        Returns
        -------
        int or None
            Rows of the rare class, those at hand included; None where there is no interval.
        """
        if measure not in MEASURES:
            raise ValueError(f"measure={measure!r} is not accepted; give one of {', '.join(map(repr, MEASURES))}.")
        last = self.points[-1]
        found: Estimate | None = getattr(last, measure)
        if found is None or found.low is None or found.high is None:
            return None
        times = _TIMES_FOR_HALF if measure == "average_precision" else times_for_half(found)
        return round(times * last.n_rare)

    @property
    def gain(self) -> float | None:
        """How much average precision rose with the last step of the curve; None of a single point."""
        if len(self.points) < 2:
            return None
        return self.points[-1].average_precision.value - self.points[-2].average_precision.value

    def frame(self, *, backend: Any = None) -> Any:
        """Return the points as a data frame.

        Parameters
        ----------
        backend : str, module or None, default=None
            Library of the frame, such as "polars"; None takes the first that is installed of pandas, polars and pyarrow.

        Returns
        -------
        DataFrame
            A row per point; each measure in three columns: itself, and the ends of its interval with `_low` and `_high`.
        """
        columns: dict[str, NDArray[Any]] = {
            name: np.array([getattr(point, name) for point in self.points])
            for name in ("share", "n_rows", "n_rare", "n_alarms")
        }
        for measure in MEASURES:
            for end, suffix in (("value", ""), ("low", "_low"), ("high", "_high")):
                found = [getattr(getattr(point, measure), end, None) for point in self.points]
                columns[measure + suffix] = np.array([math.nan if each is None else each for each in found])
        return data_frame(columns, backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the measures with their intervals against the number of rare rows.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where; None makes a new figure.

        Returns
        -------
        matplotlib Axes
            The axes drawn on.
        """
        pyplot = import_optional("matplotlib.pyplot", "report", "plot")
        if ax is None:
            ax = pyplot.subplots(figsize=(6.5, 3.8), layout="constrained")[1]
        n_rare = np.array([point.n_rare for point in self.points], dtype=float)
        for measure, marker, shift in zip(MEASURES, "osD", (0.97, 1.0, 1.03), strict=True):
            known = [
                (x, found) for x, point in zip(n_rare, self.points) if (found := getattr(point, measure)) is not None
            ]
            value = np.array([found.value for _, found in known])
            low, high = (
                np.array([found.value if end is None else end for _, found in known for end in [getattr(found, name)]])
                for name in ("low", "high")
            )
            places = [x * shift for x, _ in known]  # beside each other, so that intervals can be told apart
            ax.errorbar(places, value, [value - low, high - value], marker=marker, capsize=3, label=_TITLES[measure])
        ax.set_xscale("log", base=2)
        ax.set_xticks(n_rare, [f"{n:,.0f}" for n in n_rare])
        ax.minorticks_off()
        ax.set_xlabel(f"rows of class {self.positive}", parse_math=False)
        ax.set(ylabel="value, with 95 % interval", ylim=(0, 1))
        ax.legend()
        return ax

    @shown
    def __str__(self) -> str:
        head = f"{'rare rows':>10}{'rows':>10}  " + "".join(f"{_TITLES[measure]:<26}" for measure in MEASURES)
        lines = [f"Scores on unseen rows ({self.how}), threshold by {self.rule}", head.rstrip()]
        for point in self.points:
            cells = "".join(f"{_in_words(getattr(point, measure)):<26}" for measure in MEASURES)
            lines.append(f"{point.n_rare:>10,}{point.n_rows:>10,}  {cells}".rstrip())
        gain, needed = self.gain, self.needed("recall")
        if gain is not None:
            before, last = self.points[-2:]
            lines.append(
                f"From {before.n_rare:,} to {last.n_rare:,} rare rows, average precision changed by {gain:+.3f}."
            )
        if needed is not None:
            lines.append(f"For an interval of the recall half as wide, about {needed:,} rare rows are needed.")
        return "\n".join(lines)

    __repr__ = __str__


def learning_curve(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    positive: Any = None,
    rule: str | float = "f1",
    groups: ArrayLike | None = None,
    shares: Sequence[float] = _SHARES,
    random_state: int = 0,
) -> LearningCurve:
    """Tell how much data is needed: average precision, precision and recall by the number of rare rows, with intervals.

    The estimator is fitted to an eighth, a quarter, half and all of the rows of each class, each part inside the next, so that the share
    of the rare class stays the same. All four fits together take about twice as long as one to all rows. Rows are scored by what did
    not learn from them: out-of-bag where the estimator can, otherwise by cross-validation in five folds, which takes five times as long.

    Parameters
    ----------
    estimator : classifier
        Any classifier with `predict_proba`; it is cloned.
    X, y : array-like or data frame of shape (n_samples, n_features), array-like of shape (n_samples,)
        Rows and labels.
    positive : label or None, default=None
        The rare class; None takes the rarest label.
    rule : str or float, default="f1"
        How the threshold for precision and recall is chosen: see :func:`rarewood.metrics.choose_threshold`.
    groups : array-like of shape (n_samples,), default=None
        The group of each row, such as its customer, if rows belong together: parts are of whole groups, no model scores a row of a
        group that it has seen, and intervals count groups.
    shares : sequence of float, default=(0.125, 0.25, 0.5, 1.0)
        Parts of the rows. Those with fewer than 10 rare rows are left out.
    random_state : int, default=0
        Seed of the parts, the folds and the intervals.

    Returns
    -------
    LearningCurve
        The figures; `frame()`, `plot()` and `needed()`, the number of rare rows that would halve an interval.

    Examples
    --------
    >>> import rarewood as rw
    >>> from rarewood.evaluation import learning_curve
    >>> payments = rw.datasets.make_planted_rules(4000, random_state=0)
    >>> curve = learning_curve(rw.RareClassifier(n_estimators=60, random_state=0), payments.X, payments.y)
    >>> [point.n_rare for point in curve.points]
    [10, 20, 40, 80]
    >>> curve.needed("recall") > 200
    True
    """
    for share in shares:
        check_parameter("shares", share, _SHARE)
    labels = read_labels(y)
    label = rarest_label(labels) if positive is None else positive
    is_rare = labels == label
    together = None if groups is None else groups_of(groups, "groups")
    if together is not None and len(together) != len(labels):
        raise ValueError(f"groups has {len(together)} values, but y has {len(labels)}; give the group of each row.")
    n_rare, n_rest = int(np.count_nonzero(is_rare)), int(np.count_nonzero(~is_rare))
    parts = [part for part in _parts(is_rare, together, shares, random_state) if is_rare[part[1]].sum() >= _FEWEST]
    if not parts or n_rest < _FEWEST:
        raise ValueError(
            f"a learning curve needs at least {_FEWEST} rows of each kind; y has {n_rare} of class {label!r} and {n_rest} others."
        )
    points, how = [], ""
    for share, rows in parts:
        some = None if together is None else together[rows]
        scores, how = _unseen_scores(estimator, take_rows(X, rows), labels[rows], label, some, random_state)
        points.append(_point(share, scores, labels[rows], label, rule, some, random_state))
    return LearningCurve(tuple(points), label, rule, how)


def _parts(
    is_rare: NDArray[np.bool_], groups: NDArray[np.intp] | None, shares: Sequence[float], random_state: int
) -> list[tuple[float, NDArray[np.intp]]]:
    """The rows of each share, each part inside the next. Of rows that belong together, whole groups: so many of those with a rare row."""
    unit = np.arange(len(is_rare)) if groups is None else np.unique(groups, return_inverse=True)[1].ravel()
    holds = np.bincount(unit, weights=is_rare) > 0
    rng = np.random.default_rng(random_state)
    kinds = [rng.permutation(np.flatnonzero(units)) for units in (holds, ~holds)]
    parts = []
    for share in sorted(set(shares)):
        taken = np.concatenate([units[: math.ceil(share * len(units))] for units in kinds])
        parts.append((share, np.flatnonzero(np.isin(unit, taken))))
    return parts


def _unseen_scores(
    estimator: Any,
    X: Any,
    labels: NDArray[Any],
    positive: Any,
    groups: NDArray[np.intp] | None,
    random_state: int,
) -> tuple[NDArray[np.float64], str]:
    """Scores of the rare class by what did not see the row, NaN where all have; and how they were made."""
    model = clone(estimator)
    parameters = model.get_params(deep=False)
    sees_all = parameters.get("sampling") == "all" or parameters.get("bootstrap") is False
    if "oob_score" in parameters and not sees_all:
        model.set_params(oob_score=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RarewoodWarning)  # few rows are the point here
        if groups is None:
            model.fit(X, labels)
        elif "groups" in signature(model.fit).parameters and not sees_all:
            model.fit(X, labels, groups=groups)
        if hasattr(model, "oob_decision_function_"):
            return np.asarray(model.oob_decision_function_)[:, column_of(positive, model.classes_)], "out-of-bag"
        folds = list(folds_of(StratifiedKFold(_N_FOLDS, shuffle=True, random_state=random_state), labels, groups))
        scores = np.full(len(labels), np.nan)
        for train, test in folds:
            model = clone(estimator).fit(take_rows(X, train), labels[train])
            found = np.asarray(model.predict_proba(take_rows(X, test)))
            scores[test] = found[:, column_of(positive, model.classes_)]
    return scores, f"cross-validation in {_N_FOLDS} folds"


def _point(
    share: float,
    scores: NDArray[np.float64],
    labels: NDArray[Any],
    positive: Any,
    rule: str | float,
    groups: NDArray[np.intp] | None,
    random_state: int,
) -> CurvePoint:
    known = ~np.isnan(scores)
    scores, is_rare = scores[known], labels[known] == positive
    together = None if groups is None else groups[known]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RarewoodWarning)  # a precision out of reach is told by its figure
        threshold = choose_threshold(labels[known], scores, rule=rule, positive=positive, groups=together)
    called = scores >= threshold.value
    n_alarms, n_rare = int(np.count_nonzero(called)), int(np.count_nonzero(is_rare))
    precision, recall = (
        share_with_interval(value * n, n, min(n, worth_of(hit, value, None if together is None else together[rows])))
        for value, n, hit, rows in (
            (0.0 if math.isnan(threshold.precision) else threshold.precision, n_alarms, is_rare[called], called),
            (threshold.recall, n_rare, called[is_rare], is_rare),
        )
    )
    return CurvePoint(
        share,
        len(labels),
        int(np.count_nonzero(labels == positive)),
        average_precision_with_interval(scores, is_rare, random_state, together),
        None if math.isnan(threshold.precision) else precision,
        recall,
        n_alarms,
    )


def _in_words(found: Estimate | None) -> str:
    if found is None:
        return "-"
    interval = "" if found.low is None else f" ({found.low:.2f} to {found.high:.2f})"
    return f"{found.value:.3f}{interval}"
