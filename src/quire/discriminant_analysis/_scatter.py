r"""Scatter matrices of a sparse X, as operators: nothing is centred and nothing is squared.

.. math:: S V = X' (a \circ X V) - \sum_r c_r\, m_r (m_r' V) + d \circ V

Within the classes, :math:`a_i = \pi_k (1 - s_k) / n_k` for a row of class k, the m are the means of
the classes with :math:`c_k = \pi_k (1 - s_k)`, and d is what shrinkage adds to the diagonal. The
total scatter is the same with one class.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from quire._shared.design import Design
from quire._shared.typing import Floats
from quire.discriminant_analysis._gram import gram_blocks

__all__ = ["Scatter", "class_rows", "total_scatter", "within_scatter"]

Shrinkage = float | str | None


@dataclass(frozen=True, eq=False)
class Scatter:
    """A (shrunk) covariance matrix that is never formed, unless asked for.

    Parameters
    ----------
    design : Design
        X, not centred.
    row_weights : ndarray of shape (n_samples,)
        The a of the formula.
    centers : ndarray of shape (n_centers, n_features)
        The m.
    center_weights : ndarray of shape (n_centers,)
        The c.
    added : ndarray of shape (n_features,)
        The d.
    diagonal : ndarray of shape (n_features,)
        The diagonal of the whole matrix, d included.
    constant : ndarray of bool of shape (n_features,)
        Columns that do not vary about their centers.
    """

    design: Design
    row_weights: Floats
    centers: Floats
    center_weights: Floats
    added: Floats
    diagonal: Floats
    constant: NDArray[np.bool_]

    def dot(self, V: Floats) -> Floats:
        """Return S V.

        Parameters
        ----------
        V : ndarray of shape (n_features, width)
            Vectors side by side.
        """
        product = self.design.t_dot(self.row_weights[:, None] * self.design.dot(V))
        product -= self.centers.T @ (self.center_weights[:, None] * (self.centers @ V))
        product += self.added[:, None] * V
        return product

    def minus(self, other: Scatter) -> Scatter:
        """Return the difference of two scatters of the same X.

        Parameters
        ----------
        other : Scatter
            What to take away.
        """
        return Scatter(
            self.design,
            self.row_weights - other.row_weights,
            np.concatenate([self.centers, other.centers]),
            np.concatenate([self.center_weights, -other.center_weights]),
            self.added - other.added,
            self.diagonal - other.diagonal,
            self.constant & other.constant,
        )

    def toarray(self) -> Floats:
        """Return S itself, of shape (n_features, n_features)."""
        X = self.design.X
        weighted = sparse.csr_array(X, dtype=np.float64)
        weighted.data = weighted.data * np.repeat(self.row_weights, np.diff(X.indptr))
        array: Floats = (sparse.csr_array(X.T, dtype=np.float64) @ weighted).toarray()
        array -= self.centers.T @ (self.center_weights[:, None] * self.centers)
        # A difference of sums leaves dust where there is nothing.
        array[self.constant] = 0
        array[:, self.constant] = 0
        np.fill_diagonal(array, self.diagonal)
        return array


def within_scatter(
    design: Design,
    codes: NDArray[np.int32],
    means: Floats,
    priors: Floats,
    shrinkage: Shrinkage,
) -> Scatter:
    """Return the covariance within the classes, each weighted by its prior and shrunk by itself.

    Parameters
    ----------
    design : Design
        X, not centred.
    codes : ndarray of shape (n_samples,)
        The class of each row.
    means : ndarray of shape (n_classes, n_features)
        The means of the classes.
    priors : ndarray of shape (n_classes,)
        The weights of the classes.
    shrinkage : float, "auto" or None
        As in the estimator.
    """
    p = design.shape[1]
    kept = np.empty(len(priors))  # 1 - s_k
    added, variances = np.zeros(p), np.zeros(p)
    constant = np.ones(p, dtype=bool)
    for k, Xk in enumerate(class_rows(design.X, codes, len(priors))):
        part = _shrunk(Xk, shrinkage, design.n_threads)
        kept[k] = 1 - part.shrinkage
        added += priors[k] * part.added
        variances += priors[k] * kept[k] * part.variances
        constant &= part.constant
    counts = np.bincount(codes, minlength=len(priors))
    rows = (priors * kept / counts)[codes]
    return Scatter(design, rows, means, priors * kept, added, variances + added, constant)


def total_scatter(design: Design, shrinkage: Shrinkage) -> Scatter:
    """Return the covariance of all rows about one mean, shrunk.

    Parameters
    ----------
    design : Design
        X, not centred.
    shrinkage : float, "auto" or None
        As in the estimator.
    """
    n = design.shape[0]
    part = _shrunk(design.X, shrinkage, design.n_threads)
    kept = 1 - part.shrinkage
    return Scatter(
        design,
        np.full(n, kept / n),
        part.mean[None, :],
        np.array([kept]),
        part.added,
        kept * part.variances + part.added,
        part.constant,
    )


def class_rows(X: Any, codes: NDArray[np.int32], n_classes: int) -> Iterator[Any]:
    """Yield the rows of each class as a matrix of float64, in the order of the classes.

    Parameters
    ----------
    X : CSR matrix
        The samples.
    codes : ndarray of shape (n_samples,)
        Their classes.
    n_classes : int
        How many classes there are.
    """
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=n_classes))
    for start, end in zip(np.concatenate([[0], ends[:-1]]), ends, strict=True):
        yield X[order[start:end]]


@dataclass(frozen=True, eq=False)
class _Shrunk:
    """(1 - s) C + diag(added), for the covariance C of some rows."""

    shrinkage: float
    mean: Floats
    variances: Floats  # the diagonal of C
    added: Floats
    constant: NDArray[np.bool_]


def _shrunk(X: Any, shrinkage: Shrinkage, n_threads: int) -> _Shrunk:
    """Describe the shrunk covariance of the rows of X as scikit-learn defines it."""
    if X.shape[0] == 1:
        warnings.warn(
            "Only one sample available. You may want to reshape your data array",
            UserWarning,
            stacklevel=5,
        )
    X = X.astype(np.float64, copy=False)
    scaler = StandardScaler(with_mean=False).fit(X)
    mean: Floats = scaler.mean_
    p = len(mean)
    # scikit-learn gives columns that are constant up to rounding the scale 1.
    constant: NDArray[np.bool_] = (scaler.scale_ == 1) & (scaler.var_ < 0.5)
    variances: Floats = np.where(constant, 0.0, scaler.var_)
    if shrinkage == "auto":
        s, level = _ledoit_wolf(X, mean, variances, constant, n_threads)
        return _Shrunk(s, mean, variances, s * level * scaler.scale_**2, constant)
    s = 0.0 if shrinkage is None else float(shrinkage)
    return _Shrunk(s, mean, variances, np.full(p, s * variances.sum() / p), constant)


def _ledoit_wolf(
    X: Any, mean: Floats, variances: Floats, constant: NDArray[np.bool_], n_threads: int
) -> tuple[float, float]:
    r"""Return Ledoit and Wolf's shrinkage of the standardised columns, and their mean variance.

    With z the standardised rows and C their covariance, of mean variance mu,

    .. math:: s = \frac{\min(b, d)}{d}, \quad
              b = \frac{1}{n p} (\frac1n \sum_i \lVert z_i \rVert^4 - \lVert C \rVert_F^2),
              \quad d = \frac1p \lVert C - \mu I \rVert_F^2
    """
    n, p = X.shape
    varying = ~constant
    level = float(varying.sum()) / p  # mu: each column that varies has variance 1
    if p == 1:
        return 0.0, level
    scale = np.where(constant, 0.0, 1 / np.sqrt(np.where(constant, 1.0, variances)))
    Z = sparse.csr_array(X, copy=True)
    Z.data *= scale[Z.indices]
    m = mean * scale
    u = Z @ m  # z_i'm, to be taken away on both sides
    norms = np.asarray(Z.multiply(Z).sum(axis=1)).reshape(-1) - 2 * u + m @ m
    squares = _squared_covariance(Z, m, u, n_threads)
    b = (float(norms @ norms) / n - squares) / (n * p)
    d = (squares - 2 * level * level * p + p * level**2) / p
    b = min(b, d)
    return (0.0 if b == 0 or d == 0 else float(b / d)), level


def _squared_covariance(Z: Any, m: Floats, u: Floats, n_threads: int) -> float:
    """Return the sum of the squares of (Z - 1m')'(Z - 1m') / n, through the smaller Gram matrix."""
    n, p = Z.shape
    if n <= p:
        # (Z - 1m')(Z - 1m')' = ZZ' - u1' - 1u' + m'm
        rows = Z
        left = np.column_stack([u - m @ m, np.ones(n)])
        right = np.column_stack([np.ones(n), u])
    else:
        # (Z - 1m')'(Z - 1m') = Z'Z - n mm'
        rows = sparse.csr_array(Z.T)
        left, right = n * m[:, None], m[:, None]
    total: float = 0.0
    for start, block in gram_blocks(rows, upper=True):
        stop = start + len(block)
        block -= left[start:stop] @ right[start:].T
        inside = block[:, : len(block)]
        total += 2 * float(np.vdot(block, block)) - float(np.vdot(inside, inside))
    return float(total / n**2)
