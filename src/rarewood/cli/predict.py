"""`rarewood predict`: scores, labels, rules and reasons for a table of any size."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from rarewood.cli import _options as options
from rarewood.cli import _reading_options as reading_options
from rarewood.cli._errors import CommandError, ExitCode, told_in_one_line
from rarewood.cli._screen import Screen


@told_in_one_line
@reading_options.reads_tables
def predict(
    model: options.ModelPath,
    data: options.Data,
    output: Annotated[
        str, typer.Option("--output", "-o", help="CSV (plain or .gz) or Parquet file; - is standard output.")
    ] = "-",
    threshold: Annotated[
        str | None,
        typer.Option(
            help="Call a row positive at or above this score; cost=1:20 (a false alarm : a miss) for calibrated models, or cost=5:amount "
            "with a column that has the cost of missing each row; alerts=200 or alerts=0.5% for the highest scores of this file; none "
            "for the most probable class.",
            show_default="that of the model",
        ),
    ] = None,
    top: Annotated[
        int | None, typer.Option(min=1, help="Call this many rows positive, those with the highest scores.")
    ] = None,
    cost_column: options.CostColumn = None,
    prior: options.Prior = None,
    rules: Annotated[bool, typer.Option("--rules", help="Also write the rules that hold for each row.")] = False,
    reasons: Annotated[
        int | None,
        typer.Option(min=1, help="Also write this many reasons for each alarm: the columns that moved its score most."),
    ] = None,
    reasons_for: Annotated[
        str, typer.Option("--reasons-for", help="Which rows get reasons: alarms or all.")
    ] = "alarms",
    safe_csv: options.SafeCsv = False,
    ids: options.Ids = None,
    block_rows: Annotated[int, typer.Option(min=1, help="Rows to hold in memory at a time.")] = 20_000,
    dialect: reading_options.ToldDialect = None,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Score a table of any size: for each row the score of the rare class, a label and, on request, rules and reasons.

    Rows are read, scored and written in blocks, so the file may be larger than memory.
    Example: rarewood predict payments.rarewood new.csv.gz --rules --output scored.csv
    """
    from rarewood.cli._amounts import Amounts
    from rarewood.cli._files import STANDARD, check_readable, check_writable
    from rarewood.cli._model import read_model
    from rarewood.cli._model_rules import rules_of
    from rarewood.cli._scoring import Wanted, give_threshold, score_file
    from rarewood.cli._settings import costs_by_row, tell_prior

    if as_json and output == STANDARD:
        raise CommandError(
            ExitCode.USAGE,
            "--json prints a summary to standard output, where the scores would go; name a file for the scores "
            "with --output",
        )
    if reasons_for not in ("alarms", "all"):
        raise CommandError(ExitCode.USAGE, f"--reasons-for {reasons_for} is not understood; give alarms or all")
    if top is not None and threshold is not None:
        raise CommandError(ExitCode.USAGE, "--top and --threshold both say which rows to call positive; choose one")
    screen = Screen(quiet, as_json, text_on_stderr=output == STANDARD)
    check_readable(data)
    check_writable(output, [model, data])
    file = read_model(model, jobs, data)
    if prior is not None:
        tell_prior(file.model, prior, file.positive)
    threshold, costs = costs_by_row(threshold, cost_column)
    asked = threshold if top is None else f"alerts={top}"
    alerts = None if asked is None else give_threshold(file, asked)
    start = time.perf_counter()
    wanted = Wanted(
        options.listed(ids),
        rules_of(file.model, file.metadata, file.positive) if rules else None,
        reasons,
        reasons_for == "all",
        safe_csv,
        Amounts.of(costs, cost_column),
    )
    scored = score_file(
        data,
        output,
        file,
        wanted,
        top=alerts,
        block_rows=block_rows,
        verbose=screen.verbose,
        dialect=dialect,
        note=lambda text: screen.line(f"note: {text}"),
    )
    seconds = time.perf_counter() - start
    where = "" if output == STANDARD else f", in {output}"
    lowest = "" if scored.lowest is None else f", the highest scores down to {scored.lowest:.4g}"
    screen.line(
        f"{scored.n_rows:,} rows scored in {seconds:.1f} s, {scored.n_positive:,} of them called {file.positive}{lowest}{where}"
    )
    if scored.expected_loss is not None:
        screen.line(
            f"loss to expect: {scored.expected_loss:,.2f} in all rows, {scored.expected_in_alarms:,.2f} of it in those called "
            f"{file.positive}"
        )
    screen.result(
        {
            "output": output,
            "rows": scored.n_rows,
            "called_positive": scored.n_positive,
            "positive": str(file.positive),
            "lowest_called": scored.lowest,
            "expected_loss": scored.expected_loss,
            "expected_loss_called": scored.expected_in_alarms,
            "seconds": round(seconds, 3),
        }
    )
