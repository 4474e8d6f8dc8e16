"""Distinct class based splitting measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class DCSM(Criterion):
    r"""Distinct class based splitting measure, negated so that larger is better.

    Children with few distinct classes are preferred, then pure ones. It does not measure an improvement over the
    parent: all scores are negative, and 0 does not mean "no gain".

    Notes
    -----
    .. math:: -\sum_t \rho_t D_t e^{D_t} \sum_j p_{tj} \exp\Bigl(\frac{D_t}{D} \bigl(1 - p_{tj}^2\bigr)\Bigr) < 0

    where :math:`D_t` and :math:`D` count the classes present in child t and in the parent. The other symbols are
    explained in :class:`Criterion`.

    References
    ----------
    B. Chandra, R. Kothari and P. Paul, "A new node splitting measure for decision tree construction",
    *Pattern Recognition* 43, 2010.

    Examples
    --------
    Pure children have :math:`D_t = 1` and score :math:`-e`:

    >>> from rarewood import criteria
    >>> round(criteria.score(criteria.DCSM(), [[50, 0], [0, 50]]), 4)
    -2.7183
    >>> round(criteria.score("dcsm", [[90, 1], [10, 9]]), 4)
    -18.118
    """

    name: ClassVar[str] = "dcsm"
    formula: ClassVar[str] = "-Σ_t ρ_t D_t exp(D_t) Σ_j p_tj exp((D_t/D) (1 - p_tj²))"
    range: ClassVar[str] = "(-∞, 0)"
    citation: ClassVar[str] = "Chandra et al., 2010"
