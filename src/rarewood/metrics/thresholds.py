"""Thresholds by rules that have been read, for the packages above."""

from rarewood.metrics._threshold_choice import choose_by_rule, promised_value, warn_if_short
from rarewood.metrics._threshold_rules import WORDS, ThresholdRule, read_rule

__all__ = ["WORDS", "ThresholdRule", "choose_by_rule", "promised_value", "read_rule", "warn_if_short"]
