"""Area under the ROC curve and its variance, pair by pair as in the paper of DeLong, DeLong and Clarke-Pearson."""

import numpy as np


def pair_table(scores, is_rare):
    """psi(X_i, Y_j), equation 2: 1 where the rare row scores higher, a half where both score the same."""
    rare, rest = scores[is_rare], scores[~is_rare]
    return np.array([[1.0 if a > b else 0.5 if a == b else 0.0 for b in rest] for a in rare])


def area(scores, is_rare):
    return pair_table(scores, is_rare).mean()


def covariance(first, second, is_rare):
    """S10 / m + S01 / n of the structural components of two areas on the same rows."""
    one, two = pair_table(first, is_rare), pair_table(second, is_rare)
    total = 0.0
    for axis in (1, 0):
        v, w = one.mean(axis=axis) - one.mean(), two.mean(axis=axis) - two.mean()
        total += (v * w).sum() / (len(v) - 1) / len(v)
    return total
