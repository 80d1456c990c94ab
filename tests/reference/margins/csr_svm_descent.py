"""The twins of cpp/csr_svm_descent: one problem at a time, without shrinking."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def csr_svm_descent(
    X: Array, y: Array, costs: Array, squared: bool, bias: float, n_passes: int
) -> Array:
    """Return the weights, that of the bias last, after many passes; y is 1 or -1."""
    X = np.column_stack([X, np.full(len(X), bias)])
    upper = np.full(len(y), np.inf) if squared else costs
    diagonal = 0.5 / costs if squared else np.zeros(len(y))
    curvature = (X**2).sum(axis=1) + diagonal
    alpha, w = np.zeros(len(y)), np.zeros(X.shape[1])
    for _ in range(n_passes):
        for i in range(len(y)):
            slope = y[i] * (X[i] @ w) - 1 + diagonal[i] * alpha[i]
            following = np.clip(alpha[i] - slope / curvature[i], 0, upper[i])
            w += (following - alpha[i]) * y[i] * X[i]
            alpha[i] = following
    return w


def csr_svr_descent(
    X: Array, y: Array, costs: Array, epsilon: float, squared: bool, bias: float, n_passes: int
) -> Array:
    """Return the same for numbers."""
    X = np.column_stack([X, np.full(len(X), bias)])
    upper = np.full(len(y), np.inf) if squared else costs
    diagonal = 0.5 / costs if squared else np.zeros(len(y))
    curvature = (X**2).sum(axis=1) + diagonal
    beta, w = np.zeros(len(y)), np.zeros(X.shape[1])
    for _ in range(n_passes):
        for i in range(len(y)):
            free = curvature[i] * beta[i] - (X[i] @ w - y[i] + diagonal[i] * beta[i])
            soft = np.sign(free) * max(abs(free) - epsilon, 0.0) / curvature[i]
            following = np.clip(soft, -upper[i], upper[i])
            w += (following - beta[i]) * X[i]
            beta[i] = following
    return w
