"""Parts of hand-written pages that a benchmark renews: between `<!-- name: begin -->` and `<!-- name: end -->`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def renew(path: Path, name: str, lines: Sequence[str]) -> None:
    """Put these lines between the marks of that name; a page without them is an error, for its figures would silently grow old."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    page = path.read_text(encoding="utf-8")
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"{path.name} must have one {begin} and one {end}")
    before, rest = page.split(begin)
    after = rest.split(end)[1]
    path.write_text("\n".join([before + begin, *lines, end + after]), encoding="utf-8")
