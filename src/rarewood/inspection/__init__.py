"""Text and pictures of fitted trees."""

from rarewood.inspection._plot import plot_tree
from rarewood.inspection._text import export_text

__all__ = ["export_text", "plot_tree"]
