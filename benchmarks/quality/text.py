"""The words of the page; every figure in them is computed."""

from __future__ import annotations

import textwrap

import numpy as np

import rarewood
from quality.cells import INNER_FOLDS, LIMIT
from quality.measures import MEASURES
from quality.methods import REFERENCE
from quality.noise import ROUNDS
from quality.problems import FOLDS, SAME_FOLDS, problem
from quality.results import Results
from quality.tables import Outcome, any_difference, contestants, critical_difference, outcome, ranks
from quality.tuning import INNER, OUTER, SETTINGS

PAIRS = """\
Mean difference (above 0: RareClassifier is better, for log-loss, too), tables won and lost, and the p-value of Wilcoxon's
signed-rank test with Holm's correction for the number of methods in the column."""

IN_SHORT = (
    "RareClassifier in the other comparisons on this page (*significantly* means Wilcoxon's test at 5 %, corrected):"
)

LARGER = """\
One split each: four fifths of the rows for training, one fifth for testing. The workloads are simulated and have 20,000 fresh rows for
testing. CatBoost has 500 rounds here, like LightGBM. The best of each table is bold."""

LARGER_PAIRS = f"""\
Difference (above 0: RareClassifier is better, for log-loss, too) and twice its standard error, by {ROUNDS} bootstrap samples of the
test rows. A difference beyond that is marked *better* or *worse*; one in twenty would be by chance. F1 is that of `predict`, which
takes the most probable class in LightGBM and CatBoost."""

ABLATION = """\
RareClassifier against itself with one part changed, on all five folds of the tables with at most 1,800 rows: mean difference
(above 0: the part helps, for log-loss, too), tables won and lost, corrected p-value as above. Where there is one family, it has all 300
trees. The two rules for the threshold change decisions only. Column effects are added to calibrated log-odds, so another calibration has
none of them."""

SHORT = """\
RareClassifier changed in one way at a time, on the tables that leave at most 1,000 rows to learn from: what that gains (for log-loss, too,
above 0 is better), tables won and lost, and the p-value of Wilcoxon's test, not corrected. Two seeds each, three folds; the first line
has the difference between these two seeds of RareClassifier. The second half of the tables was kept apart."""

SPEED = """\
The first fold of seven tables, and their sum. One thread, all methods in turn in one process, the better of two rounds. The time to
prepare categories is included."""

LADDER = """\
One change at a time: the mean, how it differs from the line above, and on how many tables it is better. Smoothed leaves and the
criterion are separate steps; the last one replaces Gini by the Hellinger distance."""

FEW = """\
Four small tables, three folds each, with only 2, 3, 5 or 10 rows of the rare class left for training: mean AUC, in brackets the
lowest of the twelve, then mean F1 of `predict`."""

SPACES = {
    "LightGBM": "rounds, learning rate, leaves, rows per leaf, penalty, shares of columns and rows",
    "CatBoost": "rounds, learning rate, depth, penalty, random strength, bagging",
    "RareClassifier": "columns per node and trees; it has little else to tune",
}

EBM = f"""
  EBM has 4 outer bags instead of 14, which takes a quarter of the time, and only the first fold of the tables of at most 1,800
  rows; it is left out where one fit takes more than {LIMIT:.0f} s."""


def how(with_ebm: bool) -> str:
    return HOW.format(
        ebm=EBM if with_ebm else " EBM (10 s for one fit on pima with 4 of its 14 outer bags) was not run."
    )


HOW = f"""\
## How it was measured

- **Folds**: stratified, {FOLDS} of them, the same for all methods; each figure is the mean over the folds, then over the tables.
  Forests and boosting take the number of the fold as their seed.
- **Tables**: the rare class against the rest. `steel:Dirtiness` is one class of a table with more. They were chosen by size and
  skew before any result was seen, but many of them (not all) had a part in designing RareClassifier, and several share a source
  (yeast, ecoli): ranks look more certain than they are. One table with many categories (splice:EI) was taken out when one fit of
  CatBoost took more than a minute; a summary of the other peers with splice:EI in it had been seen by then.
- **AUC**: area under the ROC curve; with more than two classes each against the rest, weighted by size. **Average precision** and
  **F1**: of the rare class, F1 of what `predict` decides; with more classes the mean over all of them. **Log-loss**: in nats,
  smaller is better; a probability of exactly 0 for the class that came costs 36.
- **Settings**: those that each library gives (100 trees in scikit-learn's and imbalanced-learn's forests, 100 rounds in LightGBM
  and XGBoost, up to 100 in HistGradientBoosting, 1,000 in CatBoost, 300 trees in RareClassifier, 100 in the other forests here but
  30 in BEAT).{{ebm}}
- **Nominal columns**: as they are for the forests here, LightGBM, XGBoost, HistGradientBoosting and CatBoost (as text, a missing
  one as the category "missing"); one-hot for the forests of scikit-learn and imbalanced-learn. SMOTE is its variant for nominal
  or mixed columns. **Missing numbers**: as they are, but medians for the one-hot methods and SMOTE. Columns without any value are
  dropped.
"""


def missing(parts: list[str]) -> str:
    """What the page should have but was not computed."""
    if not parts:
        return ""
    return (
        f"- **Not run**, for want of time: {'; '.join(parts)}. This, and on how many folds the other parts were run, was settled before "
        "any of their results were seen, but for the parts of RareClassifier, which had one fold at first.\n"
    )


def opening(full: Results) -> str:
    return (
        f"RareClassifier and the other forests, compared with boosting and with the forests of other libraries on {len(full.problems)} "
        "tables with a rare class. All methods get the same folds. [Real tables](real-tables.md) are larger ones, divided by "
        "time and by groups. Each part says with which release it was measured.\n\n"
        "*Another seed* is the same RareClassifier with other random numbers: a difference to it that is no larger means nothing.\n"
    )


