"""The shards of `make sanitize` hold every test once, and the workflow runs all of them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text().replace("\\\n", " ")
VARIABLES = dict(re.findall(r"^(shard\w*) := (.*)$", MAKEFILE, flags=re.MULTILINE))
SHARDS = {name: VARIABLES[f"shard_{name}"].split() for name in VARIABLES["shards"].split()}


def holds(entries, path):
    return sum(path == ROOT / entry or ROOT / entry in path.parents for entry in entries)


def test_every_file_of_tests_is_in_one_shard():
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    assert [path for path in files if sum(holds(entries, path) for entries in SHARDS.values()) != 1] == []


def test_shards_name_only_what_exists():
    assert [entry for entries in SHARDS.values() for entry in entries if not (ROOT / entry).exists()] == []


def test_examples_of_docstrings_and_the_readme_are_in_a_shard():
    assert sum(entries.count("src") for entries in SHARDS.values()) == 1
    assert sum(entries.count("README.md") for entries in SHARDS.values()) == 1


def test_every_shard_runs_at_night():
    nightly = (ROOT / ".github" / "workflows" / "nightly.yml").read_text()
    (matrix,) = re.findall(r"shard: \[(.*)\]", nightly)
    assert matrix.split(", ") == [*SHARDS, "fuzz"]
