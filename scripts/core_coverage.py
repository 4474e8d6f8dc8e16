"""Which lines of the core and of its bindings the tests have run: python scripts/core_coverage.py BUILD_FOLDER [--lines].

For a build with RAREWOOD_COVERAGE (`make coverage`). A line of a template counts as run if one of its instances has run it.
"""

import argparse
import collections
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARTS = (ROOT / "core", ROOT / "bindings")


def counts_of(build):
    """How often each line ran, per file."""
    found = collections.defaultdict(collections.Counter)
    for data in sorted(build.resolve().rglob("*.gcda")):
        told = subprocess.run(
            ["gcov", "--json-format", "--stdout", str(data)], capture_output=True, text=True, check=True, cwd=build
        ).stdout
        for report in map(json.loads, told.splitlines()):
            for file in report["files"]:
                path = Path(build, file["file"]).resolve()
                if any(path.is_relative_to(part) for part in PARTS):
                    for line in file["lines"]:
                        found[path.relative_to(ROOT)][line["line_number"]] += line["count"]
    return found


def ranges(numbers):
    """1, 2, 3, 7 as 1-3, 7."""
    found = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--lines", action="store_true", help="the text of the lines that did not run")
    given = parser.parse_args()
    files = counts_of(given.build)
    rooms = collections.defaultdict(lambda: [0, 0])
    for path, lines in sorted(files.items()):
        missed = sorted(number for number, count in lines.items() if not count)
        room = rooms[str(path.parent)]
        room[0] += len(lines)
        room[1] += len(missed)
        if missed:
            print(f"{path}: {ranges(missed)}")
            text = (ROOT / path).read_text().splitlines() if given.lines else ()
            for number in missed if given.lines else ():
                print(f"    {number:4d} {text[number - 1]}")
    for room, (n_lines, n_missed) in rooms.items():
        print(f"{room:40s} {n_lines:6d} lines, {n_missed:4d} not run, {1 - n_missed / n_lines:.1%}")
    n_lines, n_missed = (sum(each[place] for each in rooms.values()) for place in (0, 1))
    print(f"{'all':40s} {n_lines:6d} lines, {n_missed:4d} not run, {1 - n_missed / max(n_lines, 1):.1%}")


if __name__ == "__main__":
    main()
