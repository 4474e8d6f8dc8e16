"""Tables for notebooks that fit the diagrams of scikit-learn: they take the colours of the notebook, light or dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_STYLE = """
.rarewood-table { color: var(--jp-content-font-color1, inherit); font-size: .93em; margin: .3em 0; }
.rarewood-table table { border-collapse: collapse; margin: 0; border: 1px solid #8884; }
.rarewood-table caption { text-align: left; padding: .2em 0; font-weight: 600; color: inherit; }
.rarewood-table th, .rarewood-table td {
  text-align: left; padding: .2em .7em; border-top: 1px solid #8884; background: none; white-space: normal;
}
.rarewood-table th { font-weight: 400; opacity: .8; }
.rarewood-table td.number { text-align: right; font-variant-numeric: tabular-nums; }
.rarewood-table thead th { font-weight: 600; opacity: 1; }
.rarewood-table .figures th, .rarewood-table .figures td { text-align: right; font-variant-numeric: tabular-nums; }
.rarewood-table .figures tr > :first-child { text-align: left; }
.rarewood-table .bar { display: inline-block; height: .7em; background: #b3430b; }
.rarewood-table .bar.less { background: #2f6690; }
"""


def facts(caption: str, rows: Mapping[str, str]) -> str:
    """A name and a text per line."""
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>' for name, text in rows.items()
    )
    return framed(f"<table><caption>{escape(caption)}</caption><tbody>{lines}</tbody></table>")


def bars(caption: str, rows: Sequence[tuple[str, float, str]]) -> str:
    """A name, a bar to the size of a number, and its text per line; a bar of a negative number has another colour."""
    largest = max((abs(value) for _, value, _ in rows), default=0.0) or 1.0
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="number">{escape(text)}</td>'
        f'<td><span class="bar{" less" if value < 0 else ""}" style="width: {8.0 * abs(value) / largest:.2f}em"></span></td></tr>'
        for name, value, text in rows
    )
    return framed(f"<table><caption>{escape(caption)}</caption><tbody>{lines}</tbody></table>")


def framed(table: str) -> str:
    """A table with the style; one of class `figures` has words in its first column and numbers in all others."""
    return f'<div class="rarewood-table"><style>{_STYLE}</style>{table}</div>'
