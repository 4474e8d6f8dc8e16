"""`rarewood rules`: what sets the rare class apart, in words."""

from __future__ import annotations

from typing import Annotated

import typer

from rarewood.cli import _options as options
from rarewood.cli._errors import CommandError, ExitCode, told_in_one_line
from rarewood.cli._screen import Screen


@told_in_one_line
def rules(
    model: options.ModelPath,
    data: Annotated[
        str | None,
        typer.Argument(metavar="[DATA]", help="Labelled rows to count the rules on; - is standard input."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many rules to show, the strongest first.")] = 10,
    target: options.Target = None,
    sep: options.Sep = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Show the rules of the rare class that a model file holds, counted on its training rows or on others.

    Example: rarewood rules payments.rarewood test.csv
    """
    from rarewood.cli._model import read_model
    from rarewood.cli._rules import ABOUT, ShortList, rules_of
    from rarewood.cli._training import read_labelled
    from rarewood.cli.fit import show_rules

    screen = Screen(quiet, as_json)
    file = read_model(model, None, data)
    kept = rules_of(file.model, file.metadata, file.positive)
    found, note = kept.rules[:top], kept.note
    unseen = bool(found) and all(rule.unseen is not None for rule in found)
    counted_on = "training rows"
    head = f"Rules of class {file.positive}, " + (
        "on rows that were not used to find them" if unseen else "counted on training rows"
    )
    if data is not None:
        dialect = options.told_dialect(sep, decimal, encoding)
        table = read_labelled(data, file.schema, target, file.positive, dialect)
        is_rare = table.y.astype(str) == str(file.positive)
        if not is_rare.any():
            raise CommandError(
                ExitCode.DATA, f"{table.name} has no row of class {file.positive!r}, which the rules describe"
            )
        found = tuple(rule.counted(table.X, is_rare) for rule in found)
        counted_on, unseen = table.name, False
        head = f"Rules of class {file.positive}, counted on {counted_on}"
        note = "" if found else note
    show_rules(ShortList(found, note), screen, head)
    if unseen:
        screen.line(f"{ABOUT[0].upper()}{ABOUT[1:]}.")
    if not found and not note:
        screen.line("The model has no rules of the rare class.")
    screen.result(
        {
            "positive": str(file.positive),
            "counted_on": counted_on,
            "rules": [rule.as_json() for rule in found],
            "note": note,
        }
    )
