"""Arguments and options that several commands share."""

from __future__ import annotations

import csv
from typing import Annotated

import typer

_COLUMNS = "Columns"
_OUTPUT = "Output"

Data = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV, Parquet or ARFF file, with .gz or not; - is standard input.")
]
ModelPath = Annotated[str, typer.Argument(metavar="MODEL", help="A file that `rarewood fit` has written.")]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="Column of labels.", show_default="the last", rich_help_panel=_COLUMNS),
]
Positive = Annotated[
    str | None,
    typer.Option("--positive", "-p", help="Label to be found.", show_default="the rarest", rich_help_panel=_COLUMNS),
]
Nominal = Annotated[
    list[str] | None,
    typer.Option(
        "--nominal", help="Columns to read as categories, besides those that look so.", rich_help_panel=_COLUMNS
    ),
]
Numeric = Annotated[
    list[str] | None, typer.Option("--numeric", help="Columns to read as numbers.", rich_help_panel=_COLUMNS)
]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Columns to leave out.", rich_help_panel=_COLUMNS)]
Ids = Annotated[
    list[str] | None,
    typer.Option(
        "--id", help="Columns that name rows: not learned from, kept in predictions.", rich_help_panel=_COLUMNS
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="NAME=VALUE", help="A parameter of the method, such as n_estimators=500."),
]
Prior = Annotated[
    str | None,
    typer.Option(
        "--prior",
        metavar="SHARE",
        help="Share of the label to be found among the rows to score, such as 0.01, or shares by label: fraud=0.01.",
        show_default="that of the training rows",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Processors to use; -1 is all.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=_OUTPUT)]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.", rich_help_panel=_OUTPUT)]


def listed(given: list[str] | None) -> tuple[str, ...]:
    """Values of an option that may be repeated or have several names with commas between; in quotes, a name may have commas."""
    rows = csv.reader(given or (), skipinitialspace=True)
    return tuple(name.strip() for row in rows for name in row if name.strip())


def listed_settings(given: list[str] | None) -> tuple[str, ...]:
    """Settings as they are: a value may have commas."""
    return tuple(given or ())
