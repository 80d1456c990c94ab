"""Predictions of linear functions, with kernels where the matrix is sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from quire._shared.threads import effective_threads
from quire.linear_model._classifier import linear_scores

__all__ = ["SparsePrediction"]


class SparsePrediction:
    """X W' + c for sparse X: a stored value meets all targets side by side."""

    coef_: Any
    intercept_: Any
    n_jobs: int | None

    def _decision_function(self, X: Any) -> Any:
        if not sparse.issparse(X):
            return super()._decision_function(X)  # type: ignore[misc]
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        n_threads = effective_threads(self.n_jobs)
        scores = linear_scores(X, self.coef_, self.intercept_, n_threads)
        return scores[:, 0] if np.ndim(self.coef_) == 1 else scores
