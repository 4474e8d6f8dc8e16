"""Fair comparisons of classifiers: the same folds and seeds for all, results saved as they come, and the usual statistical tests.

:func:`compare` takes anything with scikit-learn's interface and treats the estimators of this package like any others.
:func:`learning_curve` tells what more rare rows would be worth.
:func:`time_split` divides rows into earlier ones to train on and later ones to choose a threshold on.
"""

from rarewood.evaluation._compare import compare
from rarewood.evaluation._comparison import Comparison
from rarewood.evaluation._learning_curve import CurvePoint, LearningCurve, learning_curve
from rarewood.evaluation._one_table import FoldTable, Interval
from rarewood.evaluation._tables import ScoreTable, WinTable
from rarewood.evaluation._time_split import TimeSplit, time_split

__all__ = [
    "Comparison",
    "CurvePoint",
    "FoldTable",
    "Interval",
    "LearningCurve",
    "ScoreTable",
    "TimeSplit",
    "WinTable",
    "compare",
    "learning_curve",
    "time_split",
]
