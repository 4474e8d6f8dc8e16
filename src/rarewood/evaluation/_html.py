"""A comparison as a page of its own, and as a notebook shows it."""

from __future__ import annotations

import base64
import io
import json
import warnings
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rarewood.evaluation._results import COSTS
from rarewood.exceptions import RarewoodWarning

if TYPE_CHECKING:
    from rarewood.evaluation._comparison import Comparison
    from rarewood.evaluation._one_table import FoldTable
    from rarewood.evaluation._tables import ScoreTable

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .4em; white-space: pre-line; }
th, td { padding: .2em .8em; text-align: right; } th:first-child { text-align: left; font-weight: normal; }
thead th { border-bottom: 1px solid #888; } tbody tr:nth-child(even) { background: #f5f5f3; }
pre { background: #f5f5f3; padding: .8em; white-space: pre-wrap; } img { max-width: 100%; } p { color: #555; }
"""


def comparison_page(comparison: Comparison, reference: str | None) -> str:
    """Everything, as a file that needs nothing else."""
    title = repr(comparison)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RarewoodWarning)  # the notes below the tables say the same
        sections = [_metric_section(comparison, metric, reference) for metric in comparison.metrics]
        costs = "".join(_scores(comparison, cost, None).cells().html() for cost in COSTS)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>"
        f"{''.join(sections)}<h2>Times and sizes</h2>{costs}{_failures(comparison)}"
        f"<h2>Provenance</h2><pre>{escape(_provenance(comparison))}</pre></body></html>"
    )


def comparison_summary(comparison: Comparison) -> str:
    """The table of the first measure, for a notebook."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RarewoodWarning)
        table = _scores(comparison, comparison.metrics[0], None).cells().html()
    more = ", ".join(comparison.metrics[1:])
    others = f"<p>Other measures: {escape(more)}</p>" if more else ""
    return f"<p>{escape(repr(comparison))}</p>{table}{others}"


def _scores(comparison: Comparison, metric: str, reference: str | None) -> ScoreTable | FoldTable:
    """Means over data sets; of a single one, what its folds say."""
    several = len(comparison.datasets) > 1
    return comparison.table(metric, reference=reference) if several else comparison.folds(metric, reference=reference)


def _metric_section(comparison: Comparison, metric: str, reference: str | None) -> str:
    parts = [
        f"<h2>{escape(comparison.title(metric))}</h2>",
        _scores(comparison, metric, reference).cells().html(),
    ]
    if len(comparison.datasets) == 1:
        return "".join(parts)
    try:
        test = comparison.friedman(metric)
    except ValueError as error:  # fewer than two methods with a score
        return "".join([*parts, f"<p>{escape(str(error))}</p>"])
    parts += [f"<pre>{escape(repr(test))}</pre>", _picture(comparison, metric), comparison.wins(metric).cells().html()]
    return "".join(parts)


def _picture(comparison: Comparison, metric: str) -> str:
    if find_spec("matplotlib") is None:
        return "<p>A picture of the ranks needs matplotlib.</p>"
    from matplotlib import pyplot

    figure: Any = comparison.plot_ranks(metric).figure
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=150, bbox_inches="tight")
    pyplot.close(figure)
    content = base64.b64encode(file.getvalue()).decode()
    return f'<img alt="average ranks, {escape(comparison.title(metric))}" width="720" src="data:image/png;base64,{content}">'


def _failures(comparison: Comparison) -> str:
    failed = comparison.failures()
    if not failed:
        return ""
    lines = "\n".join(f"{dataset}, {method}: {error}" for (dataset, method), error in failed.items())
    return f"<h2>Failures</h2><pre>{escape(lines)}</pre>"


def _provenance(comparison: Comparison) -> str:
    """The provenance of a run without the fingerprints of folds, which would fill screens."""
    kept = {key: value for key, value in comparison.provenance.items() if key != "kind"}
    kept["datasets"] = {
        name: {**about, "folds": len(about["folds"])} for name, about in comparison.provenance["datasets"].items()
    }
    return json.dumps(kept, indent=2, default=str)
