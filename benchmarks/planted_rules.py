"""Do we find what was planted? Rules recovered, dangerous rows removed by the cleaner; writes docs/planted-rules.md.

python benchmarks/planted_rules.py            all sizes and seeds, about three minutes of one core
python benchmarks/planted_rules.py --quick    small tables, two seeds: does it run? Writes nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import rarewood as rw
from rarewood.datasets import PlantedRules, make_planted_rules
from rarewood.inspection import Patterns, extract_patterns, find_rules
from report import NOT_REACHED, REACHED, Table
from run import circumstances

DOCS = Path(__file__).resolve().parent.parent / "docs" / "planted-rules.md"
SEEDS = range(10)
SIZES = [2_500, 5_000, 10_000, 30_000, 100_000]
DEFAULT_SIZE = 10_000
FRESH = 20_000
ALIKE = 0.8
MOST = 500
TOP = 5
MOST_DANGEROUS, FEWEST_OTHERS = 0.7, 0.05

RULES = "`find_rules`, as `rarewood fit` keeps them"
Find = Callable[[PlantedRules, int], Patterns]


def distinct_patterns(make: Callable[[int], object]) -> Find:
    """The strongest distinct leaves of a forest."""

    def find(data: PlantedRules, seed: int) -> Patterns:
        forest = make(seed)
        forest.fit(data.X, data.y)  # type: ignore[attr-defined]
        patterns = extract_patterns(forest, data.X, data.y)[:MOST]
        return patterns[distinct(patterns.covers(data.X)[data.y == 1])]

    return find


SOURCES: dict[str, Find] = {
    RULES: lambda data, seed: find_rules(data.X, data.y, random_state=seed)[:TOP],
    "leaves of HeDEx, depth 4": distinct_patterns(lambda seed: rw.HeDExClassifier(max_depth=4, random_state=seed)),
    "leaves of HeDEx, full depth": distinct_patterns(lambda seed: rw.HeDExClassifier(random_state=seed)),
    "leaves of an exact Hellinger forest, depth 4": distinct_patterns(
        lambda seed: rw.ForestClassifier(max_depth=4, random_state=seed)
    ),
    "leaves of an exact Hellinger forest, full depth": distinct_patterns(
        lambda seed: rw.ForestClassifier(random_state=seed)
    ),
}


# ---------------------------------------------------------------------------------------------------------
# cleaning


def removed_shares(data: PlantedRules, seed: int, **settings: object) -> tuple[float, float, int]:
    """Removed: share of the dangerous rows, share of the other frequent rows, number of rare rows."""
    cleaner = rw.BiasedForestCleaner(random_state=seed, n_jobs=-1, **settings)
    cleaner.fit_resample(data.X, data.y)
    removed = np.ones(len(data.y), dtype=bool)
    removed[cleaner.sample_indices_] = False
    others = (data.y == 0) & ~data.dangerous
    return float(removed[data.dangerous].mean()), float(removed[others].mean()), int(removed[data.y == 1].sum())


def cleaning_row(table: Table, rows: int, seeds: range, promised: bool, **settings: object) -> None:
    figures = [removed_shares(make_planted_rules(rows, random_state=seed), seed, **settings) for seed in seeds]
    dangerous, others, rare = (np.array(column) for column in zip(*figures, strict=True))
    reached = dangerous.min() >= MOST_DANGEROUS and others.max() <= FEWEST_OTHERS
    verdict = (REACHED if reached else NOT_REACHED) if promised else "-"
    words = ", ".join(f"{name}={value}" for name, value in settings.items()) or "the defaults"
    spread = [
        f"{100 * each.mean():.2f} % ({100 * each.min():.2f} to {100 * each.max():.2f})" for each in (dangerous, others)
    ]
    table.add(f"{rows:,}", f"{round(0.02 * rows):,}", words, *spread, int(rare.sum()), verdict)


def cleaning(sizes: list[int], seeds: range) -> Table:
    table = Table(
        "Dangerous rows removed by BiasedForestCleaner",
        ["rows", "rare", "settings", "dangerous rows removed", "others removed", "rare removed", "verdict"],
        f"Mean over {len(seeds)} tables, with the smallest and the largest. The target holds for every table of the generator's default "
        f"size: at least {MOST_DANGEROUS:.0%} of the dangerous rows, at most {FEWEST_OTHERS:.0%} of the others.",
    )
    for rows in sizes:
        cleaning_row(table, rows, seeds, promised=rows == DEFAULT_SIZE)
    middle = sizes[len(sizes) // 2]
    for settings in ({"sequential": True}, {"threshold": 0.3}, {"ratio": 2.0}, {"pruning": "pessimistic"}):
        cleaning_row(table, middle, seeds, promised=False, **settings)
    return table


# ---------------------------------------------------------------------------------------------------------
# patterns


@dataclass(frozen=True)
class Recovery:
    """A planted rule among those found: place of the first that is alike (None: not among the top), and the best."""

    place: int | None
    best: float
    words: str


def recoveries(data: PlantedRules, fresh: PlantedRules, patterns: Patterns) -> list[Recovery]:
    """Per rule: two rules are alike if, of the fresh rows where either holds, both hold in most."""
    covers = patterns.covers(fresh.X)
    result = []
    for rule in data.rules:
        alike = jaccard(covers, rule.holds(fresh.X))
        found = np.flatnonzero(alike >= ALIKE)
        best = int(alike.argmax())
        result.append(Recovery(int(found[0]) + 1 if len(found) else None, float(alike[best]), str(patterns[best])))
    return result


def distinct(covers: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The strongest patterns that are not variants of a stronger one: fewer than half of their rare rows are covered before."""
    covered = np.zeros(len(covers), dtype=bool)
    kept: list[int] = []
    for number, rows in enumerate(covers.T):
        if len(kept) < TOP and np.count_nonzero(rows & covered) < 0.5 * np.count_nonzero(rows):
            kept.append(number)
            covered |= rows
    return np.array(kept)


