"""Prints the minimum of every dependency in pyproject.toml as a pip constraint: `numpy>=1.26` as `numpy==1.26.*`.

Test tools and the libraries of the extras count too: the newest pandas or pytest does not care for an old NumPy or scikit-learn.
"""

import re
import tomllib
from pathlib import Path

pyproject = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
requirements = set(pyproject["project"]["dependencies"])
for group in (*pyproject["project"]["optional-dependencies"].values(), *pyproject["dependency-groups"].values()):
    requirements.update(requirement for requirement in group if isinstance(requirement, str))

for requirement in sorted(requirements.difference(pyproject["dependency-groups"]["build"])):
    if match := re.fullmatch(r"([\w-]+)(?:\[.*\])?>=([\d.]+)", requirement):
        print(f"{match[1]}=={match[2]}.*")
