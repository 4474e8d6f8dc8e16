"""Model files as commands read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarewood._files import is_special
from rarewood._terminal import printable
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._files import check_not_printed_to, check_there
from rarewood.cli._kept import checked_metadata
from rarewood.cli._schema import InputSchema, schema_of
from rarewood.ensemble.threshold import kept_threshold
from rarewood.exceptions import ModelFileError
from rarewood.export import describe
from rarewood.export.described import read_described


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A model with the columns it wants of a table and what else `rarewood fit` has kept."""

    model: Any
    schema: InputSchema
    metadata: dict[str, Any]  # the entries of `rarewood fit`, checked
    stored: dict[str, Any]  # all that the file has
    path: str
    provenance: dict[str, str]

    @property
    def threshold(self) -> Any:
        """The chosen threshold, None if there is none."""
        return kept_threshold(self.model)

    @property
    def positive(self) -> Any:
        """The rare class: that of the threshold, or what the file says, or else the last class of two."""
        if self.threshold is not None:
            return self.threshold.positive
        kept = self.metadata.get("positive")
        known = {str(label): label for label in self.model.classes_.tolist()}
        return known.get(str(kept), self.model.classes_[-1])

    @property
    def positive_column(self) -> int:
        """The column of the rare class in `predict_proba`."""
        return int(np.flatnonzero(self.model.classes_ == self.positive)[0])


def read_model(path: str, n_jobs: int | None, table: str | None = None) -> ModelFile:
    """Load a model; whatever is wrong with the file is told in one line, and whether it was swapped with the `table`."""
    check_not_printed_to(path)
    check_there(path, "model file", "make one with `rarewood fit`", "name a model file")
    if is_special(path):
        raise CommandError(ExitCode.UNREADABLE, f"{path} is a pipe or a device; copy the model to a file and name that")
    try:
        model, description = read_described(path)
    except ModelFileError as error:
        if table is not None and _is_model(table):
            swapped = f"{path} is not a usable model file, but {table} is: name the model first, then the table"
            raise CommandError(ExitCode.MODEL_FILE, swapped) from error
        raise CommandError(ExitCode.MODEL_FILE, f"{path} is not a usable model file: {error}") from error
    except OSError as error:
        raise CommandError(ExitCode.UNREADABLE, f"{path} cannot be read: {error.strerror or error}") from error
    inner = {name: n_jobs for name in model.get_params() if name.split("__")[-1] == "n_jobs"}
    metadata = checked_metadata(description.metadata)
    return ModelFile(
        model.set_params(**inner),
        schema_of(model, metadata),
        metadata,
        description.metadata,
        path,
        {name: printable(str(value)) for name, value in description.provenance.items()},
    )


def _is_model(path: str) -> bool:
    try:
        describe(path)
    except (ModelFileError, OSError):
        return False
    return True
