"""What all pages share: their style, coordinates of drawings, numbers in words. It knows nothing of models."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files


@cache
def page_style() -> str:
    """The style sheet of a page: light and dark, wide and narrow screens, paper."""
    return files("rarewood._pages").joinpath("page.css").read_text(encoding="utf-8")


@cache
def page_script() -> str:
    """What every page does by itself: a hint where a table goes on beyond the screen, and nothing folded on paper."""
    return files("rarewood._pages").joinpath("page.js").read_text(encoding="utf-8")


def unbroken(content: str) -> str:
    """HTML in which no line ends between a number and its percent sign."""
    return re.sub(r"(?<=\d) %", "\u00a0%", content)


def content_hash(text: str) -> str:
    """The name by which a content security policy admits a script or a style of the page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
