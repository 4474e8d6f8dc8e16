"""`rarewood demo`: the whole way on a real table, from a comparison to the months after."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rarewood.cli import _options as options
from rarewood.cli._errors import CommandError, ExitCode, told_in_one_line
from rarewood.cli._screen import Screen

if TYPE_CHECKING:
    from rarewood.cli._demonstration import Blocks
    from rarewood.cli._model import ModelFile
    from rarewood.evaluation import Comparison
    from rarewood.monitoring import Monitoring


@told_in_one_line
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for tables, model and pages.")] = Path(
        "demo-output"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Few trees and folds, for a first look.")] = False,
    jobs: options.Jobs = -1,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """See it at work on a real table, in about 90 seconds: blocks of scanned pages, of which one in ten is no text.

    Methods compared (with LightGBM and CatBoost, if they are installed), a threshold with a promise, rules, the reasons for an alarm, a
    report, and two later months monitored.
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
    blocks = parts.write_blocks(output, seed)
    parts.write_payments(output, seed, quick)
    screen.line(
        "Scanned pages are cut into blocks. Nine of ten are text; which are not? (A real table: Malerba, UCI, 1994.)"
    )
    comparison = parts.compare_methods(blocks, **same)
    _show_comparison(comparison, screen)

    fitted = parts.fit_blocks(blocks, **same)
    show_table(fitted.table, screen)
    show_fitted(fitted, screen)
    screen.title("Was the promise kept?")
    kept = parts.alarms_on_test(fitted.model, blocks)
    screen.line(kept)
    screen.title("Reasons for the strongest alarm among the test blocks")
    for line in parts.strongest_alarm(fitted.model, blocks).splitlines():
        screen.line(line)

    model, page = output / "blocks.rarewood", output / "report.html"
    fitted.save(str(model))
    file = read_model(str(model), jobs)
    report = build_report(
        file,
        str(blocks.paths["blocks-test"]),
        str(blocks.paths["blocks"]),
        target=None,
        title="Page blocks",
        threshold=None,
        costs=None,
        baseline=True,
        n_jobs=jobs,
        seed=seed,
        verbose=screen.verbose,
    )
    report.save(page)
    months = {name: _watch(file, blocks, name, output, screen) for name in ("january", "february")}
    seconds = time.perf_counter() - start
    screen.title(f"Done in {seconds:.0f} s")
    screen.line(f"report   {page.absolute()}  (open it in a browser)")
    screen.line(f"months   {output / 'february.html'}")
    screen.line(f"model    {model}")
    screen.line(
        f"next     {_command()} predict {model} {blocks.paths['january']} --rules --reasons 3 --output scored.csv"
    )
    screen.result(
        {
            "report": str(page.absolute()),
            "model": str(model),
            "measures": {
                name: dict(zip(comparison.methods, comparison.means(name)[0].tolist())) for name in comparison.metrics
            },
            "promise": kept,
            "months": {name: [each.code for each in found.findings] for name, found in months.items()},
            "seconds": round(seconds, 1),
        }
    )


def _command() -> str:
    """What to type for `rarewood`: its path, where the shell does not know it."""
    return "rarewood" if shutil.which("rarewood") or not sys.argv else sys.argv[0]


def _watch(file: ModelFile, blocks: Blocks, name: str, folder: Path, screen: Screen) -> Monitoring:
    """A later month, without labels, against what the model remembers."""
    from rarewood.cli._monitoring import watch_file

    told = {
        "january": "A month later",
        "february": "Another month later: the toner runs out (our doing), the ink is a quarter fainter",
    }
    screen.title(f"{told[name]}: rarewood monitor {file.path} {blocks.paths[name]}")
    found = watch_file(str(blocks.paths[name]), file, target=None, time=None)
    found.to_html(folder / f"{name}.html")
    screen.line(str(found))
    return found


def _show_comparison(comparison: Comparison, screen: Screen) -> None:
    """One table: a row per method."""
    screen.title(
        f"Mean scores of {len(comparison.methods)} methods on unseen rows, {comparison.provenance['protocol']} folds"
    )
    columns = {"auc": ("AUC", 3), "average_precision": ("average precision", 3), "minority_f1": ("F1 of predict", 3)}
    columns |= {"log_loss": ("log-loss", 4), "fit_seconds": ("fit, s", 2)}
    means = {name: comparison.means(name)[0] for name in columns}
    rows = [
        [method, *(f"{means[name][j]:.{digits}f}" for name, (_, digits) in columns.items())]
        for j, method in enumerate(comparison.methods)
    ]
    screen.table(["method", *(title for title, _ in columns.values())], rows, left=[0])
    screen.line("weighted forest: scikit-learn's with class_weight='balanced'; balanced forest: imbalanced-learn's.")
    if "LightGBM" not in comparison.methods:
        screen.line("To see LightGBM and CatBoost here, install them: pip install lightgbm catboost")
    screen.line("One table proves nothing: docs/quality.md has more.")
