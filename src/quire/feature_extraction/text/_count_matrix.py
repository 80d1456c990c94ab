"""Counts as weightings take them: rows of floats, every count once, none of them 0 or below."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.class_sums import csr_arrays
from quire._shared.validation import validate_data

__all__ = ["count_matrix"]


def count_matrix(model: Any, X: Any, *, reset: bool) -> Any:
    """Return a checked copy of counts, which may be weighted in place.

    Parameters
    ----------
    model : estimator
        What X is given to.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Counts.
    reset : bool
        Whether this is a fit.

    Returns
    -------
    CSR array of shape (n_samples, n_features)
        Of float32 or float64.
    """
    X = validate_data(
        model, X, accept_sparse="csr", dtype=[np.float64, np.float32], copy=True, reset=reset
    )
    if sparse.issparse(X):
        data, indices, indptr, n_columns = csr_arrays(X, once=True)
        n = int(indptr[-1])
        X = sparse.csr_array((data[:n], indices[:n], indptr), shape=(X.shape[0], n_columns))
        if not X.data.all():
            X.eliminate_zeros()
    else:
        X = sparse.csr_array(X)
    if X.data.min(initial=0) < 0:
        raise ValueError(
            f"Negative values in data passed to {type(model).__name__} (input X), which takes "
            "counts. Give it what a CountVectorizer returned."
        )
    return X
