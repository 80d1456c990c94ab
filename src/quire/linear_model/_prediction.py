"""Predictions of linear models, with kernels where the matrix is sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from quire._design import Design
from quire._threads import effective_threads

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
        if X.dtype.kind != "f":
            X = X.astype(np.float64)
        scores = Design(X, effective_threads(self.n_jobs)).dot(self.coef_.T) + self.intercept_
        return scores.astype(np.result_type(X.dtype, self.coef_.dtype), copy=False)
