"""What a model remembers of its training rows, and how new rows are compared with that; nothing in it is about a single row."""

from rarewood._memory._columns import FEWEST, ColumnMemory
from rarewood._memory._drift import MUCH, SOME, Drift, chance_limit, compare_counts, stability_index
from rarewood._memory._scores import Cut, ScoreMemory
from rarewood._memory._training import TrainingMemory, remember

__all__ = [
    "FEWEST",
    "MUCH",
    "SOME",
    "ColumnMemory",
    "Cut",
    "Drift",
    "ScoreMemory",
    "TrainingMemory",
    "chance_limit",
    "compare_counts",
    "remember",
    "stability_index",
]
