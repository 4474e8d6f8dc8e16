"""Data sets of OpenML, fetched and kept by scikit-learn."""

from __future__ import annotations

from http.client import HTTPException

from sklearn.datasets import fetch_openml

from rarewood._table_files.labels import as_labels
from rarewood._validation import import_optional
from rarewood.datasets._dataset import Dataset, check_rare


class OpenML:
    """Any set of openml.org by its name or number; the catalogue does not list them."""

    prefix = "openml"

    def names(self) -> list[str]:
        return []

    def load(self, name: str) -> Dataset:
        """Fetch `name`, a number, or a name that may end in @version (otherwise the oldest active version)."""
        import_optional("pandas", "data", "reading data sets of OpenML")
        title, _, version = name.partition("@")
        wanted = (
            {"data_id": int(name)}
            if name.isdigit()
            else {"name": title, "version": int(version) if version else "active"}
        )
        try:
            bunch = fetch_openml(**wanted, as_frame=True, parser="auto")
        except (OSError, HTTPException) as error:
            raise ConnectionError(
                f"OpenML cannot be reached for {name!r} ({error}). Data sets that were fetched before are kept in "
                "scikit-learn's data home; without a network, use a data set from catalogue() or a file (read_file)."
            ) from error
        if bunch.target is None:
            raise ValueError(
                f"OpenML data set {name!r} does not have a single column of labels; download it and use read_file."
            )
        labels = as_labels(bunch.target, bunch.target.name, f"openml:{name}")
        details = bunch.details
        return Dataset(
            name=f"openml:{name}",
            X=bunch.data,
            y=labels,
            rare=check_rare(None, labels, name),
            target=str(bunch.target.name),
            source=f"OpenML set {details.get('id')}, {details.get('name')} version {details.get('version')}",
            citation=str(details.get("citation", "")),
        )

    def describe(self, name: str) -> str:
        return f"OpenML: {name}"
