r"""The largest singular values of a matrix, exact to rounding.

With the smaller of :math:`AA'` and :math:`A'A` written as S, the eigenvectors of S are singular
vectors of A on that side, and a product with A gives those of the other. S is formed where it is
small or where many vectors are wanted; otherwise block Lanczos finds the few largest from products
alone and stops by their residuals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from threadpoolctl import threadpool_limits

from quire._shared.convergence import warn_not_converged
from quire._shared.typing import Floats
from quire.decomposition._block_krylov import Eigenpairs, largest_eigenpairs
from quire.decomposition._operator import CenteredOperator

__all__ = ["full_spectrum", "truncated_svd"]


_SMALL = 1000  # up to this size the eigenvalues of S are found at once
_WIDTH = 8  # vectors that a product takes side by side: one register of the sparse kernel
_MOST = 5  # vectors of the basis for each one that is wanted
_ROUNDING = 1e-15  # a smaller residual is nothing but rounding
_EXACT = 1e-14  # a residual that leaves products of different vectors at zero
_WELL_CONDITIONED = 1e-4  # smallest over largest singular value


def truncated_svd(
    A: CenteredOperator, n_components: int, tol: float, random_state: Any, n_threads: int
) -> tuple[Floats, Floats, Floats]:
    """Return the largest singular values and their vectors.

    Parameters
    ----------
    A : CenteredOperator
        The matrix.
    n_components : int
        How many, at most the smaller side of A.
    tol : float
        Largest residual of an eigenvector of S, in units of the largest eigenvalue; 0 asks for what
        rounding allows.
    random_state : RandomState
        Draws the first vectors.
    n_threads : int
        Threads to use.

    Returns
    -------
    U : ndarray of shape (n_samples, n_components)
        Left vectors.
    S : ndarray of shape (n_components,)
        Singular values from the largest down.
    Vt : ndarray of shape (n_components, n_features)
        Right vectors; the largest loading of each is positive.
    """
    n, p = A.shape
    size, of_samples = min(n, p), n < p
    if size <= _SMALL or 8 * n_components > size:
        first = size - n_components
        _, E = linalg.eigh(A.gram(of_samples), subset_by_index=[first, size - 1])
        E, exact = E[:, ::-1], False
    else:
        found = _lanczos(A, of_samples, n_components, tol, random_state, n_threads)
        E, exact = found.vectors, found.residual < _EXACT
    return _both_sides(A, np.ascontiguousarray(E), of_samples, exact=exact)


def full_spectrum(A: CenteredOperator) -> tuple[Floats, Floats]:
    """Return all singular values and right vectors, by way of the smaller Gram matrix.

    Parameters
    ----------
    A : CenteredOperator
        The matrix.

    Returns
    -------
    S : ndarray of shape (min(n_samples, n_features),)
        Singular values from the largest down.
    Vt : ndarray of shape (min(n_samples, n_features), n_features)
        Right vectors.
    """
    n, p = A.shape
    values, E = np.linalg.eigh(A.gram(n < p))
    values, E = np.maximum(values[::-1], 0), np.ascontiguousarray(E[:, ::-1])
    if n >= p:
        Vt = np.ascontiguousarray(E.T)
        return np.sqrt(values), Vt * _signs(Vt)[:, None]
    _, S, Vt = _both_sides(A, E, True, exact=False)
    return S, Vt


def _lanczos(
    A: CenteredOperator, of_samples: bool, k: int, tol: float, random_state: Any, n_threads: int
) -> Eigenpairs:
    """Return the first eigenvectors of S."""

    def operator(V: Floats) -> Floats:
        return A.dot(A.t_dot(V)) if of_samples else A.t_dot(A.dot(V))

    start = random_state.normal(size=(min(A.shape), _WIDTH))
    most = min(min(A.shape) - _WIDTH, max(_MOST * k, 160)) // _WIDTH * _WIDTH
    # Threads of BLAS wait for work in a loop and would take the cores from the sparse products.
    with threadpool_limits(1, user_api="blas"):
        found = largest_eigenpairs(operator, start, k, max(tol, _ROUNDING), most, n_threads)
    if not found.converged:
        warn_not_converged(
            "The truncated SVD", found.n_products, "residual", found.residual, max(tol, _ROUNDING)
        )
    return found


def _both_sides(
    A: CenteredOperator, E: Floats, of_samples: bool, *, exact: bool
) -> tuple[Floats, Floats, Floats]:
    """Return U, S and Vt from vectors that span the singular ones of one side, or are `exact`."""
    B = A.t_dot(E) if of_samples else A.dot(E)  # the other side, times S
    if exact:
        S = np.sqrt(np.einsum("ij,ij->j", B, B))
        if S[-1] > _WELL_CONDITIONED * S[0] > 0 and (np.diff(S) <= 0).all():
            return _with_signs(E, S, np.ascontiguousarray((B / S).T), of_samples)
    squares, W = np.linalg.eigh(B.T @ B)
    squares, W = squares[::-1], W[:, ::-1]
    if squares[-1] > _WELL_CONDITIONED**2 * squares[0] > 0:
        S = np.sqrt(squares)
        other_t = (W / S).T @ B.T  # by rows, as it is returned
        own = E @ W
    else:  # a singular value near zero leaves the Gram matrix without digits
        other, S, Wt = linalg.svd(B, full_matrices=False)
        other_t, own = np.ascontiguousarray(other.T), E @ Wt.T
    return _with_signs(own, S, other_t, of_samples)


def _with_signs(
    own: Floats, S: Floats, other_t: Floats, of_samples: bool
) -> tuple[Floats, Floats, Floats]:
    """Return U, S and Vt, the largest loading of each component positive."""
    U, Vt = (own, other_t) if of_samples else (other_t.T, np.ascontiguousarray(own.T))
    signs = _signs(Vt)
    Vt[signs < 0] *= -1.0
    return U * signs, S, Vt


def _signs(Vt: Floats) -> Floats:
    """Return the signs that make the largest loading of each row positive, as svd_flip does.

    By the largest and the smallest, which are found many times faster than the place of either.
    """
    largest, smallest = Vt.max(axis=1), Vt.min(axis=1)
    signs = np.where(largest >= -smallest, 1.0, -1.0)
    for row in np.flatnonzero(largest == -smallest):  # the first of the two decides
        signs[row] = 1.0 if Vt[row, np.abs(Vt[row]).argmax()] >= 0 else -1.0
    return signs
