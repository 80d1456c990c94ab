"""The twin of cpp/dense_nearest."""

import numpy as np


def dense_nearest(X, Q, metric, k):
    """The k nearest rows: all distances in double precision, and a stable sort."""
    X, Q = X.astype(np.float64), Q.astype(np.float64)
    if metric == "cosine":
        D = np.clip(1.0 - Q @ X.T, 0.0, 2.0)
    else:
        D = np.array([((X - q) ** 2).sum(axis=1) for q in Q]).reshape(len(Q), len(X))
        D = np.sqrt(D) if metric == "euclidean" else D
    I = np.argsort(D, axis=1, kind="stable")[:, :k]  # noqa: E741
    return np.take_along_axis(D, I, axis=1), I
