"""The twins of cpp/trees/forest_predict, row by row.

`nodes` are those of all trees, tree t has [begin[t], begin[t + 1]), and `sums` the weights of the
classes at all nodes.
"""

from itertools import pairwise

import numpy as np

MISSING_LEFT, IS_CATEGORY = 1 << 31, 1 << 30


def leaf_of(nodes, row):
    """Return the leaf of one row of single precision in one tree."""
    at = 0
    while nodes[at]["left"] >= 0:
        node = nodes[at]
        value, samples = row[node["feature"]], int(node["samples"])
        if samples & IS_CATEGORY:
            is_missing = not 0 <= value < 64
            bits = int(np.array(node["threshold"]).view(np.uint64))
            left = not is_missing and bool(bits >> int(value) & 1)
        else:
            is_missing = np.isnan(value)
            left = float(value) <= node["threshold"]
        if is_missing:
            left = bool(samples & MISSING_LEFT)
        at = node["left" if left else "right"]
    return at


def forest_leaves(nodes, begin, X):
    """Return the leaf of each row in each tree."""
    trees = [nodes[a:b] for a, b in pairwise(begin)]
    return np.array([[leaf_of(tree, row) for tree in trees] for row in X])


def forest_values(nodes, begin, values, X):
    """Return the mean over the trees of the value of the leaf."""
    return values[forest_leaves(nodes, begin, X) + begin[:-1]].mean(axis=1)


def forest_shares(nodes, begin, sums, hard, X):
    """Return the mean over the trees of the shares of the classes at the leaf, or of votes."""
    at = sums[forest_leaves(nodes, begin, X) + begin[:-1]]  # rows x trees x classes
    if hard:
        return np.eye(sums.shape[1])[at.argmax(axis=2)].mean(axis=1)
    return (at / at.sum(axis=2, keepdims=True)).mean(axis=1)


def tree_class_sums(nodes, sums):
    """Return the sums of the classes at every node of one tree, from those at its leaves."""
    sums = sums.copy()
    for at in reversed(range(len(nodes))):  # children lie behind their parents
        if nodes[at]["left"] >= 0:
            sums[at] = sums[nodes[at]["left"]] + sums[nodes[at]["right"]]
    return sums


def forest_check(nodes, begin, n_cols):
    """Say whether children lie behind their parents, and columns in the data."""
    if begin[0] != 0 or begin[-1] != len(nodes) or (np.diff(begin) < 1).any():
        return False
    for tree in (nodes[a:b] for a, b in pairwise(begin)):
        for at, node in enumerate(tree):
            children = (node["left"], node["right"])
            is_inner = node["left"] >= 0
            if is_inner and not all(at < child < len(tree) for child in children):
                return False
            if is_inner and not 0 <= node["feature"] < n_cols:
                return False
    return True


def forest_check_sums(nodes, sum_begin, sum_class, sum_weight, n_classes):
    """Say whether every leaf has its sums, and all classes are there."""
    if len(sum_begin) != len(nodes) + 1 or sum_begin[0] != 0 or (np.diff(sum_begin) < 0).any():
        return False
    if not sum_begin[-1] == len(sum_class) == len(sum_weight):
        return False
    leaves = nodes["left"] < 0
    if (np.diff(sum_begin)[leaves] == 0).any():
        return False
    only = -2 - nodes["right"][leaves]  # the class of a leaf that has one
    return all(0 <= number < n_classes for number in sum_class) and (only < n_classes).all()
