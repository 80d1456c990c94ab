"""Fitted trees against a search over all divisions."""

import numpy as np
from tests.reference.trees.tree_grow import TreeData, goes_left, impurity


def assert_best_splits(model, X, y, w, criterion, min_samples_leaf=1):
    """Every division of a fitted tree is as good as the best one, and its numbers are right."""
    tree = model.tree_
    data = TreeData(X)
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
        found = data.losses(at, y, w, criterion, min_samples_leaf)
        if tree.children_left[node] < 0:
            if here > 1e-9 and len(at) >= 2 * min_samples_leaf:
                assert not [loss for loss in found.values() if np.isfinite(loss)]
            continue
        x = X[at, tree.feature[node]]
        left = goes_left(x, tree.threshold[node], tree.missing_go_to_left[node])
        sides = [w[at][s].sum() * impurity(y[at][s], w[at][s], criterion) for s in (left, ~left)]
        np.testing.assert_allclose(sum(sides), min(found.values()), rtol=1e-9, atol=1e-9)
        rows[tree.children_left[node]], rows[tree.children_right[node]] = at[left], at[~left]
