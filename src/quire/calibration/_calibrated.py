"""A classifier with probabilities that can be taken at their word."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone

from quire._shared.deciding import OF_MAPS, CalibratedDecisions, Maps
from quire._shared.fitted import check_is_fitted
from quire._shared.held_out_scores import (
    HeldOutScores,
    fitted_to,
    held_out_scores,
)
from quire._shared.labels import class_codes
from quire._shared.plot import grid, line_style, middle, new_axes
from quire._shared.reliability import (
    N_BINS,
    brier_terms,
    calibration_bins,
    calibration_error,
    claims_of,
    log_loss_terms,
)
from quire._shared.score_maps import METHODS, fit_maps
from quire._shared.sklearn import HasMethods, StrOptions, check_sample_weight, fit_context
from quire._shared.typing import Floats
from quire._shared.validation import validate_data
from quire.svm import LinearSVC

__all__ = ["CalibratedClassifier"]


class CalibratedClassifier(CalibratedDecisions, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""A classifier whose scores become probabilities by what they were worth when held out.

    .. math:: P(k \mid x) = g_k(f(x))

    Models are fitted to all folds but one and asked about that one; the map :math:`g` is learned
    from these scores, and the model that is used is fitted to everything. This is scikit-learn's
    ``CalibratedClassifierCV`` with ``ensemble=False``, and the probabilities are the same, but for
    naive Bayes: its map starts from log-odds and not from probabilities, which are rounded to 0
    and 1 where documents are long. A single model remains, so that its evidence adds up, and it
    costs no more to ask than before.

    Parameters
    ----------
    estimator : classifier, default=None
        The model, or a pipeline that ends with one. :class:`quire.svm.LinearSVC` if ``None``.
    method : {"sigmoid", "isotonic", "temperature"}, default="sigmoid"
        The map. A sigmoid needs few documents. An isotonic map fits any order that the scores have,
        and wants a thousand documents or more. A temperature has one number for all classes and
        changes no decision.
    cv : int, splitter or iterable, default=None
        Folds. Five, stratified and in order, if ``None``; fewer where no class has so many
        documents.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    estimator_ : classifier
        The model, fitted to all documents.
    slopes_, intercepts_ : ndarray of shape (n_maps,)
        Of sigmoids: one for two classes, otherwise one for each.
    map_scores_, map_shares_ : list of n_maps ndarrays
        Corners of isotonic maps.
    inverse_temperature_ : float
        What scores are multiplied with.
    reliability_ : dict
        ``"after"`` and, if the model has probabilities of its own, ``"before"``: the Brier score,
        log loss and expected calibration error of held-out documents (``brier``, ``log_loss``,
        ``calibration_error``), and their bins of equal mass (``predicted``, ``observed``,
        ``documents``). Each fold is judged by a map that was learned from the others.
    n_features_in_ : int
        Number of features, if rows have them.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if there are any.

    See Also
    --------
    quire.model_selection.ThresholdClassifier : Another threshold than one half.

    Notes
    -----
    Fitting takes one fit for each fold and one more. Results do not depend on the number of
    threads.

    References
    ----------
    -  J. Platt (1999). Probabilistic outputs for support vector machines and comparisons to
       regularized likelihood methods. Advances in Large Margin Classifiers.
    -  A. Niculescu-Mizil, R. Caruana (2005). Predicting good probabilities with supervised
       learning. ICML, 625-632.

    Examples
    --------
    Naive Bayes takes each word for news of its own, and is far too sure of itself:

    >>> from quire.calibration import CalibratedClassifier
    >>> from quire.datasets import make_text_classification
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.naive_bayes import MultinomialNB
    >>> data = make_text_classification(2000, n_classes=2, separation=2.0, random_state=0)
    >>> X = CountVectorizer().fit_transform(data.texts)
    >>> model = CalibratedClassifier(MultinomialNB(), method="sigmoid").fit(X, data.y)
    >>> for when in ("before", "after"):
    ...     print(when, round(model.reliability_[when]["calibration_error"], 2))
    before 0.24
    after 0.03
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "method": [StrOptions(set(METHODS))],
        "cv": ["cv_object"],
    }

    def __init__(self, estimator: Any = None, *, method: str = "sigmoid", cv: Any = None) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CalibratedClassifier:
        """Fit the model to everything, and the map to held-out scores.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each counts, for the model and for the map.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        validate_data(self, X, skip_check_array=True)
        labels = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
        classes, codes = class_codes(y)
        if len(classes) < 2:
            raise ValueError(f"y must have two classes or more, not one class: {classes.tolist()}.")
        weights = None
        if sample_weight is not None:
            weights = check_sample_weight(
                sample_weight, labels, dtype=np.float64, ensure_non_negative=True
            )
        base = LinearSVC(random_state=0) if self.estimator is None else self.estimator
        labels = labels.ravel()
        held_out = held_out_scores(
            base, X, labels, codes, classes, self.cv, weights, as_logarithms=self._as_logarithms
        )
        each = np.ones(len(codes)) if weights is None else weights
        known = held_out.folds >= 0
        if not known.any():
            raise ValueError(
                "No document could be held out: the others are all of one class. Give more "
                "documents, or other folds with cv=."
            )
        maps = fit_maps(self.method, held_out.scores[known], codes[known], each[known])
        for name in OF_MAPS:
            if hasattr(self, name):  # of another method
                delattr(self, name)
        self._keep(maps)
        self.reliability_ = _reliability(self.method, held_out, codes, each)
        self.estimator_ = fitted_to(clone(base), X, labels, weights)
        self.classes_ = classes
        return self

    @property
    def _as_logarithms(self) -> bool:
        return self.method == "temperature"

    def _keep(self, maps: Maps) -> None:
        if maps.slopes is not None:
            self.slopes_, self.intercepts_ = maps.slopes, maps.intercepts
        elif maps.scores is not None:
            self.map_scores_, self.map_shares_ = maps.scores, maps.shares
        else:
            self.inverse_temperature_ = maps.inverse_temperature

    def plot_reliability(self, ax: Any = None) -> Any:
        """Draw predicted against observed shares of held-out documents, before and after.

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
        ax = new_axes(ax)
        ax.plot([0, 1], [0, 1], color=middle(), linestyle=":", linewidth=1)
        for place, (when, found) in enumerate(self.reliability_.items()):
            label = f"{when} ({found['calibration_error']:.3f})"
            style = line_style(place)
            ax.plot(found["predicted"], found["observed"], label=label, **style)
        two = len(self.classes_) == 2
        of = f"of {self.classes_.tolist()[1]!r}" if two else "of the predicted class"
        ax.set_xlabel(f"probability {of}")
        ax.set_ylabel("how often it was so")
        ax.legend(title="calibration error")
        grid(ax)
        return ax

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: sparse input as the model takes it."""
        tags = super().__sklearn_tags__()
        base = LinearSVC(random_state=0) if self.estimator is None else self.estimator
        if hasattr(base, "__sklearn_tags__"):
            tags.input_tags.sparse = base.__sklearn_tags__().input_tags.sparse
        return tags


