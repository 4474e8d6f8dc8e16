"""`rarewood monitor`: whether the alarms are still right."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from rarewood.cli import _options as options
from rarewood.cli import _reading_options as reading_options
from rarewood.cli._errors import ExitCode, told_in_one_line
from rarewood.cli._screen import Screen


@partial(told_in_one_line, failed=ExitCode.USAGE)
@reading_options.reads_tables
def monitor(
    model: options.ModelPath,
    data: options.Data,
    time: Annotated[
        str | None, typer.Option("--time", help="Column of dates or times, to show figures by period.")
    ] = None,
    html: Annotated[str | None, typer.Option("--html", help="Also write a page.")] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            help="Findings that end the program with 1: alarms, share, readings, drift, promise, precision, recall, calibration; or none.",
            show_default="all",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            help="Column with labels; empty cells are rows without one.",
            show_default="that of the model",
        ),
    ] = None,
    block_rows: Annotated[int, typer.Option(min=1, help="Rows to hold in memory at a time.")] = 20_000,
    dialect: reading_options.ToldDialect = None,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Compare new rows with what a model remembers: alarms, share of rare rows, drift, precision and recall in two readings.

    Rows are read in blocks, so the file may be larger than memory. Ends with 0 if all is fine, with 1 if something asks for attention,
    with 2 or more after an error. Example: rarewood monitor payments.rarewood march.csv --time day --html march.html
    """
    from rarewood.cli._files import check_readable, check_writable
    from rarewood.cli._model import read_model
    from rarewood.cli._monitoring import read_codes, watch_file

    screen = Screen(quiet, as_json)
    wanted = read_codes(options.listed(fail_on))
    check_readable(data)
    if html is not None:
        check_writable(html, [model, data], "--html")
    found = watch_file(
        data,
        read_model(model, jobs, data),
        target=target,
        time=time,
        block_rows=block_rows,
        dialect=dialect,
        note=lambda text: screen.line(f"note: {text}"),
        verbose=screen.verbose,
    )
    if html is not None:
        found.to_html(html)
    screen.line(str(found) + ("" if html is None else f"\nPage written to {html}"))
    screen.result(found.to_dict())
    if any(each.code in wanted for each in found.findings):
        raise typer.Exit(int(ExitCode.ATTENTION))
