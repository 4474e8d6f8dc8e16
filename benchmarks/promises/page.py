"""Tables in docs/promises.md: each stands between two comments with its name, and the study that makes it puts it there."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path.append(str(FOLDER))

from report import markdown_rows  # noqa: E402

PAGE = FOLDER.parent / "docs" / "promises.md"


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    return "\n".join(markdown_rows([head, *rows]))


def renew(parts: Mapping[str, str], page: Path = PAGE) -> None:
    """Put each part where its comments are."""
    text = page.read_text(encoding="utf-8")
    for name, part in parts.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        _, ended, after = rest.partition(end)
        if not found or not ended:
            raise SystemExit(f"{page.name} has no place for the table {name!r}: {begin} ... {end}")
        text = f"{before}{begin}\n\n{part}\n\n{end}{after}"
    page.write_text(text, encoding="utf-8")
