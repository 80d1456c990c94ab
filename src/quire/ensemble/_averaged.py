r"""Several linear models as one: a weighted sum of their scores, which is a linear model again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from quire._shared.decisions import logistic_decisions
from quire._shared.evidence import Evidence, GivesEvidence
from quire._shared.joined_evidence import (
    JoinedTerms,
    join_columns,
    joined_evidence,
    row_of_zeros,
    scores_between,
)
from quire._shared.labels import class_codes
from quire._shared.sklearn import BaseHeterogeneousEnsemble, check_sample_weight, fit_context
from quire._shared.term_weights import TermWeight, rank_terms
from quire._shared.typing import Floats
from quire._shared.validation import looked_at

__all__ = ["AveragedClassifier"]


class AveragedClassifier(ClassifierMixin, BaseHeterogeneousEnsemble):
    r"""A weighted sum of the scores of several classifiers.

    .. math:: s(x) = \sum_m w_m \, s_m(x)

    Here :math:`s_m` is the score of a model: the decision values of a linear one, the joint log
    probabilities of naive Bayes. With two classes it is the score of the second class above that of
    the first, and with more there is one for each class, around their mean. A sum of linear models
    is linear, whatever features each of them has, so that what a term says is the sum of what it
    says in each of them, and evidence adds up. Models that err in different places are better
    together than the best of them.

    Parameters
    ----------
    estimators : list of (str, estimator)
        Names and models: pipelines from texts, each with features of its own, or models of one
        matrix. A model may be ``"drop"``, and is left out then.
    weights : array-like of shape (n_estimators,), default=None
        What the scores of each model are multiplied by, not below zero; a model of the weight 0 is
        fitted and not asked. If ``None``, scores are brought to one scale and averaged: the weight
        is 1 divided by the number of models and by the standard deviation of the scores of the
        model over all training rows and all classes.
    n_jobs : int, default=None
        How many models are fitted at a time, in threads; ``None`` means one, which may use all
        cores. The result is the same.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    estimators_ : list of estimators
        The fitted models, without those that were dropped.
    named_estimators_ : Bunch
        The same by their names.
    weights_ : ndarray of shape (n_fitted_estimators,)
        What their scores are multiplied by.
    n_features_in_ : int
        Number of features, if the models take a matrix.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had any.

    Notes
    -----
    Probabilities are the logistic function of the sum, or softmax. One factor in all weights
    changes no label and makes probabilities more or less certain: to calibrate them is to choose
    that factor.

    Each model reads the training rows twice, once to be fitted and once for its weight; with
    `weights` given, once. Nothing is shared between pipelines, and nothing is drawn: the models
    alone may draw numbers.

    Examples
    --------
    >>> from quire.ensemble import AveragedClassifier
    >>> from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
    >>> from quire.linear_model import LogisticRegression
    >>> from quire.naive_bayes import MultinomialNB
    >>> from sklearn.pipeline import make_pipeline
    >>> texts = ["good plot, good cast", "a fine film", "bad plot", "dull film, bad cast"]
    >>> counts = make_pipeline(CountVectorizer(), MultinomialNB())
    >>> tfidf = make_pipeline(TfidfVectorizer(), LogisticRegression())
    >>> model = AveragedClassifier([("bayes", counts), ("logistic", tfidf)])
    >>> model = model.fit(texts, ["pos", "pos", "neg", "neg"])
    >>> model.predict(["a good story", "a bad story"])
    array(['pos', 'neg'], dtype='<U3')

    What a word adds to the score is summed over both:

    >>> print(model.evidence(["a good story"])[0].table(1))
       +0.9913  pos rather than neg
       +0.1008  before any term
       +0.8904  good
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimators": [list, tuple],
        "weights": ["array-like", None],
        "n_jobs": [Integral, None],
    }

    classes_: NDArray[Any]
    estimators_: list[Any]
    named_estimators_: Any
    weights_: Floats
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def __init__(
        self,
        estimators: Sequence[tuple[str, Any]],
        *,
        weights: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AveragedClassifier:
        """Fit a clone of each model.

        Parameters
        ----------
        X : iterable of str, {array-like, sparse matrix} or data frame
            What the models take: texts, or rows.
        y : array-like of shape (n_samples,)
            Classes, at least two.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, for the models and for the scale of their scores.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        names, models = self._validate_estimators()
        given = _checked_weights(self.weights, len(models))
        X = _at_hand(X)
        classes, _ = class_codes(y)
        if len(classes) < 2:
            raise ValueError(f"y must have two classes or more, not one class: {classes.tolist()}.")
        kept = [i for i, model in enumerate(models) if not isinstance(model, str)]
        if given is not None and not given[kept].any():
            raise ValueError("weights are zero for all models that are not dropped.")
        options = [_fit_options(names[i], models[i], sample_weight) for i in kept]
        fitted = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_fitted)(models[i], X, y, more) for i, more in zip(kept, options, strict=True)
        )
        for i, model in zip(kept, fitted, strict=True):
            if not np.array_equal(model.classes_, classes):
                raise ValueError(
                    f"The model {names[i]!r} has the classes {list(model.classes_)}, and y has "
                    f"{classes.tolist()}. All models must learn all classes, in this order."
                )
        if given is None:
            rows = None if sample_weight is None else check_sample_weight(sample_weight, y)
            scale = [
                _deviation(_scores(names[i], m, X), rows) for i, m in zip(kept, fitted, strict=True)
            ]
            weights = 1.0 / (len(kept) * np.array(scale))
        else:
            weights = given[kept]
        self.classes_ = classes
        self.estimators_ = fitted
        self.named_estimators_ = Bunch(
            **{names[i]: m for i, m in zip(kept, fitted, strict=True)},
        )
        self.weights_ = weights
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted[0], name):
                setattr(self, name, getattr(fitted[0], name))
            elif hasattr(self, name):  # of an earlier fit
                delattr(self, name)
        return self

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
        X = _at_hand(X)
        total: Any = 0.0
        for name, model, weight in self._heard():
            total = total + weight * _scores(name, model, X)
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
        X = _at_hand(X)
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


def _fitted(model: Any, X: Any, y: Any, options: dict[str, Any]) -> Any:
    return clone(model).fit(X, y, **options)


def _at_hand(X: Any) -> Any:
    """Return rows that can be read more than once, and a sparse matrix that can be read at all."""
    if sparse.issparse(X):
        return looked_at(X)
    is_read_once = isinstance(X, Iterable) and not hasattr(X, "__len__") and not hasattr(X, "shape")
    return list(X) if is_read_once else X


def _checked_weights(weights: Any, n_models: int) -> Floats | None:
    """Return the weights that were given, as numbers."""
    if weights is None:
        return None
    try:
        found = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (n_models,):
        raise ValueError(
            f"weights={weights!r}: expected one number for each of {n_models} estimators, or None."
        )
    if not (np.isfinite(found).all() and (found >= 0).all()):
        raise ValueError(f"weights={weights!r}: expected finite numbers, none below zero.")
    return found


def _fit_options(name: str, model: Any, sample_weight: Any) -> dict[str, Any]:
    """Return what a model is fitted with besides rows and classes."""
    if sample_weight is None:
        return {}
    prefix, last = "", model
    while isinstance(last, Pipeline):
        step, last = last.steps[-1]
        prefix += f"{step}__"
    if not has_fit_parameter(last, "sample_weight"):
        raise TypeError(
            f"The model {name!r} takes no sample_weight: {type(last).__name__} does not. Leave the "
            "weights out, or the model."
        )
    return {f"{prefix}sample_weight": sample_weight}


def _steps(before: Any) -> list[Any]:
    """Return the transformers of a pipeline, those of pipelines in it as well."""
    if not isinstance(before, Pipeline):
        return [before]
    steps = [step for _, step in before.steps if step is not None and not isinstance(step, str)]
    return [inner for step in steps for inner in _steps(step)]


def _taken_apart(model: Any) -> tuple[Any, Any]:
    """Return what is before the model that decides in a pipeline, or None, and that model."""
    before: list[Any] = []
    while isinstance(model, Pipeline):
        if len(model.steps) > 1:
            before.append(model[:-1])
        model = model.steps[-1][1]
    if not before:
        return None, model
    if len(before) == 1:
        return before[0], model
    return Pipeline([(str(i), steps) for i, steps in enumerate(before)]), model


def _scores(name: str, model: Any, X: Any) -> Floats:
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


def _deviation(scores: Floats, rows: Floats | None) -> float:
    """Return the standard deviation of scores over rows with weights; 1 if they do not vary."""
    weights = np.ones(len(scores)) if rows is None else rows
    weights = np.broadcast_to(weights.reshape(-1, *[1] * (scores.ndim - 1)), scores.shape)
    mean = np.average(scores, weights=weights)
    deviation = float(np.sqrt(np.average((scores - mean) ** 2, weights=weights)))
    return deviation if deviation > 0 else 1.0


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
