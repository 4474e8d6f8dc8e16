"""`rarewood fit`: a table in, a model file out."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rarewood.cli import _options as options
from rarewood.cli import _reading_options as reading_options
from rarewood.cli._errors import CommandError, ExitCode, told_in_one_line
from rarewood.cli._screen import Screen, told_threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rarewood._rules import RuleList
    from rarewood.cli._table_fit import Fitted
    from rarewood.cli._training import TableFile
    from rarewood.inspection import Pattern

_TITLES = {"auc": "area under the ROC curve", "average_precision": "average precision", "log_loss": "log-loss"}
_SHOWN_COLUMNS = 12
_SHOWN_CLASSES = 30


@told_in_one_line
@reading_options.reads_tables
def fit(
    data: options.Data,
    target: options.Target = None,
    positive: options.Positive = None,
    method: Annotated[
        str, typer.Option("--method", "-m", help="Name of a method: rare, hedex, hddt, beat, brf, hedex+patterns, ...")
    ] = "rare",
    settings: options.Settings = None,
    threshold: Annotated[
        str,
        typer.Option(
            help="How to choose the threshold: f1, precision=0.9, recall=0.8, cost=1:20 (a false alarm : a miss), "
            "alerts=0.5% or alerts=200 (rows that you can review), a number, or none."
        ),
    ] = "f1",
    prior: options.Prior = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Model file to write.", show_default="<DATA>.rarewood, here")
    ] = None,
    forget: options.Forget = False,
    rules: Annotated[int, typer.Option(min=0, help="How many rules to find, 0 for none.")] = 10,
    nominal: options.Nominal = None,
    numeric: options.Numeric = None,
    drop: options.Drop = None,
    ids: options.Ids = None,
    time: options.Time = None,
    delay: options.Delay = None,
    group: options.Group = None,
    increasing: options.Increasing = None,
    decreasing: options.Decreasing = None,
    dialect: reading_options.ToldDialect = None,
    unlabelled: options.Unlabelled = "drop",
    merge_labels: options.MergeLabels = False,
    drop_suspects: options.DropSuspects = False,
    memory: options.Memory = None,
    cluster: options.Cluster = None,
    jobs: options.Jobs = -1,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Fit a model to a table: class balance, scores on unseen rows, a threshold, rules, and a model file.

    Example: rarewood fit payments.csv --target fraud --id payment_id --threshold recall=0.9
    """
    from rarewood._table_files.formats import split_table
    from rarewood.cli._files import STANDARD, check_model_name, check_readable, check_writable
    from rarewood.cli._monotone import Constraints
    from rarewood.cli._parts_fit import Resources, fit_parts
    from rarewood.cli._settings import parse_threshold
    from rarewood.cli._suspects import examine
    from rarewood.cli._table_fit import fit_table, prepare
    from rarewood.cli._training import TableOptions, read_training

    screen = Screen(quiet, as_json)
    rule = parse_threshold(threshold)
    in_parts = memory is not None or cluster is not None
    if not in_parts:
        check_readable(data)
    name = "model" if data == STANDARD else Path(split_table(data)[0]).name.split(".")[0]
    path = f"{name}.rarewood" if output is None else output
    check_model_name(path)
    check_writable(path, [data])
    model = prepare(method, options.listed_settings(settings), n_jobs=jobs, seed=seed, verbose=screen.verbose)
    constraints = Constraints(options.listed(increasing), options.listed(decreasing))
    constraints.check(model, method)
    table_options = TableOptions(
        target,
        options.listed(nominal),
        options.listed(numeric),
        options.listed(drop),
        options.listed(ids),
        dialect,
        options.check_unlabelled(unlabelled),
        time,
        group,
        merge_labels,
        options.check_delay(delay, time),
    )
    if in_parts:
        refuse_whole_table(
            {
                "--numeric": numeric,
                **reading_options.told_options(dialect),
                "--time": time,
                "--delay": delay,
                "--drop-suspects": drop_suspects or None,
                "--merge-labels": merge_labels or None,
            }
        )
        found = fit_parts(
            data,
            model,
            method,
            table_options,
            Resources(memory, cluster),
            positive=positive,
            rule=rule,
            prior=prior,
            constraints=constraints,
            n_rules=rules,
            n_jobs=jobs,
            seed=seed,
        )
        show_table(found.table, screen)
        return keep(found, path, screen, forget=forget)
    table = examine(read_training(data, table_options, positive), drop_suspects)
    show_table(table, screen)
    learned, classes = table.schema.columns, table.data.labels.classes.tolist()
    kinds = dict(zip(table.schema.names, learned.nominal.tolist(), strict=True))
    constraints.tell(model, kinds, table.positive, classes, table.name)
    found = fit_table(
        model, table, method, rule=rule, prior=prior, n_rules=rules, n_jobs=jobs, seed=seed, verbose=screen.verbose
    )
    return keep(found, path, screen, forget=forget)


def keep(found: Fitted, path: str, screen: Screen, *, forget: bool = False) -> None:
    """Write the model file and tell about it."""
    is_new = not Path(path).exists()
    found.save(path, memory=not forget)
    show_fitted(found, screen)
    screen.line(f"\nModel {'written to' if is_new else 'replaced:'} {path}")
    screen.result(found.as_json(path))


