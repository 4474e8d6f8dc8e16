"""Finding rules the slow, obvious way: rows are sets of row numbers, a rule is asked of one row after the other."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

from rarewood._rules.search._refinement import refined


def holds(rule, row):
    """Whether a rule, a tuple of `ColumnCondition`, holds for an encoded row."""
    for condition in rule:
        value = row[condition.column]
        if math.isnan(value):
            met = condition.missing
        elif condition.codes is not None:
            met = value in condition.codes
        else:
            met = condition.lower < value <= condition.upper
        if not met:
            return False
    return True


def condition_holds(condition, cell):
    """Whether a `Condition`, as a reader meets it, holds for a cell of a table."""
    if cell is None or cell != cell:
        return condition.missing
    if condition.categories is not None:
        return any(cell == category for category in condition.categories)
    return condition.lower < cell <= condition.upper


# ---------------------------------------------------------------------------------------------------------
# candidates


def node_covers(table, grown, max_conditions, rest_weight):
    """{rows that a node holds for: the fewest columns that lead to such a node}, of nodes worth a try."""
    rare = {int(row) for row in np.flatnonzero(table.is_rare)}
    n_rest = (len(table.is_rare) - len(rare)) * rest_weight
    base = len(rare) / (len(rare) + n_rest)
    covers: dict[frozenset[int], int] = {}
    for each in grown:
        for t in range(len(each.forest)):
            tree = each.forest[t]
            start, visited = tree.decision_path(table.matrix)
            for node in range(tree.node_count):
                rows = frozenset(r for r in range(len(table.matrix)) if node in visited[start[r] : start[r + 1]])
                found, others = len(rows & rare), len(rows - rare) * rest_weight
                n_columns = len(columns_above(tree, node))
                good = found >= 3 and found > 1.2 * base * (found + others) and 0 < n_columns <= max_conditions
                if good:
                    covers[rows] = min(n_columns, covers.get(rows, n_columns))
    return covers


def columns_above(tree, node):
    """The columns tested between the root and a node."""
    for parent in range(tree.node_count):
        children = range(tree.children_left[parent], tree.children_left[parent] + tree.n_children[parent])
        if node in children:
            return columns_above(tree, parent) | {int(tree.feature[parent])}
    return set()


# ---------------------------------------------------------------------------------------------------------
# choosing


class Choice:
    """A list of rules, chosen greedily. `candidates` are triples: rule, number of its half, number of its conditions."""

    def __init__(self, matrix, is_rare, in_bag, rest_weight, limits):
        self.matrix, self.weight, self.limits = matrix, rest_weight, limits
        everyone = range(len(matrix))
        self.rare = {r for r in everyone if is_rare[r]}
        self.rest = set(everyone) - self.rare
        self.left_out = [{r for r in everyone if not bag[r]} or set(everyone) for bag in in_bag]
        self.base = len(self.rare) / (len(self.rare) + rest_weight * len(self.rest))

    def counts(self, rows, half):
        """Rare and other rows: the mean of all and of those that the half left out, scaled to all."""

        def mixed(group, weight):
            out = len(group & self.left_out[half])
            scaled = Fraction(len(group), max(out, 1)) * len(rows & group & self.left_out[half])
            return float((len(rows & group) + scaled) / 2) * weight

        return mixed(self.rare, 1.0), mixed(self.rest, self.weight)

    def precision(self, rare, rest):
        return (rare + 2 * self.base) / (rare + rest + 2)

    def worth(self, rare, rest, n_conditions):
        """Wilson's lower bound of the precision above the base rate, times the root of what is found."""
        n, z = rare + rest + 2, 1.28
        p = self.precision(rare, rest)
        low = (p + z * z / (2 * n) - z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n)
        return math.sqrt(rare) * (low - self.base) * (1 - 0.01 * n_conditions)

    def run(self, candidates):
        """[(rule, rows)] of those chosen."""
        covers = [{r for r, row in enumerate(self.matrix) if holds(rule, row)} for rule, _, _ in candidates]
        halves = [half for _, half, _ in candidates]
        all_counts = list(map(self.counts, covers, halves))
        alive = {
            i
            for i, (rare, rest) in enumerate(all_counts)
            if rare >= self.limits.min_support
            and self.precision(rare, rest) >= max(self.limits.min_precision, self.limits.min_lift * self.base)
        }
        chosen: list = []
        removed = 0
        while len(chosen) < self.limits.n_rules:
            taken = set().union(*(rows for _, _, rows in chosen))
            free = set(range(len(self.matrix))) - taken
            least = self._half_of_f1(chosen)
            values = {}
            for i in alive:
                rare, rest = self.counts(covers[i] & free, halves[i])
                new = rare >= max(1.0, 0.5 * self.limits.min_support) and rare >= 0.5 * all_counts[i][0]
                if new and self.precision(rare, rest) > least:
                    values[i] = self.worth(rare, rest, candidates[i][2])
            if not values:
                break
            best = min(values, key=lambda i: (-values[i], i))
            alive.remove(best)
            rule, rows = self._refined(candidates[best][0], halves[best], free)
            if rows & free & self.rare:
                chosen.append((rule, halves[best], rows))
            while removed < 20 and len(chosen) > 1 and (number := self._superfluous(chosen)) is not None:
                del chosen[number]
                removed += 1
        return [(rule, rows) for rule, _, rows in chosen]

    def _half_of_f1(self, chosen):
        found = others = 0.0
        free = set(range(len(self.matrix)))
        for _, half, rows in chosen:
            rare, rest = self.counts(rows & free, half)
            found, others = found + rare, others + rest
            free -= rows
        return found / (len(self.rare) + found + others)

    def _refined(self, rule, half, free):
        def value(cover, n_conditions):
            return self.worth(*self.counts(set(np.flatnonzero(cover).tolist()) & free, half), n_conditions)

        rule, cover = refined(rule, self.matrix, value)
        return rule, set(np.flatnonzero(cover).tolist())

    def _superfluous(self, chosen):
        for number, (_, _, rows) in enumerate(chosen[:-1]):
            others = set().union(*(each for i, (_, _, each) in enumerate(chosen) if i != number))
            rare, rest = len((rows - others) & self.rare), len((rows - others) & self.rest) * self.weight
            if rare == 0 or (rare <= 0.2 * len(rows & self.rare) and rare <= rest):
                return number
        return None


# ---------------------------------------------------------------------------------------------------------
# judging


def exact_chance(scores, is_rare, fold):
    """The share of all ways to give labels within folds in which rare rows rank as high as they do, or higher."""
    ways = {0.0: 1}
    observed = 0.0
    for number in sorted(set(fold)):
        here = [i for i in range(len(scores)) if fold[i] == number]
        ranks = {
            i: sum(scores[j] < scores[i] for j in here) + (sum(scores[j] == scores[i] for j in here) + 1) / 2
            for i in here
        }
        observed += sum(ranks[i] for i in here if is_rare[i])
        n_rare = sum(bool(is_rare[i]) for i in here)
        sums: dict[float, int] = {}
        for some in itertools.combinations(here, n_rare):
            for before, times in ways.items():
                total = before + sum(ranks[i] for i in some)
                sums[total] = sums.get(total, 0) + times
        ways = sums
    high = sum(times for total, times in ways.items() if total >= observed - 1e-9)
    return high / sum(ways.values())
