"""Weighted inter-node Hellinger distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class IHDw(Criterion):
    r"""Inter-node Hellinger distance in which a child counts less the more of every class it holds.

    The weight of a child is 1 as soon as one class of the node is missing from it, so pure children are preferred.

    See Also
    --------
    IHD : Without the weight.

    Notes
    -----
    .. math:: \sum_t \rho_t \Bigl(1 - \sum_j \sqrt{p_{tj} p_j}\Bigr) \Bigl(1 - \prod_{j: N_j > 0} \frac{n_{tj}}{N_j}\Bigr)
              \in [0, 1)

    The symbols are explained in :class:`Criterion`.

    References
    ----------
    P. S. Akash, M. E. Kadir, A. A. Ali and M. Shoyaib, "Inter-node Hellinger distance based decision tree", IJCAI 2019.

    Examples
    --------
    >>> from rarewood import criteria
    >>> round(criteria.score(criteria.IHDw(), [[50, 0], [0, 50]]), 4)
    0.2929
    >>> round(criteria.score("ihdw", [[90, 1], [10, 9]]), 4)
    0.031
    """

    name: ClassVar[str] = "ihdw"
    formula: ClassVar[str] = "Σ_t ρ_t (1 - Σ_j √(p_tj p_j)) (1 - Π_j n_tj/N_j)"
    range: ClassVar[str] = "[0, 1)"
    citation: ClassVar[str] = "Akash et al., 2019"
