"""Cases at random, each named by a seed: what the API, model files and the command line must survive. `make fuzz` runs many."""

from importlib import import_module

CAMPAIGNS = ("api", "files", "commands")


def load(campaign):
    """The function that runs one case of a campaign: a seed in, what became of it out."""
    return import_module(f"fuzz._{campaign}").run
