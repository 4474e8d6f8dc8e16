"""The one place where the package warns, so that a warning points at the code of whoever called it."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from types import FrameType

from rarewood.exceptions import RarewoodWarning

_PACKAGE = f"{Path(__file__).parent}{os.sep}"


def warn(message: str) -> None:
    """Warn at the line that called the package, however deep inside it the reason was found."""
    caller = _caller(sys._getframe())
    own = caller.f_globals
    registry = own.setdefault("__warningregistry__", {})  # where Python notes what it has shown already
    name = own.get("__name__")
    warnings.warn_explicit(message, RarewoodWarning, caller.f_code.co_filename, caller.f_lineno, name, registry)


def _caller(frame: FrameType) -> FrameType:
    """What called the package first: the nearest frame outside may be one of joblib, through which the package calls itself."""
    caller = frame
    while (outer := frame.f_back) is not None:
        if _is_ours(frame) and not _is_ours(outer):
            caller = outer
        frame = outer
    return caller


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_PACKAGE)
