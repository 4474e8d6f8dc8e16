"""Exports of nine kinds, taken the whole way: fit, predict, report, rules."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from awkward.common import run


def exports() -> dict[str, tuple[bytes, bytes, list[str]]]:
    """Tables as other programs write them: rows to learn from, new rows, and options of `rarewood fit`."""
    return {
        name: (make(_drawn(seed, n)), make(_drawn(seed + 1, n)), options)
        for name, (make, seed, n, options) in _EXPORTS.items()
    }


def _drawn(seed: int, n: int) -> pd.DataFrame:
    """Risks of rows, whose class they decide, and some columns to write in one way or another."""
    rng = np.random.default_rng(seed)
    amount, share, age = rng.lognormal(8, 1, n).round(2), rng.integers(0, 1000, n) / 10, rng.integers(18, 95, n)
    day = pd.Timestamp("2023-01-02") + pd.to_timedelta(np.sort(rng.integers(0, 600, n)), unit="D")
    town = rng.choice(["Aix", "Bern", "Köln", "Graz"], n)
    risk = (amount > 6000) * 1.5 + (share < 20) + (age > 70) * 0.8 + (town == "Köln") * 0.5
    rare = risk + rng.normal(size=n) * 0.5 > np.quantile(risk, 0.93)
    return pd.DataFrame(
        {"row": np.arange(n), "amount": amount, "share": share, "age": age, "day": day, "town": town, "rare": rare}
    )


def _text(frame: pd.DataFrame, **options: Any) -> bytes:
    text: str = frame.to_csv(index=False, **options)
    return text.encode()


def _insurance(rows: pd.DataFrame) -> bytes:
    """Policies: numbers of policies, amounts in dollars, dates with the month in front."""
    frame = pd.DataFrame({"PolicyNumber": 700_000 + rows["row"] * 7 % 4999, "Age": rows["age"]})
    frame["Claim"] = [f"${amount:,.2f}" for amount in rows["amount"]]
    frame["Opened"] = rows["day"].dt.strftime("%m/%d/%Y")
    frame["Fraud"] = np.where(rows["rare"], "Y", "N")
    return _text(frame)


def _loans(rows: pd.DataFrame) -> bytes:
    """Loans: thousands with points, percentages with commas, recoveries that only bad loans have."""
    frame = pd.DataFrame({"betrag": [f"{round(amount):,}".replace(",", ".") for amount in rows["amount"]]})
    frame["zins"] = [f"{share} %".replace(".", ",") for share in rows["share"]]
    frame["recoveries"] = np.where(rows["rare"], rows["row"] % 10 * 40, 0)
    frame["beginn"] = rows["day"].dt.strftime("%d/%m/%Y")
    frame["status"] = np.where(rows["rare"], "ausgefallen", "bezahlt")
    return _text(frame, sep=";")


def _hospital(rows: pd.DataFrame) -> bytes:
    """Stays: three outcomes, cells that say unknown, errors of a spreadsheet, a row without an outcome."""
    frame = pd.DataFrame({"age": rows["age"], "admitted": rows["day"].dt.strftime("%d-%b-%Y")})
    frame["lactate"] = np.where(rows["row"] % 40 == 3, "#VALUE!", (rows["share"] / 7).round(1).astype(str))
    frame["ward"] = rows["town"]
    frame["outcome"] = np.where(rows["rare"], "death", np.where(rows["age"] > 60, "transfer", "home"))
    frame.loc[5, "outcome"] = ""
    return _text(frame)


def _sensors(rows: pd.DataFrame) -> bytes:
    """Machines: moments with a zone, a constant column, three decimals."""
    moment = rows["day"] + pd.to_timedelta(rows["row"], unit="min")
    frame = pd.DataFrame({"time": moment.dt.strftime("%Y-%m-%dT%H:%M:%SZ"), "pressure": (1 + rows["amount"] / 1e4)})
    frame = frame.assign(temperature=rows["share"], unit="bar", fault=rows["rare"].astype(int))
    return _text(frame, float_format="%.3f")


def _events(rows: pd.DataFrame) -> bytes:
    """Logins: a list of JSON objects, with truth values and missing keys."""
    events = []
    for row in rows.itertuples():
        event = {
            "when": f"{row.day:%Y-%m-%d} 10:00:00",
            "country": row.town,
            "tries": int(row.age % 9),
            "new": row.row % 3 == 0,
        }
        event |= {"amount": row.amount} if row.row % 11 else {}
        events.append({**event, "attack": bool(row.rare)})
    return json.dumps(events).encode()


def _orders(rows: pd.DataFrame) -> bytes:
    """Orders: a workbook with euros, negative amounts in brackets and names of customers."""
    frame = pd.DataFrame({"order": [f"A-{row:05d}" for row in rows["row"]], "customer": rows["row"] % 120})
    frame["total"] = [f"{amount:,.2f} €".translate(str.maketrans(",.", ".,")) for amount in rows["amount"]]
    frame["refund"] = [f"({share})" if share > 50 else f"{share}" for share in rows["share"]]
    frame["returned"] = np.where(rows["rare"], "yes", "no")
    file = io.BytesIO()
    frame.to_excel(file, index=False)
    return file.getvalue()


def _tiny(rows: pd.DataFrame) -> bytes:
    """Forty rows, a handful of them rare."""
    return _text(rows[["amount", "age", "town"]].assign(bad=np.where(rows["row"] % 8 == 0, "yes", "no")))


def _wide(rows: pd.DataFrame) -> bytes:
    """More columns than rows."""
    noise = np.random.default_rng(len(rows)).normal(size=(len(rows), 300)).round(3)
    frame = pd.DataFrame(noise, columns=[f"g{number}" for number in range(300)])
    return _text(frame.assign(share=rows["share"], ill=np.where(rows["rare"], "yes", "no")))


def _panel(rows: pd.DataFrame) -> bytes:
    """Firms by year, tabs between cells."""
    frame = pd.DataFrame({"firm": rows["row"] % 60, "year": 2015 + rows["row"] // 60, "debt": rows["amount"]})
    return _text(frame.assign(growth=rows["share"], default=np.where(rows["rare"], 1, 0)), sep="\t")


_EXPORTS: dict[str, tuple[Callable[[pd.DataFrame], bytes], int, int, list[str]]] = {
    "insurance": (_insurance, 10, 400, ["--id", "PolicyNumber"]),
    "loans": (_loans, 20, 400, ["--time", "beginn"]),
    "hospital": (_hospital, 30, 400, []),
    "sensors": (_sensors, 40, 400, ["--time", "time"]),
    "events": (_events, 50, 400, ["--target", "attack"]),
    "orders": (_orders, 60, 400, ["--id", "order", "--group", "customer"]),
    "tiny": (_tiny, 70, 40, []),
    "wide": (_wide, 80, 120, []),
    "panel": (_panel, 90, 420, ["--group", "firm"]),
}


def take_the_whole_way(name: str, folder: Path) -> dict[str, tuple[str, int]]:
    """What `fit`, `predict`, `report` and `rules` print for an export, and their exit codes."""
    train, new, options = exports()[name]
    paths = [folder / f"{name}-{part}" for part in ("train", "new")]
    for path, contents in zip(paths, (train, new), strict=True):
        path.write_bytes(contents)
    if name == "loans":
        paths[0].write_bytes(train + b"Summe;1.350.000;;;\n")
    model, page, scores = (str(folder / f"{name}.{suffix}") for suffix in ("rarewood", "html", "csv"))
    first, second = map(str, paths)
    commands = {
        "fit": ["fit", first, "-s", "n_estimators=30", "-j", "1", "--rules", "3", "-o", model, *options],
        "predict": ["predict", model, second, "-o", scores, "--rules", "--reasons", "2", "-j", "1"],
        "report": ["report", model, second, "--train", first, "--no-baseline", "-j", "1", "-o", page],
        "rules": ["rules", model, second],
    }
    return {command: run(arguments) for command, arguments in commands.items()}
