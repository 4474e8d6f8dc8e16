"""Text and pictures of fitted trees, the rules they have found, and reasons for the scores of rows."""

from rarewood._rules import Condition, Pattern, Patterns, Rule, RuleSet, Together
from rarewood.inspection._explain import explain
from rarewood.inspection._explanation import Explanation, Reason
from rarewood.inspection._find_rules import find_rules
from rarewood.inspection._patterns import extract_patterns
from rarewood.inspection._plot import plot_tree
from rarewood.inspection._text import export_text

__all__ = [
    "Condition",
    "Explanation",
    "Pattern",
    "Patterns",
    "Reason",
    "Rule",
    "RuleSet",
    "Together",
    "explain",
    "export_text",
    "extract_patterns",
    "find_rules",
    "plot_tree",
]
