"""The report as its user holds it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, Unpack

from rarewood._files import written_whole
from rarewood._terminal import shown
from rarewood.report._options import Keywords, shows_options
from rarewood.report._render import render
from rarewood.report._summarise import summarise


@shows_options
def build(
    model: Any, X: Any, y: Any, *, path: str | os.PathLike[str] | None = None, **options: Unpack[Keywords]
) -> Report:
    """Show how well a fitted classifier finds the rare class, on one page.

    The page is a single, self-contained HTML file: the main figures and a model card; class balance and problems found in the
    data; a threshold to move, and what it does to the confusion matrix and the cost; gains and lift; what reviewing N rows a
    day catches; calibration; segments, and weak spots that nobody asked about; figures over time; drift since training; effects
    of columns; a data dictionary; rules; the strongest alarms and worst misses with their reasons; and other models or simple
    methods for comparison; and whether more training rows would help. Shares and areas come with 95 % intervals.

    Parameters
    ----------
    model : classifier
        A fitted classifier with `predict_proba`: of this package, of scikit-learn, or a pipeline.
    X, y : array-like or data frame of shape (n_samples, n_features), array-like of shape (n_samples,)
        Rows that the model has not seen, and their labels.
    path : str or path, default=None
        Where to write the page; None does not write it.
    title : str, default=None
        Heading. None uses the name of the model and the number of rows.
    split : str, default=None
        A sentence for the page that says how these rows were separated from the training rows: at random, by time, by
        customer.
    threshold : float, str or DecisionThreshold, default=None
        A row is called rare if its score is at least this. None takes `decision_threshold_` of the model, or else calls the
        most probable class as `predict` does; with several classes, it calls as many rows as `predict`. "f1",
        "precision=0.9", "recall=0.8", "cost=1:20", "alerts=0.5%" and "alerts=200" choose a threshold on the rows of the
        report, using their labels.
    positive : label, default=None
        The rare class. None takes that of the threshold, or else the rarest label in the training rows, or else in `y`.
        With more than two classes, the page is about this one against the rest.
    costs : tuple of two floats, or of a float and an array of shape (n_samples,), default=None
        Initial cost of a false alarm and of a missed rare row; the reader can change them on the page. None takes those
        of the threshold, or else 1 and the number of other rows for each rare one. With what it costs to miss each row, such as
        the amounts of payments, a section in money says which alarms pay and what a review budget finds.
    train : tuple (X, y), default=None
        The rows the model was trained on, used for drift, baselines, rules and the learning curve, and to find rows and leaks that both
        tables share.
    baseline : bool, default=True
        Whether to compare with a logistic regression and a class-weighted forest, fitted to `train`.
    learning_curve : bool, default=True
        Whether to fit the model again to parts of `train`, to tell what fewer rows would have given and how many rare rows would
        make the figures surer. It takes about two fits, or twelve if the model has no out-of-bag scores, and a sample of many rows.
    others : mapping from str to classifier or array of shape (n_samples,), default=None
        Other fitted models, or the scores that they give these rows for the rare class: the page compares the model with them, on
        the same rows and with as many alarms.
    feature_names : sequence of str, default=None
        Names of the columns; None takes those of the table or of the model.
    n_rules : int, default=10
        How many rules to show.
    segments : sequence of str, or mapping from str to array-like, default=None
        Columns to group the rows by, with rare share, recall and precision of each group. A mapping gives the values of
        columns that are not in `X`, one per row; None as the value takes the column of `X` with this name.
    review : sequence of int, default=None
        Numbers of rows that can be reviewed per day; the page lists what each of them catches. None lists a few
        suitable numbers.
    times : array-like of dates of shape (n_samples,), default=None
        Date of each row, so that rows can be reviewed day by day and figures shown over time. None treats the whole table as
        one day.
    row_names : sequence of shape (n_samples,), default=None
        Names of the rows, such as database keys. None numbers them from 0, as Python does; `rarewood report` counts the rows of
        a file from 1, as its messages do.
    files : mapping from str to path, default=None
        Files the page is based on, by their role, such as ``{"model": "fraud.rarewood", "test rows": "test.csv"}``; the
        model card gives the name, the size and the SHA-256 hash of each.
    card : mapping from str to str, default=None
        Further lines for the model card, such as ``{"Owner": "Fraud team", "Meant for": "ranking card payments for review"}``.
    n_jobs : int or None, default=None
        Number of processes for the baselines.
    random_state : int, default=0
        Seed of the baselines and of all other random choices.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    Report
        Has the figures as `summary`, the page as `html`, and `save(path)`; notebooks display the page.

    See Also
    --------
    summarise : The figures alone.
    rarewood.ensemble.fit_threshold : To choose a threshold beforehand.

    Notes
    -----
    All intervals are at 95 %. Areas under ROC curves and their differences have DeLong's interval, shares (precision,
    recall, calibration, segments) Wilson's. The interval of average precision comes from 1,000 bootstrap samples,
    normal on the log-odds scale. Drift is the population stability index over deciles of the training values. A
    threshold picked on the page uses the labels of these rows, so its figures are optimistic; confirm them on other
    rows.

    References
    ----------
    E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or more correlated receiver operating
    characteristic curves: a nonparametric approach", Biometrics 44, 1988.

    Examples
    --------
    >>> from rarewood import HeDExClassifier, report
    >>> from rarewood.datasets import make_planted_rules
    >>> train, test = (make_planted_rules(2000, random_state=seed) for seed in (0, 1))
    >>> model = HeDExClassifier(random_state=0).fit(train.X, train.y)
    >>> page = report.build(model, test.X, test.y, threshold=0.3, title="Card payments")
    >>> page
    Report('Card payments': 2,000 rows, 40 of class 1; AUC 0.995, average precision 0.704; 51 alarms, 33 right)
    >>> page.summary["problems"]
    []
    >>> page.html[:15]
    '<!doctype html>'
    """
    report = Report(summarise(model, X, y, **options))
    if path is not None:
        report.save(path)
    return report


@dataclass(frozen=True)
class Report:
    """A report on a model: its figures, and the page that shows them.

    Made by :func:`build`.

    Parameters
    ----------
    summary : dict
        All figures, as returned by :func:`summarise`.

    See Also
    --------
    build : How to get one, with examples.
    """

    summary: Mapping[str, Any]

    @cached_property
    def html(self) -> str:
        """The page, a whole HTML document."""
        return render(self.summary)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, completely or not at all.

        Parameters
        ----------
        path : str or path
            The file; an existing file is replaced.
        """
        page = self.html
        with written_whole(path) as beside:
            beside.write_text(page, encoding="utf-8", newline="\n")

    @shown
    def __str__(self) -> str:
        about, decisions, figures = self.summary["data"], self.summary["decisions"], self.summary["measures"]
        n_rare = decisions["true_positives"] + decisions["false_negatives"]
        figures_in_words = (
            f"{about['n_rows']:,} rows, {n_rare:,} of class {self.summary['positive']}; "
            f"AUC {figures['auc']:.3f}, average precision {figures['average_precision']:.3f}; "
            f"{decisions['alarms']:,} alarms, {decisions['true_positives']:,} right"
        )
        doubts = [each["title"] for each in self.summary["problems"] if each["kind"] == "trained on"]
        return ". ".join([figures_in_words, *doubts])

    @shown
    def __repr__(self) -> str:
        return f"Report({self.summary['title']!r}: {self})"

    def _repr_html_(self) -> str:
        """The page inside a frame of its own, so that neither its style nor its script meets those of a notebook."""
        return (
            f'<iframe title="{escape(self.summary["title"])}" sandbox="allow-scripts" '
            f'style="width: 100%; height: 48em; border: 1px solid #8886;" srcdoc="{escape(self.html)}"></iframe>'
        )
