"""Tables of results: as lines while they come in, and as Markdown at the end."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Table:
    """A titled table. Cells are strings; `add` prints the row as soon as it is known."""

    title: str
    columns: list[str]
    note: str = ""
    rows: list[list[str]] = field(default_factory=list)

    def add(self, *cells: object) -> None:
        row = [cell if isinstance(cell, str) else f"{cell}" for cell in cells]
        if len(row) != len(self.columns):
            raise ValueError(f"table {self.title!r} has {len(self.columns)} columns, got {len(row)} cells: {row}")
        if not self.rows:
            print(f"\n{self.title}", flush=True)
        self.rows.append(row)
        print(
            "  "
            + " | ".join(f"{name}: {cell}" if name else cell for name, cell in zip(self.columns, row, strict=True)),
            flush=True,
        )

    def to_markdown(self, *, promises: bool = True) -> str:
        """The table; without `promises`, results alone, for a page that lists what was promised in another place."""
        shown = [i for i, name in enumerate(self.columns) if promises or name not in PROMISE]
        cells = [[row[i] for i in shown] for row in [self.columns, *self.rows]]
        parts = [f"## {self.title}", ""]
        if self.note:
            parts += [self.note, ""]
        return "\n".join([*parts, *markdown_rows(cells), ""])

    def promises(self) -> list[list[str]]:
        """Per promised row: the table, the row, the target and the verdict."""
        if PROMISE[0] not in self.columns:
            return []
        target, verdict = (self.columns.index(name) for name in PROMISE)
        return [
            [self.title, ", ".join(row[:target]), row[target], row[verdict]] for row in self.rows if row[verdict] != "-"
        ]


PROMISE = ["target", "verdict"]


def markdown_rows(cells: list[list[str]]) -> list[str]:
    """A table of Markdown, its head first."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]

    def line(row: list[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"

    return [line(cells[0]), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(line, cells[1:])]


REACHED = "reached"
NOT_REACHED = "NOT reached"


def at_least(value: float, target: float | None) -> tuple[str, str]:
    """The two cells 'target' and 'verdict' for a figure that should be large."""
    if target is None:
        return "-", "-"
    return f">= {target:g}x", REACHED if value >= target else NOT_REACHED


def at_most(value: float, target: float | None, unit: str = "") -> tuple[str, str]:
    """The same for a figure that should be small."""
    if target is None:
        return "-", "-"
    return f"<= {target:g}{unit}", REACHED if value <= target else NOT_REACHED


def duration(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.3g} us"


def size(n_bytes: float) -> str:
    return f"{n_bytes / 1e6:,.0f} MB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.3g} MB"
