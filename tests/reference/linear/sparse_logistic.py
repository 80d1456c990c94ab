"""The twin of cpp/sparse_logistic: the objective, its gradient, and a slow way to the minimum."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

Array = NDArray[np.float64]


def all_scores(X: Array, W: Array, b: Array) -> Array:
    """Scores of all classes; with one column, those of class 0 are zero."""
    z = np.asarray(X @ W) + b
    return np.hstack([np.zeros_like(z), z]) if W.shape[1] == 1 else z


def objective(X: Array, codes: Array, s: Array, W: Array, b: Array, l1: float, l2: float) -> float:
    """P(W, b)."""
    z = all_scores(X, W, b)
    loss = logsumexp(z, axis=1) - z[np.arange(len(codes)), codes]
    return float(s @ loss + l1 * np.abs(W).sum() + 0.5 * l2 * np.sum(W**2))


def gradient(X: Array, codes: Array, s: Array, W: Array, b: Array) -> tuple[Array, Array]:
    """Of the loss, in W and in b."""
    z = all_scores(X, W, b)
    residuals = softmax(z, axis=1) - np.eye(z.shape[1])[codes]
    residuals = s[:, None] * residuals[:, -W.shape[1] :]
    return np.asarray(X.T @ residuals), residuals.sum(axis=0)


def largest_breach(X, codes, s, W, b, l1, l2, fit_intercept) -> float:
    """How much the conditions of optimality are broken at most."""
    g, g_b = gradient(X, codes, s, W, b)
    g = g + l2 * W
    breach = np.where(W == 0, np.maximum(np.abs(g) - l1, 0), np.abs(g + l1 * np.sign(W)))
    return max(breach.max(initial=0), np.abs(g_b).max() if fit_intercept else 0)


def sparse_logistic(
    X, codes, n_classes, s, l1, l2, fit_intercept, n_iter=20_000
) -> tuple[Array, Array]:
    """Accelerated proximal gradient descent with restarts."""
    width = 1 if n_classes == 2 else n_classes
    ones = np.ones((X.shape[0], 1)) * fit_intercept
    A = np.hstack([X, ones])
    bound = np.linalg.norm(np.sqrt(s)[:, None] * A, 2) ** 2 * (0.25 if width == 1 else 0.5) + l2
    penalised = np.ones((A.shape[1], 1))
    penalised[-1] = 0
    V = np.zeros((A.shape[1], width))
    Y, t, zero = V, 1.0, np.zeros(width)
    for _ in range(n_iter):
        g = gradient(A, codes, s, Y, zero)[0] + l2 * penalised * Y
        step = Y - g / bound
        new = np.sign(step) * np.maximum(np.abs(step) - l1 / bound * penalised, 0)
        if np.sum((Y - new) * (new - V)) > 0:  # the wrong way: start anew
            t, Y = 1.0, V
            continue
        if np.abs(new - V).max() < 1e-15:
            break
        t_next = (1 + np.sqrt(1 + 4 * t * t)) / 2
        Y, V, t = new + (t - 1) / t_next * (new - V), new, t_next
    return V[:-1], V[-1]


csr_sparse_logistic = dense_sparse_logistic = sparse_logistic  # of a dense matrix
