"""Codes and the combination of binary problems, as written in the papers: one entry at a time."""

import itertools

import numpy as np


def exhaustive(n_classes):
    """Row 0 is all ones, row i alternates runs of 2^(k-1-i) zeros and ones, beginning with zeros."""
    n_bits = 2 ** (n_classes - 1) - 1
    rows = [[1] * n_bits]
    for i in range(1, n_classes):
        run = 2 ** (n_classes - 1 - i)
        runs = itertools.cycle([0] * run + [1] * run)
        rows.append([next(runs) for _ in range(n_bits)])
    return np.array(rows)


def all_dense_columns(n_classes):
    """Every division of the classes in two, the first class on the side of the ones."""
    return {(1, *rest) for rest in itertools.product((0, 1), repeat=n_classes - 1)} - {(1,) * n_classes}


def all_sparse_columns(n_classes):
    """The same with classes left out; of a column and its complement the one that begins with a one."""
    columns = set()
    for column in itertools.product((-1, 0, 1), repeat=n_classes):
        taking_part = [bit for bit in column if bit != -1]
        if {0, 1} <= set(taking_part) and taking_part[0] == 1:
            columns.add(column)
    return columns


def decode(code, positive):
    """Probabilities of the classes of one row from the probabilities of the bits."""
    scores = []
    for word in code:
        score = 0.0
        for bit, p in zip(word, positive):
            score += {1: p, 0: 1 - p, -1: 0.5}[int(bit)]
        scores.append(score)
    return np.array(scores) / sum(scores)


def normalize_sum(positive):
    total = sum(positive)
    return np.array([p / total if total > 0 else 1 / len(positive) for p in positive])


def normalize_weka(positive):
    scores = []
    for c, p in enumerate(positive):
        scores.append(p + sum(1 - other for i, other in enumerate(positive) if i != c))
    return np.array(scores) / sum(scores)