def release(note: str) -> str:
    return f"{note} Release {rarewood.__version__}.".lstrip()


def as_they_come(full: Results, guests: list[str]) -> str:
    aside = (
        f" {listed(guests)} ran on some of them only, and the square brackets have the mean of {REFERENCE} on the same ones."
        if guests
        else ""
    )
    return (
        f"Nothing is tuned. Means over {len(full.problems)} tables, {FOLDS} folds each, with mean ranks among "
        f"{len(contestants(full))} in brackets; the best is bold. By Nemenyi's test at 5 %, mean ranks that differ by less than "
        f"{critical_difference(full):.1f} may differ by chance. Lines without ranks are nearly the same as others.{aside} "
        "*Calibration error* is the mean distance of probability and frequency in tenths of the rows of all folds; *slope* is that of the "
        "truth on the log-odds of these rows, median over the tables: below 1 probabilities are too extreme, above too timid."
    )


def same(results: Results) -> str:
    return (
        "RareClassifier calibrates itself and chooses its own threshold. Here the others get the same from outside: training rows are "
        f"scored by models that had not seen them ({INNER_FOLDS} inner folds; RareClassifier has out-of-bag scores), beta calibration "
        f"is fitted to these scores, and half the best F1 is the threshold. {_first(SAME_FOLDS)} of the {len(results.problems)} tables "
        "with at most 1,800 rows. Calibration keeps the order of scores, so AUC and average precision are the same without it."
    )


def search(results: Results) -> str:
    spaces = {name: space for name, space in SPACES.items() if name in results.methods}
    return (
        f"{SETTINGS} settings each: the default and {SETTINGS - 1} drawn at random, compared by log-loss in {INNER} inner folds. The best "
        "one's scores in these folds also give its beta calibration and threshold, which RareClassifier learns by itself. "
        f"{_first(OUTER)} of {len(results.problems)} small tables. {' '.join(f'{name}: {space}.' for name, space in spaces.items())}"
    )


def ready(results: Results) -> str:
    return (
        f"RareClassifier with its default settings; boosting with the best of {SETTINGS} settings, calibration and threshold as before. "
        f"{_first(OUTER)} of the {len(results.problems)} small tables."
    )


def more(results: Results) -> str:
    classes = [problem(name).n_classes for name in results.problems]
    return f"Means over {len(results.problems)} tables with {min(classes)} to {max(classes)} classes, {FOLDS} folds each, and mean ranks."


def partly(method: str, results: Results, folds: int) -> str:
    which = f"{_first(folds)} of {len(results.problems)} tables"
    why = "was trained for at most 1,000 rows" if method.startswith("TabPFN") else "takes long"
    return f"{method} {why}, so it was run on {which[0].lower()}{which[1:]} only. Here are all methods on those."


def _first(folds: int) -> str:
    return "The first fold" if folds == 1 else f"The first {folds} folds"


def verdicts(results: Results) -> str:
    """Who is best by each measure, and from whom the reference can be told, in words."""
    lines = [f"- **{name}**: {_verdict(results, name, sign)}" for name, sign in MEASURES.items()]
    return "\n".join([*lines, f"- Friedman's test of any difference: {any_difference(results)}.", ""])


def _verdict(results: Results, measure: str, sign: int) -> str:
    results = results.only(methods=contestants(results))
    means, mean_ranks = results.values[measure].mean(axis=0), ranks(results, measure).mean(axis=0)
    by_mean, by_rank = results.methods[np.argmax(sign * means)], results.methods[np.argmin(mean_ranks)]
    best = (
        f"{by_mean} has the best mean and the best mean rank"
        if by_mean == by_rank
        else f"{by_mean} has the best mean, {by_rank} the best mean rank"
    )
    found = outcome(results, measure)
    told = [
        f"worse than {listed(found.worse)}" if found.worse else "",
        f"not significantly different from {listed(found.even)}" if found.even else "",
        _better(found),
    ]
    return f"{best}. {REFERENCE} is {'; '.join(part for part in told if part)}."


def _better(found: Outcome) -> str:
    if not found.better:
        return ""
    everyone = "all others" if not found.even and not found.worse else "all the rest"
    return f"better than {everyone}" if len(found.better) > 1 else f"better than {found.better[0]}"


def wrapped(sentence: str) -> str:
    return textwrap.fill(sentence, 140, break_long_words=False, break_on_hyphens=False)


def listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def in_short(contests: dict[str, Results], larger: str = "") -> str:
    """One line for each contest: where the reference has the best mean, and where it is beaten."""
    lines = [f"- **{title}**: {_short(results)}" for title, results in contests.items() if contest(results)]
    lines += [f"- **Larger tables**, against LightGBM and CatBoost with 500 rounds: {larger}"] if larger else []
    return "\n".join([IN_SHORT, "", *lines, ""]) if lines else ""


def contest(results: Results) -> bool:
    """Is there anyone to compare?"""
    return REFERENCE in results.methods and len(contestants(results)) > 1


def _short(results: Results) -> str:
    results = results.only(methods=contestants(results))
    ours = results.methods.index(REFERENCE)
    best = [m for m, sign in MEASURES.items() if np.argmax(sign * results.values[m].mean(axis=0)) == ours]
    beaten = [(m, outcome(results, m).worse) for m in MEASURES]
    losses = [f"significantly worse than {listed(names)} in {m}" for m, names in beaten if names]
    without = "" if any(name.startswith("CatBoost") for name in results.methods) else " (without CatBoost)"
    first = (
        f"of {len(results.methods)} methods{without}, best mean in {listed(best) if best else 'none of the measures'}"
    )
    return f"{first}; {listed(losses) if losses else 'significantly worse than none'}."