def refuse_whole_table(given: dict[str, object]) -> None:
    """Options that are not valid for Parquet files, or need all rows at once."""
    for option, value in given.items():
        if value is not None:
            raise CommandError(
                ExitCode.USAGE,
                f"{option} does not work with --memory and --cluster, which read Parquet files part by part",
            )


def show_table(table: TableFile, screen: Screen) -> None:
    """Class balance and columns."""
    n_rows = len(table.y)
    screen.title(f"{table.source}: {n_rows:,} rows, target {table.schema.target!r}")
    counts = table.class_counts
    shown = {label: counts[label] for label in counts if len(counts) <= _SHOWN_CLASSES or label == table.positive}
    rows = [
        [str(label), f"{count:,}", f"{count / n_rows:.2%}", "class to find" if label == table.positive else ""]
        for label, count in shown.items()
    ]
    if len(shown) < len(counts):
        others = n_rows - counts[table.positive]
        rows.append([f"{len(counts) - 1} others", f"{others:,}", f"{others / n_rows:.2%}", ""])
    screen.table(["class", "rows", "share", ""], rows, left=[0, 3])
    kinds = {name: kind.word for name, kind in zip(table.schema.names, table.schema.columns.kinds)}
    for kind, names in (
        ("numbers", [name for name in kinds if kinds[name] == "number"]),
        ("dates", [name for name in kinds if kinds[name] not in ("number", "nominal")]),
        ("nominal", [name for name in kinds if kinds[name] == "nominal"]),
        ("identifiers", list(table.schema.ids)),
        ("split by", [] if table.split is None else [name for name in table.split.names if name is not None]),
    ):
        if names:
            more = f", ... {len(names) - _SHOWN_COLUMNS:,} more" if len(names) > _SHOWN_COLUMNS else ""
            screen.line(f"{kind:<12}{', '.join(names[:_SHOWN_COLUMNS])}{more}")
    for note in table.notes:
        screen.line(f"note {note.number}: {note}")


def show_fitted(found: Fitted, screen: Screen) -> None:
    """Measures, threshold, rules."""
    from rarewood.cli._monotone import told_constraints

    screen.title(f"{found.method}: scores on unseen rows ({found.how}), {found.seconds:.1f} s")
    for name, measure in found.figures.measures.items():
        interval = "" if measure.low is None else f"95 %: {measure.low:.3f} to {measure.high:.3f}"
        screen.line(f"{_TITLES[name]:<26}{measure.value:.4f}   {interval:<24}chance: {measure.chance:.3g}")
    if found.figures.are_no_better_than_chance:
        screen.line(
            "The scores are no better than chance, as far as these rows can tell: the interval of the area under the ROC curve "
            "reaches down to 0.5."
        )
    screen.line(f"{'threshold':<26}{told_threshold(found.threshold)}")
    if found.figures.decisions is not None:
        screen.line(f"{'95 % intervals':<26}{found.figures.decisions}")
    constraints = told_constraints(found.model, found.table.positive)
    if constraints:
        screen.line(f"{'probability':<26}{constraints}")
    if found.table.split is not None:
        in_time = found.threshold is not None and found.table.split.division.time is not None
        if in_time:
            screen.line(
                "The threshold was chosen on the later rows by a model of the earlier ones; the figures are that model's."
            )
        known = " with known labels" if found.table.split.division.delay else ""
        taken = " and takes over the threshold; its own figures may differ" if in_time else ""
        screen.line(f"The model in the file was trained on all {len(found.table.y):,} rows{known}{taken}.")
    show_rules(found.rules, screen, "Rules, on rows that were not used to find them")


def show_rules(rules: RuleList, screen: Screen, head: str) -> None:
    """Rules with their numbers, as `predict --rules` names them, and what they are worth together."""
    if rules.rules:
        screen.title(head)
        if rules.have_figures:
            screen.table(["no.", "rule", "precision", "90 %", "lift", "recall"], _figure_rows(rules.rules), left=[1])
        else:
            screen.table(["no.", "rule", "rare", "others", "precision"], _count_rows(rules.rules), left=[1])
    if rules.note:
        screen.line(rules.note)


def _figure_rows(rules: Sequence[Any]) -> list[list[str]]:
    from rarewood._wording import share_in_words

    return [
        [
            str(number),
            rule.rule,
            share_in_words(rule.precision),
            f"{share_in_words(rule.low)} to {share_in_words(rule.high)}",
            f"{rule.lift:.1f}",
            share_in_words(rule.recall),
        ]
        for number, rule in enumerate(rules, start=1)
    ]


def _count_rows(rules: Sequence[Pattern]) -> list[list[str]]:
    from rarewood._wording import share_in_words

    return [
        [str(number), rule.rule, f"{rule.rare:g}", f"{rule.rest:g}", share_in_words(_precision(rule.rare, rule.rest))]
        for number, rule in enumerate(rules, start=1)
    ]


def _precision(rare: float, rest: float) -> float:
    return rare / (rare + rest) if rare + rest else math.nan
