"""Mixtures, calibration, thresholds and priors from their definitions, row by row and step by small step."""

import math


def mixture_by_em(likelihoods, weights, rounds=200_000):
    """EM for the maximum of sum_i weight_i log(sum_j w_j p_ij) + sum_j log w_j, until nothing moves."""
    n = len(likelihoods[0])
    w = [1.0 / n] * n
    for _ in range(rounds):
        new = [1.0] * n
        for row, weight in zip(likelihoods, weights):
            mixed = sum(share * p for share, p in zip(w, row))
            for j in range(n):
                new[j] += weight * w[j] * row[j] / mixed
        total = sum(new)
        new = [value / total for value in new]
        moved = max(abs(a - b) for a, b in zip(new, w))
        w = new
        if moved < 1e-13:
            break
    return w


def calibrated(row, slopes, offsets):
    powers = [p**a * math.exp(b) for p, a, b in zip(row, slopes, offsets)]
    return [power / sum(powers) for power in powers]


def calibration_loss(rows, codes, weights, slopes, offsets):
    """Minus the logarithm of the likelihood, and the penalty."""
    loss = sum(math.log(a) ** 2 + 0.5 * b**2 for a, b in zip(slopes, offsets))
    for row, code, weight in zip(rows, codes, weights):
        loss -= weight * math.log(calibrated(row, slopes, offsets)[code])
    return loss


def best_f1(probabilities, positive):
    """The highest F-measure of any cut where a row counts [positive] / 2 + p / 2 of a positive row."""
    pairs = sorted(
        ((p, 0.5 * bool(is_positive) + 0.5 * p) for p, is_positive in zip(probabilities, positive)), reverse=True
    )
    found = sum(gain for _, gain in pairs)
    best = 0.0
    for called in range(1, len(pairs) + 1):
        hits = sum(gain for _, gain in pairs[:called])
        best = max(best, 2.0 * hits / (called + found))
    return best
