"""Classifiers that decide by their probabilities: one way for all, by the threshold where there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import ClassifierMixin
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from rarewood._decisions._prior import carry_threshold, odds_factor, of_odds, read_prior, to_odds
from rarewood._decisions._triage import Triage
from rarewood._pages.notebook import facts
from rarewood._terminal import shown
from rarewood._validation import check_sample_weight, column_of, read_labels, sees_one_model
from rarewood._warnings import warn
from rarewood.metrics import DecisionThreshold


class PredictsByProbability(ClassifierMixin):
    """Labels from the probabilities of the classes: by `decision_threshold_`, or the most probable class."""

    classes_: NDArray[Any]
    decision_threshold_: DecisionThreshold | None

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Probabilities of the classes; a subclass says how."""
        raise NotImplementedError

    @sees_one_model
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each row.

        A model with a `decision_threshold_` predicts the positive class where its probability is at least the threshold,
        and elsewhere the most probable of the other classes. Without a threshold it predicts the most probable class;
        ties go to the first in `classes_`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels.
        """
        probabilities = self.predict_proba(X)
        threshold = getattr(self, "decision_threshold_", None)
        if threshold is not None:
            return np.asarray(threshold.labels(probabilities, self.classes_))
        return np.asarray(self.classes_[probabilities.argmax(axis=1)])

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Share of the rows whose class is predicted.

        Where one class is rare, this says little: :mod:`rarewood.metrics` has measures that say more.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            Between 0 and 1.
        """
        labels = read_labels(y)
        return float(super().score(X, labels, check_sample_weight(sample_weight, len(labels))))

    @sees_one_model
    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict logarithms of the class probabilities; minus infinity for a probability of zero.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows with the columns seen by `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:  # noqa: ARG002  (part of the protocol)
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._html()
        return bundle

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """As in scikit-learn: there is HTML only where its configuration asks for diagrams."""
        if get_config()["display"] != "diagram":
            raise AttributeError("there is HTML only if scikit-learn's display is 'diagram'.")
        return self._html

    def _html(self) -> str:
        """The diagram of scikit-learn; of a fitted model that knows more, what it knows in a table below."""
        known = self._facts()
        diagram: str = estimator_html_repr(self)
        return diagram + (facts("What the fit found out", known) if known else "")

    def _facts(self) -> dict[str, str]:
        """What a notebook shows of a fitted model; nothing before."""
        told = {}
        memory, threshold = getattr(self, "memory_", None), getattr(self, "decision_threshold_", None)
        if memory is not None:
            told["learned from"] = f"{memory.n_rows:,} rows"
        if hasattr(self, "n_groups_"):
            told["groups"] = f"{self.n_groups_:,}, left out of trees as wholes"
        if hasattr(self, "oob_score_"):
            told["area under the ROC curve"] = f"{self.oob_score_:.3f} on rows that the trees had not seen"
        if threshold is not None:
            told["threshold"] = str(threshold)
            told |= {name: text for name in ("promise", "shortfall") if (text := getattr(threshold, name)) is not None}
        return told

    @shown
    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """The parameters, and in a comment what `predict` and `predict_proba` have been told besides."""
        told = []
        threshold = getattr(self, "decision_threshold_", None)
        if threshold is not None:
            told.append(f"calls {threshold.positive} at or above {threshold.value:.4g} ({threshold.reason})")
        prior = getattr(self, "prior_", None)
        if prior is not None:
            shares = ", ".join(f"{label} {share:.3g}" for label, share in zip(self.classes_, prior, strict=True))
            told.append(f"for the prior {shares}")
        for label, rate in getattr(self, "label_rate_", {}).items():
            told.append(f"if {rate:.3g} of the rows of {label} carry the label")
        n_groups = getattr(self, "n_groups_", None)
        if n_groups is not None:
            told.append(f"judged by groups that trees had not seen, out of {n_groups:,}")
        text: str = super().__repr__(N_CHAR_MAX)
        return text + ("  # " + "; ".join(told) if told else "")


class AnswersForPriors:
    """Probabilities for a population in which the classes have other shares than in the training rows.

    A subclass implements `_own_prior` and moves what it predicts by `_priors`.
    """

    classes_: NDArray[Any]
    prior_: NDArray[np.float64]
    own_prior_: NDArray[np.float64]
    positive_: Any
    triage_: Triage | None

    def _own_prior(self) -> NDArray[np.float64]:
        """The shares of the classes in the population that the probabilities are about as they come."""
        raise NotImplementedError

    def _class_to_find(self, threshold: DecisionThreshold | None, own: NDArray[np.float64]) -> Any:
        """The label that a share without a name is about; ValueError where that is not clear."""
        if threshold is not None:
            return threshold.positive
        if hasattr(self, "positive_"):
            return self.positive_
        if len(own) == 2 and own[0] != own[1]:
            return self.classes_.tolist()[int(own.argmin())]
        raise ValueError(
            f"the model does not know which class the share is about; give a dictionary, such as {{{self.classes_.tolist()[-1]!r}: 0.1}}."
        )

    def set_prior(self, prior: Any) -> Self:
        """Adjust the probabilities to the class shares of the rows that will be scored.

        A model learns how frequent the classes are from its training rows. If these were chosen by class (an enriched rare
        class, a sampler, a balanced forest), or if the shares have changed since, its probabilities describe the wrong
        population. Bayes' rule corrects them without a new fit, as long as the rows within each class look the same.

        Parameters
        ----------
        prior : dict, float or None
            Share of each label, such as ``{"fraud": 0.001}``; labels left out divide the remainder in their old
            proportions. A number is the share of the class to find: that of the threshold or, where there is none, of
            `positive_`, or of the rarer of two classes. None restores the original probabilities.

        Returns
        -------
        Self
            The model itself. From now on `predict_proba` uses the new shares, also after :func:`rarewood.save` and
            :func:`rarewood.load`; a new `fit` forgets them. A `decision_threshold_` that was chosen by cost or given as a
            number keeps its value and so calls other rows positive; any other is adjusted so that it calls the same rows. Its
            recall, and a promise of recall, stay; its precision is that of the new shares. A precision or a number of alerts is no
            longer promised.

        References
        ----------
        M. Saerens, P. Latinne and C. Decaestecker, "Adjusting the outputs of a classifier to new a priori probabilities: a
        simple procedure", Neural Computation 14, 2002.
        """
        check_is_fitted(self)
        if prior is not None and hasattr(self, "label_rate_"):
            raise ValueError(
                "the model has been told a label rate, and takes that or a prior; call set_label_rate(None) first."
            )
        own = self.own_prior_ if hasattr(self, "own_prior_") else self._own_prior()
        before = getattr(self, "prior_", own)
        threshold = getattr(self, "decision_threshold_", None)
        if isinstance(prior, (int, float, np.number)) and not isinstance(prior, bool):
            prior = {self._class_to_find(threshold, own): prior}
        now = own if prior is None else read_prior(prior, self.classes_, own)
        if threshold is not None:
            self._carry(threshold, before, now, back=prior is None)
        triage: Triage | None = getattr(self, "triage_", None)
        if triage is not None:
            factor = odds_factor(column_of(self.positive_, self.classes_), before, now)
            self.triage_ = None if factor is None else triage.carried(lambda cut: of_odds(to_odds(cut) * factor))
        if prior is None:
            for name in ("prior_", "own_prior_"):
                vars(self).pop(name, None)
        else:
            self.own_prior_, self.prior_ = own, now
        return self

    def _carry(
        self, threshold: DecisionThreshold, before: NDArray[np.float64], now: NDArray[np.float64], *, back: bool
    ) -> None:
        carried = carry_threshold(threshold, self.classes_, before, now, back=back)
        self.decision_threshold_ = carried
        if carried is None:
            warn(
                "the new prior changes the proportions among the classes other than the positive one, so no "
                "threshold calls the same rows as before. decision_threshold_ is now None, and predict takes the "
                "most probable class; choose a new threshold with rarewood.ensemble.fit_threshold.",
            )

    def _priors(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """The shares of the classes that the probabilities are about as they come, and those asked for; None for no others."""
        return (self.own_prior_, self.prior_) if hasattr(self, "prior_") else None
