"""Data sets by name.

To add a source, write a class with `prefix`, `names`, `load` and `describe` and list it in `_SOURCES`; a bare name means the
first source that has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rarewood._table_files.formats import READABLE_SUFFIXES, split_table, suffix_of
from rarewood._validation import did_you_mean
from rarewood.datasets import _keel, _local
from rarewood.datasets._dataset import Dataset
from rarewood.datasets._keel import Keel
from rarewood.datasets._local import Local
from rarewood.datasets._openml import OpenML
from rarewood.datasets._readers import read_file
from rarewood.datasets._shipped import Shipped
from rarewood.datasets._sklearn import ScikitLearn


class Source(Protocol):
    """A place that holds data sets."""

    prefix: str

    def names(self) -> list[str]: ...

    def load(self, name: str) -> Dataset: ...

    def describe(self, name: str) -> str: ...


_SOURCES: tuple[Source, ...] = (Local(), Shipped(), ScikitLearn(), Keel(), OpenML())


def load(name: str | Path, **options: Any) -> Dataset:
    """Load a data set by its name.

    Parameters
    ----------
    name : str or Path
        A name that :func:`catalogue` lists, with or without its source: ``"oil"``, ``"keel:glass5"``, ``"sklearn:iris"``.
        Or ``"openml:<name>"``, ``"openml:<name>@<version>"`` or ``"openml:<number>"``, or the path of a file that
        :func:`read_file` reads. A name without a source is looked up in the folder of the environment variable
        RAREWOOD_DATA, then in scikit-learn, then in KEEL.
    **options
        For a file: the parameters of :func:`read_file`.

    Returns
    -------
    Dataset
        With `X` (a data frame with category dtypes), `y`, the rare label, source and citation.

    Raises
    ------
    ValueError
        If there is no such data set.
    ConnectionError
        If OpenML cannot be reached.

    See Also
    --------
    catalogue : All available data sets.
    read_file : A table of your own.

    Examples
    --------
    >>> from rarewood.datasets import load
    >>> data = load("sklearn:iris")
    >>> data.X.shape, data.rare
    ((150, 4), 'setosa')
    >>> load("sklearn:irsi")
    Traceback (most recent call last):
        ...
    ValueError: unknown data set 'sklearn:irsi', did you mean 'sklearn:iris'? ...
    """
    if isinstance(name, Path) or _is_path(name):
        return read_file(name, **options)
    if options:
        raise TypeError(f"the data set {name!r} takes no options, got {', '.join(options)}; options are for files.")
    known = catalogue()
    prefix, _, rest = name.partition(":")
    if prefix == OpenML.prefix and rest:
        return OpenML().load(rest)
    if name not in known:
        raise ValueError(_unknown(name, known))
    entry = known[name]
    return entry.source.load(entry.name)


def catalogue() -> Catalogue:
    """List all data sets that :func:`load` can find on this machine.

    Returns
    -------
    Mapping of str to Entry
        Keys are full names, such as ``"keel:glass5"``; a name without its source finds the first source that has it. Prints
        as a table. What is available depends on the folder RAREWOOD_DATA and on the extra ``keel``.

    See Also
    --------
    load : A data set by its name.

    Examples
    --------
    >>> from rarewood.datasets import catalogue
    >>> "sklearn:wine" in catalogue()
    True
    >>> catalogue()["sklearn:wine"].load()
    Dataset('sklearn:wine', 178 rows, 13 columns, 3 classes, rare 'class_2': 48 rows)
    """
    return Catalogue([Entry(source, name) for source in _SOURCES for name in source.names()])


@dataclass(frozen=True)
class Entry:
    """A line of the catalogue.

    Parameters
    ----------
    source : object
        The source of the data set.
    name : str
        Name of the data set in its source.
    """

    source: Source
    name: str

    @property
    def full_name(self) -> str:
        """Name with the source, such as ``"keel:glass5"``."""
        return f"{self.source.prefix}:{self.name}"

    @property
    def description(self) -> str:
        """Where the data set comes from, in one line."""
        return self.source.describe(self.name)

    def load(self) -> Dataset:
        """Load the data set."""
        return self.source.load(self.name)


class Catalogue(Mapping[str, Entry]):
    """Data sets by full name; a name without its source finds the first source that has it."""

    def __init__(self, entries: list[Entry]) -> None:
        self._full = {entry.full_name: entry for entry in entries}
        self._bare = {entry.name: entry for entry in reversed(entries)}

    def __getitem__(self, name: str) -> Entry:
        return self._full[name] if name in self._full else self._bare[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._full)

    def __len__(self) -> int:
        return len(self._full)

    @property
    def bare_names(self) -> list[str]:
        """The names without their sources, each once."""
        return list(self._bare)

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:{width}}  {entry.description}" for name, entry in self.items())


def _is_path(name: str) -> bool:
    return suffix_of(split_table(name)[0]) in READABLE_SUFFIXES


def _unknown(name: str, known: Catalogue) -> str:
    names = [*known] if ":" in name else known.bare_names
    counts = {source.prefix: len(source.names()) for source in _SOURCES if source.names()}
    here = ", ".join(f"{count} of {prefix}" for prefix, count in counts.items())
    absent = {"local": _local.HOW, "keel": _keel.HOW}
    more = "; ".join(how for prefix, how in absent.items() if prefix not in counts)
    return (
        f"unknown data set {name!r}{did_you_mean(name, names)} catalogue() lists what is available: {here}."
        + (f" For more, {more}." if more else "")
        + " For a data set of OpenML, use 'openml:<name>'; for a file, its path."
    )
