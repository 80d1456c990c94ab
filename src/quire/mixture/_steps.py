r"""The two steps of EM for mixtures of normal densities, for four kinds of covariance.

With weights :math:`\pi_k`, means :math:`\mu_k` and covariances :math:`\Sigma_k`:

* E step, responsibilities: :math:`r_{ik} = \pi_k N(x_i; \mu_k, \Sigma_k) / \sum_l \pi_l N(x_i;
  \mu_l, \Sigma_l)`. :func:`log_densities` gives the logarithms of the densities,
  :func:`log_shares` those of the responsibilities.
* M step: :math:`n_k = \sum_i r_{ik}`, :math:`\pi_k = n_k / n`, :math:`\mu_k = \sum_i r_{ik} x_i /
  n_k`, :math:`\Sigma_k = \sum_i r_{ik} (x_i - \mu_k)(x_i - \mu_k)' / n_k`. :func:`moments` gives
  :math:`n_k`, :math:`\mu_k` and :math:`\Sigma_k`.

A density needs :math:`(x - \mu)' \Sigma^{-1} (x - \mu) = |(x - \mu)' P|^2` where :math:`P P' =
\Sigma^{-1}`: one product, no triangular system for each row. :func:`precision_factors` gives
:math:`P`. Work is cut by components and by
blocks of rows; each part is done by one thread with a BLAS of one thread, and what parts have found
is added up in their order, so that the number of threads does not change a bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import get_lapack_funcs

from quire import _core
from quire._shared.sklearn import (
    compute_log_det_cholesky,
    compute_precision_cholesky,
    get_threadpool_controller,
)
from quire._shared.typing import Reals

__all__ = ["log_densities", "log_shares", "moments", "precision_factors"]


_BLOCK = 512  # rows at once: with their differences and products they stay in the cache
_PART = 4 * _BLOCK  # rows that one thread takes
# Responsibilities below the square of the machine's precision add nothing to sums of doubles. In
# many dimensions that is nearly all of them.
_NOTHING = 2.0**-104
# The E step of a fit gives up components whose share has a logarithm below this: they add less than
# that to sums which are never below ten times the machine's precision.
_LEAST = -80.0


def log_densities(X: Reals, means: Reals, P: Reals, kind: str, n_threads: int) -> Reals:
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
    return _log_densities(X, means, P, kind, n_threads).astype(X.dtype, copy=False)


def log_shares(
    X: Reals,
    weights: Reals,
    means: Reals,
    P: Reals,
    kind: str,
    likely: NDArray[np.int32],
    n_threads: int,
) -> tuple[Reals, Reals]:
    r"""Return the logarithms of responsibilities and of the density at each row.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    weights : ndarray of shape (n_components,)
        Weights of the components.
    means : ndarray of shape (n_components, n_features)
        Means.
    P : ndarray
        Factors of the precisions, of the shape of the kind.
    kind : {"full", "tied", "diag", "spherical"}
        Kind of covariance.
    likely : ndarray of int32 of shape (n_samples,)
        The component of each row in the last iteration; it becomes the one in this. A guess that
        saves time and changes nothing else.
    n_threads : int
        Number of threads.

    Returns
    -------
    log_r : ndarray of shape (n_samples, n_components)
        Logarithms of responsibilities; minus infinity for those that are too small to change sums.
    norms : ndarray of shape (n_samples,)
        Logarithms of the density of the mixture, in double precision.
    """
    with np.errstate(divide="ignore"):  # a component may have lost all of its weight
        log_weights = np.log(np.asarray(weights, dtype=np.float64))
    if kind != "full":
        log_r = _log_densities(X, means, P, kind, n_threads)
        norms = _core.cluster.log_responsibilities(log_weights, log_r, n_threads)
    else:
        means = np.ascontiguousarray(means, dtype=np.float64)
        offsets = log_weights + _constants(P, kind, means.shape[1])
        factors, is_upper = _factors(P)
        X = np.ascontiguousarray(X)
        log_r, norms = _core.cluster.dense_responsibilities(
            X, means, factors, offsets, is_upper, _LEAST, likely, n_threads
        )
    return log_r.astype(X.dtype, copy=False), norms


def _log_densities(X: Reals, means: Reals, P: Reals, kind: str, n_threads: int) -> Reals:
    """Return the logarithms in double precision."""
    n_features = means.shape[1]
    constants = np.broadcast_to(_constants(P, kind, n_features), len(means))
    means = np.ascontiguousarray(means, dtype=np.float64)
    if kind == "full":
        factors, is_upper = _factors(P)
        X = np.ascontiguousarray(X)
        logs = _core.cluster.dense_mahalanobis(X, means, factors, is_upper, n_threads)
        logs *= -0.5
        logs += constants
        return logs
    if kind == "tied":
        X, means = _turned(X, means, P, n_threads)
        scale = np.ones_like(means)
    elif kind == "diag":
        scale = P.astype(np.float64, copy=False)
    else:
        scale = np.repeat(P[:, np.newaxis].astype(np.float64), n_features, axis=1)
    return _core.counts.dense_gaussian_log_likelihood(
        X, np.ravel(means), np.ravel(scale), np.array(constants), n_threads
    )


def _constants(P: Reals, kind: str, n_features: int) -> Reals:
    """Return what the logarithms of the densities are at the means."""
    log_det = np.asarray(compute_log_det_cholesky(P, kind, n_features), dtype=np.float64)
    return np.asarray(log_det - 0.5 * n_features * np.log(2 * np.pi))


def _factors(P: Reals) -> tuple[Reals, bool]:
    """Return the factors one after another, and whether they are upper triangular."""
    return np.ravel(P).astype(np.float64, copy=False), not np.tril(P, -1).any()


def _turned(X: Reals, means: Reals, P: Reals, n_threads: int) -> tuple[Reals, Reals]:
    """Return rows and means in the coordinates in which the shared covariance is the identity."""
    middle = means.mean(axis=0)
    P = P.astype(np.float64, copy=False)
    turned = np.empty(X.shape)

    def part(rows: slice) -> None:
        for block in _blocks(rows, _BLOCK):
            np.matmul(X[block] - middle, P, out=turned[block])

    _run(part, list(_blocks(slice(0, len(X)), _PART)), n_threads)
    return turned, (means - middle) @ P


def precision_factors(covariances: Reals, kind: str, n_threads: int) -> Reals:
    r"""Return upper triangular :math:`P` with :math:`P P' = \Sigma^{-1}`.

    Parameters
    ----------
    covariances : ndarray
        Covariances, of the shape of the kind.
    kind : {"full", "tied", "diag", "spherical"}
        Kind of covariance.
    n_threads : int
        Number of threads.

    Returns
    -------
    ndarray
        Of the same shape; for variances, one over their roots.

    Raises
    ------
    ValueError
        If a covariance is not positive definite.
    """
    if kind != "full":
        return np.asarray(compute_precision_cholesky(covariances, kind))
    potrf, trtri = get_lapack_funcs(("potrf", "trtri"), (covariances,))
    P = np.empty_like(covariances)

    def part(k: int) -> None:
        lower, failed = potrf(covariances[k].T, lower=True, clean=True)
        inverse, failed_too = trtri(lower, lower=True, overwrite_c=True)
        if failed or failed_too:
            compute_precision_cholesky(covariances[k : k + 1], kind)  # says what is wrong
        P[k] = inverse.T

    _run(part, range(len(P)), n_threads)
    return P


def moments(
    X: Reals, r: Reals, reg_covar: float, kind: str, n_threads: int
) -> tuple[Reals, Reals, Reals]:
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
    if kind in ("diag", "spherical"):
        means, variances = _mean_and_variance(X, r, n, n_threads)
        variances += reg_covar
        return n, means, variances if kind == "diag" else variances.mean(axis=1)
    means = _over_rows(lambda rows: r[rows].T @ X[rows], len(X), n_threads) / n[:, np.newaxis]
    if kind == "tied":
        with get_threadpool_controller().limit(limits=1, user_api="blas"):
            return n, means, _shared(X, n, means, reg_covar)
    covariances = np.empty((len(n), X.shape[1], X.shape[1]), dtype=X.dtype)

    def part(k: int) -> None:
        covariances[k] = _scatter(X, r[:, k], means[k]) / n[k]
        covariances[k].flat[:: X.shape[1] + 1] += reg_covar

    _run(part, range(len(n)), n_threads)
    return n, means, covariances


def _scatter(X: Reals, r: Reals, mean: Reals) -> Reals:
    """Return sum_i r_i (x_i - mean)(x_i - mean)', leaving out rows that add nothing."""
    rows = np.flatnonzero(r > _NOTHING)
    total = np.zeros((X.shape[1], X.shape[1]), dtype=X.dtype)
    for block in _blocks(slice(0, len(rows)), _BLOCK):
        chosen = rows[block]
        gaps = X[chosen] - mean
        gaps *= np.sqrt(r[chosen])[:, np.newaxis]
        total += gaps.T @ gaps
    return total


