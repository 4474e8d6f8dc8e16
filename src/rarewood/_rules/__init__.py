"""Rules of the rare class: leaves of a forest (patterns), short lists that hold, and lists that a model file keeps.

A *condition* is what a rule asks of one column. A rule comes from a node of a tree as a row of `Conditions`, the flat arrays in
which `_paths` writes them and `search` refines them. A reader meets it as a `Pattern` or, with figures of rows that were not
used to find it, as a `Rule`, whose conditions have names and words.
"""

from rarewood._rules._conditions import CodedRule, ColumnCondition, Conditions, gather_segments
from rarewood._rules._distinct import different
from rarewood._rules._json import rule_in_report
from rarewood._rules._leaves import find_patterns
from rarewood._rules._maker import make_rules
from rarewood._rules._measures import growth_rate, strength
from rarewood._rules._paths import conditions_of_nodes
from rarewood._rules._pattern_table import PatternTable
from rarewood._rules._patterns import Origin, Patterns
from rarewood._rules._rule import Pattern, Rule
from rarewood._rules._rule_list import RuleList
from rarewood._rules._rule_set import RuleSet
from rarewood._rules._together import Together
from rarewood._rules._words import Condition
from rarewood._rules.search import PENALTY, Figures, Limits, RuleWeights, SearchTable, calibrated

__all__ = [
    "PENALTY",
    "CodedRule",
    "ColumnCondition",
    "Condition",
    "Conditions",
    "Figures",
    "Limits",
    "Origin",
    "Pattern",
    "PatternTable",
    "Patterns",
    "Rule",
    "RuleList",
    "RuleSet",
    "RuleWeights",
    "SearchTable",
    "Together",
    "calibrated",
    "conditions_of_nodes",
    "different",
    "find_patterns",
    "gather_segments",
    "growth_rate",
    "make_rules",
    "rule_in_report",
    "strength",
]
