"""Which rows to label next, and what labels of rows drawn with known chances say of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rarewood._tables.frames import data_frame
from rarewood._terminal import shown
from rarewood._validation import SEED, Integer, check_parameter, is_missing, unmasked
from rarewood.metrics.shares import wilson_interval
from rarewood.monitoring._watched import forest_of

Floats = NDArray[np.float64]

TOP, DRAWN = "highest", "drawn"
_SHARE_DRAWN = 0.2
_FEW_DRAWN = 200
_Z95 = 1.959963984540054
VOID = "Promises and base rates from selected labels alone are void: use the weights, and `estimate`."


@dataclass(frozen=True, eq=False)
class Review:
    """Rows to label next, made by :func:`review`.

    Parameters
    ----------
    rows : ndarray of int
        Positions in the table, the most probable first, then those drawn.
    scores : ndarray of float
        Probabilities of the rare class.
    weights : ndarray of float
        How many rows of the table each stands for: 1 for the most probable ones, which were sure to be chosen, and one over its
        chance for a row that was drawn.
    drawn : ndarray of bool
        Whether the row was drawn.
    alarms : ndarray of bool
        Whether the row raises an alarm.
    positive : label
        The rare class.

    Examples
    --------
    >>> import rarewood as rw
    >>> payments = rw.datasets.make_planted_rules(3000, random_state=0)
    >>> model = rw.RareClassifier(n_estimators=60, random_state=0).fit(payments.X[:1500], payments.y[:1500])
    >>> chosen = rw.monitoring.review(model, payments.X[1500:], n=100, random_state=0)
    >>> chosen
    Review of 100 rows: the 80 most probable, 20 drawn from the others
    """

    rows: NDArray[np.intp]
    scores: Floats
    weights: Floats
    drawn: NDArray[np.bool_]
    alarms: NDArray[np.bool_]
    positive: Any

    @classmethod
    def of_scores(cls, scores: Floats, n: int, cut: float, positive: Any, rng: Any) -> Review:
        """Choose rows by their scores.

        Parameters
        ----------
        scores : ndarray of shape (n_samples,)
            Probabilities of the rare class.
        n : int
            How many rows to label.
        cut : float
            Rows of at least this probability raise an alarm.
        positive : label
            The rare class.
        rng : RandomState
            What draws.

        Returns
        -------
        Review
            The rows.
        """
        rows, weights, drawn = choose_rows(scores, n, rng)
        return cls(rows, scores[rows], weights, drawn, scores[rows] >= cut, positive)

    @shown
    def __repr__(self) -> str:
        n_drawn = int(self.drawn.sum())
        top = len(self.rows) - n_drawn
        return f"Review of {len(self.rows):,} rows: the {top:,} most probable, {n_drawn:,} drawn from the others"

    @shown
    def __str__(self) -> str:
        return f"{self!r}. {VOID}"

    def frame(self, backend: Any = None) -> Any:
        """Return the rows as a data frame.

        Parameters
        ----------
        backend : str or module or None, default=None
            The data frame library: "pandas", "polars" or "pyarrow". None takes the first one installed.

        Returns
        -------
        data frame
            Columns `row`, `score`, `chosen` ("highest" or "drawn"), `weight` and `alarm`. With a column `label` added, it is what
            :func:`estimate` takes.
        """
        return data_frame(self.columns(), backend)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of the frame.

        Returns
        -------
        dict
            Arrays by name.
        """
        return {
            "row": self.rows,
            "score": self.scores,
            "chosen": np.where(self.drawn, DRAWN, TOP),
            "weight": self.weights,
            "alarm": self.alarms,
        }


