"""Arrays of other libraries than NumPy: left to scikit-learn, which can compute with them.

With ``sklearn.set_config(array_api_dispatch=True)`` scikit-learn's GaussianNB takes tensors of
PyTorch, arrays of CuPy and the like. quire's kernels read NumPy's memory only.
"""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import NDArray
from sklearn.naive_bayes import GaussianNB as SklearnGaussianNB
from sklearn.utils.validation import check_is_fitted

from quire._shared.sklearn import check_same_namespace, get_namespace, is_numpy_namespace
from quire._shared.typing import Floats
from quire.naive_bayes._base import NaiveBayesMixin

__all__ = ["OtherArraysMixin", "is_foreign"]


def is_foreign(X: Any) -> bool:
    """Say whether X is an array of another library that scikit-learn is set to compute with.

    Parameters
    ----------
    X : object
        Rows.
    """
    namespace, dispatched = get_namespace(X)
    return dispatched and not is_numpy_namespace(namespace)


class OtherArraysMixin(NaiveBayesMixin):
    """Predictions by scikit-learn's code where the rows are not NumPy's, and by ours elsewhere."""

    priors: Any
    prior_alpha: float

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows. One that no class can produce goes to the class that is most probable without
            looking at it.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes; of equally probable ones the first.
        """
        if self._leaves_to_sklearn(X, "predict"):
            labels: NDArray[Any] = SklearnGaussianNB.predict(self, X)
            return labels
        return super().predict(X)

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return log P(x, k) for each row x and class k.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of densities, in the order of ``classes_``; ``-inf`` where a class cannot
            produce a row.
        """
        if self._leaves_to_sklearn(X, "predict_joint_log_proba"):
            joint: Floats = SklearnGaussianNB.predict_joint_log_proba(self, X)
            return joint
        return super().predict_joint_log_proba(X)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(k | x) for each row x and class k.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows. One that no class can produce gets the prior.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log probabilities, in the order of ``classes_``.
        """
        if self._leaves_to_sklearn(X, "predict_log_proba"):
            log_proba: Floats = SklearnGaussianNB.predict_log_proba(self, X)
            return log_proba
        return super().predict_log_proba(X)

    def predict_proba(self, X: Any) -> Floats:
        """Return P(k | x) for each row x and class k.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows. One that no class can produce gets the prior.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        if self._leaves_to_sklearn(X, "predict_proba"):
            proba: Floats = SklearnGaussianNB.predict_proba(self, X)
            return proba
        return super().predict_proba(X)

    def _leaves_to_sklearn(self, X: Any, method: str) -> bool:
        """Say whether X is of another library, which must be that of the data it learned from."""
        check_is_fitted(self)
        check_same_namespace(X, self, attribute="theta_", method=method)
        return is_foreign(X)

    def _fit_foreign(self, fit: Any, X: Any, y: Any, **options: Any) -> Self:
        """Let scikit-learn's own code learn from the arrays of another library."""
        if isinstance(self.priors, str):
            raise ValueError(
                f"priors={self.priors!r} needs NumPy arrays. Pass None or probabilities."
            )
        if self.prior_alpha:
            raise ValueError(f"prior_alpha={self.prior_alpha!r} needs NumPy arrays. Pass 0.")
        self.__dict__.pop("_sums", None)
        fit(X, y, **options)
        return self
