"""The twins of cpp/kmeans."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def kmeans_operand(sums: Array, scale: float) -> NDArray[np.float32]:
    """The sums turned, scaled, in single precision, with columns of zeros up to 16."""
    n_clusters, n_cols = sums.shape
    operand = np.zeros((n_cols, -(-n_clusters // 16) * 16), dtype=np.float32)
    operand[:, :n_clusters] = (scale * sums).T
    return operand


def dense_kmeans_assign(X: Array, sums: Array, factor: Array) -> NDArray[np.int32]:
    """The nearest centre of each row."""
    centres = factor[:, None] * sums
    scores = (centres**2).sum(axis=1) - 2 * X @ centres.T
    return scores.argmin(axis=1).astype(np.int32)


def kmeans_slack(X: Array, sums: Array, factor: Array) -> Array:
    """How much nearer the nearest centre is than the next."""
    centres = factor[:, None] * sums
    distances = np.sort(np.linalg.norm(X[:, None] - centres, axis=2), axis=1)
    return distances[:, 1] - distances[:, 0]


def dense_kmeans_update(
    X: Array, weights: Array, labels: NDArray[np.int32], n_clusters: int, cosine: bool
) -> tuple[Array, Array, Array]:
    """The sums of the rows of each cluster, their factors, and the squared norms of the centres."""
    one_hot = np.eye(n_clusters)[labels]
    sums = one_hot.T @ (weights[:, None] * X)
    sizes = np.linalg.norm(sums, axis=1) if cosine else weights @ one_hot
    factor = np.divide(1.0, sizes, where=sizes > 0, out=np.zeros(n_clusters))
    return sums, factor, ((factor[:, None] * sums) ** 2).sum(axis=1)


def dense_kmeans_candidates(
    X: Array, weights: Array, closest: Array, chosen: NDArray[np.int64]
) -> tuple[Array, Array]:
    """What candidates leave of the squared distances to the nearest centre, and its sums."""
    left = np.minimum(closest, ((X[chosen, None] - X) ** 2).sum(axis=2))
    return left, left @ weights


def dense_kmeans_distances(
    X: Array, sums: Array, factor: Array, labels: NDArray[np.int32]
) -> Array:
    """Squared distances to the centres of the labels."""
    return ((X - factor[labels, None] * sums[labels]) ** 2).sum(axis=1)


# The same for the matrix that a sparse one stands for.
csr_kmeans_assign = dense_kmeans_assign
csr_kmeans_update = dense_kmeans_update
csr_kmeans_distances = dense_kmeans_distances
