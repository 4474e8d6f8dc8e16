"""Gain ratio as C4.5 uses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class C45(Criterion):
    r"""C4.5's split selection: thresholds by gain, attributes by gain ratio among those of at least average gain.

    The score of a single split is its gain ratio. In a tree, a numeric attribute takes the threshold with the largest
    information gain, is charged :math:`\log_2(\text{number of thresholds}) / N` for the choice, and drops out if no
    gain is left; among the attributes with at least the mean gain, the largest gain ratio wins.

    See Also
    --------
    GainRatio : The ratio maximised directly, over all thresholds.

    Notes
    -----
    .. math:: \frac{H(p) - \sum_t \rho_t H(p_t)}{-\sum_t \rho_t \log_2 \rho_t} \ge 0

    The symbols are explained in :class:`Criterion`.

    References
    ----------
    J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann, 1993.

    J. R. Quinlan, "Improved use of continuous attributes in C4.5", *Journal of Artificial Intelligence Research* 4, 1996.

    Examples
    --------
    >>> from rarewood import criteria
    >>> table = [[2, 3], [4, 0], [3, 2]]
    >>> criteria.score(criteria.C45(), table) == criteria.score("gain_ratio", table)
    True
    """

    name: ClassVar[str] = "c45"
    formula: ClassVar[str] = "(H(p) - Σ_t ρ_t H(p_t)) / (-Σ_t ρ_t log2 ρ_t)"
    range: ClassVar[str] = "[0, ∞)"
    citation: ClassVar[str] = "Quinlan, 1996"
