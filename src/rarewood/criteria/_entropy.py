"""Information gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class Entropy(Criterion):
    r"""Information gain in bits: the decrease of the entropy of the classes.

    See Also
    --------
    GainRatio : Divided by the entropy of the split itself.
    AlphaDivergence : A family in which ``alpha=1`` is the information gain in nats.

    Notes
    -----
    .. math:: H(p) - \sum_t \rho_t H(p_t), \quad H(p) = -\sum_j p_j \log_2 p_j, \quad \in [0, \log_2 K]

    The symbols are explained in :class:`Criterion`.

    References
    ----------
    J. R. Quinlan, "Induction of decision trees", *Machine Learning* 1, 1986.

    Examples
    --------
    The attribute *outlook* of Quinlan's weather data, three categories and 14 days to play or not to play:

    >>> from rarewood import criteria
    >>> round(criteria.score(criteria.Entropy(), [[2, 3], [4, 0], [3, 2]]), 3)
    0.247
    """

    name: ClassVar[str] = "entropy"
    formula: ClassVar[str] = "H(p) - Σ_t ρ_t H(p_t), H(p) = -Σ_j p_j log2 p_j"
    range: ClassVar[str] = "[0, log2 K]"
    citation: ClassVar[str] = "Quinlan, 1986"
