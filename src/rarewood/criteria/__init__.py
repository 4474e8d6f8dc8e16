"""Split criteria: what turns a table of class counts into a score.

Trees and forests take a criterion by name, as an object with parameters, or as a Python function over candidate count
tables. :func:`score` gives the value of a single split.
"""

from __future__ import annotations

from rarewood.criteria._alpha import AlphaDivergence
from rarewood.criteria._base import Criterion
from rarewood.criteria._c45 import C45
from rarewood.criteria._ccp_entropy import CCPEntropy
from rarewood.criteria._ccp_gini import CCPGini
from rarewood.criteria._dcsm import DCSM
from rarewood.criteria._dkm import DKM
from rarewood.criteria._entropy import Entropy
from rarewood.criteria._gain_ratio import GainRatio
from rarewood.criteria._gini import Gini
from rarewood.criteria._hellinger import Hellinger
from rarewood.criteria._hellinger_ova import HellingerOVA
from rarewood.criteria._ihd import IHD
from rarewood.criteria._ihdw import IHDw
from rarewood.criteria._registry import REGISTRY, check, get, names, score

__all__ = [
    "C45",
    "DCSM",
    "DKM",
    "IHD",
    "REGISTRY",
    "AlphaDivergence",
    "CCPEntropy",
    "CCPGini",
    "Criterion",
    "Entropy",
    "GainRatio",
    "Gini",
    "Hellinger",
    "HellingerOVA",
    "IHDw",
    "check",
    "get",
    "names",
    "score",
]
