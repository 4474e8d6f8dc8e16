"""The dictionary of a report as one HTML page without anything from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from rarewood._pages import content_hash, page_script, page_style, unbroken
from rarewood._pages.numbers import (
    bytes_in_words,
    count_in_words,
    decimal_in_words,
    money_in_words,
    number_in_words,
    percent_in_words,
    plain_in_words,
    sentence_of,
    share_on_page,
    threshold_in_words,
)
from rarewood._validation import import_optional
from rarewood.report._charts import draw


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
    _Section("in_short", "in-short", "In short"),
    _Section("card", "card", "Model card", "card"),
    _Section("data", "problems", "Data"),
    _Section("threshold", "decide", "Threshold"),
    _Section("cost_curve", "cost-curve", "Costs", "cost_curve"),
    _Section("money", "money", "In money", "money"),
    _Section("gains", "gains", "Gains and lift", "gains"),
    _Section("review", "review", "Rows a day", "review"),
    _Section("calibration", "probabilities", "Calibration"),
    _Section("segments", "segments", "Segments", "segments"),
    _Section("slices", "slices", "Weak spots", "slices"),
    _Section("periods", "periods", "Over time", "periods"),
    _Section("drift", "drift", "Drift", "drift"),
    _Section("effects", "effects", "Effects of columns", "effects"),
    _Section("columns", "columns", "Columns"),
    _Section("rules", "rules", "Rules"),
    _Section("single_rows", "single-rows", "Alarms and misses", "single_rows"),
    _Section("baselines", "baselines", "Other methods"),
    _Section("learning_curve", "learning-curve", "More data?", "learning_curve"),
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
    at = summary["decisions"]
    return fill(
        "report.html",
        "a report",
        **_completed(summary),
        sections=[section for section in _SECTIONS if section.is_in(summary)],
        charts=draw(summary),
        n_rare=at["true_positives"] + at["false_negatives"],
        n_rest=at["false_positives"] + at["true_negatives"],
        chosen=threshold_in_words(summary["threshold"]["value"]),
        script=page_script() + _template("report.js"),
        moving=_moving(summary),
    )


def fill(template: str, purpose: str, *, script: str, **values: Any) -> str:
    """A page in the style of the report, which runs nothing but this script."""
    jinja2 = import_optional("jinja2", "report", purpose)
    style = page_style()
    page: str = (
        _environment(jinja2)
        .get_template(template)
        .render(**values, style=style, style_hash=content_hash(style), script=script, script_hash=content_hash(script))
    )
    head, end_of_head, rest = page.partition("</head>")
    body, start_of_script, scripts = rest.partition("<script")
    return head + end_of_head + unbroken(body) + start_of_script + scripts


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
        share=share_on_page,
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
    whole["card"] = {"promise": None, "groups": None, "constraints": None, **whole.get("card", {})}
    whole["calibration"] = {"adds_up": True, **whole["calibration"]}
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