def review(model: Any, X: Any, n: int = 50, *, random_state: Any = None) -> Review:
    r"""Choose rows to label next: mostly those that are probably rare, some drawn with known chances.

    The most probable rows find most rare ones, which help a new fit most. A fifth of the rows is drawn from all others with known
    chances, so that the share of the rare class and the recall can be estimated: see :func:`estimate`. Promises and base rates from
    the selected labels alone are void.

    Parameters
    ----------
    model : classifier
        A :class:`rarewood.RareClassifier` or another forest of the package.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows without labels.
    n : int, default=50
        How many rows to label; all, if there are no more.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    Review
        Rows with their weights.

    Notes
    -----
    Of N rows with probabilities :math:`p_i`, row i is drawn with the chance :math:`q_i = (p_i / \sum p + 1 / N) / 2`, half in
    proportion to its probability and half evenly. Of m rows that are drawn, each stands for :math:`1 / (m q_i)` rows.

    Examples
    --------
    >>> import rarewood as rw
    >>> payments = rw.datasets.make_planted_rules(3000, random_state=0)
    >>> model = rw.RareClassifier(n_estimators=60, random_state=0).fit(payments.X[:1500], payments.y[:1500])
    >>> chosen = rw.monitoring.review(model, payments.X[1500:], n=100, random_state=0)
    >>> labels = payments.y[1500:][chosen.rows]  # somebody labels them
    >>> found = rw.monitoring.estimate({**chosen.columns(), "label": labels}, positive=1, n_rows=1500)
    >>> bool(found.base_rate[1] <= payments.y[1500:].mean() <= found.base_rate[2])
    True
    """
    check_parameter("n", n, Integer(1))
    check_parameter("random_state", random_state, *SEED)
    forest = forest_of(model)
    column, threshold = forest._positive_column(), getattr(forest, "decision_threshold_", None)
    scores = np.asarray(forest.predict_proba(X), dtype=np.float64)[:, column]
    cut = 0.5 if threshold is None else threshold.value
    return Review.of_scores(scores, n, cut, forest.classes_.tolist()[column], check_random_state(random_state))


def choose_rows(scores: Floats, n: int, rng: Any) -> tuple[NDArray[np.intp], Floats, NDArray[np.bool_]]:
    """Positions, how many rows each stands for, and whether it was drawn."""
    order = np.argsort(-scores, kind="stable")
    if n >= len(scores):
        return order, np.ones(len(order)), np.zeros(len(order), dtype=bool)
    n_drawn = round(_SHARE_DRAWN * n)
    top, rest = order[: n - n_drawn], order[n - n_drawn :]
    chosen, weights = _drawn(scores[rest], n_drawn, rng)
    rows = np.concatenate([top, rest[chosen]])
    drawn = np.arange(len(rows)) >= len(top)
    return rows, np.concatenate([np.ones(len(top)), weights]), drawn


def _drawn(scores: Floats, n: int, rng: Any) -> tuple[NDArray[np.intp], Floats]:
    """Systematic sampling in random order: each row at most once, with a chance in proportion to q; rows that are sure are taken."""
    total = scores.sum()
    by_score = scores / total if total > 0 else np.full(len(scores), 1.0 / len(scores))
    q = np.asarray((by_score + 1.0 / len(scores)) / 2.0)
    chance = np.asarray(n * q)
    while (chance > 1.0).any():
        sure = chance >= 1.0
        left = n - int(sure.sum())
        chance = np.where(sure, 1.0, left * q / max(q[~sure].sum(), 1e-300))
    order = rng.permutation(len(scores))
    steps = np.cumsum(chance[order])
    marks = np.arange(n) + rng.uniform()
    places = np.unique(np.minimum(np.searchsorted(steps, marks, side="right"), len(scores) - 1))
    chosen = order[places]
    return chosen, 1.0 / chance[chosen]


@dataclass(frozen=True)
class Estimates:
    """What labels of rows drawn with known chances say of all rows.

    Parameters
    ----------
    base_rate : tuple of three floats
        Share of the rare class, and the ends of its 95 % interval.
    recall : tuple of three floats, or None
        Share of the rare rows that raise an alarm; None if no rare row was found.
    n_drawn, n_rare : int
        Labelled rows that were drawn, and rare rows among all that were labelled.

    Examples
    --------
    >>> from rarewood.monitoring import Estimates
    >>> print(Estimates((0.02, 0.01, 0.04), (0.7, 0.5, 0.85), 200, 40))
    base rate 2% (1% to 4%), recall 0.70 (0.50 to 0.85), by 200 rows that were drawn
    """

    base_rate: tuple[float, float, float]
    recall: tuple[float, float, float] | None
    n_drawn: int
    n_rare: int

    @shown
    def __str__(self) -> str:
        value, low, high = (f"{100 * each:.3g}%" for each in self.base_rate)
        recall = "no recall, for want of rare rows"
        if self.recall is not None:
            recall = f"recall {self.recall[0]:.2f} ({self.recall[1]:.2f} to {self.recall[2]:.2f})"
        few = "" if self.n_drawn >= _FEW_DRAWN else f"; {_FEW_DRAWN} would be a start for the recall"
        return f"base rate {value} ({low} to {high}), {recall}, by {self.n_drawn:,} rows that were drawn{few if self.n_drawn < 60 else ''}"


