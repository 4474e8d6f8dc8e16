"""What differs when the tests run under a sanitizer, as `make sanitize` and `make tsan` preload it."""

import os

import pytest

PRELOADED = os.environ.get("LD_PRELOAD", "")
ADDRESSES, THREADS = "libasan" in PRELOADED, "libtsan" in PRELOADED
SLOWER = 20.0 if THREADS else 5.0 if ADDRESSES else 1.0  # factor of limits of time

limits_memory = pytest.mark.skipif(ADDRESSES or THREADS, reason="a sanitizer takes more memory than the test allows")


def without_notes(errors):
    """Standard error without what nanobind tells, in builds with assertions, of objects that daemon threads hold at the end."""
    notes = ("nanobind: ", " - ", "See https://nanobind")
    return "".join(line for line in errors.splitlines(keepends=True) if not line.startswith(notes))
