"""The search for rules that hold: candidates from shallow trees, evidence, a list that covers or ranks, figures from folds."""

from rarewood._rules.search._figures import Figures
from rarewood._rules.search._findings import Findings, MoreTrees, find
from rarewood._rules.search._limits import Limits
from rarewood._rules.search._one_search import Purpose
from rarewood._rules.search._refinement import is_whole
from rarewood._rules.search._search_table import SearchTable
from rarewood._rules.search._weights import PENALTY, RuleWeights, calibrated

__all__ = [
    "PENALTY",
    "Figures",
    "Findings",
    "Limits",
    "MoreTrees",
    "Purpose",
    "RuleWeights",
    "SearchTable",
    "calibrated",
    "find",
    "is_whole",
]
