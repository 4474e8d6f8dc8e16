"""Measures for imbalanced problems: how skewed the classes are, and how well the rare ones are found."""

from rarewood.metrics._balance import coefficient_of_variation, imbalance_ratio
from rarewood.metrics._ranking import hand_till_auc, weighted_auroc
from rarewood.metrics._threshold import minority_f1

__all__ = ["coefficient_of_variation", "hand_till_auc", "imbalance_ratio", "minority_f1", "weighted_auroc"]
