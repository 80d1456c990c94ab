"""Models around models: how averages, calibrated models and thresholds decide by scores of others.

The estimators decide so, and what is scored from a model file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from quire._shared.decisions import largest, logistic_decisions
from quire._shared.evidence import Evidence, GivesEvidence
from quire._shared.exponentials import expit, log_softmax, logsumexp, softmax
from quire._shared.fitted import check_is_fitted, derives_from
from quire._shared.joined_evidence import (
    JoinedTerms,
    join_columns,
    joined_evidence,
    row_of_zeros,
    scores_between,
)
from quire._shared.labels import codes_among
from quire._shared.sparse import is_sparse
from quire._shared.term_weights import TermWeight, rank_terms
from quire._shared.typing import Floats
from quire._shared.validation import looked_at

__all__ = [
    "OF_MAPS",
    "AveragedDecisions",
    "CalibratedDecisions",
    "Maps",
    "ThresholdDecisions",
    "at_hand",
    "by_share",
    "scores_between_classes",
    "scores_of",
]

PIPELINE = "sklearn.pipeline.Pipeline"

# What a map is made of, in the order of `Maps`; each method has some of them.
OF_MAPS = ("slopes_", "intercepts_", "map_scores_", "map_shares_", "inverse_temperature_")

_LEAST = 1e-12  # is added to a probability of which a logarithm is taken, as in scikit-learn


# Averages ---------------------------------------------------------------------------------------


class AveragedDecisions:
    """Predictions and evidence of a weighted sum of the scores of models."""

    classes_: NDArray[Any]
    estimators_: list[Any]
    named_estimators_: Any
    weights_: Floats
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def decision_function(self, X: Any) -> Floats:
        """Return the weighted sums of the scores of all models.

        Parameters
        ----------
        X : iterable of str, {array-like, sparse matrix} or data frame
            What the models take.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes the score of the second, which is predicted above zero; with more one
            for each class, around their mean.
        """
        check_is_fitted(self)
        X = at_hand(X)
        total: Any = 0.0
        for name, model, weight in self._heard():
            total = total + weight * scores_between_classes(name, model, X)
        scores: Floats = total
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the highest score.

        Parameters
        ----------
        X : iterable of str, {array-like, sparse matrix} or data frame
            What the models take.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        codes, _ = self._codes_and_probabilities(X)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Return the logistic function of the scores, or softmax.

        Parameters
        ----------
        X : iterable of str, {array-like, sparse matrix} or data frame
            What the models take.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        return self._codes_and_probabilities(X)[1]

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the probabilities.

        Parameters
        ----------
        X : iterable of str, {array-like, sparse matrix} or data frame
            What the models take.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms, in the order of ``classes_``.
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return -np.logaddexp(0.0, np.stack([scores, -scores], axis=1))
        return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)

    def _codes_and_probabilities(self, X: Any) -> tuple[Any, Floats]:
        return logistic_decisions(self.decision_function(X))

    def _heard(self) -> list[tuple[str, Any, float]]:
        """Return the fitted models with names and weights, without those of the weight 0."""
        found = zip(self.named_estimators_, self.estimators_, self.weights_, strict=True)
        return [(name, model, float(weight)) for name, model, weight in found if weight > 0]

    def evidence(self, X: Any, *, feature_names: Sequence[str] | None = None) -> Evidence:
        """Say what each term of each document adds to the decision, over all models.

        Parameters
        ----------
        X : iterable of str, {array-like, sparse matrix} or data frame
            What the models take.
        feature_names : sequence of str, default=None
            Names of the columns of a matrix. Known after a fit on a DataFrame.

        Returns
        -------
        Evidence
            Contributions that add up to the difference of the scores of any two classes. A word
            that several models know is one term. N-grams of characters are marked with the kind of
            their vectorizer (``char__``, ``char_wb__``), and hashed or projected columns with the
            name of their model.

        Raises
        ------
        TypeError
            If a model has no method ``evidence``. :func:`quire.inspection.explain` explains
            scikit-learn's linear models as well.
        """
        check_is_fitted(self)
        X = at_hand(X)
        asked = [(name, *_taken_apart(model)) for name, model, _ in self._heard()]
        found = [
            _evidence_of(name, model, X if before is None else before.transform(X))
            for name, before, model in asked
        ]
        return self._joined(asked, found, feature_names)

    def top_terms(
        self, n_terms: int = 10, *, feature_names: Sequence[str] | None = None
    ) -> dict[Any, list[TermWeight]]:
        """Return the terms that speak most for each class.

        Parameters
        ----------
        n_terms : int, default=10
            How many for each class.
        feature_names : sequence of str, default=None
            As for :meth:`evidence`.

        Returns
        -------
        dict from class to list of TermWeight
            From the heaviest down: by how much one unit of a term in each model adds to the score
            of the class, above the mean of what it adds to those of the other classes.
        """
        check_is_fitted(self)
        asked = [(name, *_taken_apart(model)) for name, model, _ in self._heard()]
        found = [_evidence_of(name, model, row_of_zeros(model)) for name, _, model in asked]
        joined = self._joined(asked, found, feature_names)
        weights = cast("JoinedTerms", joined.terms).weights
        return rank_terms(self.classes_, weights, n_terms, joined.feature_names)

    def _joined(self, asked: list[Any], found: list[Evidence], feature_names: Any) -> Evidence:
        """Return one evidence for that of all models, which are given with what is before them."""
        names = getattr(self, "feature_names_in_", None) if feature_names is None else feature_names
        columns = join_columns(
            [
                (name, [] if before is None else _steps(before), model.n_features_in_)
                for name, before, model in asked
            ],
            None if names is None else np.asarray(names, dtype=object),
        )
        weights = np.array([weight for _, _, weight in self._heard()])
        return joined_evidence(self.classes_, found, weights, columns)


def at_hand(X: Any) -> Any:
    """Return rows that can be read more than once, and a sparse matrix that can be read at all."""
    if is_sparse(X):
        return looked_at(X)
    is_read_once = isinstance(X, Iterable) and not hasattr(X, "__len__") and not hasattr(X, "shape")
    return list(X) if is_read_once else X


class _Chain:
    """Pipelines, one after another."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    def transform(self, X: Any) -> Any:
        for part in self.parts:
            X = part.transform(X)
        return X


