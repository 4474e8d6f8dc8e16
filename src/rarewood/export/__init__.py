"""Model files in a documented format without pickle (`save`, `load`), and models in the formats of other programs."""

from rarewood.export._c import to_c
from rarewood.export._file import ModelDescription, describe, from_bytes, load, save, to_bytes
from rarewood.export._onnx import to_onnx
from rarewood.export._shap import ShapModel, to_shap
from rarewood.export._skl2onnx import register_with_skl2onnx
from rarewood.export._treelite import to_treelite

__all__ = [
    "ModelDescription",
    "ShapModel",
    "describe",
    "from_bytes",
    "load",
    "register_with_skl2onnx",
    "save",
    "to_bytes",
    "to_c",
    "to_onnx",
    "to_shap",
    "to_treelite",
]
