"""Cases at random, each named by a seed: what the API, model files, the command line and processes that are stopped must survive."""

import sys
from importlib import import_module

IN_PROCESS = (
    "api",
    "files",
    "metadata",
    "commands",
    "arrow",
    "databases",
    "exports",
    "explanations",
    "distributed",
    "honesty",
    "monotone",
)
FORKED = ("kills", "interrupts", "phases", "faults") if sys.platform == "linux" else ()
CAMPAIGNS = IN_PROCESS + FORKED


def load(campaign):
    """The function that runs one case of a campaign: a seed in, what became of it out."""
    return import_module(f"fuzz._{campaign}").run


def summary_of(campaign):
    """What a campaign says of all its cases together, and how many failures that adds."""
    module = import_module(f"fuzz._{campaign}")
    return module.summary() if hasattr(module, "summary") else ("", 0)
