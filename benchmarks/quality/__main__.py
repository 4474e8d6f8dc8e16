"""RareClassifier and the forests beside other libraries; writes docs/quality.md.

python benchmarks/quality                        everything that is not in the file of results yet, then the page
python benchmarks/quality --only test            one part: test, inner, tuned, large or page
python benchmarks/quality --methods HeDEx,EBM    these methods only; no page unless asked for by --only page
python benchmarks/quality --quick                three small tables, the cheap methods: does it run? Writes no page.

Needs the folder RAREWOOD_DATA and the dependency group `peers`. Finished fits are kept in benchmarks/results/quality.jsonl
(--store FILE) and not repeated; ours are, when their code has changed. Hours of one core from nothing.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])  # the folder of the benchmarks, whose modules this uses
    from quality.commands import main

    raise SystemExit(main(__doc__))
