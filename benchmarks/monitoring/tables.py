"""The tables of docs/monitoring.md from what `study.py` has kept."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from page import renew, table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "monitoring.md"
SHIFTS = ("prior x1/4", "prior x1/2", "none", "prior x2", "prior x4", "covariate", "new kind")
SCENARIOS = ("none", "covariate", "prior x3", "prior x1/3", "new kind")
SIZES = (30, 150)


def write(rows: list[dict[str, Any]]) -> None:
    """Put them into the page."""
    n_fits = len({(row["problem"], row["n_rare"], row["seed"]) for row in rows})
    renew(
        {
            "fits": f"{n_fits} fits of 100 trees, half of them with 30 rare rows, half with 150, on two problems.",
            "share": _share(rows),
            "precision": _figure(rows, "precision"),
            "recall": _figure(rows, "recall"),
            "range": _range(rows),
            "findings": _findings(rows),
            "recalibration": _recalibration(rows),
        },
        PAGE,
    )


def _of(rows: list[dict[str, Any]], scenario: str, size: int) -> list[dict[str, Any]]:
    return [row for row in rows if row["scenario"] == scenario and row["n_rare"] == size]


def _share(rows: list[dict[str, Any]]) -> str:
    head = [
        "rare rows",
        "new rows",
        "error, median",
        "90 %",
        "bias",
        "interval holds",
        "log-loss: as it is",
        "set_prior(estimate)",
        "set_prior(truth)",
    ]
    lines = []
    for size in SIZES:
        for scenario in SHIFTS:
            some = _of(rows, scenario, size)
            errors = np.array([np.log(max(row["share"][0], 1e-3) / max(row["true_share"], 1e-3)) for row in some])
            held = np.mean([row["share"][1] <= row["true_share"] <= row["share"][2] for row in some])
            losses = np.mean([row["log_loss"] for row in some], axis=0)
            lines.append(
                [str(size), scenario, f"{np.median(abs(errors)):.2f}", f"{np.quantile(abs(errors), 0.9):.2f}", f"{np.mean(errors):+.2f}",
                 f"{held:.2f}", *(f"{loss:.3f}" for loss in losses)]
            )  # fmt: skip
    return table(head, lines)


def _told(rows: Iterable[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["readings"][name] is not None and row[f"true_{name}"] is not None]


def _figure(rows: list[dict[str, Any]], name: str) -> str:
    head = [
        "new rows",
        "out-of-bag figure",
        *(["mean probability of the alarms"] if name == "precision" else []),
        "if the probabilities still hold",
        "if only the share changed",
    ]
    lines = []
    for scenario in SCENARIOS:
        cells = []
        for size in SIZES:
            some = _told(_of(rows, scenario, size), name)
            truth = np.array([row[f"true_{name}"] for row in some])
            columns = [np.array([row["readings"][name][place] for row in some]) for place in range(3)]
            if name == "precision":
                columns.insert(1, np.array([row["plain_cbpe"] for row in some]))
            cells.append([f"{np.mean(abs(each - truth)):.3f}" for each in columns])
        lines.append([scenario, *(" / ".join(pair) for pair in zip(*cells))])
    return table(head, lines)


def _range(rows: list[dict[str, Any]]) -> str:
    head = ["new rows", "precision, range", "± .05", "± .1", "recall, range", "± .05", "± .1"]
    lines = []
    for scenario in SCENARIOS:
        cells = []
        for size in SIZES:
            for name in ("precision", "recall"):
                some = _told(_of(rows, scenario, size), name)
                for slack in (0.0, 0.05, 0.1):
                    ends = [(sorted(row["readings"][name][1:]), row[f"true_{name}"]) for row in some]
                    cells.append(np.mean([low - slack <= true <= high + slack for (low, high), true in ends]))
        lines.append([scenario, *(f"{a:.2f} / {b:.2f}" for a, b in zip(cells[:6], cells[6:]))])
    return table(head, lines)


def _findings(rows: list[dict[str, Any]]) -> str:
    codes = ("alarms", "share", "readings", "drift")
    lines = []
    for scenario in SCENARIOS:
        cells = []
        for code in (*codes, None):
            some = [
                np.mean(
                    [
                        bool(row["findings"]) if code is None else code in row["findings"]
                        for row in _of(rows, scenario, size)
                    ]
                )
                for size in SIZES
            ]
            cells.append(f"{some[0]:.2f} / {some[1]:.2f}")
        lines.append([scenario, *cells])
    return table(["new rows", *codes, "any"], lines)


def _recalibration(rows: list[dict[str, Any]]) -> str:
    keys = ("none", "50", "200", "1000", "best")
    lines = []
    for scenario in SCENARIOS:
        means = [
            np.mean([[row["recalibrated"][key] for key in keys] for row in _of(rows, scenario, size)], axis=0)
            for size in SIZES
        ]
        lines.append([scenario, *(f"{a:.3f} / {b:.3f}" for a, b in zip(*means))])
    return table(["new rows", "as it is", "50 labels", "200", "1,000", "10,000, those of the test"], lines)
