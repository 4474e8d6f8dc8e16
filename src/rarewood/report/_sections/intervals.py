"""How far the figures of a page can be trusted, given how few rare rows there are."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rarewood.metrics.uncertainty import Estimate, average_precision_with_interval, share_with_interval
from rarewood.report._subject import Subject

_NOTE = (
    "Precision and recall: Wilson's 95 % interval of a share. Average precision: bootstrap with 1,000 samples of "
    "these rows, normal on the log-odds scale. ROC area: DeLong's interval on the log-odds scale. All of them take "
    "the model and the threshold as given and estimate how the figures would vary on other rows of the same kind."
)


def intervals(subject: Subject) -> dict[str, Any]:
    """95 % intervals of average precision, and of precision and recall at the threshold; without alarms there is no precision."""
    rows, found = subject.rows, subject.decisions["true_positives"]
    area = average_precision_with_interval(rows.scores, rows.is_rare, subject.options.random_state)
    return {
        "average_precision": asdict(area),
        "precision": _as_dict(share_with_interval(found, subject.decisions["alarms"])),
        "recall": _as_dict(share_with_interval(found, rows.n_rare)),
        "note": _NOTE,
    }


def _as_dict(share: Estimate | None) -> dict[str, Any] | None:
    return None if share is None else asdict(share)
