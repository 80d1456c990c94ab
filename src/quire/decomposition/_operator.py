r"""A matrix less the means of its columns, as products only.

With :math:`H = I - \mathbf 1 \mathbf 1'/n` the centred matrix is :math:`HX`, so that centring is a
projection of vectors as long as there are samples: X itself is neither copied nor filled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.design import Design
from quire._shared.typing import Floats

__all__ = ["CenteredOperator"]


_BLOCK = 64  # rows or columns that are made dense at a time for a Gram matrix


class CenteredOperator:
    """Products with A, which is X or HX, and with its transpose.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        Checked numbers, float32 or float64.
    center : bool
        Whether A is HX.
    n_threads : int
        Threads to use.
    """

    def __init__(self, X: Any, center: bool, n_threads: int) -> None:
        self.design = Design(X, n_threads)
        self.center = center

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        return self.design.shape

    def dot(self, V: Floats) -> Floats:
        """Return A V; V is (n_features, width)."""
        product = self.design.dot(V)
        if self.center:
            product -= product.mean(axis=0)
        return product

    def t_dot(self, U: Floats) -> Floats:
        """Return A' U; U is (n_samples, width)."""
        return self.design.t_dot(U - U.mean(axis=0) if self.center else U)

    def gram(self, of_samples: bool) -> Floats:
        """Return A A' or A' A.

        Parameters
        ----------
        of_samples : bool
            Whether to return A A'.
        """
        if not self.design.is_sparse:
            return self._dense_gram(of_samples)
        X = self.design.X if of_samples else sparse.csc_array(self.design.X)
        size = X.shape[0 if of_samples else 1]
        gram = np.empty((size, size))
        for start in range(0, size, _BLOCK):
            stop = min(start + _BLOCK, size)
            if of_samples:
                block = np.ascontiguousarray(X[start:stop].toarray().T)  # (n_features, width)
                gram[:, start:stop] = self.dot(block)
            else:
                block = X[:, start:stop].toarray()  # (n_samples, width)
                gram[:, start:stop] = self.t_dot(block)
        if of_samples and self.center:
            gram -= gram.mean(axis=1, keepdims=True)
        return 0.5 * (gram + gram.T)

    def _dense_gram(self, of_samples: bool) -> Floats:
        X = self.design.X
        A = X - X.mean(axis=0) if self.center else X
        gram: Floats = np.asarray(A @ A.T if of_samples else A.T @ A, dtype=np.float64)
        return gram
