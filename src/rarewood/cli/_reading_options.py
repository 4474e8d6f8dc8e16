"""The options of every command that reads tables: how files are written, and what to do with cells that do not fit."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._options import READING, parted

if TYPE_CHECKING:
    from rarewood._table_files.dialects import Dialect

ToldDialect = Any
"""What a user says of files, a `Dialect`: in a command that `reads_tables`, the place of the options below."""


def _told_dialect(
    sep: Annotated[
        str | None,
        typer.Option(
            "--sep",
            help="Separator between the cells of a text file.",
            show_default="detected",
            rich_help_panel=READING,
        ),
    ] = None,
    decimal: Annotated[
        str | None,
        typer.Option("--decimal", help="Decimal mark, . or ,.", show_default="detected", rich_help_panel=READING),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(
            "--encoding",
            help="Encoding of a text file, such as latin-1.",
            show_default="detected",
            rich_help_panel=READING,
        ),
    ] = None,
    thousands: Annotated[
        str | None,
        typer.Option(
            "--thousands",
            help="Mark between thousands: . , ' or space.",
            show_default="detected",
            rich_help_panel=READING,
        ),
    ] = None,
    date_format: Annotated[
        list[str] | None,
        typer.Option(
            "--date-format",
            metavar="FORMAT",
            help="How dates are written: dmy, mdy, or a format such as %d/%m/%Y; for one column, COLUMN=FORMAT.",
            show_default="detected",
            rich_help_panel=READING,
        ),
    ] = None,
    missing: Annotated[
        list[str] | None,
        typer.Option(
            "--missing",
            metavar="WORDS",
            help="Words for missing cells besides the usual ones, such as 'k.A.,#NV,-'; for one column, COLUMN=WORDS.",
            rich_help_panel=READING,
        ),
    ] = None,
    sheet: Annotated[
        str | None,
        typer.Option(
            "--sheet",
            help="Sheet of a workbook, or table of a database.",
            show_default="the first sheet",
            rich_help_panel=READING,
        ),
    ] = None,
    skip: Annotated[
        int | None,
        typer.Option(
            "--skip",
            min=0,
            help="Lines or rows above the names of the columns.",
            show_default="detected",
            rich_help_panel=READING,
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Refuse cells that are not of the kind of their column; otherwise they count as missing.",
            rich_help_panel=READING,
        ),
    ] = False,
) -> Dialect:
    """What a user says of files; raises for what cannot be."""
    from rarewood._table_files.dialects import told_dialect

    sep = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}.get(sep or "", sep)
    thousands = {"space": " "}.get(thousands or "", thousands or "")
    try:
        return told_dialect(
            sep=sep,
            decimal=decimal,
            encoding=encoding,
            thousands=thousands,
            date_format={name: texts[-1] for name, texts in _by_column(date_format).items()},
            missing={name: _words(texts) for name, texts in _by_column(missing).items()},
            sheet=sheet,
            skip=skip,
            strict=strict,
        )
    except ValueError as error:
        raise CommandError(ExitCode.USAGE, f"--{str(error).replace('date_format', 'date-format')}") from error


_OPTIONS = inspect.signature(_told_dialect).parameters


def _by_column(given: Sequence[str] | None) -> dict[str | None, list[str]]:
    """What is told of each column, and under None of all."""
    found: dict[str | None, list[str]] = {}
    for text in given or ():
        column, equals, told = text.rpartition("=")
        found.setdefault(column if equals else None, []).append(told)
    return found


def _words(texts: Sequence[str]) -> list[str]:
    return [word for text in texts for word in parted(text)]


def reads_tables(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options above, in the place of its parameter `dialect`."""
    own = inspect.signature(command, eval_str=True)
    options = inspect.signature(_told_dialect, locals={"Dialect": object}, eval_str=True).parameters.values()

    @wraps(command)
    def run(**given: Any) -> None:
        told = _told_dialect(**{name: given.pop(name) for name in list(given) if name in _OPTIONS})
        command(**given, dialect=told)

    parameters = [
        each for name, parameter in own.parameters.items() for each in (options if name == "dialect" else [parameter])
    ]
    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def told_options(dialect: Dialect) -> dict[str, object]:
    """The options that a user has given, each with its value; those that were not given are None."""
    return {
        "--sep": dialect.separator,
        "--decimal": dialect.decimal,
        "--encoding": dialect.encoding,
        "--thousands": dialect.thousands or None,
        "--date-format": dialect.dates or None,
        "--missing": dialect.missing or None,
        "--sheet": dialect.table,
        "--skip": dialect.skip,
        "--strict": dialect.strict or None,
    }
