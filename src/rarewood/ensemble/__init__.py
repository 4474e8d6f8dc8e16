"""Forests: many trees on one prepared table."""

from rarewood._decisions import Calibration, ColumnEffects, Triage
from rarewood.ensemble._balanced import BalancedForestClassifier
from rarewood.ensemble._beat import BEATClassifier
from rarewood.ensemble._forest import ForestClassifier
from rarewood.ensemble._hedex import HeDExClassifier, HeDExhClassifier
from rarewood.ensemble._ranking import BiasedRankingClassifier
from rarewood.ensemble._rare import RareClassifier
from rarewood.ensemble._rule_set import RuleSetClassifier
from rarewood.ensemble.threshold import fit_threshold

__all__ = [
    "BEATClassifier",
    "BalancedForestClassifier",
    "BiasedRankingClassifier",
    "Calibration",
    "ColumnEffects",
    "ForestClassifier",
    "HeDExClassifier",
    "HeDExhClassifier",
    "RareClassifier",
    "RuleSetClassifier",
    "Triage",
    "fit_threshold",
]
