"""The core compiles with MSVC: what only GCC and Clang know is behind a guard. (No such compiler runs here; this is its stand-in.)"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for folder in ("core", "bindings") for path in (ROOT / folder).rglob("*.[ch]pp"))
ONLY_GNU = re.compile(
    r"__attribute__|__builtin_|__int128|__typeof__|\btypeof\b|\basm\b|<(?:unistd|dlfcn|sys/\w+|x86intrin)\.h>"
)
GUARD = re.compile("__GNUC__|__linux__")


def unguarded(text):
    """Numbers of the lines that use what MSVC does not know, outside of every `#if` that asks for __GNUC__ or __linux__."""
    found, guards = [], []
    for number, line in enumerate(text.splitlines(), 1):
        directive = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)", line)
        if directive is None:
            code = line.split("//")[0]
            if ONLY_GNU.search(code) and not any(guards):
                found.append(number)
        elif directive[1] == "endif":
            guards.pop()
        elif directive[1] in ("elif", "else"):
            guards[-1] = directive[1] == "elif" and GUARD.search(directive[2]) is not None
        else:
            guards.append(directive[1] != "ifndef" and GUARD.search(directive[2]) is not None)
    return found


def test_guards_are_understood():
    text = "#if defined(__GNUC__)\n__builtin_x();\n#else\n__builtin_y();\n#endif\n// __builtin_z\nint __attribute__((cold)) f();"
    assert unguarded(text) == [4, 7]


@pytest.mark.skipif(not SOURCES, reason="the sources of the core are elsewhere")
def test_nothing_only_gcc_and_clang_know():
    assert {str(path.relative_to(ROOT)): unguarded(path.read_text(encoding="utf-8")) for path in SOURCES} == {
        str(path.relative_to(ROOT)): [] for path in SOURCES
    }
