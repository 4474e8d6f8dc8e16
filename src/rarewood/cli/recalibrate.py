"""`rarewood recalibrate`: new probabilities from labelled rows."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from rarewood.cli import _options as options
from rarewood.cli import _reading_options as reading_options
from rarewood.cli._errors import told_in_one_line
from rarewood.cli._screen import Screen, told_threshold


@told_in_one_line
@reading_options.reads_tables
def recalibrate(
    model: options.ModelPath,
    data: Annotated[
        str, typer.Argument(metavar="LABELLED", help="New rows with labels, a random sample; - is standard input.")
    ],
    output: Annotated[str, typer.Option("--output", "-o", help="The new model file.")],
    weight: Annotated[
        str | None,
        typer.Option(
            "--weight",
            help="Column that says how many rows each row stands for, where they are no random sample, such as `weight` of "
            "`rarewood review`.",
        ),
    ] = None,
    target: options.Target = None,
    dialect: reading_options.ToldDialect = None,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Fit the probabilities of a model to labelled new rows; its trees stay as they are, and so does the old file.

    Example: rarewood recalibrate payments.rarewood labelled.csv --output payments-march.rarewood
    """
    from rarewood.cli._files import check_model_name, check_readable, check_writable
    from rarewood.cli._model import read_model
    from rarewood.cli._monitoring import recalibrate_file
    from rarewood.export import save

    screen = Screen(quiet, as_json)
    check_readable(data)
    check_model_name(output)
    check_writable(output, [model, data])
    file = read_model(model, jobs, data)
    later = recalibrate_file(
        data,
        file,
        target=target,
        weight=weight,
        dialect=dialect,
    )
    told = later.recalibration_
    save(later, output, metadata={**file.stored, "recalibrated": asdict(told)})
    screen.line(f"{told}")
    screen.line(f"threshold {told_threshold(getattr(later, 'decision_threshold_', None))}")
    screen.line(f"Model written to {output}")
    screen.result({"output": output, **asdict(told)})
