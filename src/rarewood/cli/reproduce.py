"""`rarewood reproduce`: the experiments of a paper, our figures beside the printed ones."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rarewood.cli import _options as options
from rarewood.cli._errors import CommandError, ExitCode, told_in_one_line
from rarewood.cli._screen import Screen


@told_in_one_line
def reproduce(
    paper: Annotated[
        str | None, typer.Argument(metavar="[PAPER]", help="Short name of a paper; without it, all papers are listed.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="All available data sets, with the paper's own protocol; takes hours.")
    ] = False,
    experiment: Annotated[list[str] | None, typer.Option(help="Only these experiments.")] = None,
    dataset: Annotated[list[str] | None, typer.Option(help="Only these data sets.")] = None,
    method: Annotated[list[str] | None, typer.Option("--method", "-m", help="Only these methods.")] = None,
    protocol: Annotated[str | None, typer.Option(help="Another protocol, such as 5x2.")] = None,
    cache: Annotated[str | None, typer.Option(help="Folder for results; a stopped run resumes from there.")] = None,
    output: Annotated[str, typer.Option("--output", "-o", help="Markdown file; - is standard output.")] = "-",
    jobs: options.Jobs = -1,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Repeat the experiments of a paper and print our figures next to its own, with a verdict on each claim.

    Data sets come from scikit-learn, from the extra `keel`, and from the folder that RAREWOOD_DATA names.
    Example: rarewood reproduce hedex --experiment tables-7-8 --dataset car,glass --protocol 1x2
    """
    from rarewood.cli._files import STANDARD, check_writable, whole_file
    from rarewood.reproduction import papers
    from rarewood.reproduction import reproduce as repeat

    screen = Screen(quiet, as_json, text_on_stderr=output == STANDARD)
    if paper is None:
        Screen(quiet, as_json).line("\n".join(papers()))
        screen.result({"papers": papers()})
        return
    check_writable(output, [cache])
    try:
        result = repeat(
            paper,
            full,
            experiments=options.listed(experiment) or None,
            datasets=options.listed(dataset) or None,
            methods=options.listed(method) or None,
            protocol=protocol,
            n_jobs=jobs,
            progress=bool(screen.verbose),
            cache=cache,
            random_state=seed,
        )
    except ValueError as error:
        raise CommandError(ExitCode.USAGE, str(error)) from error
    except FileNotFoundError as error:
        raise CommandError(ExitCode.UNREADABLE, str(error)) from error
    text = result.to_markdown(f"rarewood {' '.join(sys.argv[1:])}")
    if not (as_json or (quiet and output == STANDARD)) or output != STANDARD:
        with whole_file(output) as file:
            file.write(text.encode())
    if output != STANDARD:
        screen.line(f"{result}\nPage written to {output}")
    screen.result({"paper": paper, "full": full, "summary": repr(result), "markdown": text})
