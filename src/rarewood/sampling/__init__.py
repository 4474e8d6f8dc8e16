"""Rows in, rows out: samplers with imbalanced-learn's interface."""

from rarewood.sampling._cleaning import BiasedForestCleaner
from rarewood.sampling._pattern_oversampler import PatternOversampler

__all__ = ["BiasedForestCleaner", "PatternOversampler"]
