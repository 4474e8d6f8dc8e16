"""Short lists of rules that hold: found on shallow trees, judged on rows that were not used to find them.

A *candidate* is a node of a shallow tree; a *search* turns the trees of some rows into a list; the *figures* of a list come from
searches on folds. Lists *cover* the rare class, for readers, or *rank* rows, for a classifier.
"""

from rarewood._rules._figures import Figures
from rarewood._rules._finding import Findings
from rarewood._rules._limits import Limits
from rarewood._rules._making import LabelledTable, make_rules, with_whole_numbers
from rarewood._rules._set import Rule, RuleSet, Together
from rarewood._rules._weighing import PENALTY, Weighted, calibrated

__all__ = [
    "PENALTY",
    "Figures",
    "Findings",
    "LabelledTable",
    "Limits",
    "Rule",
    "RuleSet",
    "Together",
    "Weighted",
    "calibrated",
    "make_rules",
    "with_whole_numbers",
]
