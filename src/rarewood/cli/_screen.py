"""What appears on the terminal: tables and lines for people, one JSON object for programs.

Names and labels are those of somebody's file: whatever a terminal would obey is escaped here, and in `_errors` for errors.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rarewood._terminal import printable, printable_json


@dataclass(frozen=True)
class Screen:
    """Prints for people unless told to be quiet or to print JSON; progress goes to standard error.

    `text_on_stderr` keeps standard output free where the command writes its result there.
    """

    quiet: bool = False
    json: bool = False
    text_on_stderr: bool = False

    @property
    def verbose(self) -> int:
        """Whether to show progress: 1 on a terminal, unless quiet."""
        return int(not self.quiet and sys.stderr.isatty())

    def line(self, text: str = "") -> None:
        """A line of plain text."""
        if self._is_shown:
            self._console().print(printable(text), highlight=False, markup=False, soft_wrap=True)

    def title(self, text: str) -> None:
        """A heading."""
        if self._is_shown:
            self._console().print(f"\n{printable(text)}", style="bold", highlight=False, markup=False, soft_wrap=True)

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = (0,)) -> None:
        """Aligned columns; those of `left` begin at the left, and wrap."""
        if not self._is_shown:
            return
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for number, name in enumerate(head):
            is_left = number in left
            table.add_column(
                Text(printable(name)), justify="left" if is_left else "right", overflow="fold", no_wrap=not is_left
            )
        for row in rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        self._console().print(table)

    def result(self, found: dict[str, Any]) -> None:
        """The result as JSON, if asked for; NaN is null."""
        if self.json:
            plain = _plain(found)
            text = json.dumps(plain, indent=2, allow_nan=False, ensure_ascii=False)
            if not _can_encode(sys.stdout.encoding, text):
                text = json.dumps(plain, indent=2, allow_nan=False)
            sys.stdout.write(f"{printable_json(text)}\n")

    @property
    def _is_shown(self) -> bool:
        return not (self.quiet or self.json)

    def _console(self) -> Any:
        from rich.console import Console

        return Console(stderr=self.text_on_stderr)


def _can_encode(encoding: str | None, text: str) -> bool:
    try:
        printable_json(text).encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def told_threshold(threshold: Any) -> str:
    """What follows the word `threshold` on a line of its own."""
    return "none; predicts the most probable class" if threshold is None else str(threshold).removeprefix("Threshold ")
