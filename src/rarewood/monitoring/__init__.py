"""The day after: compare new rows with what a model remembers, calibrate it again, choose rows to label.

Nothing here changes a model by itself.
"""

from rarewood._memory import TrainingMemory
from rarewood.monitoring._monitor import monitor
from rarewood.monitoring._monitoring import Finding, Monitoring
from rarewood.monitoring._recalibrate import Recalibration, recalibrate
from rarewood.monitoring._review import Estimates, Review, estimate, review
from rarewood.monitoring._share import ShareEstimate, estimate_prior

__all__ = [
    "Estimates",
    "Finding",
    "Monitoring",
    "Recalibration",
    "Review",
    "ShareEstimate",
    "TrainingMemory",
    "estimate",
    "estimate_prior",
    "monitor",
    "recalibrate",
    "review",
]
