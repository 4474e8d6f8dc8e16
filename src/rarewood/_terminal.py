"""Text of others on a terminal: names of columns, labels and model files may hold what a terminal would obey."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

Given = ParamSpec("Given")

# Control characters but for tabs and line ends, marks that turn the direction of writing, halves of characters.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""The text with \x1b and the like in place of characters that move the cursor, change colours or hide text."""
    return _OBEYED.sub(lambda found: _escape(found[0]), text)


def shown(text: Callable[Given, str]) -> Callable[Given, str]:
    """A function or method whose text is for people: `__str__`, `__repr__` and the like of what holds names or labels."""

    @wraps(text)
    def printed(*args: Given.args, **kwargs: Given.kwargs) -> str:
        return printable(text(*args, **kwargs))

    return printed


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def printable_json(text: str) -> str:
    """JSON with the same meaning: in it, such characters are within strings alone, and have an escape of their own."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
