"""Saving and loading models."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rarewood._files import written_whole
from rarewood.exceptions import ModelFileError
from rarewood.export._container import PREAMBLE_SIZE, VERSION, Contents, header_size, pack, read_header, unpack
from rarewood.export._model_reader import ModelReader
from rarewood.export._model_writer import ModelWriter

_PACKAGES = ("rarewood", "numpy", "scipy", "scikit-learn", "imbalanced-learn")


def save(
    model: Any, path: str | os.PathLike[str], *, metadata: Mapping[str, Any] | None = None, memory: bool = True
) -> None:
    """Write a fitted model to a file.

    The file holds arrays and JSON, no pickle: it can be read on other platforms and by later versions of the library, and
    loading an untrusted file runs no code. The format is documented in ``docs/format-v1.md``.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this package; a :class:`rarewood.OneVsAllClassifier` or :class:`rarewood.ECOCClassifier` over
        one; or a pipeline of samplers of this package and such a classifier. Its `decision_threshold_`, if
        :func:`rarewood.ensemble.fit_threshold` has set one, is kept.
    path : str or path-like
        Where to write. The file is written completely or not at all; an existing file is replaced.
    metadata : mapping or None, default=None
        Anything that JSON can express, to be stored with the model: names of columns, notes. :func:`describe` returns it.
    memory : bool, default=True
        Whether to keep what the model remembers of its training rows, for :mod:`rarewood.monitoring`: distributions of columns and
        of out-of-bag scores, nothing about single rows.

    Raises
    ------
    ModelFileError
        If the model contains something that a file cannot hold: an estimator of another library, a criterion that is a Python
        function, a random generator, categories that are neither numbers nor text. The message names it.

    See Also
    --------
    load : Read it again.
    to_bytes : The same without a file.

    Notes
    -----
    The file keeps trees, classes, columns, categories, parameters, out-of-bag score, threshold, what the model remembers of its
    training rows as a whole, and the date and versions it was written with. It does not keep what describes single training
    rows: `oob_decision_function_` of a forest, `patterns_` and `pattern_of_row_` of an oversampler, `sample_indices_` and `votes_`
    of a cleaner.

    Examples
    --------
    >>> import rarewood as rw
    >>> from rarewood.datasets import make_planted_rules
    >>> payments = make_planted_rules(500, random_state=0)
    >>> model = rw.HeDExClassifier(n_estimators=10, random_state=0).fit(payments.X, payments.y)
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "fraud.rarewood"
    >>> rw.save(model, path)
    >>> again = rw.load(path)
    >>> again
    HeDExClassifier(n_estimators=10, random_state=0)
    >>> bool((again.predict_proba(payments.X) == model.predict_proba(payments.X)).all())
    True
    """
    data = to_bytes(model, metadata=metadata, memory=memory)
    with written_whole(path) as beside:
        beside.write_bytes(data)


def to_bytes(model: Any, *, metadata: Mapping[str, Any] | None = None, memory: bool = True) -> bytes:
    """Return the bytes of a model file.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this package; a :class:`rarewood.OneVsAllClassifier` or :class:`rarewood.ECOCClassifier` over
        one; or a pipeline of samplers of this package and such a classifier.
    metadata : mapping or None, default=None
        Anything that JSON can express, to be stored with the model: names of columns, notes.
    memory : bool, default=True
        Whether to keep what the model remembers of its training rows, for :mod:`rarewood.monitoring`: distributions of columns and
        of out-of-bag scores, nothing about single rows.

    Returns
    -------
    bytes
        What :func:`save` would write.

    Examples
    --------
    >>> from rarewood import TreeClassifier
    >>> from rarewood.export import from_bytes, to_bytes
    >>> tree = TreeClassifier().fit([[0.0], [1.0], [2.0]], ["ok", "ok", "fault"])
    >>> from_bytes(to_bytes(tree)).predict([[1.9]])
    array(['fault'], dtype='<U5')
    """
    if not isinstance(memory, bool):
        raise TypeError(f"memory={memory!r} is not accepted; give True or False.")
    writer = ModelWriter(memory=memory)
    told = writer.model(model)
    header = {
        "model": told,
        "columns": writer.columns,
        "provenance": _provenance(),
        "metadata": _check_metadata(metadata),
    }
    return pack(header, writer.arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file.

    Parameters
    ----------
    path : str or path-like
        A file written by :func:`save`.

    Returns
    -------
    classifier
        The fitted model; its predictions are bit for bit those of the saved one.

    Raises
    ------
    ModelFileError
        If the file is not a model file, is truncated or damaged, or was written in a later format. Nothing in a file is
        executed and everything is checked before it is used, so even a malicious file does no harm.
    OSError
        If the file cannot be read.

    See Also
    --------
    save : Write a model file; has an example.
    describe : What a file says about itself.
    """
    return from_bytes(Path(path).read_bytes())


