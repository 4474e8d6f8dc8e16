"""Published experiments repeated: our figures beside the printed ones, and a verdict per claim.

``python -m rarewood.reproduction hedex`` does the same from a terminal.
"""

from rarewood.reproduction._result import Reproduction, Run
from rarewood.reproduction._run import papers, reproduce

__all__ = ["Reproduction", "Run", "papers", "reproduce"]
