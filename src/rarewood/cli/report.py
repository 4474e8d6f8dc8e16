"""`rarewood report`: one page on how well a model does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rarewood.cli import _options as options
from rarewood.cli import _reading_options as reading_options
from rarewood.cli._errors import CommandError, ExitCode, told_in_one_line
from rarewood.cli._screen import Screen


@told_in_one_line
@reading_options.reads_tables
def report(
    model: options.ModelPath,
    data: Annotated[
        str, typer.Argument(metavar="TEST", help="Labelled rows that the model has not seen; - is standard input.")
    ],
    train: Annotated[
        str | None,
        typer.Option(
            help="The training rows, to check drift, baselines, rows that are in both tables, and whether more rows would help."
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="HTML file.", show_default="<MODEL>.html, here")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            help="Call a row positive at or above this score, or choose the score on these rows: f1, precision=0.9, "
            "recall=0.8, cost=1:20, alerts=0.5%, alerts=200.",
            show_default="that of the model",
        ),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(
            help="Cost of a false alarm and of a miss, such as 1:20, or 5:amount with a column that has the cost of missing each row."
        ),
    ] = None,
    cost_column: options.CostColumn = None,
    segments: Annotated[
        list[str] | None,
        typer.Option(help="Columns to group rows by, such as country,channel: figures for each group."),
    ] = None,
    review: Annotated[
        list[str] | None,
        typer.Option(help="How many rows you can review a day, such as 20,100.", show_default="a few suitable numbers"),
    ] = None,
    card: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=TEXT", help="A line for the model card, such as 'Owner=Fraud team'."),
    ] = None,
    others: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="Other model files, to be compared on the same rows: last_year.rarewood,simple.rarewood.",
        ),
    ] = None,
    baseline: Annotated[bool, typer.Option(help="Compare with simple methods fitted to --train.")] = True,
    learning_curve: Annotated[
        bool, typer.Option(help="Fit the model again to parts of --train, to tell whether more rows would help.")
    ] = True,
    target: options.Target = None,
    dialect: reading_options.ToldDialect = None,
    jobs: options.Jobs = -1,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Write one page on how well a model finds the rare class: model card, threshold, costs, gains, drift, rules, reasons.

    Example: rarewood report payments.rarewood test.csv --train payments.csv --costs 1:20 --segments country
    """
    from rarewood.cli._files import check_writable
    from rarewood.cli._model import read_model
    from rarewood.cli._reporting import Extras, build_report
    from rarewood.cli._settings import costs_by_row, given_threshold, parse_card, parse_costs, parse_review

    screen = Screen(quiet, as_json)
    path = f"{Path(model).stem}.html" if output is None else output
    check_writable(path, [model, data, train, *options.listed(others)])
    threshold, by_row = costs_by_row(threshold, cost_column)
    pair = by_row or parse_costs(costs, cost_column)
    extras = Extras(
        options.listed(segments),
        parse_review(options.listed(review)),
        parse_card(card or []),
        [read_model(each, jobs) for each in options.listed(others)],
    )
    if train == data:
        raise CommandError(ExitCode.USAGE, "TEST and --train are the same file; test a model on rows it has not seen")
    page = build_report(
        read_model(model, jobs, data),
        data,
        train,
        target=target,
        title=title,
        threshold=None if threshold is None else given_threshold(threshold),
        costs=pair,
        baseline=baseline,
        learning_curve=learning_curve,
        n_jobs=jobs,
        seed=seed,
        verbose=screen.verbose,
        dialect=dialect,
        extras=extras,
        note=lambda text: screen.line(f"note: {text}"),
    )
    page.save(path)
    screen.line(f"{page}\nPage written to {path}")
    screen.result({"output": path, **{key: page.summary[key] for key in ("measures", "decisions", "problems")}})
