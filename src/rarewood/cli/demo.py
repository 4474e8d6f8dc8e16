"""`rarewood demo`: everything at once, on tables that come along."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rarewood.cli import _options as options
from rarewood.cli._errors import CommandError, ExitCode, told_in_one_line
from rarewood.cli._screen import Screen

if TYPE_CHECKING:
    from rarewood.cli._demonstration import Recovery
    from rarewood.evaluation import Comparison


@told_in_one_line
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for tables, model and report.")] = Path(
        "demo-output"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Small tables and few trees, for a first look.")] = False,
    jobs: options.Jobs = -1,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """See it at work: card payments with planted fraud rules, and handwritten digits, in under two minutes.

    Compares RareClassifier with other methods (including LightGBM, if it is installed) and the rules found with the planted
    ones, explains one alarm, and writes a model and a report.
    """
    from rarewood.cli import _demonstration as parts
    from rarewood.cli._model import read_model
    from rarewood.cli._reporting import build_report
    from rarewood.cli.fit import show_fitted, show_table

    screen = Screen(quiet, as_json)
    start = time.perf_counter()
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(ExitCode.UNWRITABLE, f"the folder {output} cannot be made: {error.strerror}") from error
    same: dict[str, Any] = {"seed": seed, "n_jobs": jobs, "quick": quick, "verbose": screen.verbose}
    payments = parts.make_payments(output, seed, quick)
    screen.line("These card payments are generated: a few known rules make some of them frauds. Can we find the rules?")
    comparison = parts.compare_methods(payments, **same)
    _show_comparison(comparison, screen)

    fitted = parts.fit_payments(payments, **same)
    show_table(fitted.table, screen)
    show_fitted(fitted, screen)
    found = parts.recoveries(payments, fitted.rules)
    _show_recoveries(found, screen)
    screen.title("Reasons for the strongest alarm among the test payments")
    for line in parts.strongest_alarm(fitted.model, payments).splitlines():
        screen.line(line)

    model, page = output / "payments.rarewood", output / "report.html"
    fitted.save(str(model))
    report = build_report(
        read_model(str(model), jobs),
        str(payments.test_path),
        str(payments.train_path),
        target=None,
        title="Card payments",
        threshold=None,
        costs=None,
        baseline=True,
        n_jobs=jobs,
        seed=seed,
        verbose=screen.verbose,
    )
    report.save(page)
    seconds = time.perf_counter() - start
    screen.title(f"Done in {seconds:.0f} s")
    screen.line(f"report   {page.absolute()}  (open it in a browser)")
    screen.line(f"model    {model}")
    screen.line(f"next     rarewood predict {model} {payments.test_path} --rules --output scored.csv")
    screen.result(
        {
            "report": str(page.absolute()),
            "model": str(model),
            "measures": {
                name: {
                    d: dict(zip(comparison.methods, row))
                    for d, row in zip(comparison.datasets, comparison.means(name).tolist())
                }
                for name in comparison.metrics
            },
            "recovered": [{"planted": each.planted, "found": each.found, "likeness": each.likeness} for each in found],
            "seconds": round(seconds, 1),
        }
    )


def _show_comparison(comparison: Comparison, screen: Screen) -> None:
    """One table: a row per method and data set."""
    screen.title(
        f"Mean scores of {len(comparison.methods)} methods on unseen rows, {comparison.provenance['protocol']} folds"
    )
    columns = {"auc": ("AUC", 3), "average_precision": ("average precision", 3), "log_loss": ("log-loss", 4)}
    columns["fit_seconds"] = ("fit, s", 2)
    means = {name: comparison.means(name) for name in columns}
    rows = []
    for i, dataset in enumerate(comparison.datasets):
        for j, method in enumerate(comparison.methods):
            figures = [f"{means[name][i, j]:.{digits}f}" for name, (_, digits) in columns.items()]
            rows.append([dataset if j == 0 else "", method, *figures])
    screen.table(["table", "method", *(title for title, _ in columns.values())], rows, left=[0, 1])
    screen.line("weighted forest: scikit-learn's random forest with class_weight='balanced'.")
    if "LightGBM" not in comparison.methods:
        screen.line("To see LightGBM here, install it: pip install lightgbm")
    screen.line("Two tables prove nothing: docs/quality.md has 44.")


def _show_recoveries(found: list[Recovery], screen: Screen) -> None:
    screen.title("Planted rules, and the rules found")
    screen.table(
        ["planted", "found", "alike"],
        [[each.planted, each.found, f"{each.likeness:.0%}"] for each in found],
        left=[0, 1],
    )
    screen.line("alike: of the test rows where at least one of the two holds, the share where both hold.")
