"""The `rarewood` command: a table in, a model, scores, rules and a report out.

The modules named after commands hold their arguments and what they print; the others do the work and know nothing of terminals.
Nothing here imports numpy or scikit-learn before a command runs, so that help appears at once.
"""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command that the arguments of the program name."""
    from rarewood.cli._program import run_program

    run_program(_run)


def _run() -> None:
    try:
        import typer  # noqa: F401
    except ImportError:
        import sys

        sys.stderr.write("rarewood: the command line needs typer, rich and pandas: pip install typer rich pandas\n")
        raise SystemExit(8) from None
    from rarewood.cli._app import app

    app(prog_name="rarewood")
