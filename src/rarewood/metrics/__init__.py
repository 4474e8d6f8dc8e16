"""Measures for imbalanced problems: how skewed the classes are, and how well the rare ones are found."""

from rarewood._validation import rarest_label
from rarewood.metrics._balance import coefficient_of_variation, imbalance_ratio
from rarewood.metrics._decision_threshold import DecisionThreshold
from rarewood.metrics._probability import brier_score
from rarewood.metrics._ranking import hand_till_auc, rare_auc, rare_average_precision, weighted_auroc
from rarewood.metrics._registry import REGISTRY, Metric, Predictions, get, names
from rarewood.metrics._scorers import Scorer, scorers
from rarewood.metrics._threshold import balanced_accuracy, g_mean, minority_f1
from rarewood.metrics._threshold_choice import choose_threshold

__all__ = [
    "REGISTRY",
    "DecisionThreshold",
    "Metric",
    "Predictions",
    "Scorer",
    "balanced_accuracy",
    "brier_score",
    "choose_threshold",
    "coefficient_of_variation",
    "g_mean",
    "get",
    "hand_till_auc",
    "imbalance_ratio",
    "minority_f1",
    "names",
    "rare_auc",
    "rare_average_precision",
    "rarest_label",
    "scorers",
    "weighted_auroc",
]
