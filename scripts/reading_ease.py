"""How easy the pages are to read: python scripts/reading_ease.py [FILE...]; needs textstat 0.7.4 (later ones download a dictionary).

Flesch reading ease (60 to 70 is plain English, below 30 is for specialists) and words per sentence of the prose; code, tables
and headings are left out. Pages made by programs are mostly tables and are not measured.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import textstat

ROOT = Path(__file__).resolve().parents[1]
GENERATED = {"awkward-tables", "quality", "reproduction", "exports", "benchmarks", "many-classes", "oversampling"}
LEAST_WORDS = 80
"""Of a page, to say anything."""


def prose(markdown: str) -> str:
    """The sentences of a page."""
    text = re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    lines = [line for line in text.splitlines() if not re.match(r"\s{4,}|\||#|!\[|:{3,}|:\w+:", line)]
    joined = "\n".join(re.sub(r"^\s*(?:[-*]|\d+\.) ", "\n", line) for line in lines)
    joined = re.sub(r"`[^`]*`", "it", joined)  # a name in code counts as one short word
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", joined)]
    return "\n".join(
        part if part.endswith((".", "?", "!")) else f"{part.rstrip(':;,')}." for part in paragraphs if part
    )


def pages() -> list[Path]:
    """README, the hand-written pages of the documentation, and the pages for contributors."""
    docs = [page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "benchmarks"]
    named = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md")]
    return [page for page in [*named, *sorted(docs)] if page.stem not in GENERATED]


def main(paths: list[Path]) -> None:
    """Print one line per page, the hardest first, and the means over all words."""
    found = []
    for path in paths:
        text = prose(path.read_text(encoding="utf-8"))
        n_words = textstat.lexicon_count(text)
        if n_words >= LEAST_WORDS:
            ease, length = textstat.flesch_reading_ease(text), n_words / textstat.sentence_count(text)
            found.append((ease, length, n_words, path))
    for ease, length, n_words, path in sorted(found):
        print(f"{ease:6.1f} {length:5.1f} words per sentence {n_words:6} words  {path.name}")
    total = sum(each[2] for each in found)
    mean_ease, mean_length = (sum(each[i] * each[2] for each in found) / total for i in (0, 1))
    print(f"{mean_ease:6.1f} {mean_length:5.1f} words per sentence {total:6} words  all {len(found)} pages")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or pages())
