"""Fair comparisons of classifiers: the same folds and seeds for all, results saved as they come, and the usual statistical tests.

:func:`compare` takes anything with scikit-learn's interface and treats the estimators of this package like any others.
"""

from rarewood.evaluation._compare import compare
from rarewood.evaluation._comparison import Comparison
from rarewood.evaluation._one_table import FoldTable, Interval
from rarewood.evaluation._tables import ScoreTable, WinTable

__all__ = ["Comparison", "FoldTable", "Interval", "ScoreTable", "WinTable", "compare"]
