"""Criterion of Dietterich, Kearns and Mansour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class DKM(Criterion):
    r"""Decrease of the geometric mean of the two class shares; two classes only.

    At any one node it chooses the split that :class:`Hellinger` chooses, being
    :math:`\tfrac12 \sqrt{p_1 p_2}` times the squared Hellinger distance; only comparisons across nodes differ.

    See Also
    --------
    Hellinger : Same choices, any number of classes.

    Notes
    -----
    .. math:: \sqrt{p_1 p_2} - \sum_t \rho_t \sqrt{p_{t1} p_{t2}} \in [0, \tfrac12]

    without the factor 2 of the original. The symbols are explained in :class:`Criterion`.

    References
    ----------
    T. Dietterich, M. Kearns and Y. Mansour, "Applying the weak learning framework to understand and improve C4.5",
    ICML 1996.

    Examples
    --------
    >>> from rarewood import criteria
    >>> criteria.score(criteria.DKM(), [[50, 0], [0, 50]])
    0.5
    >>> criteria.score("dkm", [[5, 1, 1], [0, 4, 2]])
    Traceback (most recent call last):
        ...
    ValueError: DKM() is defined for at most 2 classes, got 3; 'hellinger' and 'ihd' accept any number.
    """

    name: ClassVar[str] = "dkm"
    formula: ClassVar[str] = "√(p_1 p_2) - Σ_t ρ_t √(p_t1 p_t2)"
    range: ClassVar[str] = "[0, 1/2]"
    citation: ClassVar[str] = "Dietterich et al., 1996"
