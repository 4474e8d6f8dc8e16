"""Numbers and categories as rules write them."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

_NOT_ONE_NAME = re.compile(r"^$|[,{}\n]| (and|or) |^is (missing|present)$")
_MOST_CATEGORIES = 8  # written out; the others are counted


def number_in_words(value: float, decimals: int) -> str:
    """A number rounded to `decimals`, without the zeros at its end, never rounded to nothing."""
    text = f"{value:.{decimals}f}"
    if (float(text) == 0.0 and value != 0.0) or abs(value) >= 1e15:
        return f"{value:.{max(decimals, 1)}g}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def category_in_words(level: Any, decimals: int) -> str:
    """The name of a category; a number if it is one; in quotes if it could be taken for more than a name."""
    if isinstance(level, (float, np.floating)):
        return number_in_words(float(level), decimals)
    name = str(level)
    return json.dumps(name, ensure_ascii=False) if name != name.strip() or _NOT_ONE_NAME.search(name) else name


def membership_in_words(name: str, words: list[str], *, inside: bool) -> str:
    """That a column has one of some categories, or none of them."""
    if len(words) == 1:
        return f"{name} {'=' if inside else '!='} {words[0]}"
    shown = words[:_MOST_CATEGORIES]
    more = len(words) - len(shown)
    listed = ", ".join(shown) + (f", ... {more} more" if more else "")
    return f"{name} {'in' if inside else 'not in'} {{{listed}}}"


def missing_in_words(name: str, *, missing: bool) -> str:
    """That a column has no value, or that it has one."""
    return f"{name} is {'missing' if missing else 'present'}"


def or_missing(condition: str) -> str:
    """A condition that missing values meet, too."""
    return f"{condition} or missing"


def share_in_words(share: float) -> str:
    """A share of a rule in percent, as texts and tables write it; a dash if there is none."""
    return "-" if share != share else f"{share:.{share_decimals(share)}%}"


def share_decimals(share: float) -> int:
    """How many decimals it has, wherever it is shown: a small one would be 0 without."""
    return 0 if share >= 0.1 else 1
