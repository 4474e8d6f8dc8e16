"""The dictionary of a report as one HTML page without anything from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from rarewood._validation import import_optional
from rarewood.report._charts import draw

_NONE = "–"


@dataclass(frozen=True)
class _Section:
    """A part of the page: the name of its template, its anchor and what the list of sections calls it."""

    template: str
    anchor: str
    link: str
    key: str | None = None  # of the summary, without which there is nothing to show

    def is_in(self, summary: Mapping[str, Any]) -> bool:
        return self.key is None or bool(summary.get(self.key))


_SECTIONS = (
    _Section("card", "card", "Model card", "card"),
    _Section("in_short", "in-short", "In short"),
    _Section("data", "problems", "Data"),
    _Section("threshold", "decide", "Threshold"),
    _Section("cost_curve", "cost-curve", "Costs", "cost_curve"),
    _Section("gains", "gains", "Gains and lift", "gains"),
    _Section("review", "review", "Rows a day", "review"),
    _Section("calibration", "probabilities", "Calibration"),
    _Section("segments", "segments", "Segments", "segments"),
    _Section("periods", "periods", "Over time", "periods"),
    _Section("drift", "drift", "Drift", "drift"),
    _Section("columns", "columns", "Columns"),
    _Section("rules", "rules", "Rules"),
    _Section("single_rows", "single-rows", "Alarms and misses", "single_rows"),
    _Section("baselines", "baselines", "Baselines"),
    _Section("about", "about", "About"),
)


def render(summary: Mapping[str, Any]) -> str:
    """Render a summary as an HTML page.

    Parameters
    ----------
    summary : dict
        The result of :func:`summarise`, possibly read back from JSON.

    Returns
    -------
    str
        A whole HTML document. Names and labels from the data are escaped, and the page's security policy blocks
        external content and any script but its own.
    """
    script, at = _template("report.js"), summary["decisions"]
    return fill(
        "report.html",
        "a report",
        **_completed(summary),
        sections=[section for section in _SECTIONS if section.is_in(summary)],
        charts=draw(summary),
        n_rare=at["true_positives"] + at["false_negatives"],
        n_rest=at["false_positives"] + at["true_negatives"],
        chosen=threshold_in_words(summary["threshold"]["value"]),
        script=script,
        script_hash=_hash(script),
        moving=_moving(summary),
    )


def fill(template: str, purpose: str, **values: Any) -> str:
    """A page in the style of the report."""
    jinja2 = import_optional("jinja2", "report", purpose)
    style = _template("report.css")
    page: str = _environment(jinja2).get_template(template).render(**values, style=style, style_hash=_hash(style))
    return page


@cache  # templates are compiled once, which takes longer than filling them
def _environment(jinja2: Any) -> Any:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        count=count_in_words,
        percent=percent_in_words,
        decimal=decimal_in_words,
        money=money_in_words,
        plain=plain_in_words,
        threshold=threshold_in_words,
        number=number_in_words,
        bytes=bytes_in_words,
        sentence=sentence_of,
    )
    return environment


def _completed(summary: Mapping[str, Any]) -> dict[str, Any]:
    """A summary of an earlier release with what the templates of its sections ask for."""
    whole = {"split": None, **summary}
    if "single_rows" in whole:
        cut = whole["threshold"]["value"]
        rows = whole["single_rows"]
        whole["single_rows"] = rows | {
            kind: [{"name": None, "is_alarm": row["score"] >= cut, **row} for row in rows[kind]]
            for kind in ("strongest", "misses")
        }
    return whole


def _template(name: str) -> str:
    return files("rarewood.report").joinpath("templates", *name.split("/")).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """The name by which a content security policy admits a script or a style of the page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _moving(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The counts from which the script computes figures for another threshold or other costs."""
    at, cuts = summary["decisions"], summary["cut_offs"]
    return {
        "threshold": cuts["threshold"],
        "truePositives": cuts["true_positives"],
        "falsePositives": cuts["false_positives"],
        "chosen": cuts["chosen"],
        "nRare": at["true_positives"] + at["false_negatives"],
        "nRest": at["false_positives"] + at["true_negatives"],
        "review": summary["review"]["curve"] if "review" in summary else None,
        "byDay": bool(summary["review"]["n_days"]) if "review" in summary else False,
    }


# ---------------------------------------------------------------------------------------------------------
# numbers; the script writes them in the same way


def decimal_in_words(value: float | None, decimals: int = 3) -> str:
    """A number with so many digits after the point, halves rounded up as JavaScript's toFixed does."""
    if value is None:
        return _NONE
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return f"{rounded or abs(rounded):,}"  # no minus before zero


def percent_in_words(value: float | None, decimals: int = 1) -> str:
    """A share in percent."""
    return _NONE if value is None else f"{decimal_in_words(100 * value, decimals)} %"


def count_in_words(value: float | None) -> str:
    """A count, or a weighted one with a decimal."""
    if value is None:
        return _NONE
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def money_in_words(value: float) -> str:
    """A cost: whole, or with two decimals."""
    return decimal_in_words(value, 0 if float(value).is_integer() else 2)


def plain_in_words(value: float) -> str:
    """A number as an input field takes it, in full."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def number_in_words(value: float) -> str:
    """A count that may be an expected one: whole, or with a decimal."""
    return decimal_in_words(value, 0 if abs(value - round(value)) < 0.05 else 1)


def bytes_in_words(size: int) -> str:
    """The size of a file."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


def sentence_of(clause: str) -> str:
    """A clause with a capital letter in front and a full stop at its end."""
    return clause[:1].upper() + clause[1:].rstrip(".") + "."


def threshold_in_words(value: float) -> str:
    """A threshold with four decimals, or with two digits where these would be too few."""
    if value == 0 or abs(value) >= 0.001:
        return decimal_in_words(value, 4)
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"
