"""How far the figures of a page can be trusted, given how few rare rows there are."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rarewood.report._scored import ScoredRows, counts_at
from rarewood.report._uncertainty import Interval, average_precision_with_interval, share_with_interval

_NOTE = (
    "Precision and recall: Wilson's 95 % interval of a share. Average precision: bootstrap with 1,000 samples of "
    "these rows, normal on the log-odds scale. ROC area: DeLong's interval on the log-odds scale. All of them take "
    "the model and the threshold as given and estimate how the figures would vary on other rows of the same kind."
)


def intervals(rows: ScoredRows, threshold: float, random_state: int) -> dict[str, Any]:
    """95 % intervals of average precision, and of precision and recall at the threshold; without alarms there is no precision."""
    tp, fp = counts_at(rows, threshold)
    return {
        "average_precision": asdict(average_precision_with_interval(rows.scores, rows.is_rare, random_state)),
        "precision": _plain(share_with_interval(tp, tp + fp)),
        "recall": _plain(share_with_interval(tp, rows.n_rare)),
        "note": _NOTE,
    }


def _plain(found: Interval | None) -> dict[str, Any] | None:
    return None if found is None else asdict(found)