def from_bytes(data: bytes) -> Any:
    """Read a model from the bytes of a model file.

    Parameters
    ----------
    data : bytes
        The result of :func:`to_bytes`, or the content of a file written by :func:`save`.

    Returns
    -------
    classifier
        The fitted model.
    """
    return _model_in(unpack(bytes(data)))


def read_described(path: str | os.PathLike[str]) -> tuple[Any, ModelDescription]:
    """The model in a file and what the file says about itself, from one look at it."""
    contents = unpack(Path(path).read_bytes())
    description = _description_in(contents.header)
    return _model_in(contents), description


def _model_in(contents: Contents) -> Any:
    reader = ModelReader(contents)
    try:
        reader.tables(contents.header.get("columns"))
        model = reader.model(contents.header.get("model"))
    except ModelFileError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError) as error:
        # What our own classes refuse: parameters out of range, for instance.
        raise ModelFileError(f"the file does not describe a valid model: {error}") from error
    contents.check_all_taken()
    return model


@dataclass(frozen=True)
class ModelDescription:
    """Description of a model file.

    Parameters
    ----------
    model : str
        The class of the model.
    format_version : int
        Version of the format.
    provenance : dict
        Date and versions it was written with.
    metadata : dict
        The `metadata` given to :func:`save`.
    """

    model: str
    format_version: int
    provenance: dict[str, Any]
    metadata: dict[str, Any]


def describe(path: str | os.PathLike[str]) -> ModelDescription:
    """Describe a model file without reading its arrays.

    Parameters
    ----------
    path : str or path-like
        A file written by :func:`save`.

    Returns
    -------
    ModelDescription
        Class, versions, date and metadata.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rarewood as rw
    >>> from rarewood.export import describe
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tree.rarewood"
    >>> rw.save(rw.TreeClassifier().fit([[0], [1]], [0, 1]), path, metadata={"target": "fraud"})
    >>> told = describe(path)
    >>> told.model, told.metadata, told.provenance["rarewood"] == rw.__version__
    ('TreeClassifier', {'target': 'fraud'}, True)
    """
    with Path(path).open("rb") as file:
        start = file.read(PREAMBLE_SIZE)
        return _description_in(read_header(start + file.read(header_size(start))))


def _description_in(header: Mapping[str, Any]) -> ModelDescription:
    model, provenance, metadata = (header.get(key) for key in ("model", "provenance", "metadata"))
    if not isinstance(model, dict) or not isinstance(provenance, dict) or not isinstance(metadata, dict):
        raise ModelFileError("the header does not describe a model.")
    return ModelDescription(str(model.get("model")), VERSION, provenance, metadata)


@cache  # looking versions up takes longer than all the rest of saving a small model
def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _provenance() -> dict[str, Any]:
    return {
        **_versions(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}, {sys.byteorder}-endian",
        "saved": datetime.now(tz=UTC).isoformat(timespec="seconds"),
    }


def _check_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    if metadata is None:
        return {}
    try:
        if not all(isinstance(key, str) for key in metadata):
            raise TypeError("keys must be text")
        json.dumps(dict(metadata), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"metadata must be a dictionary of what JSON can express: {error}.") from error
    return dict(metadata)
