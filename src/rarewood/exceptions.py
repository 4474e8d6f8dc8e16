"""Errors and warnings of rarewood.

Wrong arguments raise the built-in `ValueError` and `TypeError`, as everywhere in scikit-learn.
"""

from __future__ import annotations

__all__ = ["RarewoodWarning"]


class RarewoodWarning(UserWarning):
    """Something was done in another way than asked, and the message says which."""
