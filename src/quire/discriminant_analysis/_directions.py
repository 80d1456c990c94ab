"""Discriminant directions of scatter matrices that exist only as operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from quire._shared.typing import Floats
from quire.discriminant_analysis._scatter import Scatter
from quire.discriminant_analysis._shrunk_system import ShrunkSystem

__all__ = ["Directions", "fisher_directions", "shrunk_directions"]


_DEPENDENT = 1e-12  # part of a column's size below which it adds no direction


@dataclass(frozen=True, eq=False)
class Directions:
    """Generalised eigenvectors V with V'AV = I, largest eigenvalues first."""

    values: Floats
    V: Floats
    n_iter: int
    residual: float
    converged: bool


def fisher_directions(
    Z: Floats, means: Floats, priors: Floats, n_directions: int
) -> tuple[Floats, Floats]:
    r"""Return the largest ratios :math:`v'S_b v / v'S_w v` and their directions v.

    :math:`S_b = \sum_k \pi_k (m_k - m)(m_k - m)'` is the scatter of the means M about their own
    mean, so that the directions are combinations of the columns of :math:`S_w^{-1} M`: a problem of
    as many unknowns as there are classes.

    Parameters
    ----------
    Z : ndarray of shape (n_features, n_classes)
        The solutions of :math:`S_w Z = M`.
    means : ndarray of shape (n_classes, n_features)
        The means of the classes.
    priors : ndarray of shape (n_classes,)
        Their weights.
    n_directions : int
        How many are wanted, at most.
    """
    roots = np.sqrt(priors)
    centered = (Z - (Z @ priors)[:, None]) * roots
    small = (roots[:, None] * (means - priors @ means)) @ centered
    values, vectors = linalg.eigh(_symmetric(small))
    values, vectors = values[::-1][:n_directions], vectors[:, ::-1][:, :n_directions]
    good = values > _DEPENDENT * values.max(initial=0.0)
    return values[good], centered @ (vectors[:, good] / np.sqrt(values[good]))


def shrunk_directions(
    between: Scatter,
    within: Scatter,
    system: ShrunkSystem,
    start: Floats,
    tol: float = 1e-6,
    max_iter: int = 30,
) -> Directions:
    r"""Find the directions where :math:`S_b` is the shrunk total scatter less the one within.

    That adds to Fisher's :math:`S_b` a multiple of the identity matrix, which moves his directions
    a little. The span grows by the residuals, solved roughly with the scatter within, until they
    are small (a block Davidson iteration).

    Parameters
    ----------
    between, within : Scatter
        The pair.
    system : ShrunkSystem
        Solves with `within`.
    start : ndarray of shape (n_features, n_directions)
        Fisher's directions.
    tol : float, default=1e-6
        The size of a residual, of that of its largest part, at which to stop.
    max_iter : int, default=30
        Times that the span grows, at most.
    """
    n_directions = start.shape[1]
    p = len(start)
    scale = 1 / np.sqrt(within.diagonal)[:, None]
    V, W, B = np.empty((p, 0)), np.empty((p, 0)), np.empty((p, 0))
    fresh = start
    n_iter = 0
    while True:
        fresh, image = _orthonormal_in(within.dot, fresh, V, W)
        V, W = np.hstack([V, fresh]), np.hstack([W, image])
        B = np.hstack([B, between.dot(fresh)])
        values, vectors = linalg.eigh(_symmetric(V.T @ B))
        order = np.argsort(values)[::-1][:n_directions]
        values, vectors = values[order], vectors[:, order]
        parts = B @ vectors
        R = parts - (W @ vectors) * values
        sizes = np.sqrt(np.einsum("ij,ij->j", scale * parts, scale * parts))
        misses = np.sqrt(np.einsum("ij,ij->j", scale * R, scale * R))
        relative = misses / np.maximum(sizes, np.finfo(float).tiny)
        residual = float(relative.max(initial=0.0))
        if residual <= tol or fresh.shape[1] == 0 or n_iter == max_iter:
            break
        n_iter += 1
        if V.shape[1] > 10 * n_directions:  # start afresh from the best
            V, W, B = V @ vectors, W @ vectors, parts
        fresh = system.solve(R[:, relative > tol], tol=1e-4).Z
    return Directions(values, V @ vectors, n_iter, residual, residual <= tol)


def _orthonormal_in(
    dot: Callable[[Floats], Floats], fresh: Floats, V: Floats, W: Floats
) -> tuple[Floats, Floats]:
    """Return vectors with the span of `fresh` beyond that of V, orthonormal in A, and A times them.

    V is orthonormal in A and W is A V.
    """
    for _ in range(2):
        fresh = fresh - V @ (W.T @ fresh)
        norms = np.sqrt(np.einsum("ij,ij->j", fresh, fresh))
        fresh = fresh[:, norms > 0] / norms[norms > 0]
    image = dot(fresh)
    for _ in range(2):
        values, vectors = linalg.eigh(_symmetric(fresh.T @ image))
        good = values > _DEPENDENT * values.max(initial=0.0)
        change = vectors[:, good] / np.sqrt(values[good])
        fresh, image = fresh @ change, image @ change
    return fresh, image


def _symmetric(A: Floats) -> Floats:
    return (A + A.T) / 2
