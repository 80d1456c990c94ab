"""A classifier of two classes with a threshold that was chosen on documents while held out."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from quire._shared.deciding import ThresholdDecisions, by_share, scores_of
from quire._shared.exponentials import expit
from quire._shared.held_out_scores import fitted_to, held_out_scores
from quire._shared.labels import class_codes
from quire._shared.plot import grid, line_style, new_axes
from quire._shared.sklearn import (
    HasMethods,
    Interval,
    check_sample_weight,
    fit_context,
    safe_indexing,
)
from quire._shared.typing import Floats
from quire._shared.validation import indexable, validate_data
from quire.linear_model import LogisticRegression
from quire.model_selection._scores.catalogue import measures_of, metric_of
from quire.model_selection._scores.costs import cost_matrix
from quire.model_selection._scores.held_out import HeldOut, Measure

__all__ = ["ThresholdClassifier"]

_FEW = 1000  # documents by which probabilities are held against scores
_COARSE, _FINE = 512, 1024  # thresholds that are tried, first everywhere, then around the best


class _Choice(NamedTuple):
    threshold: float
    score: float
    thresholds: Floats
    scores: Floats


class ThresholdClassifier(ThresholdDecisions, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A model for two classes that says the second one from another score on than usual.

    Models are fitted to all folds but one and asked about that one; the threshold that gives the
    best score on these documents is used with a model that is fitted to everything. Where one class
    is rare, or its mistakes cost more, one half is seldom the best.

    This is near to scikit-learn's ``TunedThresholdClassifierCV``, which takes the mean of the
    scores of the folds at 100 thresholds. Here the held-out documents of all folds are put
    together, and thresholds lie halfway between scores that occur.

    Parameters
    ----------
    estimator : classifier, default=None
        The model, or a pipeline that ends with one, with ``decision_function`` or
        ``predict_proba``. :class:`quire.linear_model.LogisticRegression` if ``None``.
    scoring : str, default=None
        What is to be best: a score of :func:`metric_names` that needs labels alone. "f1" if
        ``None``, or the mean cost if there are `costs`.
    costs : mapping or array-like of shape (2, 2), default=None
        What mistakes cost, as for :func:`compare`.
    pos_label : object, default=None
        The class that is predicted from the threshold on, and that "f1", "precision" and the like
        are about. The second one if ``None``.
    cv : int, splitter or iterable, default=None
        Folds. Five, stratified and in order, if ``None``.
    threshold : float, default=None
        The threshold itself, where it is known: the probability from which on `pos_label` is
        predicted, or a score of a model without probabilities. Nothing is held out then.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes.
    pos_label_ : object
        The class that is predicted from the threshold on.
    estimator_ : classifier
        The model, fitted to all documents.
    best_threshold_ : float
        The threshold, of decisions or the log-odds of naive Bayes, otherwise of probabilities.
    default_threshold_ : float
        The usual one: 0 for decisions and log-odds, 0.5 for probabilities.
    best_score_ : float
        The score of held-out documents at the threshold. It is flattered by the choice.
    default_score_ : float
        The same at the usual threshold.
    held_out_score_ : float
        The same with the documents of each fold judged at a threshold that was chosen on the
        others; NaN with one fold. All three are NaN if the threshold was given.
    thresholds_, scores_ : ndarray of shape (n_thresholds,)
        Scores at thresholds over the whole range.
    n_features_in_ : int
        Number of features, if rows have them.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if there are any.

    See Also
    --------
    quire.calibration.CalibratedClassifier : Probabilities that can be taken at their word.

    Notes
    -----
    Fitting takes one fit for each fold and one more. With more than 512 different scores,
    thresholds are tried in equal steps of rank first, and around the best one then.

    Examples
    --------
    >>> from quire.datasets import make_text_classification
    >>> from quire.feature_extraction.text import TfidfVectorizer
    >>> from quire.linear_model import LogisticRegression
    >>> from quire.model_selection import ThresholdClassifier
    >>> data = make_text_classification(600, n_classes=2, separation=5.0, random_state=0)
    >>> rare = [k for k in range(600) if data.y[k] == 0 or k % 8 == 0]
    >>> X, y = TfidfVectorizer().fit_transform([data.texts[k] for k in rare]), data.y[rare]
    >>> model = ThresholdClassifier(LogisticRegression()).fit(X, y)
    >>> f"{model.best_threshold_:.2f}: {model.default_score_:.3f} becomes {model.best_score_:.3f}"
    '-2.13: 0.000 becomes 0.373'
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "scoring": [str, None],
        "costs": "no_validation",
        "pos_label": "no_validation",
        "cv": ["cv_object"],
        "threshold": [Interval(Real, None, None, closed="neither"), None],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        scoring: str | None = None,
        costs: Any = None,
        pos_label: Any = None,
        cv: Any = None,
        threshold: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.scoring = scoring
        self.costs = costs
        self.pos_label = pos_label
        self.cv = cv
        self.threshold = threshold

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ThresholdClassifier:
        """Choose the threshold on held-out documents, and fit the model to everything.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.
        y : array-like of shape (n_samples,)
            Their classes, of which there are two.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each counts, for the model and for the score.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        validate_data(self, X, skip_check_array=True)
        labels = (y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)).ravel()
        classes, codes = class_codes(y)
        if len(classes) != 2:
            raise ValueError(
                f"Only binary classification is supported. y has {len(classes)} classes, and a "
                "threshold is for two."
            )
        place = 1
        if self.pos_label is not None:
            found = np.flatnonzero(classes == self.pos_label)
            if len(found) != 1:
                raise ValueError(f"pos_label={self.pos_label!r} is not among {classes.tolist()}.")
            place = int(found[0])
        order = [1 - place, place]
        costs = None if self.costs is None else cost_matrix(self.costs, classes)[order][:, order]
        measure = self._measure(costs)
        weights = None
        if sample_weight is not None:
            weights = check_sample_weight(
                sample_weight, labels, dtype=np.float64, ensure_non_negative=True
            )
        base = self._base()
        self.classes_, self.pos_label_ = classes, classes.tolist()[place]
        if self.threshold is not None:
            return self._fit_given(base, X, labels, weights)
        held_out = held_out_scores(
            base, X, labels, codes, classes, self.cv, weights, as_logarithms=False
        )
        known = held_out.folds >= 0
        if not known.any():
            raise ValueError(
                "No document could be held out: the others are all of one class. Give more "
                "documents, or other folds with cv=."
            )
        self.estimator_ = fitted_to(clone(base), X, labels, weights)
        usual = 0.5 if by_share(self.estimator_) else 0.0
        scores = held_out.scores[known]
        if place == 0:
            scores = 2 * usual - scores
        is_so = codes[known] == place
        each = np.ones(len(codes)) if weights is None else weights
        each = each[known]
        choice = _choose(scores, is_so, each, usual, measure)
        folds = held_out.folds[known]
        self.held_out_score_ = _by_others(scores, is_so, each, folds, usual, measure)
        self.default_score_ = measure(_counts(scores >= usual, is_so, each))
        self.default_threshold_ = usual
        self.best_threshold_, self.best_score_, self.thresholds_, self.scores_ = choice
        return self

    def _fit_given(self, base: Any, X: Any, labels: Any, weights: Any) -> ThresholdClassifier:
        """Fit the model to everything, with a threshold that is known."""
        assert self.threshold is not None
        X, _ = indexable(X, labels)
        self.estimator_ = fitted_to(clone(base), X, labels, weights)
        self.best_threshold_ = self._as_score(X, len(labels), float(self.threshold))
        self.default_threshold_ = 0.5 if by_share(self.estimator_) else 0.0
        self.best_score_ = self.default_score_ = self.held_out_score_ = float("nan")
        self.thresholds_, self.scores_ = np.empty(0), np.empty(0)
        return self

    def _as_score(self, X: Any, n_documents: int, threshold: float) -> float:
        """Return a threshold of probabilities on the scale that the model decides on."""
        if not hasattr(self.estimator_, "predict_proba"):
            return threshold
        if not 0 < threshold < 1:
            raise ValueError(f"threshold={threshold:g} is no probability between 0 and 1.")
        if by_share(self.estimator_):
            return threshold
        few = safe_indexing(X, np.arange(min(_FEW, n_documents)))
        scores = scores_of(self.estimator_, few, self.classes_, as_logarithms=False)
        if not np.allclose(expit(scores), self.estimator_.predict_proba(few)[:, 1], atol=1e-6):
            raise ValueError(
                f"The probabilities of {type(self.estimator_).__name__} are not made from its "
                "scores alone, so that a probability is no threshold of them; put a "
                "CalibratedClassifier around it (calibrate='sigmoid')."
            )
        return float(np.log(threshold) - np.log1p(-threshold))

    def _base(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    def _measure(self, costs: Floats | None) -> Measure:
        """Return the score of documents that are counted: truth and prediction, 0 or 1."""
        usual = "f1" if costs is None else "neg_mean_cost"
        metric = metric_of(self.scoring or usual, "binary")
        if metric.needs or not metric.trials:
            raise ValueError(
                f"scoring={self.scoring!r} is no score of a threshold; choose one of labels, such "
                "as 'f1', 'balanced_accuracy' or 'matthews_corrcoef'."
            )
        if metric.name == "neg_mean_cost" and costs is None:
            raise ValueError(f"scoring={self.scoring!r} needs costs: say what mistakes cost.")
        pairs = HeldOut(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), costs=costs)
        return measures_of([metric.name], pairs)[metric.name]

    @available_if(lambda self: hasattr(_asked(self), "predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the model; the threshold does not change them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    @available_if(lambda self: hasattr(_asked(self), "decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Return the decisions of the model; the threshold does not change them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Larger for the second class.
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(X), dtype=np.float64)

    def plot(self, ax: Any = None) -> Any:
        """Draw the score over thresholds, with the one that was chosen and the usual one.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        check_is_fitted(self)
        if not len(self.thresholds_):
            raise ValueError("The threshold was given, so that there are no scores to draw.")
        ax = new_axes(ax)
        ax.plot(self.thresholds_, self.scores_, color=line_style(0)["color"])
        for place, (at, what) in enumerate(
            ((self.best_threshold_, "chosen"), (self.default_threshold_, "usual")), start=1
        ):
            style = line_style(place)
            ax.axvline(at, color=style["color"], linestyle=":", label=f"{what}: {at:.3g}")
        ax.set_xlabel(f"threshold for {self.pos_label_!r}")
        ax.set_ylabel(self.scoring or ("f1" if self.costs is None else "neg_mean_cost"))
        ax.legend()
        grid(ax)
        return ax

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: two classes only, sparse input as the model takes it."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        base = self._base()
        if hasattr(base, "__sklearn_tags__"):
            tags.input_tags.sparse = base.__sklearn_tags__().input_tags.sparse
        return tags


def _asked(model: ThresholdClassifier) -> Any:
    return model.estimator_ if hasattr(model, "estimator_") else model._base()


def _counts(predicted: NDArray[np.bool_], is_so: NDArray[np.bool_], weights: Floats) -> Floats:
    """Return documents by truth and prediction: neither, predicted only, true only, both."""
    return np.bincount(2 * is_so + predicted, weights, 4).astype(np.float64)


def _choose(
    scores: Floats, is_so: NDArray[np.bool_], weights: Floats, usual: float, measure: Measure
) -> _Choice:
    """Return the threshold with the best score, of equally good ones that nearest to the usual."""
    values, group = np.unique(scores, return_inverse=True)
    of_class = np.bincount(group, weights * is_so, len(values))
    of_other = np.bincount(group, weights * ~is_so, len(values))
    above, wrong = (np.append(np.cumsum(part[::-1])[::-1], 0.0) for part in (of_class, of_other))
    halfway = values[:-1] + (values[1:] - values[:-1]) / 2
    halfway = np.where(halfway > values[:-1], halfway, values[1:])
    cuts = np.concatenate([values[:1], halfway, [np.nextafter(values[-1], np.inf)]])

    def at(places: NDArray[Any]) -> Floats:
        tried = np.array(
            [
                measure(np.array([wrong[0] - wrong[k], wrong[k], above[0] - above[k], above[k]]))
                for k in places
            ]
        )
        return np.where(np.isfinite(tried), tried, -np.inf)

    everywhere = _spread(0, len(cuts) - 1, _COARSE)
    coarse = at(everywhere)
    best = int(coarse.argmax())
    low, high = everywhere[max(best - 1, 0)], everywhere[min(best + 1, len(everywhere) - 1)]
    near = _spread(int(low), int(high), _FINE)
    fine = at(near)
    places, tried = np.append(everywhere, near), np.append(coarse, fine)
    good = places[tried >= tried.max() - 1e-12]
    chosen = int(good[np.abs(cuts[good] - usual).argmin()])
    is_known = np.isfinite(coarse)
    return _Choice(
        float(cuts[chosen]), float(tried.max()), cuts[everywhere][is_known], coarse[is_known]
    )


def _spread(first: int, last: int, most: int) -> NDArray[np.intp]:
    return np.unique(np.linspace(first, last, min(most, last - first + 1)).round().astype(np.intp))


def _by_others(
    scores: Floats,
    is_so: NDArray[np.bool_],
    weights: Floats,
    folds: NDArray[np.intp],
    usual: float,
    measure: Measure,
) -> float:
    """Return the score of documents at thresholds that were chosen on the other folds."""
    numbers = np.unique(folds)
    if len(numbers) < 2:
        return float("nan")
    counts = np.zeros(4)
    for fold in numbers:
        here, others = folds == fold, folds != fold
        threshold = _choose(scores[others], is_so[others], weights[others], usual, measure)[0]
        counts += _counts(scores[here] >= threshold, is_so[here], weights[here])
    return measure(counts)
