"""C4.5's way of choosing an attribute: thresholds by information gain, then attributes by gain ratio.

A threshold pays for having been chosen among many: log2(number of thresholds) / N is taken off its gain.
Only attributes of about average gain or better may compete with their ratio, since the ratio alone favours
attributes that split off almost nothing.
"""

from dataclasses import dataclass

import numpy as np

from oracle.tree import TIE, Choice, feature_choices, within_tie

AVERAGE_SLACK = 1e-3


@dataclass(frozen=True)
class Attribute:
    """The best split of one attribute by gain; `tied` are all the splits of that gain, `choice` the first."""

    choice: Choice
    tied: list[Choice]
    gain: float  # corrected

    def ratio(self, choice):
        return self.gain / split_information(choice.table)


def choose_by_quinlan(problem, settings, rows):
    attributes = competing_attributes(problem, settings, rows)
    if not attributes:
        return None
    ratios = [attribute.ratio(attribute.choice) for attribute in attributes]
    best = next(i for i, ratio in enumerate(ratios) if ratio >= max(ratios) - TIE)
    return attributes[best].choice


def competing_attributes(problem, settings, rows):
    """Attributes of positive gain that is not clearly below the average of those."""
    candidates = [best_by_gain(problem, settings, feature, rows) for feature in range(problem.X.shape[1])]
    useful = [a for a in candidates if a is not None and a.gain > TIE]
    average = np.mean([a.gain for a in useful]) if useful else 0.0
    return [a for a in useful if a.gain >= average - AVERAGE_SLACK]


def best_by_gain(problem, settings, feature, rows):
    numeric = feature not in problem.nominal
    weight = problem.counts(rows).sum()
    enough = min_branch(problem, settings, weight) if numeric else min_leaf(settings)
    choices = [
        choice
        for choice in feature_choices(problem, settings.nominal, feature, rows)
        if min(choice.cases) >= 1 and sum(cases >= enough for cases in choice.cases) >= 2
    ]
    if not choices:
        return None
    gains = [information_gain(choice.table) for choice in choices]
    tied = within_tie(choices, gains)
    cost = np.log2(n_thresholds(choices)) / weight if numeric else 0.0
    return Attribute(tied[0], tied, max(gains) - cost)


def n_thresholds(choices):
    """Different cuts between values: where missing values go does not count, nor does splitting them off alone."""
    return max(1, len({choice.rule.threshold for choice in choices} - {np.inf}))


def min_leaf(settings):
    return max(2, settings.min_samples_leaf)


def min_branch(problem, settings, weight):
    """A tenth of the average class size, between min_leaf and 25."""
    return max(min_leaf(settings), min(25, 0.1 * weight / problem.n_classes))


def information_gain(table):
    shares = table.sum(axis=1) / table.sum()
    children = sum(share * entropy(child) for share, child in zip(shares, table, strict=True))
    return entropy(table.sum(axis=0)) - children


def split_information(table):
    return entropy(table.sum(axis=1))


def entropy(counts):
    p = counts[counts > 0] / counts.sum()
    return -np.sum(p * np.log2(p))
