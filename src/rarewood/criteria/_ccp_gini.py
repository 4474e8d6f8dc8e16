"""Class confidence proportion with the Gini index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class CCPGini(Criterion):
    r"""Decrease of the Gini index with class shares replaced by class confidence proportions.

    A child's confidence in a class is the fraction of that class it holds; the proportion compares it with the fraction
    of all other rows it holds. Class sizes cancel in the proportions, though the weights of the children still depend
    on them. In a tree, ties go to the larger Hellinger distance.

    See Also
    --------
    CCPEntropy : The same with the entropy.

    Notes
    -----
    .. math:: \Bigl(1 - \sum_j c_j^2\Bigr) - \sum_t \rho_t \Bigl(1 - \sum_j c_{tj}^2\Bigr), \quad
              c_{tj} \propto \frac{n_{tj} / N_j}{n_{tj} / N_j + (N_t - n_{tj}) / (N - N_j)}

    over the k classes present at the node, where :math:`c_j = 1/k` at the parent. The symbols are explained in
    :class:`Criterion`.

    References
    ----------
    W. Liu, S. Chawla, D. A. Cieslak and N. V. Chawla, "A robust decision tree algorithm for imbalanced data sets",
    SDM 2010.

    Examples
    --------
    >>> from rarewood import criteria
    >>> criteria.score(criteria.CCPGini(), [[90, 0], [0, 10]])
    0.5
    >>> round(criteria.score("ccp_gini", [[90, 1], [10, 9]]), 4)
    0.32
    """

    name: ClassVar[str] = "ccp_gini"
    formula: ClassVar[str] = (
        "(1 - Σ_j c_j²) - Σ_t ρ_t (1 - Σ_j c_tj²), c_tj ∝ CC_tj / (CC_tj + CC_t,not j), CC_tj = n_tj/N_j"
    )
    range: ClassVar[str] = "[0, 1/2] for two classes"
    citation: ClassVar[str] = "Liu et al., 2010"