def _reliability(
    method: str, held_out: HeldOutScores, codes: NDArray[Any], weights: Floats
) -> dict[str, dict[str, Any]]:
    """Return how good probabilities are, before and after, each fold by maps from the others."""
    known = held_out.folds >= 0
    found: dict[str, dict[str, Any]] = {}
    if held_out.probabilities is not None:
        found["before"] = _judged(codes[known], held_out.probabilities[known], weights[known])
    P = np.full((len(codes), int(codes.max()) + 1), np.nan)
    for fold in np.unique(held_out.folds[known]):
        here, others = held_out.folds == fold, known & (held_out.folds != fold)
        if len(np.unique(codes[others])) < 2:
            continue
        maps = fit_maps(method, held_out.scores[others], codes[others], weights[others])
        P[here] = maps.probabilities(held_out.scores[here])
    judged = np.isfinite(P).all(axis=1)
    if judged.any():
        found["after"] = _judged(codes[judged], P[judged], weights[judged])
    return found


def _judged(codes: NDArray[Any], P: Floats, weights: Floats) -> dict[str, Any]:
    claims = claims_of(codes, P)
    bins = calibration_bins(*claims)
    total = max(float(weights.sum()), np.finfo(np.float64).tiny)
    return {
        "brier": float(weights @ brier_terms(codes, P) / total),
        "log_loss": float(weights @ log_loss_terms(codes, P) / total),
        "calibration_error": calibration_error(*claims, N_BINS, weights),
        "predicted": np.array([one.predicted for one in bins]),
        "observed": np.array([one.observed for one in bins]),
        "documents": np.array([one.documents for one in bins]),
    }
