"""Single decision trees."""

from rarewood.tree._classifier import TreeClassifier

__all__ = ["TreeClassifier"]
