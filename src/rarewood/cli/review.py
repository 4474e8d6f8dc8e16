"""`rarewood review`: which rows to label next."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from rarewood.cli import _options as options
from rarewood.cli import _reading_options as reading_options
from rarewood.cli._errors import CommandError, ExitCode, told_in_one_line
from rarewood.cli._screen import Screen


@told_in_one_line
@reading_options.reads_tables
def review(
    model: options.ModelPath,
    data: options.Data,
    n: Annotated[int, typer.Option("-n", min=1, help="How many rows to label.")] = 50,
    output: Annotated[str, typer.Option("--output", "-o", help="CSV file; - is standard output.")] = "-",
    estimate: Annotated[
        bool,
        typer.Option("--estimate", help="DATA is a file of this command, with labels: estimate base rate and recall."),
    ] = False,
    safe_csv: options.SafeCsv = False,
    ids: options.Ids = None,
    dialect: reading_options.ToldDialect = None,
    jobs: options.Jobs = -1,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Choose rows to label: four fifths are the most probable ones, the others are drawn with known chances.

    The column `weight` says how many rows each row stands for. Promises and base rates from selected labels alone are void.
    Example: rarewood review payments.rarewood march.csv -n 100 --output to_label.csv
    """
    from rarewood.cli._files import STANDARD, check_readable, check_table_name, check_writable
    from rarewood.cli._model import read_model
    from rarewood.cli._monitoring import read_review, review_file, write_review

    if as_json and output == STANDARD and not estimate:
        raise CommandError(
            ExitCode.USAGE, "--json prints to standard output, where the rows would go; name a file with --output"
        )
    screen = Screen(quiet, as_json, text_on_stderr=output == STANDARD and not estimate)
    check_readable(data)
    if output.endswith(".gz"):
        raise CommandError(ExitCode.USAGE, f"--output {output}: the rows are written as plain CSV; name a .csv file")
    check_table_name(output, (".csv",), "a .csv file")
    check_writable(output, [model, data])
    file = read_model(model, jobs, data)
    if estimate:
        from rarewood.cli._monitoring import estimates_of

        found = estimates_of(read_review(data), file)
        screen.line(str(found))
        screen.result(asdict(found))
        return
    chosen, named = review_file(
        data,
        file,
        n,
        ids=options.listed(ids),
        seed=seed,
        dialect=dialect,
        note=lambda text: screen.line(f"note: {text}"),
        verbose=screen.verbose,
    )
    write_review(output, chosen, named, safe_csv)
    screen.line(str(chosen) + ("" if output == STANDARD else f" Written to {output}"))
    screen.result({"output": output, "rows": len(chosen.rows), "drawn": int(chosen.drawn.sum())})
