"""Data sets of a folder with a manifest.json.

The manifest maps the name of a set to an object with `file` (CSV, last column `class`), `nominal` (names of columns; if
absent, those with text), `positive` (the rare label) and, for the reader, `source`, `citation`, `licence` and `note`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from rarewood._table_files.sources import Source
from rarewood.datasets._dataset import Dataset, check_rare
from rarewood.datasets._readers import read_table

VARIABLE = "RAREWOOD_DATA"
HOW = f"set {VARIABLE} to a folder with a manifest.json"


class Local:
    """The folder that the environment variable RAREWOOD_DATA names."""

    prefix = "local"

    def names(self) -> list[str]:
        """The sets of the manifest; none without a folder."""
        folder = _folder()
        return list(_manifest(folder)) if folder else []

    def load(self, name: str) -> Dataset:
        folder = _folder()
        if folder is None:
            raise FileNotFoundError(f"data set 'local:{name}' is not here; {HOW}")
        entry = _manifest(folder)[name]
        path = folder / entry["file"]
        if not path.is_file():
            raise FileNotFoundError(f"the manifest names {entry['file']!r} for {name!r}, but {folder} has no such file")
        X, y, _, _ = read_table(Source(path, path.name), "class", entry.get("nominal"), ordered=False)
        positive = entry.get("positive")
        return Dataset(
            name=f"local:{name}",
            X=X,
            y=y,
            rare=check_rare(None if positive is None else str(positive), y, path.name),
            source=entry.get("source", path.name),
            citation=entry.get("citation", entry.get("licence", "")),
            note=entry.get("note", ""),
        )

    def describe(self, name: str) -> str:
        folder = _folder()
        return str(_manifest(folder)[name].get("source", "")) if folder else ""


def _folder() -> Path | None:
    """The folder, None if the variable is not set; a variable that leads nowhere is an error."""
    given = os.environ.get(VARIABLE)
    if not given:
        return None
    folder = Path(given)
    if not (folder / "manifest.json").is_file():
        raise FileNotFoundError(f"{VARIABLE} is {given!r}, which holds no manifest.json; correct it or unset it.")
    return folder


def _manifest(folder: Path) -> dict[str, dict[str, Any]]:
    try:
        contents = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{folder / 'manifest.json'} is not JSON: {error}") from error
    if not isinstance(contents, dict) or not all(isinstance(e, dict) and "file" in e for e in contents.values()):
        raise ValueError(f"{folder / 'manifest.json'} should map names of data sets to objects with a 'file'.")
    return contents
