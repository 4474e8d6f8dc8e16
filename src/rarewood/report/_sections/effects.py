"""What the model makes of single columns: the mean score at each value, and what the ranking loses without the column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarewood._tables import take_rows
from rarewood._validation import column_of
from rarewood.report._distributions import Places, ticks_of_column
from rarewood.report._perturbed import Scores, losses_when_shuffled, some_of_both, with_cells_of
from rarewood.report._subject import Subject

Floats = NDArray[np.float64]

_MOST_COLUMNS = 12
_SHUFFLED_RARE, _SHUFFLED_REST, _REPEATS = 500, 1500, 2
_MOST_FITTED = 50_000  # training rows to shuffle, which takes about as long as a fit
_AVERAGED_RARE, _AVERAGED_REST = 100, 200
_VALUES = 20  # of a column of numbers


def effects(subject: Subject) -> dict[str, Any] | None:
    """The most important columns, by what shuffling their values costs; None if no column has more than one value.

    Both figures rest on samples of the rows, whose sizes are given. A row has no part in a mean but through its other columns.
    """
    rng = np.random.default_rng(subject.options.random_state)
    is_rare = subject.rows.is_rare
    columns = [j for j in np.argsort(-subject.importances.sizes, kind="stable").tolist() if _varies(subject, j)]
    columns = columns[:_MOST_COLUMNS]
    if not columns:
        return None
    shuffled = _rows_to_shuffle(subject, rng)
    losses = losses_when_shuffled(shuffled.scores, shuffled.table, shuffled.is_rare, columns, repeats=_REPEATS, rng=rng)
    averaged = some_of_both(is_rare, _AVERAGED_RARE, _AVERAGED_REST, rng)
    found = [
        {
            "name": subject.tables.names[j],
            "loss": [loss.value, loss.low, loss.high],
            **_curve(subject, j, averaged),
        }
        for j, loss in zip(columns, losses, strict=True)
    ]
    found.sort(key=lambda each: -each["loss"][0])
    return {
        "columns": found,
        "mean": float(subject.rows.scores.mean()),
        "n_shuffled": len(shuffled.is_rare),
        "shuffled": shuffled.which,
        "n_averaged": len(averaged),
        "repeats": _REPEATS,
        "added": added_effects(subject),
    }


class _Shuffled(NamedTuple):
    """Rows whose columns are shuffled, how they are scored, and which rows they are."""

    table: Any
    is_rare: NDArray[np.bool_]
    scores: Scores
    which: str


def _rows_to_shuffle(subject: Subject, rng: np.random.Generator) -> _Shuffled:
    """The training rows, scored by trees that had not seen them, where that can be done; there are more of them. Else rows of the page."""
    known = subject.tables.train_rows
    if known is not None and len(known) <= _MOST_FITTED and (fitted := subject.fitted_rows) is not None:
        column = column_of(subject.positive, subject.inner.classes_)
        is_rare = subject.train_rare
        assert is_rare is not None
        return _Shuffled(known, is_rare, lambda rows: fitted.probabilities(rows)[:, column], "out-of-bag")
    rows = some_of_both(subject.rows.is_rare, _SHUFFLED_RARE, _SHUFFLED_REST, rng)
    return _Shuffled(take_rows(subject.table, rows), subject.rows.is_rare[rows], subject.scores, "page")


def _varies(subject: Subject, j: int) -> bool:
    values = subject.tables.test[:, j]
    known = values[~np.isnan(values)]
    return len(known) > 0 and bool((known != known[0]).any() or len(known) < len(values))


def _curve(subject: Subject, j: int, rows: NDArray[np.intp]) -> dict[str, Any]:
    """Values of a column, the mean score of the sampled rows if all of them had this value, and where rows of both classes lie."""
    tables, is_rare = subject.tables, subject.rows.is_rare
    values = tables.test[:, j].astype(np.float64)
    places = Places.of(tables, j)
    assert places is not None
    at = _rows_with_values(values, places)
    missing = np.flatnonzero(np.isnan(values))[:1]
    means = _means(subject, j, rows, np.concatenate([at, missing]))
    found = dict(zip(values[at].tolist(), means.tolist()))
    shown = values[at] if places.levels is None else places.levels  # a level may be one of training rows alone
    return {
        **places.in_words(tables, j),
        "at": shown.tolist(),
        "mean_scores": [found.get(value) for value in shown.tolist()],
        "if_missing": float(means[-1]) if len(missing) else None,
        "rare": places.shares(values[is_rare]),
        "rest": places.shares(values[~is_rare]),
    }


def _rows_with_values(values: Floats, places: Places) -> NDArray[np.intp]:
    """A row for each level that some row has, or rows at even steps of the ranked values, one per value."""
    if places.levels is not None:
        return np.array(
            [np.argmax(values == level) for level in places.levels if (values == level).any()], dtype=np.intp
        )
    known = np.flatnonzero((values >= places.edges[0]) & (values <= places.edges[-1]))
    ranked = known[np.argsort(values[known], kind="stable")]
    steps = np.linspace(0, len(ranked) - 1, _VALUES).round().astype(np.intp)
    _, first = np.unique(values[ranked[steps]], return_index=True)
    return ranked[steps[first]]


def _means(subject: Subject, j: int, rows: NDArray[np.intp], at: NDArray[np.intp]) -> Floats:
    """The mean score of the sampled rows, each class with its share of all rows, for each cell that the column could have."""
    table = take_rows(subject.table, np.tile(rows, len(at)))
    scores = subject.scores(with_cells_of(table, j, np.repeat(at, len(rows)), subject.table)).reshape(
        len(at), len(rows)
    )
    rare, share = subject.rows.is_rare[rows], subject.rows.share
    return np.asarray(share * scores[:, rare].mean(axis=1) + (1.0 - share) * scores[:, ~rare].mean(axis=1))


def added_effects(subject: Subject) -> list[dict[str, Any]]:
    """What a model adds to the log-odds of its trees for single columns, the largest first; none for models without."""
    kept = getattr(subject.inner, "column_effects_", None)
    if kept is None or subject.rows_of_model is None:
        return []
    sign = 1.0 if subject.positive == subject.inner.classes_[1] else -1.0
    found = []
    for j, (bounds, values) in enumerate(zip(kept.bounds, kept.values, strict=True)):
        if not len(bounds) or subject.tables.nominal[j] or not np.ptp(values[:-1]):
            continue
        known = subject.tables.test[:, j][~np.isnan(subject.tables.test[:, j])].astype(np.float64)
        ends = [
            float(min(known.min(initial=bounds[0]), bounds[0])),
            float(max(known.max(initial=bounds[-1]), bounds[-1])),
        ]
        found.append(
            {
                "name": subject.tables.names[j],
                "bounds": bounds.tolist(),
                "values": (sign * values[:-1]).tolist(),
                "from": ends[0],
                "to": ends[1],
                "ticks": ticks_of_column(subject.tables, j, *ends),
            }
        )
    found.sort(key=lambda each: -np.ptp(each["values"]))
    return found[:6]
