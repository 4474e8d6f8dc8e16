"""Class-bias cleaning and ranking by the letter of their pseudo-code: one row and one tree after the other.

Classes: 1 is positive, 0 negative. Thresholds are compared as fractions, so exactly threshold x trees is neither more nor fewer.
"""

import math
from fractions import Fraction

import numpy as np

from oracle.tree import end_nodes, grow


def cleaning_sizes(n_positive, n_negative, ratio):
    """Negative and positive rows of a tree: half of the positive ones, `ratio` times as many negative ones if there are."""
    positive = (n_positive + 1) // 2
    negative = min(n_negative, math.floor(Fraction(str(ratio)) * positive))
    if not negative > positive:
        positive = max(1, negative // 2)
    return negative, positive


def ranking_sizes(n_positive, n_negative, ratio):
    """Negative and positive rows of a tree: four fifths of the positive ones, one negative one for `ratio` of them."""
    positive = -(-4 * n_positive // 5)
    return min(n_negative, max(1, math.floor(positive / Fraction(str(ratio))))), positive


def votes_positive(counts):
    """A tie is no positive vote."""
    return bool(counts[1] > counts[0])


def share_of(threshold, n_trees):
    return Fraction(str(threshold)) * n_trees


def is_removed(n_votes, threshold, n_trees):
    return n_votes > share_of(threshold, n_trees)


def is_eliminated(n_votes, threshold, n_trees):
    return n_votes < share_of(threshold, n_trees)


def vote(problem, settings, rows, X):
    """Whether a naive tree grown on `rows` calls each row of `X` positive."""
    root = grow(problem, settings, np.sort(rows))
    return np.array([votes_positive(end.counts) for end in end_nodes(root, X)], dtype=bool)


def clean(problem, settings, parts, draw, n_trees, threshold, sequential=False):
    """Algorithm 1. `draw(part, tree, withheld)` gives the rows of a tree; returns votes (-1: not judged) and removed rows."""
    votes = np.full(len(problem.y), -1)
    removed = set()
    for i, part in enumerate(parts):
        withheld = set(part.tolist()) | (removed if sequential else set())
        bags = [draw(i, tree, sorted(withheld)) for tree in range(n_trees)]
        each = [vote(problem, settings, bag, problem.X[part]) for bag in bags]
        for position, row in enumerate(part.tolist()):
            votes[row] = sum(bool(calls[position]) for calls in each)
            if is_removed(int(votes[row]), threshold, n_trees):
                removed.add(row)
    return votes, np.array(sorted(removed), dtype=int)


def score(calls, threshold):
    """Algorithm 2 for one row: `calls` are its votes by iteration and tree; it leaves after a forest that rejects it."""
    total = 0
    for forest in calls:
        n_votes = sum(map(bool, forest))
        total += n_votes
        if is_eliminated(n_votes, threshold, len(forest)):
            break
    return total
