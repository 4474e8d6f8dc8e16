"""Rules in the leaves of trees: the mechanics under `inspection.extract_patterns` and `PatternOversampler`.

A pattern is the conjunction of all splits between the root and a leaf, merged to one interval or category set per column.
"""

from rarewood._patterns._conditions import Conditions, conditions_of_leaves, gather_segments
from rarewood._patterns._different import different
from rarewood._patterns._found import Found
from rarewood._patterns._measures import growth_rate, strength
from rarewood._patterns._pattern import Pattern
from rarewood._patterns._search import LabelledRows, find_patterns
from rarewood._patterns._table import Patterns
from rarewood._patterns._words import Condition

__all__ = [
    "Condition",
    "Conditions",
    "Found",
    "LabelledRows",
    "Pattern",
    "Patterns",
    "conditions_of_leaves",
    "different",
    "find_patterns",
    "gather_segments",
    "growth_rate",
    "strength",
]
