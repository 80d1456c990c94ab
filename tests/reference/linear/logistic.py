"""The twins of cpp/linear/logistic and cpp/linear/logistic_newton."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp, softmax

Array = NDArray[np.float64]


def logistic_loss(Z: Array, codes: Any, weights: Array, direction: Array, step: float) -> float:
    """Weighted sum of losses at Z + step * direction."""
    s = weights if len(weights) else np.ones(len(Z))
    if direction.size:
        Z = Z + step * direction
    if Z.shape[1] == 1:
        return float((s * (np.logaddexp(0, Z[:, 0]) - codes * Z[:, 0])).sum())
    return float((s * (logsumexp(Z, axis=1) - Z[np.arange(len(Z)), codes])).sum())


def logistic_state(Z: Array, codes: Any, weights: Array) -> tuple[float, Array, Array]:
    """The same sum, its derivative, and what its second derivative is made of."""
    s = (weights if len(weights) else np.ones(len(Z)))[:, None]
    loss = logistic_loss(Z, codes, weights, np.empty((0, 1)), 0.0)
    if Z.shape[1] == 1:
        Q = expit(Z)
        return loss, s * (Q - codes[:, None]), s * Q * (1 - Q)
    P = softmax(Z, axis=1)
    return loss, s * (P - np.eye(Z.shape[1])[codes]), P


def logistic_hessian_product(
    X: Array,
    curvature: Array,
    weights: Array,
    l2: float,
    intercept_l2: float,
    has_intercept: bool,
    V: Array,
) -> Array:
    """The product of the Hessian with a vector whose last row is that of the intercept."""
    b = V[-1] if has_intercept else 0.0 * V[-1]
    Z = X @ V[:-1] + b
    if V.shape[1] == 1:
        T = curvature * Z
    else:
        s = (weights if len(weights) else np.ones(len(Z)))[:, None]
        T = s * curvature * (Z - (curvature * Z).sum(axis=1, keepdims=True))
    last = T.sum(axis=0) + intercept_l2 * b
    return np.vstack([X.T @ T + l2 * V[:-1], last if has_intercept else 0 * last])


def logistic_newton(
    X: Array,
    curvature: Array,
    weights: Array,
    l2: float,
    intercept_l2: float,
    has_intercept: bool,
    G: Array,
) -> Array:
    """The direction d for which the Hessian times d is -G."""
    basis = np.eye(G.size).reshape(-1, *G.shape)
    settings = curvature, weights, l2, intercept_l2, has_intercept
    H = np.array([logistic_hessian_product(X, *settings, V).ravel() for V in basis])
    return np.linalg.solve(H, -G.ravel()).reshape(G.shape)


def logistic_gradient(
    X: Array, residuals: Array, W: Array, l2: float, intercept_l2: float, has_intercept: bool
) -> tuple[Array, float, float]:
    """Derivatives by W and, in the last row, b; the largest, and the sum of squares by W."""
    last = residuals.sum(axis=0) + intercept_l2 * W[-1]
    G = np.vstack([X.T @ residuals + l2 * W[:-1], last if has_intercept else 0 * last])
    return G, float(np.abs(G).max()), float((G[:-1] ** 2).sum())
