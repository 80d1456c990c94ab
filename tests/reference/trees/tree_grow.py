"""The twin of the kernels that grow trees: every threshold of every column is tried."""

from itertools import pairwise

import numpy as np

TIE = np.float32(1e-7)


def impurity(y, w, criterion):
    if criterion in ("gini", "entropy"):
        shares = np.array([w[y == k].sum() for k in np.unique(y)]) / w.sum()
        return 1 - (shares**2).sum() if criterion == "gini" else -(shares * np.log2(shares)).sum()
    mean = (w * y).sum() / w.sum()
    if criterion == "squared_error":
        return (w * (y - mean) ** 2).sum() / w.sum()
    if mean <= np.finfo(float).eps:
        return np.inf
    positive = y > 0
    return (w * y)[positive] @ np.log(y[positive] / mean) / w.sum()


def candidates(x):
    """Yield (threshold, missing_left) for all divisions of a column, missing values or not."""
    known = np.unique(x[~np.isnan(x)])
    missing = np.isnan(x).any()
    for low, high in pairwise(known):
        if high <= low + TIE:
            continue
        for left in (False, True) if missing else (None,):
            yield float(low) / 2 + float(high) / 2, left
    if missing and len(known):
        yield np.inf, False


def goes_left(x, threshold, missing_left):
    return np.where(np.isnan(x), bool(missing_left), x <= threshold)


class TreeData:
    """Rows that trees are grown on.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The rows.
    """

    def __init__(self, X):
        self.X = X

    def losses(self, rows, y, w, criterion, min_samples_leaf=1):
        """Return the weighted impurity of both sides of every division of some rows.

        By (column, threshold, whether missing values go left). A tree takes the least.
        """
        X, y, w = self.X[rows], y[rows], w[rows]
        found = {}
        for j in range(X.shape[1]):
            for threshold, missing_left in candidates(X[:, j]):
                left = goes_left(X[:, j], threshold, missing_left)
                if min(left.sum(), (~left).sum()) < min_samples_leaf:
                    continue
                sides = [w[s].sum() * impurity(y[s], w[s], criterion) for s in (left, ~left)]
                found[j, threshold, missing_left] = sum(sides)
        return found
