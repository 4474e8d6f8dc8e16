"""Would more rows help? The model fitted again to parts of its training rows."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from sklearn.base import clone

from rarewood._pages.numbers import decimal_in_words, signed_in_words
from rarewood._tables import take_rows
from rarewood.ensemble.threshold import takes_groups
from rarewood.ensemble.unseen import silent
from rarewood.evaluation import LearningCurve, learning_curve
from rarewood.metrics import DecisionThreshold
from rarewood.report._samples import some_rows
from rarewood.report._subject import Subject

_MOST_ROWS = 100_000  # of models with out-of-bag scores: as much work as two fits to them, in seconds
_MOST_CROSS_VALIDATED = 10_000  # of models of any kind, fitted six times to each part
_AIMS = {"precision": "recall", "recall": "precision"}  # what a rule that fixes the one makes as large as can be
_FEWEST_RARE = 20  # with fewer there are not two parts to compare


def curve_of_training(subject: Subject) -> dict[str, Any]:
    """Figures by the number of rare training rows; without any points, the note says why."""
    why = _why_none(subject)
    if why is not None:
        return {"points": [], "note": why}
    assert subject.train_rare is not None
    assert subject.train_truth is not None
    most = _MOST_ROWS if takes_groups(subject.inner) else _MOST_CROSS_VALIDATED
    kept = some_rows(subject.train_rare, most, subject.options.random_state)
    model = silent(clone(getattr(subject.model, "best_estimator_", subject.model)))
    try:
        found = learning_curve(
            model,
            take_rows(_training_rows(subject), kept),
            subject.train_truth[kept],
            positive=subject.positive,
            rule=_rule(subject.threshold.chosen),
            random_state=subject.options.random_state,
        )
    except (TypeError, ValueError) as error:  # of the model: it may need more than rows and labels
        return {"points": [], "note": f"The model cannot be fitted again to parts of the training rows: {error}"}
    of_all = (
        f" These are a sample of the {len(subject.train_rare):,} training rows."
        if most < len(subject.train_rare)
        else ""
    )
    return {
        "points": [asdict(point) for point in found.points],
        "needed": found.needed("recall"),
        "rule": str(found.rule),
        "verdict": _verdict(found),
        "note": f"Fitted to parts of the training rows, each inside the next; scores on unseen rows ({found.how}).{of_all}",
    }


def _why_none(subject: Subject) -> str | None:
    """Why there is no curve, in a sentence."""
    if not subject.options.learning_curve:
        return "No learning curve was asked for."
    if subject.train_rare is None:
        return "A learning curve needs the rows that the model was trained on; pass them to see what fewer of them would have given."
    n_rare = int(np.count_nonzero(subject.train_rare))
    if n_rare < _FEWEST_RARE:
        return f"The training rows have {n_rare} of the rare class: too few to compare parts of them, which takes {_FEWEST_RARE}."
    if getattr(subject.inner, "n_groups_", None):
        return (
            "The training rows belong together in groups, which the page does not know: rarewood.evaluation.learning_curve(..., "
            "groups=...) makes the curve of whole groups."
        )
    return None


def _training_rows(subject: Subject) -> Any:
    """The training rows, in the coding of the model where it has one, which need not be read again."""
    assert subject.options.train is not None
    coded = (
        subject.tables.train_rows if subject.inner is subject.model and subject.tables.are_of(subject.inner) else None
    )
    return subject.options.train[0] if coded is None else coded


def _rule(chosen: Any) -> str:
    """The words that choose a threshold as that of the page was chosen, as far as there is a rule behind it."""
    if not isinstance(chosen, DecisionThreshold):
        return "f1"
    confidence = "" if chosen.confidence is None else f"@{100 * chosen.confidence:g}%"
    if chosen.rule in ("precision", "recall") and chosen.floor is not None:
        return f"{chosen.rule}={chosen.floor:g}{confidence}"
    if chosen.rule == "alerts" and chosen.alerts is not None:
        return f"alerts={100 * chosen.alerts:g}%{confidence}"
    if chosen.rule == "cost" and chosen.costs is not None:
        return f"cost={chosen.costs[0]:g}:{chosen.costs[1]:g}"
    return "f1"


def _verdict(found: LearningCurve) -> str:
    """What the last step of the curve says."""
    before, last = found.points[-2:]
    gain, low = last.average_precision.value - before.average_precision.value, last.average_precision.low
    text = f"From {before.n_rare:,} to {last.n_rare:,} rare rows, average precision changed by {signed_in_words(gain)}"
    if gain > 0 and low is not None and before.average_precision.value < low:
        return f"{text}: it still rises, and more rare rows would probably help."
    text = f"{text}, no more than chance explains"
    aim = _AIMS.get(str(found.rule).partition("=")[0])
    was, now = (getattr(point, aim) if aim else None for point in (before, last))
    if was is not None and now is not None and now.low is not None and was.value < now.low:
        values = f"{decimal_in_words(was.value)} to {decimal_in_words(now.value)}"
        return f"{text}, but {aim} at the threshold rose from {values}: there, more rare rows would probably help."
    return f"{text}: there is no sign that more rows would help much."
