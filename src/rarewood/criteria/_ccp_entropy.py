"""Class confidence proportion with entropy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class CCPEntropy(Criterion):
    r"""Information gain with class shares replaced by class confidence proportions.

    A child's confidence in a class is the fraction of that class it holds; the proportion compares it with the fraction
    of all other rows it holds. Class sizes cancel in the proportions, though the weights of the children still depend on
    them. In a tree, ties go to the larger Hellinger distance.

    See Also
    --------
    CCPGini : The same with the Gini index.
    Hellinger : Does not depend on class sizes at all.

    Notes
    -----
    .. math:: H(c) - \sum_t \rho_t H(c_t), \quad
              c_{tj} \propto \frac{n_{tj} / N_j}{n_{tj} / N_j + (N_t - n_{tj}) / (N - N_j)}

    over the k classes present at the node, where :math:`c_j = 1/k` at the parent, in bits. For two classes the proportions
    sum to one by themselves and the score is not negative. The symbols are explained in :class:`Criterion`.

    References
    ----------
    W. Liu, S. Chawla, D. A. Cieslak and N. V. Chawla, "A robust decision tree algorithm for imbalanced data sets",
    SDM 2010.

    Examples
    --------
    >>> from rarewood import criteria
    >>> criteria.score(criteria.CCPEntropy(), [[90, 0], [0, 10]])
    1.0
    >>> round(criteria.score("ccp_entropy", [[90, 1], [10, 9]]), 4)
    0.531
    """

    name: ClassVar[str] = "ccp_entropy"
    formula: ClassVar[str] = "H(c) - Σ_t ρ_t H(c_t), c_tj ∝ CC_tj / (CC_tj + CC_t,not j), CC_tj = n_tj/N_j"
    range: ClassVar[str] = "[0, 1] for two classes"
    citation: ClassVar[str] = "Liu et al., 2010"
