r"""Linear models whose features are weighted by what naive Bayes knows of them.

A feature of a class against the rest is multiplied by its log-count ratio

.. math:: r_i = \log \frac{\alpha + p_i}{\sum_j (\alpha + p_j)}
                - \log \frac{\alpha + q_i}{\sum_j (\alpha + q_j)}

with the counts p of the class and q of the rest, and a linear model of two classes learns weights v
for the products: its penalty is low for features that tell the classes apart on their own. Since
:math:`v'(r \circ x) = (r \circ v)'x`, the model is linear in x, and its weights are
:math:`r \circ v`.

References
----------
-  S. Wang, C. D. Manning (2012). Baselines and bigrams: simple, good sentiment and topic
   classification. ACL.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from quire._shared.class_sums import class_sums
from quire._shared.class_weights import combined_weights
from quire._shared.labels import class_codes
from quire._shared.linear import LinearClassifier
from quire._shared.presence import csr_parts, presence
from quire._shared.sklearn import Interval, LinearClassifierMixin, StrOptions, fit_context
from quire._shared.threads import effective_threads
from quire._shared.typing import Codes, Floats
from quire._shared.validation import validate_data

__all__ = ["NBWeighted", "Separation", "Separator", "log_count_ratios"]

_DTYPES = [np.float64, np.float32, np.int64]  # what is read as it is


class Separation(NamedTuple):
    """A linear model of two classes.

    Attributes
    ----------
    weights : ndarray of shape (n_features,)
        Those of the features; float32 or float64.
    intercept : float
        What is added.
    n_iter : int
        Iterations of the optimiser.
    start : Any
        Where a fit at another `C` may start.
    """

    weights: NDArray[Any]
    intercept: float
    n_iter: int
    start: Any = None


class Separator(Protocol):
    """What fits two classes at one `C` after another."""

    def __call__(self, C: float, start: Any) -> Separation:
        """Return the model at `C`; `start` is that of a model at another one, or ``None``."""


class NBWeighted(LinearClassifier, LinearClassifierMixin, BaseEstimator):
    """What models of weighted features share: ratios, one-vs-rest, interpolation, presence.

    A class that derives from it has the parameters `alpha`, `C`, `beta`, `binarize`,
    `fit_intercept`, `class_weight`, `tol`, `max_iter` and `n_jobs`, and fits two classes.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "C": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "binarize": [None, Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [None, Integral],
    }

    alpha: float
    C: float
    beta: float
    binarize: float | None
    class_weight: Any

    @abstractmethod
    def _separator(
        self, X: Any, is_second: Codes, weights: Floats | None, n_alike: int, tol: float | None
    ) -> Separator:
        """Return what fits weighted features X of two classes, numbered 0 and 1.

        There are `n_alike` such problems. `tol` is how near an objective is to its minimum,
        relatively, along a path.
        """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts, or anything else where binarize tells presence.
        y : array-like of shape (n_samples,)
            Their classes, at least two.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, not negative.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        classes, found = self._fits(X, y, sample_weight, [self.C], None)
        self._set(classes, next(found))
        return self

    def _models(self, X: Any, y: Any, Cs: Sequence[float], tol: float | None) -> Iterator[Self]:
        """Yield a fitted model for each C; this one is left as it is."""
        models = [clone(self).set_params(C=C) for C in Cs]
        for model in models:
            model._validate_params()
        if not models:
            return
        first = models[0]
        classes, found = first._fits(X, y, None, Cs, tol)
        for model, one in zip(models, found, strict=True):
            model.n_features_in_ = first.n_features_in_
            if hasattr(first, "feature_names_in_"):
                model.feature_names_in_ = first.feature_names_in_
            model._set(classes, one)
            yield model

    def _fits(
        self, X: Any, y: Any, sample_weight: Any, Cs: Sequence[float], tol: float | None
    ) -> tuple[NDArray[Any], Iterator[list[Separation]]]:
        """Return the classes, and for each C the models of them in the features of X."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=_DTYPES, order="C")
        classes, codes = class_codes(y)
        name = type(self).__name__
        if len(classes) < 2:
            raise ValueError(
                f"{name} needs samples of at least 2 classes in the data, but the data contains "
                f"only one class: {classes.tolist()[0]!r}"
            )
        weights = combined_weights(
            sample_weight, self.class_weight, X, classes, codes, ensure_non_negative=True
        )
        n_threads = effective_threads(self.n_jobs)
        sums = class_sums(X, codes, len(classes), weights, self.binarize, n_threads)[0]
        if not (sums.min(initial=0.0) >= 0 and (self.binarize is not None or _min(X) >= 0)):
            raise ValueError(
                f"Negative values in data passed to {name} (input X), which with binarize=None "
                "takes counts. Pass counts, or binarize=0.0 to look at presence alone."
            )
        return classes, self._along(X, codes, weights, sums, Cs, tol)

    def _along(
        self,
        X: Any,
        codes: Codes,
        weights: Floats | None,
        sums: Floats,
        Cs: Sequence[float],
        tol: float | None,
    ) -> Iterator[list[Separation]]:
        """Yield the models of all classes for each C, each from the one before.

        The weighted features of one class are in memory at a time.
        """
        problems = [1] if len(sums) == 2 else range(len(sums))
        occurs = sums.sum(axis=0) > 0
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        starts: dict[int, Any] = {}
        separator: Separator | None = None
        for C in Cs:
            found = []
            for k in problems:
                ratios: NDArray[Any] = log_count_ratios(sums, k, self.alpha)
                if self.binarize is not None or dtype == np.float32:
                    # presence needs no more, and takes half the memory when it is weighted
                    ratios = ratios.astype(np.float32)
                if separator is None or len(problems) > 1:
                    is_second = (codes == k).astype(np.int32)
                    separator = self._separator(
                        self._scaled(X, ratios), is_second, weights, len(problems), tol
                    )
                one = separator(C, starts.get(k))
                starts[k] = one.start
                v = _interpolated(one.weights, occurs, self.beta)
                coef = (ratios * v).astype(dtype, copy=False)
                found.append(Separation(coef, one.intercept, one.n_iter))
            yield found

    def _scaled(self, X: Any, ratios: NDArray[Any]) -> Any:
        """Return the columns of X, or their presence, times the ratios."""
        if not sparse.issparse(X):
            values = presence(X, self.binarize)
            return values * ratios.astype(np.float32 if values.dtype == np.float32 else np.float64)
        data, indices, indptr, n_columns = csr_parts(X)
        scaled: NDArray[Any] = ratios[indices]
        if self.binarize is None:
            scaled = data * scaled
        else:
            scaled[data <= self.binarize] = 0.0
        return sparse.csr_array((scaled, indices, indptr), shape=(X.shape[0], n_columns))

    def _set(self, classes: NDArray[Any], found: list[Separation]) -> None:
        self.classes_ = classes
        self.coef_ = np.stack([one.weights for one in found])
        self.intercept_ = np.array([one.intercept for one in found], dtype=self.coef_.dtype)
        self.n_iter_ = max(one.n_iter for one in found)

    def _weighed(self, X: Any) -> Any:
        """Return presence, if that is what the weights are for."""
        return presence(X, self.binarize)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.binarize is None
        tags.classifier_tags.poor_score = True  # of data that are no counts
        return tags


def log_count_ratios(sums: Floats, k: int, alpha: float) -> Floats:
    """Return the log-count ratios of a class against the rest.

    Features that no class has do not count, and have the ratio 0.

    Parameters
    ----------
    sums : ndarray of shape (n_classes, n_features)
        Counts of the features in each class, not negative.
    k : int
        The class.
    alpha : float
        What is added to every count.

    Returns
    -------
    ndarray of shape (n_features,)
        The ratios.

    Examples
    --------
    >>> log_count_ratios(np.array([[1.0, 3.0, 0.0], [3.0, 1.0, 0.0]]), 1, 1.0).round(3)
    array([ 0.693, -0.693,  0.   ])
    """
    rest = np.zeros(sums.shape[1])
    for other, counts in enumerate(sums):
        if other != k:
            rest += counts
    occurs = (sums[k] > 0) | (rest > 0)
    p, q = (np.where(occurs, alpha + counts, 0.0) for counts in (sums[k], rest))
    if not occurs.any():
        return np.zeros(len(p))
    logs = np.log(p, out=np.zeros(len(p)), where=occurs)
    logs -= np.log(q, out=np.zeros(len(q)), where=occurs)
    shift = np.log(q.sum()) - np.log(p.sum())
    return np.where(occurs, logs + shift, 0.0)


def _min(X: Any) -> float:
    return float((X.data if sparse.issparse(X) else X).min(initial=0))


def _interpolated(weights: NDArray[Any], occurs: NDArray[np.bool_], beta: float) -> NDArray[Any]:
    """Return weights between their mean magnitude and themselves."""
    if beta == 1.0 or not occurs.any():
        return weights
    mean = float(np.abs(weights[occurs]).mean())
    return (1.0 - beta) * mean + beta * weights
