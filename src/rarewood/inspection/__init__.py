"""Text and pictures of fitted trees, and the rules they have found."""

from rarewood._patterns import Condition, Pattern, Patterns
from rarewood.inspection._patterns import extract_patterns
from rarewood.inspection._plot import plot_tree
from rarewood.inspection._text import export_text

__all__ = ["Condition", "Pattern", "Patterns", "export_text", "extract_patterns", "plot_tree"]
