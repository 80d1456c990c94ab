r"""The matrix of a least-squares problem with weights and an intercept, as products only.

Weights :math:`s_i` and an intercept leave a plain least-squares problem in

.. math:: A = H S^{1/2} X, \qquad b = H S^{1/2} y, \qquad H = I - uu', \quad
          u = S^{1/2}\mathbf 1 / \lVert S^{1/2}\mathbf 1 \rVert,

because :math:`H S^{1/2} X = S^{1/2} (X - \mathbf 1 \bar x')` with the weighted means
:math:`\bar x`. So centring is a projection of vectors as long as there are samples, and X itself is
neither centred nor scaled.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.design import Design
from quire._shared.typing import Floats

__all__ = ["RowOperator"]


class RowOperator:
    """Products with A and its transpose.

    Parameters
    ----------
    X : CSR matrix of shape (n_samples, n_features)
        Checked numbers, float32 or float64.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights of the rows.
    fit_intercept : bool
        Whether H is there at all.
    n_threads : int
        Threads to use.
    """

    def __init__(
        self, X: Any, sample_weight: Floats | None, fit_intercept: bool, n_threads: int
    ) -> None:
        self.design = Design(X, n_threads)
        self.weights = None if sample_weight is None else sample_weight.astype(np.float64)
        self.fit_intercept = fit_intercept
        self.root = None if self.weights is None else np.sqrt(self.weights)[:, None]
        unit = np.ones((self.shape[0], 1)) if self.root is None else self.root
        self.unit = unit / np.linalg.norm(unit) if fit_intercept else None
        self.scale: Floats | None = None

    def scaled(self, scale: Floats) -> RowOperator:
        """Return A D, with the factors `scale` of the columns on the diagonal of D."""
        other = copy(self)
        other.scale = scale[:, None]
        return other

    def column_squares(self) -> tuple[Floats, Floats]:
        """Return the squared lengths of the columns of A, and of those of S^(1/2) X."""
        raw = self._raw_squares
        if self.unit is None:
            return raw, raw
        total = float(self.shape[0] if self.weights is None else self.weights.sum())
        squares = raw - total * self._means**2
        return np.where(squares > 1e-12 * raw, squares, 0.0), raw

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        return self.design.shape

    @cached_property
    def _raw_squares(self) -> Floats:
        return self.design.squared_norms(self.weights)

    @cached_property
    def _means(self) -> Floats:
        return self.design.means(self.weights)

    def longest(self) -> float:
        """Return a bound for the squared lengths of columns, from a look at the largest value."""
        data = self.design.X.data
        total = float(self.shape[0] if self.weights is None else self.weights.sum())
        largest = max(float(data.max()), -float(data.min())) if len(data) else 0.0
        return total * largest**2

    def dot(self, V: Floats) -> Floats:
        """Return A V; V is (n_features, width)."""
        return self._weighted_and_centred(
            self.design.dot(V if self.scale is None else self.scale * V)
        )

    def t_dot(self, U: Floats) -> Floats:
        """Return A' U; U is (n_samples, width)."""
        if self.unit is not None:
            U = U - self.unit * (self.unit.T @ U)
        product = self.design.t_dot(U if self.root is None else self.root * U)
        return product if self.scale is None else self.scale * product

    def targets(self, Y: Floats) -> Floats:
        """Return b for every column of Y."""
        return self._weighted_and_centred(Y.astype(np.float64))

    def intercept(self, Y: Floats, W: Floats) -> Floats:
        """Return the intercepts that belong to the coefficients W (n_features, n_targets)."""
        if not self.fit_intercept:
            return np.zeros(W.shape[1])
        means = np.average(Y, axis=0, weights=self.weights)
        intercept: Floats = means - self._means @ W
        return intercept

    def frobenius_norm(self) -> float:
        """Return the norm of S^(1/2) X D, which is what rounding errors are in proportion to."""
        squares = self._raw_squares
        if self.scale is not None:
            squares = squares * self.scale[:, 0] ** 2
        return float(np.sqrt(squares.sum()))

    def gram(self, of_samples: bool) -> Floats:
        """Return A A' or A' A, from the sparse product of X with itself.

        Parameters
        ----------
        of_samples : bool
            Whether to return A A'.
        """
        X = sparse.csr_array(self.design.X, dtype=np.float64)
        if self.weights is not None:
            X = sparse.csr_array(sparse.diags_array(np.sqrt(self.weights)) @ X)
        gram: Floats = (X @ X.T if of_samples else X.T @ X).toarray()
        if self.unit is None:
            return gram
        if of_samples:
            gram -= self.unit @ (self.unit.T @ gram)
            gram -= (gram @ self.unit) @ self.unit.T
        else:
            means = X.T @ self.unit
            gram -= means @ means.T
        return gram

    def row_blocks(self, size: int) -> Iterator[Floats]:
        """Yield some rows of A at a time, as dense blocks of about `size` numbers."""
        n, p = self.shape
        X = sparse.csr_array(self.design.X)
        means = self._means if self.unit is not None else None
        step = max(1, size // max(p, 1))
        for start in range(0, n, step):
            block = X[start : start + step].toarray().astype(np.float64, copy=False)
            if means is not None:
                block -= means
            if self.root is not None:
                block *= self.root[start : start + step]
            yield block

    def _weighted_and_centred(self, U: Floats) -> Floats:
        """Return H S^(1/2) U; U is written over."""
        if self.root is not None:
            U *= self.root
        if self.unit is not None:
            U -= self.unit * (self.unit.T @ U)
        return U
