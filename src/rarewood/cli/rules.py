"""`rarewood rules`: what sets the rare class apart, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from rarewood.cli import _options as options
from rarewood.cli import _reading_options as reading_options
from rarewood.cli._errors import CommandError, ExitCode, told_in_one_line
from rarewood.cli._screen import Screen


@told_in_one_line
@reading_options.reads_tables
def rules(
    model: options.ModelPath,
    data: Annotated[
        str | None,
        typer.Argument(metavar="[DATA]", help="Labelled rows to count the rules on; - is standard input."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many rules to show, the strongest first.")] = 10,
    target: options.Target = None,
    dialect: reading_options.ToldDialect = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Show the rules of the rare class that a model file holds, counted on its training rows or on others.

    Example: rarewood rules payments.rarewood test.csv
    """
    from rarewood.cli._labels import is_positive
    from rarewood.cli._model import read_model
    from rarewood.cli._model_rules import ABOUT, rules_of
    from rarewood.cli._training import read_labelled
    from rarewood.cli.fit import show_rules

    screen = Screen(quiet, as_json)
    file = read_model(model, None, data)
    stored = rules_of(file.model, file.metadata, file.positive)
    shown = replace(stored, rules=stored.rules[:top])
    with_figures = shown.have_figures
    counted_on = "training rows"
    head = f"Rules of class {file.positive}, " + (
        "on rows that were not used to find them" if with_figures else "counted on training rows"
    )
    if data is not None:
        table = read_labelled(data, file.schema, target, file.positive, dialect)
        is_rare = is_positive(table.y, file.model.classes_.tolist(), file.positive)
        if not is_rare.any():
            raise CommandError(
                ExitCode.DATA, f"{table.name} has no row of class {file.positive!r}, which the rules describe"
            )
        shown = replace(shown.counted(table.X, is_rare), note="" if shown.rules else shown.note)
        for note in table.notes:
            screen.line(f"note: {note}")
        counted_on, with_figures = table.name, False
        head = f"Rules of class {file.positive}, counted on {counted_on}"
    show_rules(shown, screen, head)
    if with_figures:
        screen.line(f"{ABOUT[0].upper()}{ABOUT[1:]}.")
    if not shown.rules and not shown.note:
        screen.line("The model has no rules of the rare class.")
    screen.result(
        {
            "positive": str(file.positive),
            "counted_on": counted_on,
            "rules": shown.to_json()["rules"],
            "note": shown.note,
        }
    )
