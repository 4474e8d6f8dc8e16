"""Errors and warnings of rarewood.

Wrong arguments raise the built-in `ValueError` and `TypeError`, as everywhere in scikit-learn.
"""

from __future__ import annotations

__all__ = ["ModelFileError", "RarewoodWarning"]


class RarewoodWarning(UserWarning):
    """Something was done in another way than asked, and the message says which."""


class ModelFileError(ValueError):
    """A model cannot be written to a file, or a file is damaged, hostile, or no model at all; the message says which."""
