"""Arguments and options that several commands share."""

from __future__ import annotations

import csv
from typing import Annotated

import typer

from rarewood.cli._errors import CommandError, ExitCode

_COLUMNS = "Columns"
_OUTPUT = "Output"
READING = "Reading files"
_LARGE = "Data larger than memory"

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A table: CSV, Parquet, Arrow, Excel, JSON lines or ARFF, plain or .gz, or a database table as "
        "file.db::table; - is standard input.",
    ),
]
ModelPath = Annotated[str, typer.Argument(metavar="MODEL", help="A model file written by `rarewood fit`.")]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="Column with the labels.", show_default="the last", rich_help_panel=_COLUMNS),
]
Positive = Annotated[
    str | None,
    typer.Option("--positive", "-p", help="Label to find.", show_default="the rarest", rich_help_panel=_COLUMNS),
]
Nominal = Annotated[
    list[str] | None,
    typer.Option(
        "--nominal", help="Columns to read as categories, in addition to those detected.", rich_help_panel=_COLUMNS
    ),
]
Numeric = Annotated[
    list[str] | None, typer.Option("--numeric", help="Columns to read as numbers.", rich_help_panel=_COLUMNS)
]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Columns to leave out.", rich_help_panel=_COLUMNS)]
DropSuspects = Annotated[
    bool,
    typer.Option(
        "--drop-suspects",
        help="Leave out columns that give the class away, identify rows or repeat another column.",
        rich_help_panel=_COLUMNS,
    ),
]
Ids = Annotated[
    list[str] | None,
    typer.Option(
        "--id",
        help="Columns that identify rows: not used for training, copied to the predictions.",
        rich_help_panel=_COLUMNS,
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        "--time",
        help="Column of dates or times: train on the past, test on the future. The column itself is not used for "
        "training.",
        show_default=False,
        rich_help_panel=_COLUMNS,
    ),
]
Delay = Annotated[
    str | None,
    typer.Option(
        "--delay",
        help="How long after --time the label of a row is known, such as 7d, 36h, 2w or 15min, or a number if that column holds "
        "numbers: rows whose labels were not known in time are left out.",
        show_default=False,
        rich_help_panel=_COLUMNS,
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        "--group",
        help="Column of groups, such as customers: no group is on both sides of the split. The column itself is not "
        "used for training.",
        show_default=False,
        rich_help_panel=_COLUMNS,
    ),
]
Unlabelled = Annotated[
    str,
    typer.Option("--unlabelled", help="What to do with rows without a label: drop or error.", rich_help_panel=READING),
]
MergeLabels = Annotated[
    bool,
    typer.Option(
        "--merge-labels",
        help="Labels that differ only by case or spaces are one class, written as the most frequent of them.",
        rich_help_panel=READING,
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
        help="Share of the label to find among the rows to score, such as 0.01, or shares by label: fraud=0.01.",
        show_default="that of the training rows",
    ),
]
Increasing = Annotated[
    list[str] | None,
    typer.Option(
        "--increasing",
        help="Columns of numbers with which the probability of the label to find may only rise.",
        rich_help_panel=_COLUMNS,
    ),
]
Decreasing = Annotated[
    list[str] | None,
    typer.Option("--decreasing", help="Columns of numbers with which it may only fall.", rich_help_panel=_COLUMNS),
]
CostColumn = Annotated[
    str | None,
    typer.Option(
        "--cost-column",
        metavar="COLUMN",
        help="Column with what it costs to miss each row, such as the amount of a payment: figures in money.",
        show_default=False,
    ),
]
Forget = Annotated[
    bool,
    typer.Option(
        "--forget",
        help="Leave out of the model file what `monitor` compares new rows with: distributions of columns and scores.",
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="AMOUNT",
        help="Read Parquet files part by part, within this much memory, such as 4GB. DATA may be a folder or a glob.",
        show_default="the whole table is read",
        rich_help_panel=_LARGE,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Have the workers of a Dask cluster read Parquet files, such as tcp://scheduler:8786.",
        rich_help_panel=_LARGE,
    ),
]


def _some_processors(jobs: int) -> int:
    if jobs == 0:
        raise typer.BadParameter("0 is not accepted; give a number of processors, or -1 for all.")
    return jobs


Jobs = Annotated[
    int, typer.Option("--jobs", "-j", help="Number of processors; -1 uses all.", callback=_some_processors)
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Random seed.")]
SafeCsv = Annotated[
    bool, typer.Option("--safe-csv", help="Put a quote before cells that a spreadsheet would read as formulas.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=_OUTPUT)]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.", rich_help_panel=_OUTPUT)]


def listed(given: list[str] | None) -> tuple[str, ...]:
    """Values of an option that may be repeated or have several names with commas between; in quotes, a name may have commas."""
    return tuple(name.strip() for text in given or () for name in parted(text) if name.strip())


def parted(text: str) -> list[str]:
    """What is between the commas of one value; one with a line end outside of quotes is a name as it is."""
    try:
        return [each for row in csv.reader([text], skipinitialspace=True) for each in row]
    except csv.Error:
        return [text]


def listed_settings(given: list[str] | None) -> tuple[str, ...]:
    """Settings as they are: a value may have commas."""
    return tuple(given or ())


def check_delay(delay: str | None, time: str | None) -> str | None:
    """A length of time, with --time to count it from; asked for before the table is read."""
    from rarewood._tables.delays import read_length

    if delay is None:
        return None
    if time is None:
        raise CommandError(
            ExitCode.USAGE, f"--delay {delay} needs --time, the column of the moment after which labels are known"
        )
    try:
        read_length(delay)
    except ValueError as error:
        raise CommandError(ExitCode.USAGE, f"--{error}") from error
    return delay


def check_unlabelled(word: str) -> str:
    """Drop or error."""
    if word not in ("drop", "error"):
        raise CommandError(ExitCode.USAGE, f"--unlabelled {word} is not understood; give drop or error")
    return word
