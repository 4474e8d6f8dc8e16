"""New rows, added up block by block and then compared: for the packages above."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.periods import label_of, period_of, unit_of
from rarewood._validation import is_missing, unmasked
from rarewood.monitoring._columns import counts_of, drift_of
from rarewood.monitoring._labelled import broken_promise, fell, figures_of, share_with_interval
from rarewood.monitoring._monitoring import CODES, Finding, Monitoring
from rarewood.monitoring._readings import LEAST_ALARMS, alarms_of, are_apart, readings_of
from rarewood.monitoring._share import Z99, share_of
from rarewood.monitoring._tally import Sums, Tally
from rarewood.monitoring._watched import Watched
from rarewood.monitoring._words import percent

__all__ = ["CODES", "Watch"]

_FINE = "Nothing asks for attention."
_LABEL = "Label 200 rows drawn at random: only labels can tell whether the share has changed, the rows have, or something new has appeared."
_RECALIBRATE = "The probabilities are off: recalibrate on these labelled rows, if they are a random sample."
_REFIT = "The model finds less of the rare class than before: fit it again, to old and new rows."


class Watch:
    """Takes blocks of rows, then says what it has seen."""

    def __init__(self, model: Any) -> None:
        self.watched = Watched.of(model)
        self.tally = Tally()

    def add(self, X: Any, y: Any = None, days: NDArray[np.int64] | None = None) -> None:
        """Some rows, their labels (None or NaN where not known) and the days that they are of."""
        scores, matrix = self.watched.read(X)
        cut = self.watched.cut
        alarm = np.zeros(len(scores), dtype=bool) if cut is None else scores >= cut
        rare = None if y is None else rare_codes(y, self.watched, len(scores))
        self.tally.add(scores, alarm, rare, days, counts_of(self.watched, matrix))

    def finish(self) -> Monitoring:
        """All that can be said of the rows; there are some."""
        watched, sums = self.watched, self.tally.whole
        if sums.rows == 0:
            raise ValueError("there are no new rows.")
        found = _compared(watched, sums)
        summary: dict[str, Any] = {
            "n_rows": sums.rows,
            "n_trained": watched.memory.n_rows,
            "trained_from_to": watched.memory.period,
            "positive": str(watched.positive),
            "threshold": watched.cut,
            **found,
            "columns": drift_of(watched, self.tally.columns),
            "periods": self._periods(),
            "labels": figures_of(watched, self.tally) if self.tally.has_labels and sums.labelled else None,
            "notes": list(_notes(watched, found)),
        }
        findings = list(_findings(watched, self.tally, summary))
        summary["findings"] = [asdict(each) for each in findings]
        summary["next"] = _next(findings, summary)
        return Monitoring(summary)

    def _periods(self) -> dict[str, Any] | None:
        days = np.array(sorted(self.tally.days), dtype=np.int64)
        if len(days) == 0:
            return None
        expected = (
            alarms_of(self.watched.reference, self.tally.whole, self.watched.cut).expected if self.watched.cut else 0.0
        )
        unit = unit_of(days, expected)
        if unit is None:
            return None
        groups: dict[int, Sums] = {}
        for day, number in zip(days.tolist(), period_of(days, unit).tolist(), strict=True):
            groups[number] = groups.get(number, Sums()) + self.tally.days[day]
        first = min(groups)
        return {
            "unit": unit,
            "groups": [_group(self.watched, each, sums, unit, first) for each, sums in groups.items()],
        }


def _group(watched: Watched, number: int, sums: Sums, unit: str, first: int) -> dict[str, Any]:
    labels = None
    if sums.labelled:
        labels = {
            "share": share_with_interval(sums.rare, sums.labelled),
            "precision": share_with_interval(sums.hits, sums.labelled_alarms),
            "recall": share_with_interval(sums.hits, sums.rare),
        }
    return {
        "label": label_of(number, unit),
        "place": number - first,
        "n_rows": sums.rows,
        **_compared(watched, sums),
        "labels": labels,
    }


def _compared(watched: Watched, sums: Sums) -> dict[str, Any]:
    """Alarms, the share of the rare class, and both readings of precision and recall; None where there are too few alarms."""
    share = share_of(watched.reference, sums)
    alarms = None if watched.cut is None else alarms_of(watched.reference, sums, watched.cut)
    precision = recall = None
    if alarms is not None and watched.cut is not None and alarms.expected >= LEAST_ALARMS and sums.alarms:
        precision, recall = (asdict(each) for each in readings_of(watched.reference, sums, watched.cut))
    return {
        "alarms": None if alarms is None else asdict(alarms),
        "share": asdict(share),
        "precision": precision,
        "recall": recall,
    }


def _notes(watched: Watched, found: Mapping[str, Any]) -> Iterator[str]:
    if watched.cut is None:
        yield "the model has no threshold, so it raises no alarms that could be compared; choose one with fit_threshold"
    elif found["precision"] is None:
        expected = found["alarms"]["expected"]
        yield f"{expected:.1f} alarms are expected of so many rows, too few to say anything about precision and recall"
    if watched.memory.columns is None:
        yield "an older version has fitted the model, to data in parts, and does not remember its columns"
    if watched.n_rare < 50:
        yield f"the model learned from {watched.n_rare:.0f} rare rows: a share that has fallen cannot be told from chance"


def _findings(watched: Watched, tally: Tally, summary: Mapping[str, Any]) -> Iterator[Finding]:
    sums, share = tally.whole, summary["share"]
    alarms, precision = summary["alarms"], summary["precision"]
    if alarms is not None and not alarms["low"] <= alarms["n"] <= alarms["high"]:
        yield Finding("alarms", f"{alarms['n']:,} alarms; {alarms['low']:,.0f} to {alarms['high']:,.0f} were expected")
    sure = share_of(watched.reference, sums, Z99)
    if not sure.low <= sure.before <= sure.high:
        yield Finding(
            "share",
            f"the rare share would be {percent(share['value'])}, {percent(share['before'])} before, {share['assumption']}",
        )
    if precision is not None and are_apart(watched.reference, sums, float(watched.cut or 0.0)):
        low, high = sorted((precision["if_probabilities_hold"], precision["if_share_changed"]))
        yield Finding("readings", f"the two readings of precision are apart: {low:.2f} and {high:.2f}")
    much = [each["name"] for each in summary["columns"] or [] if each["level"] == "much"]
    if much:
        named = ", ".join(much[:5]) + (f" and {len(much) - 5} more" if len(much) > 5 else "")
        yield Finding("drift", f"{len(much)} column{'s have' if len(much) > 1 else ' has'} changed a lot: {named}")
    broken = broken_promise(watched, tally)
    if broken is not None:
        yield Finding("promise", broken)
    if summary["labels"] is not None:
        yield from _of_labels(watched, sums, summary["labels"])


def _of_labels(watched: Watched, sums: Sums, labels: Mapping[str, Any]) -> Iterator[Finding]:
    for figure in ("precision", "recall"):
        if labels[figure] is not None and fell(watched, sums, figure):
            value, low, high = labels[figure]
            yield Finding(figure, f"{figure} is {value:.2f} ({low:.2f} to {high:.2f}), lower than chance explains")
    if not labels["calibrated"]:
        yield Finding(
            "calibration",
            f"{labels['n_rare']:,} rows are rare, where their probabilities add up to {labels['expected_rare']:.1f}",
        )


def _next(findings: list[Finding], summary: Mapping[str, Any]) -> str:
    """What to do, in a sentence."""
    codes = {each.code for each in findings}
    if not codes:
        return _FINE
    if summary["labels"] is None:
        return _LABEL
    if "recall" in codes:
        return _REFIT
    if codes & {"calibration", "precision", "promise"}:
        return _RECALIBRATE
    return "The labels show no harm yet; go on watching."


def rare_codes(y: Any, watched: Watched, n_rows: int) -> NDArray[np.int8]:
    """1 for the positive class, 0 for another, -1 without a label."""
    labels = np.asarray(unmasked(y), dtype=object)
    if labels.shape != (n_rows,):
        raise ValueError(f"y_new has shape {labels.shape}, expected ({n_rows},): one label for each row.")
    items = labels.tolist()
    known = np.array([not is_missing(item) for item in items], dtype=bool)
    places = {label: int(label == watched.positive) for label in watched.classes}
    try:
        codes = [places[item] if has else -1 for item, has in zip(items, known.tolist(), strict=True)]
    except (KeyError, TypeError):
        strange = next(
            item for item, has in zip(items, known.tolist(), strict=True) if has and item not in watched.classes
        )
        raise ValueError(
            f"y_new has the label {strange!r}, which the model does not know; its classes are {watched.classes}."
        ) from None
    return np.array(codes, dtype=np.int8)
