"""`rarewood compare`: several methods on several tables, on the same folds."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rarewood.cli import _options as options
from rarewood.cli import _reading_options as reading_options
from rarewood.cli._errors import told_in_one_line
from rarewood.cli._screen import Screen

if TYPE_CHECKING:
    from rarewood.evaluation import Comparison

_METHODS = ["rare", "hedex", "brf", "random-forest", "logistic-regression"]
_METRICS = ["auc", "average_precision", "minority_f1", "log_loss"]


@told_in_one_line
@reading_options.reads_tables
def compare(
    data: Annotated[
        list[str], typer.Argument(metavar="DATA...", help="Files, or data sets by name such as sklearn:breast_cancer.")
    ],
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            help="Methods to compare: recipes, or from other libraries lightgbm, xgboost, catboost, random-forest, "
            "logistic-regression.",
            show_default=", ".join(_METHODS),
        ),
    ] = None,
    metric: Annotated[list[str] | None, typer.Option(help="Measures.", show_default=", ".join(_METRICS))] = None,
    protocol: Annotated[
        str | None,
        typer.Option(help="Repeats x folds, such as 5x2 or 10x10.", show_default="5x2; 5fold with --time"),
    ] = None,
    reference: Annotated[str | None, typer.Option(help="Method to test the others against.")] = None,
    target: options.Target = None,
    positive: options.Positive = None,
    nominal: options.Nominal = None,
    numeric: options.Numeric = None,
    drop: options.Drop = None,
    time: options.Time = None,
    delay: options.Delay = None,
    group: options.Group = None,
    dialect: reading_options.ToldDialect = None,
    unlabelled: options.Unlabelled = "drop",
    merge_labels: options.MergeLabels = False,
    drop_suspects: options.DropSuspects = False,
    cache: Annotated[
        str | None, typer.Option(help="File for results; a stopped comparison resumes from there.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Write all tables and tests as an HTML page.")
    ] = None,
    jobs: options.Jobs = -1,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Compare methods on the same folds with the same seeds, with tables and statistical tests.

    Example: rarewood compare payments.csv sklearn:breast_cancer --method hedex,hddt,c4.5 --target fraud
    """
    from rarewood.cli._comparing import compare_tables
    from rarewood.cli._files import check_writable, whole_file
    from rarewood.cli._training import TableOptions

    screen = Screen(quiet, as_json)
    if cache is not None:
        check_writable(cache, data, "--cache")
    if output is not None:
        check_writable(output, [*data, cache])
    table_options = TableOptions(
        target,
        options.listed(nominal),
        options.listed(numeric),
        options.listed(drop),
        dialect=dialect,
        unlabelled=options.check_unlabelled(unlabelled),
        time=time,
        group=group,
        merge_labels=merge_labels,
        delay=options.check_delay(delay, time),
    )
    notes: dict[str, list[str]] = {}

    def note(table: str, text: str) -> None:
        notes.setdefault(table, []).append(text)
        screen.line(f"note: {table}: {text}")

    result = compare_tables(
        data,
        options.listed(method) or tuple(_METHODS),
        options.listed(metric) or tuple(_METRICS),
        protocol,
        table_options,
        positive,
        drop_suspects=drop_suspects,
        note=note,
        reference=reference,
        cache=cache,
        n_jobs=jobs,
        seed=seed,
        verbose=screen.verbose,
    )
    for name in result.metrics:
        several = len(result.datasets) > 1
        table = result.table(name, reference=reference) if several else result.folds(name, reference=reference)
        screen.line(f"{table}\n")
    for failure in sorted(
        {f"{each['method']} on {each['dataset']}: {each['error']}" for each in result.records if each["error"]}
    ):
        screen.line(f"failed: {failure}")
    if output is not None:
        with whole_file(output) as file:
            file.write(result.to_html(reference=reference).encode())
        screen.line(f"Page written to {output}")
    means = {
        name: {d: dict(zip(result.methods, row)) for d, row in zip(result.datasets, result.means(name).tolist())}
        for name in result.metrics
    }
    screen.result(
        {
            "protocol": result.provenance["protocol"],
            "notes": notes,
            "means": means,
            "output": output,
            **_folds(result, reference),
        }
    )


def _folds(result: Comparison, reference: str | None) -> dict[str, Any]:
    """Of a single table, the intervals of means and of differences."""
    if len(result.datasets) > 1:
        return {}
    tables = {name: result.folds(name, reference=reference) for name in result.metrics}
    return {
        "folds": {
            name: {
                "methods": {method: asdict(of) for method, of in table.methods.items()},
                "reference": table.reference,
                "differences": {method: asdict(of) for method, of in table.differences.items()},
            }
            for name, table in tables.items()
        }
    }
