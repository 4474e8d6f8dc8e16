"""Choosing a threshold by trying all of them, one by one, with counts from the definitions."""

import math


def outcome(y, scores, positive, value):
    """(tp, fp, fn) of calling positive every score of at least `value`."""
    pairs = [(label == positive, score >= value) for label, score in zip(y, scores)]
    return pairs.count((True, True)), pairs.count((False, True)), pairs.count((True, False))


def measures(y, scores, positive, value, costs=(0.0, 0.0)):
    tp, fp, fn = outcome(y, scores, positive, value)
    return {
        "precision": tp / (tp + fp) if tp + fp else 0.0,
        "recall": tp / (tp + fn),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "cost": (costs[0] * fp + costs[1] * fn) / len(y),
    }


def best(y, scores, positive, rule, floor=None, costs=(0.0, 0.0)):
    """Measures at the best threshold, the highest of equals; None if none reaches the floor."""
    found = None
    for value in [math.inf, *sorted(set(scores), reverse=True)]:
        told = measures(y, scores, positive, value, costs)
        if rule in ("precision", "recall") and told[rule] < floor - 1e-12:
            continue
        merit = {"f1": told["f1"], "cost": -told["cost"], "precision": told["recall"], "recall": told["precision"]}[
            rule
        ]
        if found is None or merit > found[0] + 1e-12:
            found = merit, told
    return None if found is None else found[1]
