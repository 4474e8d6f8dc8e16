"""Many classes as several problems of two classes."""

from rarewood.decomposition._ecoc import ECOCClassifier
from rarewood.decomposition._one_vs_all import OneVsAllClassifier

__all__ = ["ECOCClassifier", "OneVsAllClassifier"]