def _steps(before: Any) -> list[Any]:
    """Return the transformers of a pipeline, those of pipelines in it as well."""
    if isinstance(before, _Chain):
        return [inner for part in before.parts for inner in _steps(part)]
    if not derives_from(before, PIPELINE):
        return [before]
    steps = [step for _, step in before.steps if step is not None and not isinstance(step, str)]
    return [inner for step in steps for inner in _steps(step)]


def _taken_apart(model: Any) -> tuple[Any, Any]:
    """Return what is before the model that decides in a pipeline, or None, and that model."""
    before: list[Any] = []
    while derives_from(model, PIPELINE):
        if len(model.steps) > 1:
            before.append(model[:-1])
        model = model.steps[-1][1]
    if not before:
        return None, model
    if len(before) == 1:
        return before[0], model
    return _Chain(before), model


def scores_between_classes(name: str, model: Any, X: Any) -> Floats:
    """Return the scores of a model: of the second of two classes, or of each around their mean."""
    n_classes = len(model.classes_)
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
    else:
        before, deciding = _taken_apart(model)
        if not hasattr(deciding, "predict_joint_log_proba"):
            raise TypeError(
                f"The model {name!r} has no scores that can be added: {type(deciding).__name__} "
                "has neither decision_function nor predict_joint_log_proba. Take linear models and "
                "naive Bayes."
            )
        rows = X if before is None else before.transform(X)
        scores = np.asarray(deciding.predict_joint_log_proba(rows), dtype=np.float64)
    if n_classes == 2 and scores.ndim == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    if scores.ndim != 2 or scores.shape[1] != n_classes:
        raise ValueError(
            f"The model {name!r} has scores of the shape {scores.shape} for {n_classes} classes; "
            "expected one for each class."
        )
    _check_finite(name, scores)
    between = scores_between(scores)
    return between[:, 1] if n_classes == 2 else between


def _check_finite(name: str, scores: Floats) -> None:
    if not np.isfinite(scores).all():
        raise ValueError(
            f"The model {name!r} has scores that are not finite, and nothing can be added to them. "
            "Naive Bayes without smoothing rules classes out: set its alpha above 0."
        )


def _evidence_of(name: str, model: Any, X: Any) -> Evidence:
    """Return the evidence of the model at the end of a pipeline."""
    found = model.evidence(X) if isinstance(model, GivesEvidence) else None
    if not isinstance(found, Evidence):
        raise TypeError(
            f"The model {name!r} does not say what its scores are made of: {type(model).__name__} "
            "has no method evidence for this. quire.inspection.explain knows scikit-learn's linear "
            "models as well."
        )
    _check_finite(name, found.scores)
    return found


# Calibrated models ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Maps:
    """Maps of one method.

    Attributes
    ----------
    slopes, intercepts : ndarray of shape (n_maps,) or None
        Of sigmoids.
    scores, shares : list of n_maps ndarrays, or None
        Corners of isotonic functions: from scores to shares.
    inverse_temperature : float or None
        What scores are multiplied with.
    """

    slopes: Floats | None = None
    intercepts: Floats | None = None
    scores: list[Floats] | None = None
    shares: list[Floats] | None = None
    inverse_temperature: float | None = None

    def probabilities(self, scores: Floats) -> Floats:
        """Return probabilities of all classes.

        Parameters
        ----------
        scores : ndarray of shape (n_documents,) or (n_documents, n_classes)
            Of the second of two classes, or of each of more.
        """
        if self.inverse_temperature is not None:
            scaled = self.inverse_temperature * scores
            if scores.ndim == 2:
                return np.asarray(softmax(scaled))
            return np.column_stack([expit(-scaled), expit(scaled)])
        columns = scores[:, None] if scores.ndim == 1 else scores
        if self.slopes is not None and self.intercepts is not None:
            P = np.asarray(expit(columns * self.slopes + self.intercepts), dtype=np.float64)
        else:
            assert self.scores is not None
            assert self.shares is not None
            corners = zip(columns.T, self.scores, self.shares, strict=True)
            P = np.column_stack([np.interp(f, x, y) for f, x, y in corners])
        if scores.ndim == 1:
            return np.column_stack([1 - P[:, 0], P[:, 0]])
        total = P.sum(axis=1, keepdims=True)
        even = np.full_like(P, 1 / P.shape[1])
        return np.asarray(np.divide(P, total, out=even, where=total > 0), dtype=np.float64)


