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

    def to_markdown(self) -> str:
        widths = [max(len(row[i]) for row in [self.columns, *self.rows]) for i in range(len(self.columns))]

        def line(cells: list[str]) -> str:
            return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"

        rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
        parts = [f"## {self.title}", ""]
        if self.note:
            parts += [self.note, ""]
        return "\n".join([*parts, line(self.columns), rule, *map(line, self.rows), ""])

    @property
    def missed(self) -> list[list[str]]:
        """Rows whose target was not reached."""
        return [row for row in self.rows if NOT_REACHED in row]


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
    return f"{n_bytes / 1e6:.3g} MB"
