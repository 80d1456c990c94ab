"""What cpp/trees/forest_predict.hpp computes, row by row."""

from itertools import pairwise

import numpy as np

__all__ = ["leaf_of", "leaves"]

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


def leaves(nodes, begin, X):
    """Return the leaf of each row in each tree."""
    trees = [nodes[a:b] for a, b in pairwise(begin)]
    return np.array([[leaf_of(tree, row) for tree in trees] for row in X])
