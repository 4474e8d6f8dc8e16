"""The shards of `make sanitize` hold every test once, and the workflow runs all of them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RULE = r"show: ; @echo '$(foreach shard,$(shards),$(shard): $(shard_$(shard))\n)'"


@pytest.fixture(scope="module")
def shards():
    if sys.platform != "linux" or shutil.which("make") is None:
        pytest.skip("needs GNU make")
    made = subprocess.run(
        ["make", "--silent", "--no-print-directory", f"--eval={RULE}", "show"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    pairs = (line.split(": ") for line in made.stdout.replace("\\n", "\n").splitlines() if line.strip())
    return {name.strip(): paths.split() for name, paths in pairs}


def test_every_file_of_tests_is_in_one_shard(shards):
    def count(path):
        return sum(path == ROOT / entry or ROOT / entry in path.parents for paths in shards.values() for entry in paths)

    files = [*sorted((ROOT / "tests").rglob("test_*.py")), ROOT / "README.md", *(ROOT / "src").rglob("*.py")]
    assert [path for path in files if count(path) != 1] == []


def test_shards_name_only_what_exists(shards):
    assert [entry for paths in shards.values() for entry in paths if not (ROOT / entry).exists()] == []


def test_every_shard_runs_at_night(shards):
    nightly = ROOT / ".github" / "workflows" / "nightly.yml"
    if not nightly.exists():
        pytest.skip("the workflows are not part of a source distribution")
    (matrix,) = re.findall(r"shard: \[(.*)\]", nightly.read_text())
    assert matrix.split(", ") == [*shards, "fuzz"]
