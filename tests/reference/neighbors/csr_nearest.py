"""The twin of cpp/csr_nearest."""

from tests.reference.neighbors.dense_nearest import dense_nearest


def csr_nearest(X, Q, metric, k):
    """The k nearest rows of a sparse matrix."""
    return dense_nearest(X.toarray(), Q.toarray(), metric, k)
