"""Repeats papers from a terminal: ``python -m rarewood.reproduction hedex``, or ``docs`` for the page on all of them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rarewood.reproduction._page import write_page
from rarewood.reproduction._run import papers, reproduce


def main(arguments: list[str] | None = None) -> int:
    """Parse the arguments, run, print Markdown."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        return _run(given, _command(arguments))
    except (OSError, ValueError) as error:
        parser.error(str(error))


def _run(given: argparse.Namespace, command: str) -> int:
    settings = {
        "n_jobs": given.n_jobs,
        "cache": given.cache,
        "only_cached": given.only_cached,
        "progress": True if given.progress else None,
    }
    if given.what == "docs":
        protocols = dict(given.protocol_of)
        command = _docs_command(given, protocols)
        summary = write_page(given.output, given.full, protocols, command, given.paper, **settings)
        sys.stdout.write(f"{summary}\n\nwritten: {given.output}\n")
        return 0
    chosen = {"experiments": given.experiment, "datasets": given.dataset, "methods": given.method}
    result = reproduce(given.what, given.full, **chosen, protocol=given.protocol, **settings)
    sys.stdout.write(result.to_markdown(command))
    return 0


def _docs_command(given: argparse.Namespace, protocols: dict[str, str]) -> str:
    others = [f"--protocol-of {paper}={protocol}" for paper, protocol in protocols.items()]
    others += ["--only-cached"] * given.only_cached
    return " ".join(["python -m rarewood.reproduction docs", "--full" if given.full else "--quick", *others])


def _paper_and_protocol(text: str) -> tuple[str, str]:
    paper, _, protocol = text.partition("=")
    if paper not in papers() or not protocol:
        raise argparse.ArgumentTypeError(f"{text!r} is not PAPER=PROTOCOL, such as bias=1x10")
    return paper, protocol


def _command(arguments: list[str] | None) -> str:
    return " ".join(["python -m rarewood.reproduction", *(sys.argv[1:] if arguments is None else arguments)])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rarewood.reproduction",
        description="Repeat a paper's experiments and print our figures beside the printed ones.",
        epilog="Data sets: those of scikit-learn, of the extra 'keel', and of the folder that RAREWOOD_DATA names.",
    )
    parser.add_argument("what", choices=[*papers(), "docs"], help="a paper, or docs for a page on all of them")
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--quick", dest="full", action="store_false", help="few data sets and repeats: minutes (the default)"
    )
    size.add_argument(
        "--full", dest="full", action="store_true", help="every data set at hand, the paper's protocol: hours"
    )
    parser.add_argument("--protocol", help="another protocol, such as 5x2")
    parser.add_argument(
        "--protocol-of",
        metavar="PAPER=PROTOCOL",
        type=_paper_and_protocol,
        action="append",
        default=[],
        help="for docs: another protocol for a paper; may be repeated",
    )
    parser.add_argument(
        "--paper",
        choices=papers(),
        action="append",
        default=[],
        help="for docs: only this paper's part of the page that is there; may be repeated",
    )
    parser.add_argument("--experiment", action="append", help="only this experiment; may be repeated")
    parser.add_argument("--dataset", action="append", help="only this data set; may be repeated")
    parser.add_argument("--method", action="append", help="only this method; may be repeated")
    parser.add_argument("--n-jobs", type=int, default=None, help="processes side by side")
    parser.add_argument("--cache", type=Path, default=None, help="folder of results; a stopped run goes on from there")
    parser.add_argument(
        "--only-cached", action="store_true", help="compute nothing, show what the cache has, finished or not"
    )
    parser.add_argument("--progress", action="store_true", help="show progress even where there is no terminal")
    parser.add_argument("--output", type=Path, default=Path("docs/reproduction.md"), help="for docs: the page to write")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
