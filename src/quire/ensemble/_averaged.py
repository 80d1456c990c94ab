r"""Several linear models as one: a weighted sum of their scores, which is a linear model again."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from quire._shared.deciding import AveragedDecisions, at_hand, scores_between_classes
from quire._shared.labels import class_codes
from quire._shared.sklearn import BaseHeterogeneousEnsemble, check_sample_weight, fit_context
from quire._shared.typing import Floats

__all__ = ["AveragedClassifier"]


class AveragedClassifier(AveragedDecisions, ClassifierMixin, BaseHeterogeneousEnsemble):
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
        X = at_hand(X)
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
                _deviation(scores_between_classes(names[i], m, X), rows)
                for i, m in zip(kept, fitted, strict=True)
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


def _fitted(model: Any, X: Any, y: Any, options: dict[str, Any]) -> Any:
    return clone(model).fit(X, y, **options)


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


def _deviation(scores: Floats, rows: Floats | None) -> float:
    """Return the standard deviation of scores over rows with weights; 1 if they do not vary."""
    weights = np.ones(len(scores)) if rows is None else rows
    weights = np.broadcast_to(weights.reshape(-1, *[1] * (scores.ndim - 1)), scores.shape)
    mean = np.average(scores, weights=weights)
    deviation = float(np.sqrt(np.average((scores - mean) ** 2, weights=weights)))
    return deviation if deviation > 0 else 1.0
