"""A year of payments in which first the share of frauds moves, then a new kind of fraud appears."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rarewood._tables.frames import data_frame
from rarewood._validation import SEED, Integer, Number, check_parameter

__all__ = ["PaymentYear", "make_payment_year"]

_MOVES = 5  # from May on, frauds are more frequent
_NEW = 9  # from September on, half of them are of another kind
_COUNTRIES = np.array(["DE", "FR", "GB", "US", "NG"])


@dataclass(frozen=True, eq=False)
class PaymentYear:
    """A year of payments, made by :func:`make_payment_year`.

    Parameters
    ----------
    X : data frame
        The payments, by date.
    y : ndarray of int
        1 for a fraud.
    times : ndarray of datetime64
        Their days.
    kinds : ndarray of str
        "ordinary", "card" (the old kind of fraud) or "account" (the new one): what nobody knows before it is labelled.

    Examples
    --------
    >>> from rarewood.datasets import make_payment_year
    >>> year = make_payment_year(6000, random_state=0)
    >>> year.in_months(1, 3).X.shape
    (1480, 6)
    """

    X: Any
    y: NDArray[np.int64]
    times: NDArray[np.datetime64]
    kinds: NDArray[Any]

    @property
    def months(self) -> NDArray[np.int64]:
        """The month of each payment, from 1 to 12."""
        return self.times.astype("M8[M]").astype(np.int64) % 12 + 1

    def in_months(self, first: int, last: int) -> PaymentYear:
        """The payments of some months.

        Parameters
        ----------
        first, last : int
            From 1 to 12, both included.

        Returns
        -------
        PaymentYear
            The same with fewer rows.
        """
        begin, end = np.searchsorted(self.months, [first, last + 1])
        part = slice(int(begin), int(end))
        return PaymentYear(self.X[part], self.y[part], self.times[part], self.kinds[part])


def make_payment_year(
    n_rows: int = 24_000, *, share: float = 0.02, moved_to: float = 0.05, random_state: Any = None
) -> PaymentYear:
    """Generate a year of payments whose share of frauds moves in May, and among which a new kind of fraud appears in September.

    Parameters
    ----------
    n_rows : int, default=24000
        Number of payments, as many every day.
    share : float, default=0.02
        Share of frauds until April.
    moved_to : float, default=0.05
        Share of frauds from May on.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    PaymentYear
        Payments, labels, days, and the kind of each.

    Examples
    --------
    >>> from rarewood.datasets import make_payment_year
    >>> year = make_payment_year(random_state=0)
    >>> [round(float(year.in_months(*months).y.mean()), 2) for months in ((1, 4), (5, 8), (9, 12))]
    [0.02, 0.05, 0.05]
    >>> sorted(set(year.in_months(1, 8).kinds.tolist()))
    ['card', 'ordinary']
    """
    check_parameter("n_rows", n_rows, Integer(1))
    for name, value in (("share", share), ("moved_to", moved_to)):
        check_parameter(name, value, Number(0.0, 1.0))
    check_parameter("random_state", random_state, *SEED)
    rng = check_random_state(random_state)
    times = np.datetime64("2026-01-01") + (np.arange(n_rows) * 365) // n_rows
    months = times.astype("M8[M]").astype(np.int64) % 12 + 1
    y = (rng.uniform(size=n_rows) < np.where(months >= _MOVES, moved_to, share)).astype(np.int64)
    is_new = (y == 1) & (months >= _NEW) & (rng.uniform(size=n_rows) < 0.5)
    kinds = np.where(is_new, "account", np.where(y == 1, "card", "ordinary"))
    return PaymentYear(data_frame(_columns(rng, kinds)), y, times, kinds)


def _columns(rng: Any, kinds: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Card frauds are large, far away and late; account frauds are small, at home and from young accounts with many payments."""
    n, card, account = len(kinds), kinds == "card", kinds == "account"
    amount = np.exp(rng.normal(4.0 + 1.1 * card - 0.9 * account, 1.0))
    distance = rng.exponential(20.0 + 60.0 * card)
    hour = (rng.normal(14.0 + 5.0 * card, 4.5, size=n)) % 24.0
    age = rng.exponential(np.where(account, 120.0, 900.0))
    today = rng.poisson(1.2 + 0.8 * card + 3.5 * account)
    shares = np.where(card[:, np.newaxis], [0.3, 0.15, 0.15, 0.2, 0.2], [0.5, 0.2, 0.15, 0.12, 0.03])
    place = (rng.uniform(size=(n, 1)) > np.cumsum(shares, axis=1)).sum(axis=1)
    return {
        "amount": np.round(amount, 2),
        "distance_km": np.round(distance, 1),
        "hour": np.round(hour, 2),
        "account_days": np.round(age),
        "payments_today": today.astype(np.float64),
        "country": _COUNTRIES[np.minimum(place, len(_COUNTRIES) - 1)].astype(object),
    }