def estimate(labelled: Any, positive: Any = 1, *, n_rows: int | None = None) -> Estimates:
    """Estimate the base rate and the recall from rows that :func:`review` chose and somebody labelled.

    Parameters
    ----------
    labelled : data frame or dict
        `Review.frame()` with a column `label`; it needs `chosen`, `weight`, `alarm` and `label`. Labels of other rows must not be
        among them: their chances are not known.
    positive : label, default=1
        The rare class.
    n_rows : int or None, default=None
        How many rows the review chose from; None takes the sum of the weights, which is about that.

    Returns
    -------
    Estimates
        Both with 95 % intervals.

    Examples
    --------
    >>> from rarewood.monitoring import estimate
    >>> labelled = {"chosen": ["highest"] * 4 + ["drawn"] * 4, "weight": [1, 1, 1, 1, 20, 30, 25, 25],
    ...             "alarm": [True] * 3 + [False] * 5, "label": [1, 1, 0, 1, 0, 0, 0, 0]}
    >>> print(estimate(labelled))
    base rate 2.88% (2.88% to 50.5%), recall 0.67 (0.04 to 0.67), by 4 rows that were drawn; 200 would be a start for the recall
    """
    chosen, weights, alarms, labels = _columns(labelled)
    is_rare, drawn = labels == positive, chosen == DRAWN
    n_drawn = int(drawn.sum())
    pool = float(weights[drawn].sum() if n_rows is None else n_rows - int((~drawn).sum()))
    total = pool + float((~drawn).sum())
    weights = np.where(drawn, weights * pool / max(float(weights[drawn].sum()), 1e-300), 1.0)
    sure = float((weights * is_rare)[~drawn].sum())
    found = float((weights * is_rare)[drawn].sum())
    low, high = _bounds(is_rare[drawn], weights[drawn])
    base = ((sure + found) / total, (sure + low * pool) / total, (sure + high * pool) / total)
    recall = None
    if sure + found > 0:
        caught = is_rare & alarms
        missed_low, missed_high = _bounds((is_rare & ~alarms)[drawn], weights[drawn])
        hits = float((weights * caught).sum())
        missed_sure = float((weights * (is_rare & ~alarms))[~drawn].sum())
        missed = missed_sure + float((weights * (is_rare & ~alarms))[drawn].sum())
        low, high = (hits / (hits + missed_sure + each * pool) if hits else 0.0 for each in (missed_high, missed_low))
        recall = (hits / (hits + missed), low, high)
    return Estimates(base, recall, n_drawn, int(is_rare.sum()))


def _bounds(hit: NDArray[np.bool_], weights: Floats) -> tuple[float, float]:
    """Of a share of all rows from rows drawn with unequal chances: Wilson's interval for as many rows as have this variance."""
    n = len(hit)
    if n == 0:
        return 0.0, 0.0
    share = float((weights * hit).sum() / weights.sum())
    size = float(weights.sum() ** 2 / (weights**2).sum())
    if n > 1 and 0.0 < share < 1.0:
        parts = n * weights / weights.sum() * (hit - share)
        variance = float(parts.var(ddof=1) / n)
        size = min(max(share * (1.0 - share) / variance, 1.0), 4.0 * n) if variance > 0 else size
    low, high = wilson_interval(share * size, size, _Z95)
    return (float(max(low, 0.0)) if share else 0.0), float(min(high, 1.0))


def _columns(labelled: Any) -> tuple[NDArray[Any], Floats, NDArray[np.bool_], NDArray[Any]]:
    absent = [name for name in ("chosen", "weight", "alarm", "label") if name not in _names(labelled)]
    if absent:
        raise ValueError(
            f"the labelled rows have no column {absent[0]!r}; give the frame of a review with a column 'label' added."
        )
    chosen, weights, alarms, labels = (
        np.asarray(unmasked(labelled[name])) for name in ("chosen", "weight", "alarm", "label")
    )
    weights = weights.astype(np.float64)
    if len(weights) == 0 or not np.isfinite(weights).all() or weights.min() <= 0:
        raise ValueError("the weights of labelled rows must be numbers above 0, and there must be some.")
    if not np.isin(chosen, (TOP, DRAWN)).all():
        raise ValueError(f"the column 'chosen' must say {TOP!r} or {DRAWN!r}, as the frame of a review does.")
    missing = np.array([is_missing(label) for label in labels.tolist()])
    if missing.any():
        raise ValueError(
            f"{int(missing.sum())} of the chosen rows have no label; all of them need one, for those that are left out may be special."
        )
    return chosen.astype(str), weights, np.asarray(alarms, dtype=bool), labels


def _names(labelled: Any) -> list[str]:
    columns = labelled.columns if hasattr(labelled, "columns") else labelled
    return [str(name) for name in getattr(labelled, "column_names", columns)]