class CalibratedDecisions:
    """Probabilities by maps of the scores of a model."""

    classes_: NDArray[Any]
    estimator_: Any

    def _maps(self) -> Maps:
        return Maps(*(getattr(self, name, None) for name in OF_MAPS))

    def predict_proba(self, X: Any) -> Floats:
        """Return calibrated probabilities.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        as_logarithms = hasattr(self, "inverse_temperature_")
        scores = scores_of(self.estimator_, X, self.classes_, as_logarithms=as_logarithms)
        return self._maps().probabilities(scores)

    def _codes_and_probabilities(self, X: Any) -> tuple[Any, Floats]:
        return largest(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self)
        labels: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels


# Thresholds -------------------------------------------------------------------------------------


class ThresholdDecisions:
    """The class of two that the score of a model is enough for."""

    classes_: NDArray[Any]
    estimator_: Any
    pos_label_: Any
    default_threshold_: float
    best_threshold_: float

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each sample, by the threshold.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self)
        scores = scores_of(self.estimator_, X, self.classes_, as_logarithms=False)
        place = self.classes_.tolist().index(self.pos_label_)
        if place == 0:
            scores = 2 * self.default_threshold_ - scores
        is_so = scores >= self.best_threshold_
        labels: NDArray[Any] = self.classes_[np.where(is_so, place, 1 - place)]
        return labels


# Scores of any model ----------------------------------------------------------------------------


def scores_of(model: Any, X: Any, classes: NDArray[Any], *, as_logarithms: bool) -> Floats:
    """Return what a model decides by: its decisions, or else its probabilities.

    Naive Bayes has no decisions, and probabilities that are rounded to 0 and 1 where documents are
    long. Its log-odds are not rounded, and are taken instead.

    Parameters
    ----------
    model : classifier
        Fitted.
    X : rows
        As it takes them.
    classes : ndarray of shape (n_classes,)
        All classes. One that the model does not know has a score below all others.
    as_logarithms : bool
        Whether probabilities become logarithms, which is what softmax takes.

    Returns
    -------
    ndarray of shape (n_documents,) or (n_documents, n_classes)
        Of the second of two classes, or of each of more.
    """
    own: Any = np.arange(len(classes))
    places = (
        own if np.array_equal(model.classes_, classes) else codes_among(model.classes_, classes)
    )
    joint = _joint_logarithms(model)
    if hasattr(model, "decision_function"):
        found = np.asarray(model.decision_function(X), dtype=np.float64)
        lowest = found.min(initial=0.0) - 1.0
    elif joint is not None:
        logs = log_softmax(np.asarray(joint(X), dtype=np.float64))
        found = logs if as_logarithms or len(places) == 2 else _against_the_rest(logs)
        lowest = found.min(initial=0.0) - 1.0
    else:
        found, lowest = np.asarray(model.predict_proba(X), dtype=np.float64), 0.0
        if as_logarithms:
            found, lowest = np.log(found + _LEAST), float(np.log(_LEAST))
    if found.ndim == 1 or found.shape[1] == 1:
        found = found.reshape(len(found))
        if len(classes) == 2:
            return found if places[-1] == 1 else -found
        found = np.column_stack([-found, found])
    if found.shape[1] != len(places):
        raise ValueError(
            f"{type(model).__name__} has {found.shape[1]} decisions for {len(places)} classes, one "
            "for each pair; set decision_function_shape='ovr'."
        )
    if len(classes) == 2:
        return found[:, 1] if by_share(model) and not as_logarithms else found[:, 1] - found[:, 0]
    whole = np.full((len(found), len(classes)), lowest)
    whole[:, places] = found
    return whole


def by_share(model: Any) -> bool:
    """Return whether the scores of a model are its probabilities."""
    return not hasattr(model, "decision_function") and _joint_logarithms(model) is None


def _joint_logarithms(model: Any) -> Callable[[Any], Any] | None:
    """Return the method for the joint log-probabilities of naive Bayes, also in a pipeline."""
    if derives_from(model, PIPELINE) and len(model.steps) > 1:
        inner = _joint_logarithms(model.steps[-1][1])
        return None if inner is None else lambda X: inner(model[:-1].transform(X))
    return getattr(model, "predict_joint_log_proba", None)


def _against_the_rest(logs: Floats) -> Floats:
    """Return the log-odds of each class against all others, from normalised logarithms."""
    odds = np.empty_like(logs)
    for k in range(logs.shape[1]):
        odds[:, k] = logs[:, k] - logsumexp(np.delete(logs, k, axis=1))
    return odds
