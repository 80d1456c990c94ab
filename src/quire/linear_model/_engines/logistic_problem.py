"""The data of a logistic regression, in every form that its optimisers read.

Forms are made when they are first asked for, and kept: all penalties of a path, all rungs towards a
weak one and all solvers of one problem share them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire._shared.design import Arrays, Design
from quire._shared.typing import Codes, Floats
from quire._shared.vectors import inner

__all__ = ["Gradient", "LogisticProblem", "NewtonArrays"]

_NONE = np.empty(0)
_SMALL = 1 << 21
_TINY = 1 << 15


class Gradient(NamedTuple):
    """Derivatives of the objective.

    Attributes
    ----------
    values : ndarray of shape (n_features + 1, width)
        Those by W, and in the last row those by b.
    largest : float
        The largest absolute value.
    square : float
        Sum of squares of those by W.
    """

    values: Floats
    largest: float
    square: float


class NewtonArrays(NamedTuple):
    """A sparse X as products with the Hessian read it.

    Attributes
    ----------
    rows, columns : tuple of arrays
        X, or its tail, by rows; and its transpose, with more than two classes.
    order : ndarray or None
        The columns of X in the order in which they stand here, if it is another.
    head : ndarray of shape (n_samples, n_head)
        The first of these columns as a dense block.
    squares : ndarray of shape (n_features,)
        Sums of squares of the columns here; nothing with more than two classes.
    """

    rows: Arrays
    columns: Arrays
    order: NDArray[Any] | None
    head: NDArray[Any]
    squares: Floats


class LogisticProblem:
    """Data of a logistic regression, ready for several penalties.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        Checked numbers, float32 or float64.
    codes : ndarray of int32 of shape (n_samples,)
        Classes, as numbers.
    n_classes : int
        How many there are.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the samples, not negative.
    fit_intercept : bool, default=True
        Whether there is a b.
    n_threads : int, default=1
        Threads to use.
    n_alike : int, default=1
        How many problems of this size make one model: together they are small or not.
    """

    def __init__(
        self,
        X: Any,
        codes: Codes,
        n_classes: int,
        *,
        sample_weight: Floats | None = None,
        fit_intercept: bool = True,
        n_threads: int = 1,
        n_alike: int = 1,
    ) -> None:
        self.design = Design(X, n_threads)
        if self.design.is_sparse:  # once for all products
            _core.sparse.csr_check(self.design.rows, n_threads)
        self.codes = codes
        self.width = 1 if n_classes == 2 else n_classes
        self.weights = (
            _NONE if sample_weight is None else np.ascontiguousarray(sample_weight, np.float64)
        )
        self.total = float(len(codes) if sample_weight is None else self.weights.sum())
        self.fit_intercept = fit_intercept
        self.n_threads = n_threads
        self.n_alike = n_alike

    @property
    def is_small(self) -> bool:
        """Whether a product with X is a matter of a millisecond."""
        return self._stored * self.width * self.n_alike < _SMALL

    @property
    def is_tiny(self) -> bool:
        """Whether hundreds of products with X are."""
        return self._stored * self.width * self.n_alike < _TINY

    @property
    def _stored(self) -> int:
        return int(len(self.design.rows[0]) if self.design.is_sparse else self.design.X.size)

    @cached_property
    def mean_square(self) -> float:
        """The (weighted) mean of the squared norms of the rows of a sparse X."""
        data, _, indptr, _ = self.design.rows
        squares = np.square(data, dtype=np.float64)
        if len(self.weights):
            squares *= np.repeat(self.weights, np.diff(indptr))
        return float(squares.sum()) / self.total

    def start(self, intercept_l2: float) -> tuple[Floats, Floats]:
        """Return the best W and b with W = 0, in one array, and their scores.

        Parameters
        ----------
        intercept_l2 : float
            Penalty of b; with any, b is zero, too.
        """
        W = np.zeros((self.design.shape[1] + 1, self.width))
        if self.fit_intercept and intercept_l2 == 0:
            weights = self.weights if len(self.weights) else None
            counts = np.bincount(self.codes, weights, max(self.width, 2))
            if (counts > 0).all():
                logs = np.log(counts)
                W[-1] = logs[1] - logs[0] if self.width == 1 else logs - logs.mean()
        return W, np.repeat(W[-1:], len(self.codes), axis=0)

    def newton_arrays(self, single: bool) -> NewtonArrays:
        """Return a sparse X for products with the Hessian.

        Parameters
        ----------
        single : bool
            Whether they are in single precision.
        """
        return self._single_arrays if single else self._double_arrays

    @cached_property
    def _single_arrays(self) -> NewtonArrays:
        """X in single precision; for two classes frequent columns first, the first ones dense.

        With more classes a stored value meets the weights of all, which fill cache lines anyhow:
        there the order gained three hundredths, and is left alone.
        """
        rows = self.design.rows
        if self.width > 1:
            none = np.empty((len(self.codes), 0), dtype=np.float32)
            return NewtonArrays(
                _in_single(rows), _in_single(self.design.columns), None, none, _NONE
            )
        order, head, data, indices, indptr = _core.sparse.csr_frequent_first(rows, self.n_threads)
        # no transpose is needed; some arrays of the right kind stand in for it
        tail, nothing = (data, indices, indptr, rows[3]), (data, indices, indptr, 0)
        return NewtonArrays(tail, nothing, order, head, self._squares[order])

    @cached_property
    def _double_arrays(self) -> NewtonArrays:
        none = np.empty((len(self.codes), 0))
        rows = self.design.rows
        if self.width > 1:
            return NewtonArrays(rows, self.design.columns, None, none, _NONE)
        return NewtonArrays(rows, (*rows[:3], 0), None, none, self._squares)

    @cached_property
    def _squares(self) -> Floats:
        """Sums of squares of the columns of a sparse X."""
        data, indices, indptr, p = self.design.rows
        ones = np.ones(len(self.codes))
        return _core.sparse.csr_t_matvec(
            (np.square(data), indices, indptr, p), ones, self.n_threads
        )

    def scores(self, weights: Floats) -> Floats:
        """Return X W + b; `weights` has the rows of W and then b."""
        if self.width == 1 and self.design.is_sparse:
            b = float(weights[-1, 0]) if self.fit_intercept else 0.0
            w = np.ascontiguousarray(weights[:-1, 0])
            return _core.sparse.csr_matvec(self.design.rows, w, b, self.n_threads)[:, None]
        Z: Floats = self.design.dot(weights[:-1])
        if self.fit_intercept:
            Z += weights[-1]
        return Z

    def loss(self, Z: Floats, direction: Floats, step: float) -> float:
        """Return the weighted sum of losses at Z + step * direction."""
        return _core.linear.logistic_loss(
            Z, self.codes, self.weights, direction, float(step), self.n_threads
        )

    def state(self, Z: Floats, *, single: bool = False) -> tuple[float, Floats, NDArray[Any]]:
        """Return the sum of losses at Z, its derivative by Z, and what its Hessian is made of."""
        return _core.linear.logistic_state(Z, self.codes, self.weights, single, self.n_threads)

    def gradient(
        self, residuals: Floats, W: Floats, l2: float, intercept_l2: float, *, single: bool = False
    ) -> Gradient:
        """Return the gradient of the objective.

        Parameters
        ----------
        residuals : ndarray of shape (n_samples, width)
            Derivatives of the losses by the scores.
        W : ndarray of shape (n_features + 1, width)
            W, and b in the last row.
        l2, intercept_l2 : float
            Penalties of W and b.
        single : bool, default=False
            Whether sums over samples may be made in single precision, where that is faster.
        """
        if self.width > 1 and self.design.is_sparse:
            columns = self.newton_arrays(True).columns if single else self.design.columns
            found = _core.linear.logistic_gradient(
                columns, residuals, W, l2, intercept_l2, self.fit_intercept, single, self.n_threads
            )
            return Gradient(*found)
        G = self.back(residuals)
        G[:-1] += l2 * W[:-1]
        G[-1] += intercept_l2 * W[-1]
        return Gradient(G, float(max(G.max(), -G.min())), inner(G[:-1], G[:-1]))

    def back(self, residuals: Floats) -> Floats:
        """Return X' residuals, and their sum in the row of the intercept."""
        product = np.empty((self.design.shape[1] + 1, self.width))
        if self.width == 1 and self.design.is_sparse:
            u = np.ascontiguousarray(residuals[:, 0])
            product[:-1, 0] = _core.sparse.csr_t_matvec(self.design.rows, u, self.n_threads)
        else:
            product[:-1] = self.design.t_dot(residuals)
        product[-1] = residuals.sum(axis=0) if self.fit_intercept else 0.0
        return product

    def is_separated(self, Z: Floats) -> bool:
        """Return whether every sample that counts has its own class on top, alone."""
        if self.width == 1:
            margins = np.where(self.codes == 1, Z[:, 0], -Z[:, 0])
        else:
            own = np.take_along_axis(Z, self.codes[:, None].astype(np.intp), axis=1)[:, 0]
            others = Z.copy()
            np.put_along_axis(others, self.codes[:, None].astype(np.intp), -np.inf, axis=1)
            margins = own - others.max(axis=1)
        return bool((margins[self.weights > 0] if len(self.weights) else margins).min() > 0)


def _in_single(arrays: Arrays) -> Arrays:
    data, indices, indptr, n = arrays
    return data.astype(np.float32, copy=False), indices, indptr, n
