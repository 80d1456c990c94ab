r"""What linear models share: scores, decisions, and the evidence for them.

.. math:: s_{dk} = b_k + \sum_i x_{di} w_{ki}

Two classes have one row of weights; its score is that of the second class against the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire._shared.class_sums import csr_arrays
from quire._shared.decisions import logistic_decisions
from quire._shared.evidence import Evidence
from quire._shared.evidence_terms import LinearTerms
from quire._shared.fitted import check_is_fitted
from quire._shared.sparse import is_sparse
from quire._shared.term_weights import TermWeight, feature_names_of, rank_terms
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire._shared.validation import validate_data

__all__ = ["LinearClassifier", "LogisticClassifier", "SparsePrediction", "linear_scores"]

Arrays = tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]


class LinearClassifier:
    """Predictions and evidence from ``coef_`` and ``intercept_``.

    A mixin that stands before a linear classifier of scikit-learn. Sparse rows are multiplied by
    compiled kernels; a few short documents read only the weights of their own terms. Arrays of
    other libraries and sparse ``coef_`` are left to scikit-learn.
    """

    coef_: Any
    intercept_: Any
    classes_: NDArray[Any]
    n_features_in_: int
    n_jobs: int | None

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the scores of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes the score of the second: above zero it is predicted.
        """
        check_is_fitted(self)
        if not self._is_served(X):
            scores: NDArray[Any] = super().decision_function(X)  # type: ignore[misc]
            return scores
        X = self._weighed(self._checked(X))
        scores = linear_scores(X, self.coef_, self.intercept_, self._threads())
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self)
        if not (is_sparse(X) and self._is_served(X) and len(self.coef_) > 1):
            labels: NDArray[Any] = super().predict(X)  # type: ignore[misc]
            return labels
        X = self._weighed(self._checked(X))
        arrays, W, offset = _operands(X, self.coef_, self.intercept_)
        n_threads = self._threads()
        best, _ = _core.sparse.csr_argmax(arrays, W, offset, None, n_threads)
        labels = self.classes_[best]
        return labels

    def _codes_and_probabilities(self, X: Any) -> tuple[Any, Floats]:
        """Return the number of each sample's class, and probabilities by a logistic model."""
        return logistic_decisions(self.decision_function(X))

    def evidence(self, X: Any, *, feature_names: Sequence[str] | None = None) -> Evidence:
        """Say what each feature of each sample adds to the decision.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        feature_names : sequence of str, default=None
            Names of the columns. Known after a fit on a DataFrame; otherwise columns are numbered.

        Returns
        -------
        Evidence
            Contributions that add up to the difference of the scores of any two classes: for
            logistic regression, to their log-odds.
        """
        check_is_fitted(self)
        X = self._weighed(self._checked(X, for_kernels=False))
        coef = self._dense_coef()
        offsets = np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), (len(coef),))
        scores = linear_scores(X, coef, offsets, self._threads()).astype(np.float64)
        if len(coef) == 1:  # the first class is at zero
            coef = np.vstack([np.zeros_like(coef), coef])
            offsets = np.append(0.0, offsets)
            scores = np.column_stack([np.zeros(len(scores)), scores[:, 0]])
        return Evidence(
            self.classes_,
            scores,
            offsets,
            LinearTerms(X, coef),
            feature_names=feature_names_of(self, feature_names, X.shape[1]),
        )

    def top_terms(
        self, n_terms: int = 10, *, feature_names: Sequence[str] | None = None
    ) -> dict[Any, list[TermWeight]]:
        """Return the features that speak most for each class.

        Parameters
        ----------
        n_terms : int, default=10
            How many for each class.
        feature_names : sequence of str, default=None
            As for :meth:`evidence`.

        Returns
        -------
        dict from class to list of TermWeight
            From the heaviest down: by how much one unit adds to the score of the class, above the
            mean of what it adds to those of the other classes.
        """
        check_is_fitted(self)
        coef = self._dense_coef()
        if len(coef) == 1:
            coef = np.vstack([np.zeros_like(coef), coef])
        names = feature_names_of(self, feature_names, self.n_features_in_)
        return rank_terms(self.classes_, coef, n_terms, names)

    def _checked(self, X: Any, *, for_kernels: bool = True) -> Any:
        """Return samples that were looked at."""
        options: dict[str, Any] = {"accept_sparse": "csr", "reset": False}
        return validate_data(self, X, **options, for_kernels=for_kernels)

    def _threads(self) -> int:
        """Return the number of threads to use."""
        return effective_threads(self.n_jobs)

    def _weighed(self, X: Any) -> Any:
        """Return the numbers that the weights meet: X, or what a model makes of checked samples."""
        return X

    def _dense_coef(self) -> NDArray[np.float64]:
        """Return the weights, of shape (1 or n_classes, n_features); they may be stored sparse."""
        coef = self.coef_.toarray() if is_sparse(self.coef_) else np.asarray(self.coef_)
        return coef.astype(np.float64, copy=False).reshape(-1, self.n_features_in_)

    def _is_served(self, X: Any) -> bool:
        """Return whether X and the weights are arrays that our products take."""
        return isinstance(self.coef_, np.ndarray) and (
            is_sparse(X) or not hasattr(X, "__array_namespace__") or isinstance(X, np.ndarray)
        )


