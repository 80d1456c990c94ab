"""A readable twin of the kernels that grow trees: every threshold of every column is tried."""

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


def losses(X, y, w, criterion, min_samples_leaf=1):
    """Return the weighted impurity of the two sides of every division, by (column, threshold)."""
    found = {}
    for j in range(X.shape[1]):
        for threshold, missing_left in candidates(X[:, j]):
            left = goes_left(X[:, j], threshold, missing_left)
            if min(left.sum(), (~left).sum()) < min_samples_leaf:
                continue
            sides = [w[s].sum() * impurity(y[s], w[s], criterion) for s in (left, ~left)]
            found[j, threshold, missing_left] = sum(sides)
    return found


def assert_best_splits(model, X, y, w, criterion, min_samples_leaf=1):
    """Every division of a fitted tree is as good as the best one, and its numbers are right."""
    tree = model.tree_
    rows = {0: np.flatnonzero(w != 0)}
    whole = w.sum()
    assert whole > 0
    for node in range(tree.node_count):
        at = rows[node]
        here = impurity(y[at], w[at], criterion)
        np.testing.assert_allclose(tree.impurity[node], here, atol=1e-9)
        np.testing.assert_allclose(tree.weighted_n_node_samples[node], w[at].sum())
        assert tree.n_node_samples[node] == len(at)
        if criterion in ("gini", "entropy"):
            sums = [w[at][y[at] == k].sum() for k in range(tree.value.shape[2])]
            np.testing.assert_allclose(tree.value[node, 0], np.array(sums) / w[at].sum())
        else:
            np.testing.assert_allclose(tree.value[node, 0, 0], np.average(y[at], weights=w[at]))
        found = losses(X[at], y[at], w[at], criterion, min_samples_leaf)
        if tree.children_left[node] < 0:
            if here > 1e-9 and len(at) >= 2 * min_samples_leaf:
                assert not [loss for loss in found.values() if np.isfinite(loss)]
            continue
        x = X[at, tree.feature[node]]
        left = goes_left(x, tree.threshold[node], tree.missing_go_to_left[node])
        sides = [w[at][s].sum() * impurity(y[at][s], w[at][s], criterion) for s in (left, ~left)]
        np.testing.assert_allclose(sum(sides), min(found.values()), rtol=1e-9, atol=1e-9)
        rows[tree.children_left[node]], rows[tree.children_right[node]] = at[left], at[~left]
