"""How often do the two readings of precision come apart, without a change and with one, where the signal is strong and where it is weak?

    python benchmarks/monitoring/readings.py               9 tables of each problem and size: 108 fits of 60 trees; about 2 minutes

The problems are those of `study.py`, and the same two with classes that overlap more. *none, few*: 800 new rows instead of 5,000.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path += [str(FOLDER.parent / "promises"), str(FOLDER)]

from problems import ISLANDS, PROBLEMS, Problem  # noqa: E402
from study import N_NEW, draw  # noqa: E402

import rarewood as rw  # noqa: E402
from rarewood.monitoring import monitor  # noqa: E402

WEAK = (Problem("weak shift", np.array([[0.8, 0.6, 0.4, 0.2]]), 1.0), Problem("weak islands", 0.6 * ISLANDS, 0.8))
SIZES, N_FEW = (30, 80, 150), 800
SCENARIOS = ("none", "none, few", "covariate", "prior x3", "prior x1/3", "new kind")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=9)
    asked = parser.parse_args()
    found = defaultdict(list)
    for seed in range(asked.tables):
        for signal, problems in (("strong", tuple(PROBLEMS.values())), ("weak", WEAK)):
            for problem in problems:
                for n_rare in SIZES:
                    rng = np.random.default_rng(1000 + seed)
                    model = rw.RareClassifier(60, random_state=seed).fit(*problem.table(n_rare, rng))
                    for scenario in SCENARIOS:
                        n_new = N_FEW if scenario == "none, few" else N_NEW
                        new, _ = draw(problem, scenario.removesuffix(", few"), n_new, rng)
                        codes = {each.code for each in monitor(model, new).findings}
                        found[scenario, signal].append(("readings" in codes, bool(codes)))
    for (scenario, signal), those in found.items():
        readings, some = np.mean(those, axis=0)
        print(f"{scenario:12} {signal:8} readings {readings:.2f}  any {some:.2f}  of {len(those)}")


if __name__ == "__main__":
    main()