class LogisticClassifier(LinearClassifier):
    """A linear classifier whose scores are log-odds: sigmoid or softmax makes probabilities."""

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        check_is_fitted(self)
        if not self._is_served(X):
            found: NDArray[Any] = super().predict_proba(X)  # type: ignore[misc]
            return found
        return self._codes_and_probabilities(X)[1]


class SparsePrediction:
    """X W' + c for sparse X: a stored value meets all targets side by side.

    A mixin that stands before a linear regression of scikit-learn.
    """

    coef_: Any
    intercept_: Any
    n_jobs: int | None

    def _decision_function(self, X: Any) -> Any:
        if not is_sparse(X):
            return super()._decision_function(X)  # type: ignore[misc]
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False, for_kernels=True)
        n_threads = effective_threads(self.n_jobs)
        scores = linear_scores(X, self.coef_, self.intercept_, n_threads)
        return scores[:, 0] if np.ndim(self.coef_) == 1 else scores


def linear_scores(X: Any, coef: NDArray[Any], intercept: Any, n_threads: int) -> NDArray[Any]:
    """Return X coef' + intercept, in the dtype of both.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        Checked numbers.
    coef : ndarray of shape (n_scores, n_features) or (n_features,)
        Weights.
    intercept : float or ndarray of shape (n_scores,)
        What is added.
    n_threads : int
        Threads to use.

    Returns
    -------
    ndarray of shape (n_samples, n_scores)
        The scores.
    """
    coef = coef.reshape(-1, X.shape[1])
    if not is_sparse(X):
        return X @ coef.T + intercept  # type: ignore[no-any-return]
    arrays, W, offset = _operands(X, coef, intercept)
    scores = _core.sparse.csr_matmul(arrays, W, offset, None, n_threads)
    return scores.astype(np.result_type(X.dtype, coef.dtype), copy=False)


def _operands(
    X: Any, coef: NDArray[Any], intercept: Any
) -> tuple[Arrays, NDArray[np.float64], NDArray[np.float64]]:
    """Return a sparse X, the weights by features, and the offsets, as the kernels take them.

    If X has few entries, the weights are those of its entries alone, and its columns are renamed.
    """
    data, indices, indptr, n_features = csr_arrays(X)
    rows = coef.T
    if len(indices) < n_features:
        rows = rows[indices]
        indices, n_features = np.arange(len(indices), dtype=indices.dtype), len(indices)
    offset = np.broadcast_to(np.asarray(intercept, dtype=np.float64), (len(coef),))
    W = np.ascontiguousarray(rows, dtype=np.float64)
    return (data, indices, indptr, n_features), W, np.ascontiguousarray(offset)
