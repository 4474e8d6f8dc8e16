"""Run every bench_*.py of this folder, print the tables and keep them.

python benchmarks/run.py              the figures the project promises
python benchmarks/run.py --quick      small tables: does it all run?
python benchmarks/run.py tree         only bench_tree.py
python benchmarks/run.py --write-docs also rewrite the page of each in docs/benchmarks/
python benchmarks/run.py forest --part fit-a-1   a piece of a long one; the page is made of all pieces kept in results/

Run by themselves: quality/, quality_many_classes.py, patterns_quality.py, planted_rules.py, predict_large.py.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import importlib
import importlib.metadata
import json
import os
import platform
from collections.abc import Callable
from pathlib import Path

from report import REACHED, Table, markdown_rows

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
    parser.add_argument(
        "--part", action="append", default=[], help="of a benchmark that has parts: only this one; may be repeated"
    )
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
        wanted = options.part
        left_out: list[str] = []
        if wanted:
            tables, left_out = tables_of_parts(name, module.parts(), wanted)
        else:
            tables = module.run(quick=options.quick)
        page = render(name, tables, quick=options.quick, left_out=left_out)
        keep(name, page, in_docs=options.write_docs)
        print("\n" + page)
    return 0


def tables_of_parts(
    name: str, parts: dict[str, Callable[[], list[Table]]], wanted: list[str]
) -> tuple[list[Table], list[str]]:
    """Runs the wanted parts, keeps what they found, and returns it with what was kept of the others; parts not run yet."""
    if unknown := set(wanted) - {*parts}:
        raise SystemExit(f"{name} has no such part: {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    path = RESULTS / f"{name}.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    for part in wanted:
        kept[part] = [dataclasses.asdict(table) for table in parts[part]()]
        RESULTS.mkdir(exist_ok=True)
        path.write_text(json.dumps(kept))
    tables = [Table(**table) for part in parts for table in kept.get(part, [])]
    return tables, [part for part in parts if part not in kept]


def joined(tables: list[Table]) -> list[Table]:
    """Tables of one title as one."""
    by_title: dict[str, Table] = {}
    for table in tables:
        first = by_title.setdefault(table.title, dataclasses.replace(table, rows=[]))
        first.rows.extend(table.rows)
    return list(by_title.values())


def keep(name: str, page: str, *, in_docs: bool) -> None:
    for folder in [RESULTS, DOCS] if in_docs else [RESULTS]:
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.md").write_text(page)


def render(name: str, tables: list[Table], *, quick: bool, left_out: list[str]) -> str:
    tables = joined(tables)
    lines = [f"# Benchmark: {name.replace('_', ' ')}", "", circumstances(f"make bench ARGS={name}"), ""]
    if quick:
        lines += ["**Quick run: small tables, few rounds. The verdicts mean little.**", ""]
    lines += [table.to_markdown(promises=False) for table in tables]
    if left_out:
        lines += [f"Parts that were not run for this page: {', '.join(left_out)}.", ""]
    promises = [promise for table in tables for promise in table.promises()]
    if promises:
        reached = sum(verdict == REACHED for *_, verdict in promises)
        lines += ["## Targets", "", f"{reached} reached, {len(promises) - reached} not reached.", ""]
        lines += [*markdown_rows([["table", "figure", "target", "verdict"], *promises]), ""]
    return "\n".join(lines)


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
