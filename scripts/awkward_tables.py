"""Awkward tables, and what each door does with them: writes docs/awkward-tables.md.

Run `python scripts/awkward_tables.py` after a change of the readers; the tests compare the page with what happens. The tables are in
`scripts/awkward`, by kind.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from awkward.files import ask_program, files
from awkward.frames import ask_python, frames

PAGE = Path(__file__).parents[1] / "docs" / "awkward-tables.md"

HEAD = """# Awkward tables

What happens to unusual or broken tables: with `fit(X, y)` in Python, and with `rarewood fit` on the command line. Every line is made by
`scripts/awkward_tables.py` and checked by the tests. Nothing here ends in a traceback. A table is read, with a note or warning if there is
reason for one, or it is refused with the reason and the place. The lines are the same with pandas 2.2 and pandas 3.

Which category a type declares first (a pandas category, ordered or not, a polars Enum, an Arrow dictionary), and whether it declares more
than the rows have, plays no role: categories are those that some row has, ascending, and words that all are numbers are in the order of the
numbers. So the same table gives the same model in every container and file.

"""


def answers() -> Iterator[tuple[str, str, str]]:
    """Door, case, and what happens."""
    for case, make in frames().items():
        yield "Python", case, ask_python(make())
    with tempfile.TemporaryDirectory() as folder:
        for case, told in files().items():
            yield "command line", case, ask_program(*told, folder=Path(folder))


def page(found: list[tuple[str, str, str]]) -> str:
    """The page as text."""
    parts = [HEAD]
    for door in ("Python", "command line"):
        rows = [(case, what) for where, case, what in found if where == door]
        title = "Frames and arrays, in Python" if door == "Python" else "Files, on the command line"
        parts.append(f"## {title}\n\n| {len(rows)} tables | what happens |\n|---|---|\n")
        parts += [f"| {_escaped(case)} | {_escaped(what)} |\n" for case, what in rows]
        parts.append("\n")
    return "".join(parts).rstrip() + "\n"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "\\<").replace("*", "\\*").replace("[", "\\[").replace("_", "\\_")


if __name__ == "__main__":
    PAGE.write_text(page(list(answers())), encoding="utf-8")
    sys.stdout.write(f"{PAGE.name} written\n")
