"""What was found out about new rows: in words, as a table, a dictionary and a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from rarewood._files import written_whole
from rarewood._tables.frames import data_frame
from rarewood._terminal import shown
from rarewood.monitoring._words import told

CODES = ("alarms", "share", "readings", "drift", "promise", "precision", "recall", "calibration")


@dataclass(frozen=True)
class Finding:
    """Something that somebody should look at.

    Parameters
    ----------
    code : str
        Which check: "alarms", "share", "readings", "drift", "promise", "precision", "recall" or "calibration".
    text : str
        What was found.

    Examples
    --------
    >>> from rarewood.monitoring import Finding
    >>> print(Finding("alarms", "80 alarms, 30 to 55 were expected"))
    alarms: 80 alarms, 30 to 55 were expected
    """

    code: str
    text: str

    @shown
    def __str__(self) -> str:
        return f"{self.code}: {self.text}"


@dataclass(frozen=True, eq=False)
class Monitoring:
    """New rows compared with what a model remembers, made by :func:`monitor`. Prints as text.

    Parameters
    ----------
    summary : dict
        All figures, as plain values: `alarms`, `share`, `precision`, `recall`, `columns`, `periods`, `labels`, `findings`, `notes`,
        `next`. What could not be compared is None.

    Examples
    --------
    >>> import rarewood as rw
    >>> payments = rw.datasets.make_planted_rules(4000, random_state=0)
    >>> model = rw.RareClassifier(n_estimators=60, random_state=0).fit(payments.X, payments.y)
    >>> found = rw.monitoring.monitor(model, rw.datasets.make_planted_rules(4000, random_state=1).X)
    >>> found.ok, found.findings
    (True, [])
    """

    summary: Mapping[str, Any]

    @property
    def findings(self) -> list[Finding]:
        """What somebody should look at; an empty list if nothing."""
        return [Finding(**each) for each in self.summary["findings"]]

    @property
    def ok(self) -> bool:
        """Whether nothing asks for attention."""
        return not self.summary["findings"]

    @shown
    def text(self) -> str:
        """Describe the findings.

        Returns
        -------
        str
            A few lines.
        """
        return told(self.summary)

    @shown
    def __str__(self) -> str:
        return self.text()

    @shown
    def __repr__(self) -> str:
        words = "fine" if self.ok else f"attention: {', '.join(each.code for each in self.findings)}"
        return f"Monitoring of {self.summary['n_rows']:,} rows: {words}"

    def frame(self, backend: Any = None) -> Any:
        """Return the figures as a data frame, one row each.

        Parameters
        ----------
        backend : str or module or None, default=None
            The data frame library: "pandas", "polars" or "pyarrow". None takes the first one installed.

        Returns
        -------
        data frame
            Columns `figure`, `before`, `now`, `low`, `high`, NaN where there is none, and `finding`, whether it asks for attention.
        """
        rows = _figures(self.summary)
        codes = {each["code"] for each in self.summary["findings"]}
        columns: dict[str, Any] = {"figure": np.array([row[0] for row in rows], dtype=object)}
        for place, name in enumerate(("before", "now", "low", "high"), start=1):
            columns[name] = np.array([np.nan if row[place] is None else row[place] for row in rows], dtype=np.float64)
        columns["finding"] = np.array([row[5] in codes for row in rows])
        return data_frame(columns, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return all figures.

        Returns
        -------
        dict
            Plain values, which JSON can hold.
        """
        return dict(self.summary)

    def to_json(self) -> str:
        """Return all figures as JSON.

        Returns
        -------
        str
            One object.
        """
        return json.dumps(self.to_dict(), allow_nan=False)

    @property
    def html(self) -> str:
        """The page: a whole HTML document that loads nothing."""
        from rarewood.report.pages import monitoring_page  # here: nothing else needs templates

        return monitoring_page(self.summary)

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write the page.

        Parameters
        ----------
        path : str or path-like
            An HTML file; it is written completely or not at all.
        """
        page = self.html
        with written_whole(path) as beside:
            beside.write_text(page, encoding="utf-8")

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.text())}</pre>"


def _figures(summary: Mapping[str, Any]) -> list[tuple[str, Any, Any, Any, Any, str]]:
    rows: list[tuple[str, Any, Any, Any, Any, str]] = []
    alarms, share, labels = (summary[key] for key in ("alarms", "share", "labels"))
    if alarms is not None:
        rows.append(("alarms", alarms["expected"], alarms["n"], alarms["low"], alarms["high"], "alarms"))
    rows.append(("rare share", share["before"], share["value"], share["low"], share["high"], "share"))
    for name in ("precision", "recall"):
        found = summary[name]
        if found is not None:
            for reading in ("if_probabilities_hold", "if_share_changed"):
                words = f"{name} {reading.replace('_', ' ')}"
                rows.append((words, found["before"], found[reading], None, None, "readings"))
        if labels is not None and labels[name] is not None:
            rows.append((f"{name} by labels", None if found is None else found["before"], *labels[name], name))
    if labels is not None:
        rows.append(("rare rows by labels", labels["expected_rare"], labels["n_rare"], None, None, "calibration"))
    columns = summary["columns"] or []
    return [
        *rows,
        *((f"drift of {each['name']}", None, each["psi"], None, each["by_chance"], "drift") for each in columns),
    ]
