"""Data that one machine's memory does not hold: forests out of core and on a cluster, the same trees bit for bit."""

from rarewood.distributed._fit import fit
from rarewood.distributed._predict import predict_proba

__all__ = ["fit", "predict_proba"]
