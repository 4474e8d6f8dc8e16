"""Model files with and without what they remember, and the memory of `rarewood monitor` on a million rows.

python benchmarks/monitoring/sizes.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer, load_digits

import rarewood as rw
from rarewood.export import to_bytes

N_ROWS = 1_000_000
PEAK = (
    "import resource, sys; from rarewood.cli import main; sys.argv[0] = 'rarewood'\n"
    "try: main()\n"
    "finally: print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, 'MB', file=sys.stderr)"
)


def main() -> None:
    payments = rw.datasets.make_planted_rules(5000, random_state=0)
    cancer, digits = load_breast_cancer(return_X_y=True), load_digits(return_X_y=True)
    for name, (X, y) in {
        "payments, 5,000 rows, 10 columns": (payments.X, payments.y),
        "breast cancer, 569 rows, 30 columns": cancer,
        "digits, 1,797 rows, 64 columns": (digits[0], digits[1] == 8),
    }.items():
        model = rw.RareClassifier(random_state=0).fit(X, y)
        sizes = [len(to_bytes(model, memory=memory)) for memory in (True, False)]
        print(f"{name}: {sizes[0]:,} bytes with memory, {sizes[1]:,} without, {sizes[0] / sizes[1] - 1:.2%} more")
    with tempfile.TemporaryDirectory() as folder:
        path, table = Path(folder) / "payments.rarewood", Path(folder) / "new.csv"
        rw.save(rw.RareClassifier(100, random_state=0).fit(payments.X, payments.y), path)
        new = rw.datasets.make_planted_rules(N_ROWS // 10, random_state=1).X
        for part in range(10):
            new.to_csv(table, mode="a", header=part == 0, index=False)
        print(f"{N_ROWS:,} rows, {table.stat().st_size / 1e6:.0f} MB of CSV", flush=True)
        subprocess.run([sys.executable, "-c", PEAK, "monitor", str(path), str(table), "--quiet"], check=False)


if __name__ == "__main__":
    main()
