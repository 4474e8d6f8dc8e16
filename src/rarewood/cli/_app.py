"""The commands."""

from __future__ import annotations

from typing import Annotated

import typer

from rarewood.cli.compare import compare
from rarewood.cli.demo import demo
from rarewood.cli.describe import describe
from rarewood.cli.fit import fit
from rarewood.cli.monitor import monitor
from rarewood.cli.predict import predict
from rarewood.cli.recalibrate import recalibrate
from rarewood.cli.report import report
from rarewood.cli.reproduce import reproduce
from rarewood.cli.review import review
from rarewood.cli.rules import rules

app = typer.Typer(
    name="rarewood",
    help="Decision trees and forests that find the rare class: a table in, a model, scores, rules and a report out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for command in (demo, fit, predict, rules, describe, compare, reproduce, report, monitor, recalibrate, review):
    app.command()(command)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        import rarewood

        typer.echo(f"rarewood {rarewood.__version__}")
        raise typer.Exit


@app.callback()
def _about(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None: ...
