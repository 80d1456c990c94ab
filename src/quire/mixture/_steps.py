r"""The two steps of EM for mixtures of normal densities, for four kinds of covariance.

With weights :math:`\pi_k`, means :math:`\mu_k` and covariances :math:`\Sigma_k`:

* E step, responsibilities: :math:`r_{ik} = \pi_k N(x_i; \mu_k, \Sigma_k) / \sum_l \pi_l N(x_i;
  \mu_l, \Sigma_l)`. :func:`log_densities` gives the logarithms of the densities.
* M step: :math:`n_k = \sum_i r_{ik}`, :math:`\pi_k = n_k / n`, :math:`\mu_k = \sum_i r_{ik} x_i /
  n_k`, :math:`\Sigma_k = \sum_i r_{ik} (x_i - \mu_k)(x_i - \mu_k)' / n_k`. :func:`moments` gives
  :math:`n_k`, :math:`\mu_k` and :math:`\Sigma_k`.

A density needs :math:`(x - \mu)' \Sigma^{-1} (x - \mu) = |(x - \mu)' P|^2` where :math:`P P' =
\Sigma^{-1}`: one product, no triangular system for each row. Work is cut by components and by
blocks of rows; each part is done by one thread with a BLAS of one thread, and nothing is added up
across parts, so that the number of threads does not change a bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.mixture._gaussian_mixture import _compute_log_det_cholesky
from sklearn.utils.parallel import _get_threadpool_controller

from quire import _core

__all__ = ["log_densities", "moments"]

Floats = NDArray[Any]

_BLOCK = 512  # rows at once: with their differences and products they stay in the cache
_PART = 8 * _BLOCK  # rows that one thread takes
# Responsibilities below the square of the machine's precision add nothing to sums of doubles. In
# many dimensions that is nearly all of them.
_NOTHING = 2.0**-104


def log_densities(X: Floats, means: Floats, P: Floats, kind: str, n_threads: int) -> Floats:
    r"""Return :math:`\log N(x_i; \mu_k, \Sigma_k)`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    means : ndarray of shape (n_components, n_features)
        Means.
    P : ndarray
        Factors of the precisions, :math:`P P' = \Sigma^{-1}`, of the shape of the kind.
    kind : {"full", "tied", "diag", "spherical"}
        Kind of covariance.
    n_threads : int
        Number of threads.

    Returns
    -------
    ndarray of shape (n_samples, n_components)
        Logarithms of densities.
    """
    n_features = means.shape[1]
    constant = _compute_log_det_cholesky(P, kind, n_features) - 0.5 * n_features * np.log(2 * np.pi)
    means = np.ascontiguousarray(means, dtype=np.float64)
    if kind in ("diag", "spherical"):
        scale = P if kind == "diag" else np.repeat(P[:, np.newaxis], n_features, axis=1)
        mean = np.ravel(means)
        scale = np.ravel(scale).astype(np.float64, copy=False)
        offset = np.asarray(constant, dtype=np.float64)
        found = _core.dense_gaussian_log_likelihood(X, mean, scale, offset, n_threads)
        return found.astype(X.dtype, copy=False)
    if kind == "full":
        is_upper = not np.tril(P, -1).any()
        factors = np.ravel(P).astype(np.float64, copy=False)
        X = np.ascontiguousarray(X)
        squares = _core.dense_mahalanobis(X, means, factors, is_upper, n_threads)
    else:
        squares = _tied_squares(X, means, P, n_threads)
    squares *= -0.5
    squares += constant
    return squares.astype(X.dtype, copy=False)


def _tied_squares(X: Floats, means: Floats, P: Floats, n_threads: int) -> Floats:
    """Return |(x_i - mean_k)' P|^2 for one factor P: the rows are turned once for all means."""
    squares = np.empty((len(X), len(means)))
    middle = means.mean(axis=0)
    turned = (means - middle) @ P

    def part(rows: slice) -> None:
        for block in _blocks(rows, _BLOCK):
            products = (X[block] - middle) @ P
            for k in range(len(means)):
                gaps = products - turned[k]
                squares[block, k] = np.einsum("ij,ij->i", gaps, gaps)

    _run(part, list(_blocks(slice(0, len(X)), _PART)), n_threads)
    return squares


