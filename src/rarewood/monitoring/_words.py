"""Findings in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SHOWN = 5


def told(summary: Mapping[str, Any]) -> str:
    """A few lines."""
    days = summary["trained_from_to"]
    period = "" if days is None else f", from {days[0]} to {days[1]}"
    lines = [f"{summary['n_rows']:,} new rows, compared with the {summary['n_trained']:,} rows of the fit{period}"]
    lines += _lines(summary)
    lines += [f"note: {note}" for note in summary["notes"]]
    if summary["findings"]:
        lines += ["", "Attention:", *(f"- {each['text']}" for each in summary["findings"])]
    return "\n".join([*lines, "", summary["next"]])


def _lines(summary: Mapping[str, Any]) -> list[str]:
    alarms, share, labels = (summary[key] for key in ("alarms", "share", "labels"))
    lines = []
    if alarms is not None:
        lines.append(
            f"alarms      {alarms['n']:,}; {alarms['expected']:,.0f} expected, {alarms['low']:,.0f} to {alarms['high']:,.0f} by chance"
        )
    lines.append(
        f"rare share  {percent(share['value'])} ({percent(share['low'])} to {percent(share['high'])}), "
        f"{percent(share['before'])} before; {share['assumption']}"
    )
    for name in ("precision", "recall"):
        found = summary[name]
        if found is not None:
            lines.append(
                f"{name:<11} {found['if_probabilities_hold']:.2f} if the probabilities still hold, "
                f"{found['if_share_changed']:.2f} if only the share changed; {found['before']:.2f} before"
            )
    if labels is not None:
        lines += _of_labels(labels)
    if summary["columns"] is not None:
        lines.append(_drift(summary["columns"]))
    return [*lines, *_over_time(summary)]


def _of_labels(labels: Mapping[str, Any]) -> list[str]:
    first = f"labels      {labels['n_rare']:,} of {labels['n_rows']:,} labelled rows are rare"
    lines = [f"{first}, {labels['expected_rare']:.1f} expected by their probabilities"]
    for name in ("precision", "recall"):
        if labels[name] is not None:
            value, low, high = labels[name]
            lines.append(f"  {name:<9} {value:.2f} ({low:.2f} to {high:.2f}) by labels")
    return lines


def _drift(columns: list[Mapping[str, Any]]) -> str:
    drifted = [each for each in columns if each["level"] != "none"]
    if not drifted:
        return "drift       no column has changed by more than chance explains and by enough to matter"
    shown = "; ".join(f"{each['name']} (PSI {each['psi']:.2f}; {each['change']})" for each in drifted[:_SHOWN])
    more = f"; and {len(drifted) - _SHOWN} more" if len(drifted) > _SHOWN else ""
    return f"drift       {len(drifted)} of {len(columns)} columns: {shown}{more}"


def _over_time(summary: Mapping[str, Any]) -> list[str]:
    if summary["periods"] is None:
        return []
    lines = [f"by {summary['periods']['unit']}:"]
    for each in summary["periods"]["groups"]:
        alarms = (
            ""
            if each["alarms"] is None
            else f"{each['alarms']['n']:>7,} alarms ({each['alarms']['expected']:,.0f} expected), "
        )
        share = each["share"]
        lines.append(
            f"  {each['label']:<10} {each['n_rows']:>8,} rows, {alarms}share {percent(share['value'])} "
            f"({percent(share['low'])} to {percent(share['high'])})"
        )
    return lines


def percent(value: float) -> str:
    """A share with three digits."""
    return f"{100 * value:.3g}%"
