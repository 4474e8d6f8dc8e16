"""Thresholds by rules that have been read, for the packages above."""

from rarewood.metrics._promises import FEWEST_GROUPS
from rarewood.metrics._threshold_choice import choose_by_rule, promised_value, warn_if_short
from rarewood.metrics._threshold_rules import WORDS, ThresholdRule, read_rule

__all__ = ["FEWEST_GROUPS", "WORDS", "ThresholdRule", "choose_by_rule", "promised_value", "read_rule", "warn_if_short"]
