"""Forests for data larger than memory, out of core or on a cluster, with bit for bit the same trees."""

from rarewood.distributed._find_rules import find_rules
from rarewood.distributed._fit import fit
from rarewood.distributed._predict import predict_proba

__all__ = ["find_rules", "fit", "predict_proba"]
