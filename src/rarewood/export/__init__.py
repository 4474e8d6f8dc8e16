"""Models in files: written by `save`, read by `load`, in a documented format without pickle."""

from rarewood.export._file import ModelDescription, describe, from_bytes, load, save, to_bytes

__all__ = ["ModelDescription", "describe", "from_bytes", "load", "save", "to_bytes"]
