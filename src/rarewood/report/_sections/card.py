"""The model card: what this is, from which files, how it was judged, where the line is drawn and why, and what the page cannot say."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rarewood._files import sha256_of
from rarewood._memory import MUCH
from rarewood.report._subject import Subject
from rarewood.report._threshold import PageThreshold
from rarewood.tree.monotone import constraints_on

_PACKAGES = ("rarewood", "scikit-learn", "numpy")
_FAR_OFF = 1.25  # rare rows by the scores against those there are


def versions() -> dict[str, str]:
    """The versions of what computed the figures."""
    return {**{name: version(name) for name in _PACKAGES}, "Python": platform.python_version()}


def card(subject: Subject, summary: Mapping[str, Any]) -> dict[str, Any]:
    """The files behind a page, the lines of the caller, and what to bear in mind about all other figures."""
    lines = {str(name): str(text) for name, text in (subject.options.card or {}).items()}
    return {
        "files": files_behind(subject.options.files),
        "lines": lines,
        "limits": limits(summary),
        "promise": promise_here(subject.threshold, summary["intervals"], summary["decisions"], len(subject.truth)),
        "groups": _kept_together(subject.inner),
        "constraints": told_constraints(*constraints_on(subject.inner, subject.positive)),
    }


def promise_here(
    threshold: PageThreshold, intervals: Mapping[str, Any], at: Mapping[str, Any], n_rows: int
) -> str | None:
    """Whether the rows of this page bear out what the threshold promises; None if it promises nothing."""
    chosen = threshold.chosen
    if not getattr(chosen, "promise", None):
        return None
    if chosen.rule == "alerts":
        alarms = at["alarms"] / n_rows
        verdict = "kept" if alarms <= chosen.alerts else "not kept"
        return f"Here alarms are raised on {100 * alarms:.2g} % of the rows, {100 * chosen.alerts:.2g} % at most were promised: {verdict}."
    here = intervals[chosen.rule]
    if here["value"] is None:
        return None
    verdict = "kept" if here["value"] >= chosen.floor else "missed by less than chance explains"
    verdict = "not kept" if here["high"] < chosen.floor else verdict
    interval = f"95 % interval: {100 * here['low']:.0f} % to {100 * here['high']:.0f} %"
    found = f"Here the {chosen.rule} is {100 * here['value']:.0f} % ({interval})"
    return f"{found}; at least {100 * chosen.floor:.0f} % was promised: {verdict}."


def _kept_together(model: Any) -> str | None:
    """Rows that the fit left out of its trees together, in a sentence."""
    n_groups, n_repeated = getattr(model, "n_groups_", None), getattr(model, "n_repeated_rows_", 0)
    if n_groups:
        return (
            f"The training rows form {n_groups:,} groups, which were left out of trees as wholes: threshold and calibration are those for "
            "groups that the model has not seen."
        )
    if n_repeated:
        return f"{n_repeated:,} training rows are copies of others; copies were left out of trees together."
    return None


def told_constraints(rising: Sequence[str], falling: Sequence[str]) -> str | None:
    """The columns under monotone constraints, in a sentence; None without any."""
    parts = [f"{way} with {', '.join(names)}" for way, names in (("rise", rising), ("fall", falling)) if names]
    if not parts:
        return None
    return f"By constraint, the score can only {', and only '.join(parts)}, if everything else stays the same."


def files_behind(files: Mapping[str, str | os.PathLike[str]] | None) -> list[dict[str, Any]]:
    """Name, size and SHA-256 of each file, by what it holds."""
    return [{"role": str(role), **_file(Path(path))} for role, path in (files or {}).items()]


def _file(path: Path) -> dict[str, Any]:
    return {"name": path.name, "size": path.stat().st_size, "sha256": sha256_of(path)}


def limits(summary: Mapping[str, Any]) -> list[str]:
    """Sentences on what to bear in mind: weak points of this very page come first, what holds of every page comes last."""
    found = [
        _few_rows(summary),
        _warnings(summary),
        "The threshold was chosen on these same rows using their labels: expect slightly worse figures on new rows."
        if summary["threshold"]["chosen_here"]
        else "",
        _drifted(summary),
        _other_share(summary),
        _over_time(summary),
        _as_probabilities(summary),
        "How these rows were separated from the training rows was not recorded." if not summary["split"] else "",
        _at_this_share(summary),
        "Rules and reasons say what the model uses, not what causes the class.",
    ]
    return [sentence for sentence in found if sentence]


def _few_rows(summary: Mapping[str, Any]) -> str:
    at, recall = summary["decisions"], summary["intervals"]["recall"]
    n_rare = at["true_positives"] + at["false_negatives"]
    return (
        f"All figures rest on {n_rare:,} rare row{'' if n_rare == 1 else 's'}: the recall of {100 * recall['value']:.0f} % could be "
        f"anywhere from {100 * recall['low']:.0f} % to {100 * recall['high']:.0f} %."
    )


def _at_this_share(summary: Mapping[str, Any]) -> str:
    return (
        f"Precision and calibration hold for a rare share of about {100 * summary['measures']['share']:.2g} %. If the rare class is "
        "more or less frequent elsewhere, they will differ."
    )


def _warnings(summary: Mapping[str, Any]) -> str:
    titles = [problem["title"] for problem in summary["problems"] if problem["level"] == "warning"]
    if not titles:
        return ""
    more = f"; and {len(titles) - 3} more" if len(titles) > 3 else ""
    return f"The data call for caution: {'; '.join(titles[:3])}{more}."


def _drifted(summary: Mapping[str, Any]) -> str:
    if summary["drift"] is None:
        return "The training rows were not given, so drift, rows shared with training and simple baselines were not checked."
    names = [column["name"] for column in summary["drift"]["columns"] if column["level"] == "much"]
    if not names:
        return ""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    one = len(names) == 1
    return (
        f"{len(names)} column{' has' if one else 's have'} changed a lot since training (PSI of at least {MUCH:g}): "
        f"{', '.join(names[:5])}{more}."
    )


def _other_share(summary: Mapping[str, Any]) -> str:
    both = (summary["drift"] or {}).get("rare_share")
    if not both or not both["differs"]:
        return ""
    before, here = both["train"][0], both["test"][0]
    if before / _FAR_OFF <= here <= before * _FAR_OFF:
        return ""
    return (
        f"The rare class is {'more' if here > before else 'less'} frequent here than in training: {100 * here:.2g} % of the rows "
        f"against {100 * before:.2g} %."
    )


def _over_time(summary: Mapping[str, Any]) -> str:
    falling = [each["key"] for each in (summary["periods"] or {}).get("trends", ()) if each["direction"] == "falls"]
    names = [key for key in ("recall", "precision") if key in falling]
    if not names:
        return ""
    return f"{' and '.join(names).capitalize()} fall{'s' if len(names) == 1 else ''} in the course of the time that these rows cover."


def _as_probabilities(summary: Mapping[str, Any]) -> str:
    figures, at = summary["measures"], summary["decisions"]
    n_rare = at["true_positives"] + at["false_negatives"]
    if figures["brier"] > figures["brier_of_share"]:
        return "The scores rank rows, but they are not probabilities: as probabilities, they are worse than the same guess for every row."
    expected = figures["expected_rare"]
    if not summary["calibration"]["adds_up"] and not n_rare / _FAR_OFF <= expected <= n_rare * _FAR_OFF:
        return (
            f"The scores are off as probabilities: they add up to {expected:,.0f} rare rows, but there are {n_rare:,}."
        )
    return ""
