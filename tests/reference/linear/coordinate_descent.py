"""The twin of cpp/coordinate_descent: plain cyclic descent over all columns."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def centered(X: Array, means: Array, root_weights: Array) -> Array:
    """The dense matrix that a sparse one with means stands for."""
    if means.size == 0:
        return X
    q = root_weights if root_weights.size else np.ones(len(X))
    return X - np.outer(q, means)


def objective(X: Array, y: Array, w: Array, l1: float, l2: float) -> float:
    """P(w)."""
    r = y - X @ w
    return 0.5 * float(r @ r) + l1 * float(np.abs(w).sum()) + 0.5 * l2 * float(w @ w)


def gap(X: Array, y: Array, w: Array, l1: float, l2: float, positive: bool = False) -> float:
    """P(w) less the dual at the residual of X over sqrt(l2) I, scaled until it is feasible."""
    Xe = np.vstack([X, np.sqrt(l2) * np.eye(X.shape[1])])
    ye = np.concatenate([y, np.zeros(X.shape[1])])
    v = ye - Xe @ w
    products = Xe.T @ v
    largest = float((products if positive else np.abs(products)).max(initial=0))
    v = v * min(1.0, l1 / largest) if largest > 0 else v
    return objective(X, y, w, l1, l2) - float(ye @ v - 0.5 * v @ v)


def dense_enet_path(X: Array, y: Array, l1: Array, l2: Array, positive: bool = False) -> Array:
    """Coefficients for every pair of penalties, to the limit of the arithmetic.

    All columns are swept, then those that are not zero until they rest, and so on.
    """
    squares = (X**2).sum(axis=0)
    w = np.zeros(X.shape[1])
    coefs = []
    for a, b in zip(l1, l2, strict=True):
        for _ in range(30):
            before = w.copy()
            _sweep(X, y, w, np.flatnonzero(squares), a, b, positive)
            if _rests(w, before):
                break
            for _ in range(500):
                inner = w.copy()
                _sweep(X, y, w, np.flatnonzero(w), a, b, positive)
                if _rests(w, inner):
                    break
        coefs.append(w.copy())
    return np.array(coefs).reshape(len(l1), X.shape[1])


csc_enet_path = gram_enet_path = dense_enet_path  # of the matrix that they stand for


def _sweep(
    X: Array, y: Array, w: Array, columns: NDArray[np.intp], l1: float, l2: float, positive: bool
) -> None:
    G, g = X[:, columns].T @ X[:, columns], X[:, columns].T @ (y - X @ w)
    for k, j in enumerate(columns):
        z = g[k] + G[k, k] * w[j]
        new = np.sign(z) * max(abs(z) - l1, 0.0) / (G[k, k] + l2)
        new = max(new, 0.0) if positive else new
        if new != w[j]:
            g -= (new - w[j]) * G[k]
            w[j] = new


def _rests(w: Array, before: Array) -> bool:
    return bool(np.abs(w - before).max(initial=0) <= 1e-10 * np.abs(w).max(initial=0))
