r"""The solver "svd" on a dense X, without the left singular vectors that nothing uses.

With QR decomposition :math:`T = QR` of the standardised rows, R has the singular values and right
vectors of T and as many rows as T has columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from quire._shared.typing import Codes

__all__ = ["whitened_svd"]


def whitened_svd(
    X: NDArray[Any],
    codes: Codes,
    priors: NDArray[Any],
    tol: float,
    n_components: int,
) -> dict[str, Any]:
    """Return the fitted attributes by name, in the precision of X.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples, float32 or float64.
    codes : ndarray of shape (n_samples,)
        Their classes.
    priors : ndarray of shape (n_classes,)
        The probabilities of the classes.
    tol : float
        Singular values up to this count as zero.
    n_components : int
        Directions wanted.
    """
    n, p = X.shape
    n_classes = len(priors)
    order = np.argsort(codes, kind="stable")
    T = X[order]
    ends = np.cumsum(np.bincount(codes, minlength=n_classes))
    starts = np.concatenate([[0], ends[:-1]])
    means = np.empty((n_classes, p), dtype=X.dtype)
    for k, (start, end) in enumerate(zip(starts, ends, strict=True)):
        means[k] = T[start:end].mean(axis=0)
        T[start:end] -= means[k]
    xbar = priors @ means

    scale = T.std(axis=0)
    scale[scale == 0] = 1.0
    T *= np.sqrt(X.dtype.type(1.0 / n)) / scale
    if n > p:
        (T,) = linalg.qr(T, mode="r", overwrite_a=True, check_finite=False)
        T = T[:p]
    _, S, Vt = linalg.svd(T, full_matrices=False, overwrite_a=True)
    rank = int(np.sum(tol < S))
    white = (Vt[:rank] / scale).T / S[:rank]

    factor = 1.0 if n_classes == 1 else 1.0 / (n_classes - 1)
    weights = np.sqrt((n * priors) * factor)
    _, S, Vt = linalg.svd((weights * (means - xbar).T).T @ white, full_matrices=False)
    squares = S**2
    ratio = (squares / squares.sum())[:n_components] if n_components else np.empty(0, S.dtype)
    rank = int(np.sum(tol * S[0] < S))
    scalings = white @ Vt[:rank].T
    scores = (means - xbar) @ scalings
    coef = scores @ scalings.T
    return {
        "means_": means,
        "xbar_": xbar,
        "explained_variance_ratio_": ratio,
        "scalings_": scalings,
        "coef_": coef,
        "intercept_": -0.5 * np.sum(scores**2, axis=1) + np.log(priors) - xbar @ coef.T,
    }
