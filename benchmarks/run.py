"""Run every bench_*.py of this folder, print the tables and keep them.

python benchmarks/run.py              the figures the project promises
python benchmarks/run.py --quick      small tables: does it all run?
python benchmarks/run.py tree         only bench_tree.py
python benchmarks/run.py --write-docs also rewrite docs/benchmarks.md
python benchmarks/run.py quality      only if asked for: quality.py, which by itself writes docs/quality.md
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import importlib.metadata
import os
import platform
from pathlib import Path

from report import Table

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "latest.md"
DOCS = HERE.parent / "docs" / "benchmarks.md"
PACKAGES = ["rarewood", "numpy", "scikit-learn", "imbalanced-learn"]


FIRST = ["tree", "forest"]
ON_REQUEST = ["quality"]  # takes a quarter of an hour and times nothing


def available() -> list[str]:
    found = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    return sorted(found, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "benchmarks",
        nargs="*",
        metavar="name",
        help=f"which to run: {', '.join(available())} (default: all of these), quality",
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--quick", action="store_true", help="small tables and few rounds; verdicts mean little")
    mode.add_argument("--full", action="store_true", help="all workloads (the default)")
    parser.add_argument("--write-docs", action="store_true", help="also write docs/benchmarks.md")
    options = parser.parse_args()
    unknown = set(options.benchmarks) - {*available(), *ON_REQUEST}
    if unknown:
        parser.error(
            f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(available() + ON_REQUEST)}"
        )

    tables: list[Table] = []
    for name in options.benchmarks or available():
        print(f"\n=== {name}", flush=True)
        module = importlib.import_module(name if name in ON_REQUEST else f"bench_{name}")
        reason = getattr(module, "missing", lambda: None)()
        if reason:
            print(f"  left out: {reason}")
            continue
        tables += module.run(quick=options.quick)
        keep(
            render(tables, quick=options.quick), in_docs=options.write_docs
        )  # now: a stopped run loses only what it was at

    print("\n" + render(tables, quick=options.quick))
    return 0


def keep(page: str, *, in_docs: bool) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(page)
    if in_docs:
        DOCS.write_text(page)


def render(tables: list[Table], *, quick: bool) -> str:
    lines = ["# Benchmarks", "", circumstances("make bench"), ""]
    if quick:
        lines += ["**Quick run: small tables, few rounds. The verdicts mean little.**", ""]
    missed = [(table.title, row) for table in tables for row in table.missed]
    reached = sum("reached" in row for table in tables for row in table.rows)
    lines += [f"{reached} targets reached, {len(missed)} not reached.", ""]
    lines += [f"- not reached: {title}: {', '.join(row)}" for title, row in missed]
    lines += [""] if missed else []
    return "\n".join([*lines, *(table.to_markdown() for table in tables)])


def circumstances(command: str) -> str:
    """One line that says how, when and with what a page was made."""
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    machine = f"{os.cpu_count()} cores, {_processor()}"
    return f"Made by `{command}` on {today}: Python {platform.python_version()}, {', '.join(versions)}; {machine}."


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    raise SystemExit(main())
