"""How much memory does `rarewood predict` need for a CSV file larger than it should hold?

python benchmarks/predict_large.py                 a file of 2 GB; about as much free disk again for the scores
python benchmarks/predict_large.py --gigabytes 0.1

Payments of the generator are written over and over until the file is large enough; a HeDEx forest of 100 trees, fitted by
`rarewood fit` to 20,000 of them, scores the file with `rarewood predict` in a process of its own. Reported are its peak
resident memory, as the operating system counts it, its time and, because other programs may be running, that of its processors.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rarewood.datasets import make_planted_rules

LIMIT = 500  # MB
ROWS = 200_000
TRAINING_ROWS = 20_000


def write_table(path: Path, size: float) -> int:
    """A CSV file of at least `size` bytes; returns its rows."""
    frame = make_planted_rules(ROWS, as_frame=True, random_state=0).X.round(6)
    text = io.StringIO()
    frame.to_csv(text, index=False)
    head, _, body = text.getvalue().partition("\n")
    lines = body.encode()
    repeats = -(-int(size) // len(lines))
    with path.open("wb") as file:
        file.write(head.encode() + b"\n")
        for _ in range(repeats):
            file.write(lines)
    return repeats * ROWS


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "rarewood.cli", *map(str, arguments)]


def measured(arguments: list[str]) -> tuple[float, float, float]:
    """Seconds by the clock, seconds of processors and peak resident megabytes of a command."""
    start = time.perf_counter()
    process = subprocess.Popen(arguments)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"failed: {' '.join(arguments)}")
    busy = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - start, busy, usage.ru_maxrss * 1024 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--rules", action="store_true", help="also write the rules that hold")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        train = make_planted_rules(TRAINING_ROWS, as_frame=True, random_state=1)
        train.X.assign(fraud=train.y).to_csv(here / "train.csv", index=False)
        subprocess.run(command("fit", here / "train.csv", "-o", here / "m.rarewood", "--quiet"), check=True)
        n_rows = write_table(here / "large.csv", given.gigabytes * 1e9)
        size = (here / "large.csv").stat().st_size / 1e9
        options = ["--rules"] if given.rules else []
        seconds, busy, megabytes = measured(
            command("predict", here / "m.rarewood", here / "large.csv", "-o", here / "scores.csv", *options)
        )
        with (here / "scores.csv").open("rb") as scores:
            written = sum(chunk.count(b"\n") for chunk in iter(lambda: scores.read(1 << 20), b"")) - 1
    assert written == n_rows, f"{written} scores for {n_rows} rows"
    verdict = "within" if megabytes <= LIMIT else "BEYOND"
    print(
        f"{size:.2f} GB, {n_rows:,} rows, 100 trees: {seconds:.0f} s ({n_rows / seconds:,.0f} rows/s), {busy:.0f} s of processors, "
        f"peak memory {megabytes:.0f} MB, {verdict} {LIMIT} MB"
    )


if __name__ == "__main__":
    main()
