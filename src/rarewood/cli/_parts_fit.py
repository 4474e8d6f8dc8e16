"""Fitting to Parquet files part by part, in little memory or on a cluster: the work of `rarewood fit --memory` and `--cluster`."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._files import sha256_of
from rarewood._rules import RuleList, RuleSet
from rarewood._table_files.labels import as_labels
from rarewood._tables import LabelledRows, Rows
from rarewood._validation import Labels, did_you_mean, import_optional, rarest_label
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._figures import Figures, check_judged, figures_of
from rarewood.cli._labels import find_label
from rarewood.cli._monotone import Constraints
from rarewood.cli._schema import InputSchema, some
from rarewood.cli._settings import tell_prior
from rarewood.cli._split import RowSplit
from rarewood.cli._table_fit import Fitted, rules_of_split
from rarewood.cli._training import TableFile, TableOptions
from rarewood.distributed import find_rules, fit
from rarewood.distributed.memory import MemoryTooSmallError, parse_memory
from rarewood.distributed.parts import Part, parts_of
from rarewood.ensemble.threshold import has_chosen, keep_threshold, takes_groups, tell_positive, tell_rule
from rarewood.ensemble.unseen import silent, unseen_scores
from rarewood.evaluation.divisions import Division
from rarewood.metrics.thresholds import read_rule

NOT_JUDGED = "not scored; test it on rows that you set aside"
NO_CONSTRAINTS = Constraints()


@dataclass(frozen=True)
class Resources:
    """What a user gives a fit: memory of this process, or the address of a cluster."""

    memory: str | None
    cluster: str | None

    def check(self) -> None:
        """Raise unless one of them is given, in words that can be read."""
        if self.memory is not None and self.cluster is not None:
            raise CommandError(
                ExitCode.USAGE,
                "--memory applies to this machine; with --cluster, workers use the memory they were started with",
            )
        try:
            parse_memory(self.memory)
        except ValueError as error:
            raise CommandError(ExitCode.USAGE, f"--{error}") from error


def fit_parts(
    data: str,
    model: Any,
    method: str,
    options: TableOptions,
    resources: Resources,
    *,
    positive: str | None,
    rule: str | None,
    prior: str | None,
    n_rules: int,
    n_jobs: int,
    seed: int,
    constraints: Constraints = NO_CONSTRAINTS,
) -> Fitted:
    """Fit, judge by rows that trees did not see where the method has such, and find rules."""
    start = time.perf_counter()
    resources.check()
    parts = _parts(data)
    target, names = _target(parts[0], options, data)
    if options.group is not None and not takes_groups(model):
        raise CommandError(
            ExitCode.USAGE,
            f"--group with --memory or --cluster needs a method with out-of-bag scores, such as rare; {method} has none",
        )
    tell_rule(model, rule)
    if positive is not None:
        y = np.concatenate([part.column(target) for part in parts])
        wanted = find_label(positive, y, data)
        if wanted != rarest_label(y):
            tell_positive(model, wanted)
    nominal = _nominal(parts[0], options, names)
    _tell_nominal(model, method, nominal)
    left_out = [*options.drop, *options.ids]
    if constraints:
        unordered = [*parts[0].nominal(names), *options.nominal]
        _tell_constraints(constraints, model, parts, target, names, unordered, positive, data)
    with ExitStack() as stack:
        client = None
        if resources.cluster is not None:
            distributed = import_optional("distributed", "dask", "--cluster")
            stack.enter_context(_without_logs("distributed"))
            client = stack.enter_context(_connected(distributed, resources.cluster))
        try:
            fitted = fit(
                model, data, target, memory=resources.memory, client=client, drop=left_out, groups=options.group
            )
        except TypeError as error:  # of the method
            raise CommandError(ExitCode.USAGE, f"{method}: {error}") from error
        except ValueError as error:
            raise CommandError(ExitCode.DATA, f"{method}: {error}") from error
        except MemoryTooSmallError as error:
            raise CommandError(ExitCode.USAGE, f"--{error}" if error.begins_with_limit else str(error)) from error
        except (MemoryError, RuntimeError) as error:
            raise CommandError(ExitCode.FAILED, str(error)) from error
        silent(fitted)
        fitted.classes_ = _as_in_files(fitted.classes_, target, data)
        codes = _codes(parts, target, fitted.classes_)
        labels = fitted.classes_[codes] if hasattr(fitted, "oob_decision_function_") else fitted.classes_
        chosen = find_label(positive, labels, data) if positive or len(labels) == len(codes) else _rarest(codes, fitted)
        apart = [*left_out, *([] if options.group is None else [options.group])]
        found = partial(find_rules, data, target, positive=chosen, categorical_features=nominal, drop=apart)
        rules = _rules(
            partial(found, memory=resources.memory, client=client, n_jobs=n_jobs, random_state=seed), n_rules
        )
    if prior is not None:
        tell_prior(fitted, prior, chosen)
    nowhere = Rows(np.empty((len(codes), 0)), fitted._columns.only([]))  # the cells stay in their files
    rows = LabelledRows(nowhere, Labels(fitted.classes_, codes), chosen)
    split = None
    if options.group is not None:
        division = Division(groups=fitted.oob_groups_, groups_name=options.group)
        split = RowSplit(division, (None, None))
    sha256 = sha256_of(data) if Path(data).is_file() else None  # several files have none together
    table = TableFile(rows, InputSchema(fitted._columns, target, options.ids), data, split=split, sha256=sha256)
    how, figures = NOT_JUDGED, Figures({})
    if hasattr(fitted, "oob_decision_function_"):
        unseen = unseen_scores(fitted, None, labels)
        how = unseen.how if split is None else split.groups(labels, chosen)[1]
        together = None if split is None else split.division.groups
        check_judged(unseen, labels, chosen, table.name)
        if not has_chosen(fitted, chosen):
            keep_threshold(fitted, None if rule is None else unseen.threshold(fitted, read_rule(rule), labels, chosen))
        figures = figures_of(unseen, labels, fitted.classes_, fitted.decision_threshold_, chosen, together)
    threshold = getattr(fitted, "decision_threshold_", None)
    seconds = time.perf_counter() - start
    return Fitted(table, method, fitted, how, figures, threshold, rules_of_split(rules, split), seconds)


def _as_in_files(classes: NDArray[Any], target: str, where: str) -> NDArray[Any]:
    """Classes in the type that labels of files are read in; frames have words as objects, and numbers of any width."""
    if all(isinstance(label, str) for label in classes.tolist()):
        return classes.astype(str)
    return as_labels(classes, target, where) if classes.dtype.kind in "iu" else classes


def _rules(find: Callable[..., RuleSet], n_rules: int) -> RuleList:
    """At most so many rules; a model is worth having without them."""
    if n_rules == 0:
        return RuleList()
    try:
        return RuleList.of(find(n_rules=n_rules))
    except MemoryTooSmallError as error:
        return RuleList((), f"No rules: {error}")


def _parts(data: str) -> list[Part]:
    import_optional("pyarrow", "data", "reading Parquet")
    try:
        return parts_of(data)
    except FileNotFoundError as error:
        raise CommandError(ExitCode.UNREADABLE, str(error).rstrip(".")) from error
    except (ValueError, OSError) as error:
        raise CommandError(
            ExitCode.UNREADABLE,
            f"--memory and --cluster need Parquet files, or a folder or glob of them: {data}: {error}",
        ) from error


def _target(part: Part, options: TableOptions, where: str) -> tuple[str, list[str]]:
    """The target, by default the last column, and the columns to learn from."""
    names = part.names()
    others = options.apart
    target = options.target or next((name for name in reversed(names) if name not in others), names[-1])
    for option, given in {
        "target": [target],
        "nominal": options.nominal,
        "drop": options.drop,
        "id": options.ids,
        "group": [options.group] if options.group else [],
    }.items():
        for name in given:
            if name not in names:
                raise CommandError(
                    ExitCode.DATA,
                    f"{where} has no column {name!r} (--{option}){did_you_mean(name, names)} It has {some(names)}",
                )
    return target, [name for name in names if name != target and name not in others]


def _nominal(part: Part, options: TableOptions, names: list[str]) -> Any:
    """Columns by their types, and those that --nominal adds."""
    return "from_dtype" if not options.nominal else [*part.nominal(names), *(n for n in options.nominal if n in names)]


def _tell_constraints(
    constraints: Constraints,
    model: Any,
    parts: list[Part],
    target: str,
    names: list[str],
    nominal: list[str],
    positive: str | None,
    where: str,
) -> None:
    """They are about the label to find, which takes a look at all labels."""
    classes, counts = np.unique(np.concatenate([np.asarray(part.column(target)) for part in parts]), return_counts=True)
    label = find_label(positive, classes, where) if positive else classes.tolist()[counts.argmin()]
    constraints.tell(model, {name: name in nominal for name in names}, label, classes.tolist(), where)


def _tell_nominal(model: Any, method: str, nominal: Any) -> None:
    """Set which columns hold categories, of a model or of the estimator of a decomposition."""
    names = ("categorical_features", "estimator__categorical_features")
    place = next((name for name in names if name in model.get_params()), None)
    if place is None:
        raise CommandError(
            ExitCode.USAGE, f"{method} cannot be fitted to data in parts: it needs all rows in one place"
        )
    model.set_params(**{place: nominal})


def _connected(distributed: Any, address: str) -> Any:
    try:
        return distributed.Client(address, timeout="20s")
    except (OSError, ValueError) as error:
        raise CommandError(
            ExitCode.UNREADABLE, f"--cluster {address}: the scheduler does not answer: {error}"
        ) from error


@contextmanager
def _without_logs(library: str) -> Iterator[None]:
    """What goes wrong is told by an error; a library's log lines on the terminal would only tell it twice."""
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.split(".")[0] == library]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _codes(parts: list[Part], target: str, classes: NDArray[Any]) -> NDArray[Any]:
    """The number of the class of each row."""
    small = np.min_scalar_type(len(classes))
    return np.concatenate([np.searchsorted(classes, part.column(target)).astype(small) for part in parts])


def _rarest(codes: NDArray[Any], model: Any) -> Any:
    counts = np.bincount(codes, minlength=len(model.classes_))
    return model.classes_.tolist()[int(np.where(counts > 0, counts, len(codes) + 1).argmin())]
