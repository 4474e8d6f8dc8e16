"""Thresholds by rules that have been read, for the packages above."""

from rarewood.metrics._decision import choose_by_rule, threshold_at
from rarewood.metrics._threshold_rules import WORDS, ThresholdRule, read_rule

__all__ = ["WORDS", "ThresholdRule", "choose_by_rule", "read_rule", "threshold_at"]
