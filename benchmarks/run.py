"""Run every bench_*.py of this folder, print the tables and keep them.

python benchmarks/run.py              the figures the project promises
python benchmarks/run.py --quick      small tables: does it all run?
python benchmarks/run.py tree         only bench_tree.py
python benchmarks/run.py --write-docs also rewrite the page of each in docs/benchmarks/

Run by themselves: quality/, quality_many_classes.py, patterns_quality.py, planted_rules.py, predict_large.py.
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
RESULTS = HERE / "results"
DOCS = HERE.parent / "docs" / "benchmarks"
PACKAGES = ["rarewood", "numpy", "scikit-learn", "imbalanced-learn"]


FIRST = ["tree", "forest"]


def available() -> list[str]:
    found = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    return sorted(found, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "benchmarks",
        nargs="*",
        metavar="name",
        help=f"which to run: {', '.join(available())} (default: all of these)",
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--quick", action="store_true", help="small tables and few rounds; verdicts mean little")
    mode.add_argument("--full", action="store_true", help="all workloads (the default)")
    parser.add_argument("--write-docs", action="store_true", help="also write docs/benchmarks/<name>.md")
    options = parser.parse_args()
    unknown = set(options.benchmarks) - {*available()}
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(available())}")

    for name in options.benchmarks or available():
        print(f"\n=== {name}", flush=True)
        module = importlib.import_module(f"bench_{name}")
        reason = getattr(module, "missing", lambda: None)()
        if reason:
            print(f"  left out: {reason}")
            continue
        page = render(name, module.run(quick=options.quick), quick=options.quick)
        keep(name, page, in_docs=options.write_docs)
        print("\n" + page)
    return 0


def keep(name: str, page: str, *, in_docs: bool) -> None:
    for folder in [RESULTS, DOCS] if in_docs else [RESULTS]:
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.md").write_text(page)


def render(name: str, tables: list[Table], *, quick: bool) -> str:
    lines = [f"# Benchmark: {name.replace('_', ' ')}", "", circumstances(f"make bench ARGS={name}"), ""]
    if quick:
        lines += ["**Quick run: small tables, few rounds. The verdicts mean little.**", ""]
    missed = [(table.title, row) for table in tables for row in table.missed]
    reached = sum("reached" in row for table in tables for row in table.rows)
    if reached or missed:
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
