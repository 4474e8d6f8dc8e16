"""Rows in, rows out: samplers with imbalanced-learn's interface."""

from rarewood.sampling._cleaning import BiasedForestCleaner

__all__ = ["BiasedForestCleaner"]
