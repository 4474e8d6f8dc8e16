"""A model and its description from one reading of its file, for the packages above."""

from rarewood.export._file import read_described

__all__ = ["read_described"]
