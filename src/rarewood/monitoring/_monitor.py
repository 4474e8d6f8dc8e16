"""Compare new rows with what a model remembers of its training rows."""

from __future__ import annotations

from typing import Any

from rarewood._tables.periods import days_of
from rarewood.monitoring._monitoring import Monitoring
from rarewood.monitoring.watching import Watch


def monitor(model: Any, X_new: Any, y_new: Any = None, times: Any = None) -> Monitoring:
    """Compare new rows with what a model remembers of its training rows.

    Without labels, it tells how many alarms there are and were to be expected, what share of the rows would be rare, which columns
    have drifted, and what precision and recall would be in two readings: if the probabilities still hold, and if only the share of
    the rare class has changed. Which of them is right, the scores cannot tell. With labels, it compares precision, recall and
    calibration with what was promised.

    Parameters
    ----------
    model : classifier
        A :class:`rarewood.RareClassifier`, or a forest with out-of-bag scores, that remembers its training rows.
    X_new : array-like or data frame of shape (n_samples, n_features)
        New rows with the columns seen by `fit`. They must be all rows, or a random sample of them.
    y_new : array-like of shape (n_samples,), default=None
        Labels, None or NaN where they are not known. The labelled rows must be a random sample: those of alarms alone say nothing
        about recall.
    times : array-like of shape (n_samples,), default=None
        Dates, or dates with times, to show figures by day, week, month, quarter or year.

    Returns
    -------
    Monitoring
        Prints as text; has `ok`, `findings`, `frame()`, `to_json()` and `to_html(path)`.

    See Also
    --------
    rarewood.monitoring.recalibrate : New probabilities from labelled rows.
    rarewood.monitoring.review : Rows to label next.

    Notes
    -----
    A range of alarms holds 99 of 100 tables without a change. The share of the rare class is that of :func:`estimate_prior`. If the
    probabilities hold, precision is the mean probability of the alarms, its odds corrected by what out-of-bag rows say of it; if
    only the share has changed, it follows from the share and from the recall and false alarms out of bag. A column drifts if the
    population stability index of its deciles or categories is at least 0.1, and chance, in all columns together, does not explain
    it. With fewer than ten alarms to expect, nothing is said of precision and recall.

    Examples
    --------
    >>> import rarewood as rw
    >>> from rarewood.monitoring import monitor
    >>> payments = rw.datasets.make_planted_rules(4000, random_state=0)
    >>> model = rw.RareClassifier(n_estimators=60, random_state=0).fit(payments.X, payments.y)
    >>> new = rw.datasets.make_planted_rules(4000, random_state=1)
    >>> monitor(model, new.X)
    Monitoring of 4,000 rows: fine
    >>> dearer = monitor(model, new.X.assign(amount=new.X["amount"] * 3))
    >>> dearer.ok, dearer.findings[-1].code
    (False, 'drift')
    """
    watch = Watch(model)
    days = None if times is None else days_of(times, len(times))
    watch.add(X_new, y_new, _same_length(days, X_new))
    return watch.finish()


def _same_length(days: Any, X: Any) -> Any:
    if days is not None and hasattr(X, "shape") and len(days) != X.shape[0]:
        raise ValueError(f"times has {len(days)} entries for {X.shape[0]} rows.")
    return days
