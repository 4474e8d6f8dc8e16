"""Prints the minimum of every dependency in pyproject.toml as a pip constraint: `numpy>=1.26` as `numpy==1.26.*`."""

import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
for requirement in project["dependencies"]:
    name, minimum = requirement.split(">=")
    print(f"{name}=={minimum}.*")