def jaccard(covers: NDArray[np.bool_], holds: NDArray[np.bool_]) -> NDArray[np.float64]:
    both = (covers & holds[:, np.newaxis]).sum(axis=0)
    either = (covers | holds[:, np.newaxis]).sum(axis=0)
    return both / np.maximum(either, 1)


def patterns(rows: int, seeds: range) -> tuple[Table, list[str]]:
    table = Table(
        f"Planted rules among the first {TOP} rules",
        ["rules", "found on", "rules recovered", "all three at once", "place of the first", "likeness of the best"],
        f"{len(seeds)} tables of {rows:,} rows. A rule recovers a planted one if they are at least {ALIKE:.0%} alike: of those of "
        f"{FRESH:,} fresh rows for which one of the two holds, both hold for at least this share. The rules that `rarewood fit` keeps do "
        "not depend on its method, so these are those of the default model. Leaves are the strongest distinct ones: many trees find "
        "variants of one rule, and a leaf is distinct if stronger ones cover less than half of its rare rows. Place and likeness "
        "are medians over the planted rules; the place is among those recovered.",
    )
    examples: list[str] = []
    for name, find in SOURCES.items():
        for kind in ("all rows", "cleaned rows"):
            found = []
            for seed in seeds:
                data, fresh = (
                    make_planted_rules(rows, random_state=seed),
                    make_planted_rules(FRESH, random_state=1000 + seed),
                )
                rows_used = cleaned(data, seed) if kind == "cleaned rows" else data
                found.append(recoveries(rows_used, fresh, find(rows_used, seed)))
                if seed == 0 and name == RULES and kind == "all rows":
                    examples = [f"{rule}\n    {each.words}" for rule, each in zip(data.rules, found[-1], strict=True)]
            _add(table, name, kind, found)
    return table, examples


def _add(table: Table, name: str, kind: str, found: list[list[Recovery]]) -> None:
    every = [recovery for recoveries in found for recovery in recoveries]
    places = [recovery.place for recovery in every if recovery.place is not None]
    complete = sum(all(recovery.place for recovery in recoveries) for recoveries in found)
    place = f"{np.median(places):g}" if places else "-"
    likeness = f"{np.median([recovery.best for recovery in every]):.2f}"
    table.add(name, kind, f"{len(places)} of {len(every)}", f"{complete} of {len(found)}", place, likeness)


def cleaned(data: PlantedRules, seed: int) -> PlantedRules:
    cleaner = rw.BiasedForestCleaner(random_state=seed, n_jobs=-1)
    X, y = cleaner.fit_resample(data.X, data.y)
    kept = cleaner.sample_indices_
    return PlantedRules(
        X, y, data.rules, data.rule_of_row[kept], data.dangerous[kept], data.feature_names, data.categories
    )


# ---------------------------------------------------------------------------------------------------------
# the page


INTRODUCTION = """\
How many planted rules does a method find, and how many misleading rows? `rarewood.datasets.make_planted_rules` makes payments with three
known rules behind the frauds (2 % of the rows). One in a hundred of the genuine payments is *dangerous*: a rule holds for it, too. So
what a method finds can be compared with the truth.
"""


CONCLUSION = """\
With so many dangerous rows inside a rule, fully grown trees cut around each of them, and their leaves are fragments of the rule. So use
`find_rules`, read patterns from shallow trees, or clean the rows first.
"""


def page(tables: list[Table], examples: list[str]) -> str:
    lines = ["# Planted rules: what was found", "", circumstances("python benchmarks/planted_rules.py"), ""]
    lines += [INTRODUCTION, tables[0].to_markdown(), CONCLUSION]
    lines += [
        "## In words",
        "",
        "The planted rules of the first table, each with the most similar rule that was found:",
        "",
    ]
    lines += ["```", *examples, "```", "", *(table.to_markdown() for table in tables[1:])]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small tables, two seeds; writes nothing")
    quick = parser.parse_args().quick
    seeds = range(2) if quick else SEEDS
    clean_table = cleaning([2_500, 5_000] if quick else SIZES, seeds)
    pattern_table, examples = patterns(2_500 if quick else DEFAULT_SIZE, seeds)
    text = page([pattern_table, clean_table], examples)
    if quick:
        print("\n" + text)
    else:
        DOCS.write_text(text)
        print(f"\nwritten: {DOCS.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
