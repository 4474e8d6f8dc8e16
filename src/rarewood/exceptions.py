"""Errors and warnings of rarewood.

Wrong arguments raise the built-in `ValueError` and `TypeError`, as everywhere in scikit-learn.
"""

from __future__ import annotations

__all__ = ["ModelFileError", "RarewoodWarning"]


class RarewoodWarning(UserWarning):
    """Something was done differently than asked; the message says what."""


class ModelFileError(ValueError):
    """A model cannot be written to a file, or a file is damaged or not a model file; the message says what is wrong."""
