"""One page on how well a model finds the rare class, as a single self-contained file.

`summarise` turns a model and a table into a dictionary, `render` turns the dictionary into HTML, and `build` does both.
"""

from rarewood.report._build import Report, build
from rarewood.report._check import DataCheck, check
from rarewood.report._render import render
from rarewood.report._summarise import summarise

__all__ = ["DataCheck", "Report", "build", "check", "render", "summarise"]
