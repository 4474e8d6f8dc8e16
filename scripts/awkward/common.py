"""What all kinds of awkward tables share: an ordinary table, the program, and answers as lines."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

import numpy as np
import pandas as pd

N = 120


def plain() -> pd.DataFrame:
    """An ordinary table: a number, words and days, and a class that depends on the first and the last."""
    rng = np.random.default_rng(0)
    amount = rng.integers(-900, 900, N) / 8
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, N), unit="D")
    frame = pd.DataFrame({"amount": amount, "town": rng.choice(["Aix", "Bern", "Köln"], N), "day": day})
    frame.loc[::13, "amount"] = np.nan
    frame.loc[::17, "town"] = None
    frame["label"] = np.where((frame["day"] < "2024-01-20") & (frame["amount"] > 0), "bad", "good")
    return frame


def run(arguments: list[str]) -> tuple[str, int]:
    from rarewood.cli._app import app

    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            app(arguments, prog_name="rarewood")
        except SystemExit as stop:
            return text.getvalue(), int(stop.code or 0)
    return text.getvalue(), 0


def kinds_in_words(words: Any) -> str:
    words = list(words)
    return ", ".join(words) if len(words) < 8 else f"{len(words)} columns: {', '.join(dict.fromkeys(words))}"


def line_of(message: object) -> str:
    text = " ".join(str(message).split())
    text = re.sub(r"the [\d,.]+ GB of this machine", "the memory of this machine", text)
    return text if len(text) < 260 else f"{text[:250]}..."
