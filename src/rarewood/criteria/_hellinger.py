"""Hellinger distance between the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class Hellinger(Criterion):
    r"""Hellinger distance between the distributions of two groups of classes over the children.

    Only the fractions of each class that go to a child matter, not how large the class is: making one class a hundred
    times as frequent changes nothing. With more than two classes it is the largest distance over all ways to put the
    classes present at the node into two groups.

    See Also
    --------
    HellingerOVA : Only one class against the rest.
    DKM : Same choices for two classes.
    IHD : Distance between child and parent instead of between classes.

    Notes
    -----
    .. math:: \max_{\{C_1, C_2\}} \sqrt{\sum_t \Bigl(\sqrt{n_{t,C_1} / N_{C_1}} - \sqrt{n_{t,C_2} / N_{C_2}}\Bigr)^2}
              \in [0, \sqrt 2]

    The symbols are explained in :class:`Criterion`. Of the :math:`2^{k-1} - 1` bipartitions of k classes a split with
    two children needs :math:`k - 1`, exactly: the best group is a prefix of the classes sorted by the fraction that goes
    left. Splits with more children try all bipartitions of up to 12 classes, and one class against the rest beyond.

    So each candidate split takes time for all its classes. With thousands of them a tree takes tens of times as long as with
    ``"ihd"``, which also compares distributions, or with ``"entropy"``.

    References
    ----------
    D. A. Cieslak and N. V. Chawla, "Learning decision trees for unbalanced data", ECML PKDD 2008.

    T. R. Hoens, Q. Qian, N. V. Chawla and Z.-H. Zhou, "Building decision trees for the multi-class imbalance problem",
    PAKDD 2012.

    Examples
    --------
    >>> from rarewood import criteria
    >>> round(criteria.score(criteria.Hellinger(), [[90, 1], [10, 9]]), 4)
    0.8944
    >>> round(criteria.score("hellinger", [[9000, 1], [1000, 9]]), 4)
    0.8944

    Classes A and D go left, B and C go right: a perfect split of {A, D} from {B, C}, whose distance is the square root of 2.

    >>> round(criteria.score("hellinger", [[40, 0, 0, 10], [0, 20, 10, 0]]), 4)
    1.4142
    """

    name: ClassVar[str] = "hellinger"
    formula: ClassVar[str] = "max over bipartitions of √(Σ_t (√(n_t1/N_1) - √(n_t2/N_2))²)"
    range: ClassVar[str] = "[0, √2]"
    citation: ClassVar[str] = "Cieslak and Chawla, 2008; Hoens et al., 2012"
