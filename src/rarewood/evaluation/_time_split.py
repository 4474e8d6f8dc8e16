"""Rows to learn from and later rows to judge by, for Python what --time and --delay are for the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._terminal import shown
from rarewood._validation import Number, check_parameter
from rarewood.evaluation.divisions import LAST_PART, Division

_SHARE = Number(0.0, 1.0, open_low=True)


@dataclass(frozen=True, eq=False, repr=False)
class TimeSplit:
    """Earlier rows to train on and later rows to choose a threshold on; made by :func:`time_split`.

    Each array holds row numbers in ascending order, and each row is in one of them. ``print`` tells their sizes.

    Parameters
    ----------
    train : ndarray of int
        Earlier rows whose labels were known when the later rows began.
    later : ndarray of int
        The later rows, whose labels are known at the end of the table.
    gap : ndarray of int
        Earlier rows whose labels were not known yet when the later rows began.
    unknown : ndarray of int
        The last rows: their labels are not known yet at the end of the table.
    same_groups : ndarray of int
        Earlier rows with a group that also has later rows.
    begin : str
        The moment of the first later row.
    delay : str
        The delay in words; empty if there is none.

    Examples
    --------
    >>> from rarewood.evaluation import time_split
    >>> split = time_split([3, 1, 2, 5, 6, 4], delay=1)
    >>> split.train, split.later, split.unknown
    (array([0, 1, 2]), array([3, 5]), array([4]))
    """

    train: NDArray[np.intp]
    later: NDArray[np.intp]
    gap: NDArray[np.intp]
    unknown: NDArray[np.intp]
    same_groups: NDArray[np.intp]
    begin: str
    delay: str = ""

    @shown
    def __str__(self) -> str:
        left_out = [
            f"{_rows(len(rows))} {why}"
            for rows, why in (
                (self.gap, f"of the {self.delay} before that, with labels not known then"),
                (self.same_groups, "of groups with later rows"),
                (self.unknown, f"of the last {self.delay}, with labels not known yet"),
            )
            if len(rows)
        ]
        later = f"{len(self.later):,} later {'one' if len(self.later) == 1 else 'ones'}"
        told = f"{_rows(len(self.train))} to train on, {later} from {self.begin} on"
        return told + (f"; left out: {', '.join(left_out)}" if left_out else "")

    @shown
    def __repr__(self) -> str:
        return f"TimeSplit({self})"


def time_split(times: Any, *, delay: Any = None, test_size: float = LAST_PART, groups: Any = None) -> TimeSplit:
    """Divide rows in the order of time: earlier ones to train on, later ones to choose a threshold on or to test.

    If rows change with time, a threshold that was chosen on random rows does not keep its word on later ones. A label that comes
    late, such as a fraud that is reported after days, is a second trap: `delay` leaves out what nobody could have known.

    Parameters
    ----------
    times : array-like or series of shape (n_samples,)
        The moment of each row: numbers, dates or times, or text that reads like them. Rows of one moment stay together.
    delay : str, timedelta, number or None, default=None
        How long after the moment of a row its label is known: "7d", "36h", "2w", "15min", or a number in the unit of `times` if
        these are numbers. A row is trained on only if its label was known when the later rows began. The last rows, whose labels
        are not known at the last moment of `times`, are left out of both sides: "no fraud yet" is not "no fraud".
    test_size : float, default=0.25
        The share of the rows with known labels that are the later ones; more where many rows have the same moment.
    groups : array-like or series of shape (n_samples,), default=None
        Groups, such as customers: earlier rows of groups with later rows are left out.

    Returns
    -------
    TimeSplit
        The row numbers of both sides and of what is left out.

    See Also
    --------
    rarewood.ensemble.fit_threshold : With ``held_out=True``, chooses a threshold on the later rows.
    compare : With `time` and `delay`, tests methods on one period after the other.

    Examples
    --------
    Frauds of the last week are not all known yet, so its rows are not used:

    >>> import numpy as np
    >>> from rarewood.evaluation import time_split
    >>> days = np.arange("2024-01-01", "2024-04-10", dtype="M8[D]")
    >>> split = time_split(days, delay="7d")
    >>> print(split)
    63 rows to train on, 24 later ones from 2024-03-10 on; left out: 6 rows of the 7 days before that, with labels
    not known then, 7 rows of the last 7 days, with labels not known yet
    >>> print(days[split.train[-1]], days[split.later[-1]])
    2024-03-03 2024-04-02
    """
    check_parameter("test_size", test_size, _SHARE)
    division = Division.read(times, groups, "times", "groups", delay)
    if division is None or division.time is None:
        raise TypeError("times is None; give the moment of each row.")
    n_rows = len(division.time)
    if division.groups is not None and len(division.groups) != n_rows:
        raise ValueError(f"times has {n_rows} values and groups {len(division.groups)}; give one of each per row.")
    train, later = division.last_part(test_size)
    known = division.known()
    begin = division.time[later].min()
    is_earlier = known & (division.time < begin)
    is_late = is_earlier & (division.time + division.delay > begin)
    same_groups = np.setdiff1d(np.flatnonzero(is_earlier & ~is_late), train)
    return TimeSplit(
        train,
        later,
        np.flatnonzero(is_late),
        np.flatnonzero(~known),
        same_groups,
        division.time_kind.in_words(float(begin), 6),
        division.delay_in_words if division.delay else "",
    )


def _rows(n: int) -> str:
    return f"{n:,} row{'' if n == 1 else 's'}"
