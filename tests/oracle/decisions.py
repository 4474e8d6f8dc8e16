"""Mixtures, calibration, thresholds and priors from their definitions, row by row and step by small step."""

import math


def calibrated(row, slopes, offsets):
    powers = [p**a * math.exp(b) for p, a, b in zip(row, slopes, offsets)]
    return [power / sum(powers) for power in powers]


def mixture_likelihood(shares, slopes, offsets, forests, codes, weights):
    """Of the true classes by the calibrated mixture, penalised as shares and calibrations are."""
    total = (
        sum(math.log(share) for share in shares)
        - sum(math.log(a) ** 2 for a in slopes)
        - sum(b**2 for b in offsets) / 2
    )
    for number, (code, weight) in enumerate(zip(codes, weights)):
        rows = [forest[number] for forest in forests]
        row = [sum(share * row[k] for share, row in zip(shares, rows)) for k in range(len(slopes))]
        total += weight * math.log(calibrated(row, slopes, offsets)[code])
    return total


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
