"""Inter-node Hellinger distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class IHD(Criterion):
    r"""Inter-node Hellinger distance: how far the children's class shares lie from the parent's.

    0 when the children look like the parent; for children of given sizes largest when they share no class. The best
    split of all separates the classes into two groups of nearly equal size.

    See Also
    --------
    IHDw : With a weight that prefers pure children.
    Hellinger : Distance between classes instead of between nodes.

    Notes
    -----
    .. math:: \sum_t \rho_t \Bigl(1 - \sum_j \sqrt{p_{tj} p_j}\Bigr) \in [0, 1)

    The symbols are explained in :class:`Criterion`.

    References
    ----------
    P. S. Akash, M. E. Kadir, A. A. Ali and M. Shoyaib, "Inter-node Hellinger distance based decision tree", IJCAI 2019.

    Examples
    --------
    >>> from rarewood import criteria
    >>> round(criteria.score(criteria.IHD(), [[50, 0], [0, 50]]), 4)
    0.2929
    >>> round(criteria.score("ihd", [[90, 1], [10, 9]]), 4)
    0.0341
    """

    name: ClassVar[str] = "ihd"
    formula: ClassVar[str] = "Σ_t ρ_t (1 - Σ_j √(p_tj p_j))"
    range: ClassVar[str] = "[0, 1)"
    citation: ClassVar[str] = "Akash et al., 2019"