def moments(
    X: Floats, r: Floats, reg_covar: float, kind: str, n_threads: int
) -> tuple[Floats, Floats, Floats]:
    """Return the sizes, means and covariances of the components.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    r : ndarray of shape (n_samples, n_components)
        Responsibilities.
    reg_covar : float
        What is added to all variances.
    kind : {"full", "tied", "diag", "spherical"}
        Kind of covariance.
    n_threads : int
        Number of threads.

    Returns
    -------
    n : ndarray of shape (n_components,)
        Sums of responsibilities, a little above zero.
    means : ndarray of shape (n_components, n_features)
        Means.
    covariances : ndarray
        Covariances, of the shape of the kind.
    """
    n = r.sum(axis=0) + 10 * np.finfo(r.dtype).eps
    with _get_threadpool_controller().limit(limits=1, user_api="blas"):
        means = (r.T @ X) / n[:, np.newaxis]
        if kind != "full":
            return n, means, _shared_or_diagonal(X, r, n, means, reg_covar, kind)
    covariances = np.empty((len(n), X.shape[1], X.shape[1]), dtype=X.dtype)

    def part(k: int) -> None:
        covariances[k] = _scatter(X, r[:, k], means[k]) / n[k]
        covariances[k].flat[:: X.shape[1] + 1] += reg_covar

    _run(part, range(len(n)), n_threads)
    return n, means, covariances


def _scatter(X: Floats, r: Floats, mean: Floats) -> Floats:
    """Return sum_i r_i (x_i - mean)(x_i - mean)', leaving out rows that add nothing."""
    rows = np.flatnonzero(r > _NOTHING)
    total = np.zeros((X.shape[1], X.shape[1]), dtype=X.dtype)
    for block in _blocks(slice(0, len(rows)), _BLOCK):
        chosen = rows[block]
        gaps = X[chosen] - mean
        gaps *= np.sqrt(r[chosen])[:, np.newaxis]
        total += gaps.T @ gaps
    return total


def _shared_or_diagonal(
    X: Floats, r: Floats, n: Floats, means: Floats, reg_covar: float, kind: str
) -> Floats:
    """Covariances from moments about the mean of all rows, where little is lost to rounding."""
    middle = X.mean(axis=0)
    gaps, between = X - middle, means - middle
    if kind == "tied":
        covariance = gaps.T @ gaps - (n * between.T) @ between
        missing = len(X) - n.sum()
        if abs(missing) > 1e-6 * len(X):  # starts may give responsibilities of few rows only
            cross = np.outer(middle, n @ between)
            covariance += missing * np.outer(middle, middle) - cross - cross.T
        covariance /= n.sum()
        covariance.flat[:: X.shape[1] + 1] += reg_covar
        return np.asarray(covariance)
    variances = (r.T @ (gaps * gaps)) / n[:, np.newaxis] - between**2
    variances = np.maximum(variances, 0.0) + reg_covar
    return np.asarray(variances if kind == "diag" else variances.mean(axis=1))


def _blocks(rows: slice, size: int) -> Iterable[slice]:
    for first in range(rows.start, rows.stop, size):
        yield slice(first, min(first + size, rows.stop))


def _run(part: Callable[[Any], None], tasks: Iterable[Any], n_threads: int) -> None:
    """Call part(task) for all tasks, on so many threads. The first error stops the rest."""
    with _get_threadpool_controller().limit(limits=1, user_api="blas"):
        if n_threads == 1:
            for task in tasks:
                part(task)
            return
        pool = ThreadPoolExecutor(n_threads)
        try:
            for done in [pool.submit(part, task) for task in tasks]:
                done.result()
        finally:
            pool.shutdown(cancel_futures=True)
