"""Gini index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class Gini(Criterion):
    r"""Decrease of the Gini index, the criterion of CART and of scikit-learn's trees.

    It rewards purer children in proportion to their size, so a rare class counts little.

    See Also
    --------
    Hellinger : Does not depend on class sizes.

    Notes
    -----
    .. math:: \Bigl(1 - \sum_j p_j^2\Bigr) - \sum_t \rho_t \Bigl(1 - \sum_j p_{tj}^2\Bigr) \in [0, 1)

    The symbols are explained in :class:`Criterion`.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, *Classification and Regression Trees*, Wadsworth, 1984.

    Examples
    --------
    >>> from rarewood import criteria
    >>> criteria.score(criteria.Gini(), [[50, 0], [0, 50]])
    0.5
    >>> round(criteria.score("gini", [[90, 0], [0, 10]]), 3)
    0.18
    """

    name: ClassVar[str] = "gini"
    formula: ClassVar[str] = "(1 - Σ_j p_j²) - Σ_t ρ_t (1 - Σ_j p_tj²)"
    range: ClassVar[str] = "[0, 1)"
    citation: ClassVar[str] = "Breiman et al., 1984"