def _shared(X: Reals, n: Reals, means: Reals, reg_covar: float) -> Reals:
    """Return one covariance, from moments about the mean of all rows, where rounding is small."""
    middle = X.mean(axis=0)
    gaps, between = X - middle, means - middle
    covariance = gaps.T @ gaps - (n * between.T) @ between
    missing = len(X) - n.sum()
    if abs(missing) > 1e-6 * len(X):  # starts may give responsibilities of few rows only
        cross = np.outer(middle, n @ between)
        covariance += missing * np.outer(middle, middle) - cross - cross.T
    covariance /= n.sum()
    covariance.flat[:: X.shape[1] + 1] += reg_covar
    return np.asarray(covariance)


def _mean_and_variance(X: Reals, r: Reals, n: Reals, n_threads: int) -> tuple[Reals, Reals]:
    """Return means and variances of the columns from one pass, about the mean of some rows."""
    middle = X[:: max(1, len(X) // _BLOCK)].mean(axis=0)

    def part(rows: slice) -> Reals:
        sums = np.zeros((2, r.shape[1], X.shape[1]), dtype=X.dtype)
        for block in _blocks(rows, _BLOCK):
            gaps = X[block] - middle
            sums[0] += r[block].T @ gaps
            gaps *= gaps
            sums[1] += r[block].T @ gaps
        return sums

    first, second = _over_rows(part, len(X), n_threads) / n[:, np.newaxis]
    share = r.sum(axis=0) / n  # one, but for components that have lost all of their rows
    means = first + np.outer(share, middle)
    variances = second - 2 * (means - middle) * first + share[:, np.newaxis] * (means - middle) ** 2
    return np.asarray(means), np.asarray(np.maximum(variances, 0.0))


def _over_rows(part: Callable[[slice], Reals], n_rows: int, n_threads: int) -> Reals:
    """Return the sum of part(rows) over parts of the rows, added up in their order."""
    parts = list(_blocks(slice(0, n_rows), _PART))
    found: list[Any] = [None] * len(parts)

    def keep(number: int) -> None:
        found[number] = part(parts[number])

    _run(keep, range(len(parts)), n_threads)
    return np.asarray(sum(found[1:], start=found[0]))


def _blocks(rows: slice, size: int) -> Iterable[slice]:
    for first in range(rows.start, rows.stop, size):
        yield slice(first, min(first + size, rows.stop))


def _run(part: Callable[[Any], None], tasks: Iterable[Any], n_threads: int) -> None:
    """Call part(task) for all tasks, on so many threads. The first error stops the rest."""
    with get_threadpool_controller().limit(limits=1, user_api="blas"):
        tasks = list(tasks)
        if n_threads == 1 or len(tasks) == 1:
            for task in tasks:
                part(task)
            return
        pool = ThreadPoolExecutor(n_threads)
        try:
            for done in [pool.submit(part, task) for task in tasks]:
                done.result()
        finally:
            pool.shutdown(cancel_futures=True)
