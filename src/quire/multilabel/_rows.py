"""What models around others are given: a matrix, or documents, which the models inside check."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.validation import check_array, indexable, validate_data

__all__ = ["checked_rows", "n_rows"]


def checked_rows(model: Any, X: Any, *, reset: bool) -> Any:
    """Return samples as a matrix of rows, or the documents as they are.

    Parameters
    ----------
    model : estimator
        Whose number and names of features they have, or will have.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
        Samples.
    reset : bool
        Whether it is fitted to them.
    """
    if not sparse.issparse(X) and not hasattr(X, "shape") and hasattr(X, "__array__"):
        X = np.asarray(X)
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "biuf":
        check_array(X)  # says how to reshape it
    validate_data(model, X, skip_check_array=True, reset=reset)
    if sparse.issparse(X):
        (X,) = indexable(X)
        return X.tocsr()
    return X


def n_rows(X: Any) -> int:
    """Return how many samples there are."""
    return int(X.shape[0] if hasattr(X, "shape") else len(X))
