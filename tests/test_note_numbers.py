"""Every note has a number of its own, and a paragraph under it."""

import ast
import re
from pathlib import Path

import pytest

from rarewood._tables.notes import _NUMBERS, Note, NoteCode, note_number
from rarewood.report import problems

ROOT = Path(__file__).parents[1]


def test_every_kind_of_note_and_problem_has_a_number():
    source = ast.parse(Path(problems.__file__).read_text(encoding="utf-8"))
    calls = [
        node for node in ast.walk(source) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem"
    ]
    kinds = {call.args[0].value for call in calls}
    assert len(kinds) > 8
    assert {*NoteCode, *kinds} <= set(_NUMBERS)
    assert len(set(_NUMBERS.values())) == len(_NUMBERS)


def test_a_suspect_note_has_the_number_of_its_problem():
    assert Note(NoteCode.SUSPECT, "").number == "RW200"
    assert Note(NoteCode.SUSPECT, "", problem="leak").number == note_number("leak") == "RW201"


def test_every_number_is_explained():
    page = ROOT / "docs" / "notes.md"
    if not page.exists():
        pytest.skip("a source distribution has no documentation pages")
    explained = re.findall(r"^### (RW\d+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(explained) == sorted(map(note_number, _NUMBERS))
