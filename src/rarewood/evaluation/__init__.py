"""Fair comparisons of classifiers: the same folds and seeds for all, kept on disk as they come, with the statistics of papers.

:func:`compare` takes anything with scikit-learn's interface and knows nothing of the estimators of this package.
"""

from rarewood.evaluation._compare import compare
from rarewood.evaluation._comparison import Comparison
from rarewood.evaluation._one_table import FoldTable, Interval
from rarewood.evaluation._tables import ScoreTable, WinTable

__all__ = ["Comparison", "FoldTable", "Interval", "ScoreTable", "WinTable", "compare"]
