"""Figures with their 95 % intervals, for the packages above."""

from rarewood.metrics.uncertainty import Estimate, average_precision_with_interval
from rarewood.report._areas import area_with_interval

__all__ = ["Estimate", "area_with_interval", "average_precision_with_interval"]
