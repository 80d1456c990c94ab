"""Parameters of a tree as the numbers that growing needs."""

from __future__ import annotations

from math import ceil
from numbers import Integral
from typing import Any

import numpy as np

__all__ = ["growth_limits", "n_candidates"]


def n_candidates(max_features: Any, n_features: int) -> int:
    """Return how many columns are tried at a node."""
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(np.sqrt(n_features)))
    if max_features == "log2":
        return max(1, int(np.log2(n_features)))
    if isinstance(max_features, Integral):
        return int(max_features)
    return max(1, int(max_features * n_features))


def growth_limits(model: Any, n_samples: int, weight: float) -> tuple[Any, ...]:
    """Return max_features, max_depth, min_samples_split and so on, in the order of the kernel.

    Parameters
    ----------
    model : estimator
        With the parameters of a decision tree and ``max_features_``.
    n_samples : int
        Rows.
    weight : float
        The sum of their weights.

    Returns
    -------
    tuple
        max_features, max_depth, min_samples_split, min_samples_leaf, the least weight of a leaf,
        min_impurity_decrease, and max_leaf_nodes or 0.
    """
    leaf = model.min_samples_leaf
    leaf = int(leaf) if isinstance(leaf, Integral) else ceil(leaf * n_samples)
    split = model.min_samples_split
    split = int(split) if isinstance(split, Integral) else max(2, ceil(split * n_samples))
    # No tree is deeper, and no node larger, than there are rows: any number above means the same.
    beyond = n_samples + 1
    leaf = min(leaf, beyond)
    return (
        int(model.max_features_),
        beyond if model.max_depth is None else min(int(model.max_depth), beyond),
        max(min(split, beyond), 2 * leaf),
        leaf,
        float(model.min_weight_fraction_leaf * weight),
        float(model.min_impurity_decrease),
        0 if model.max_leaf_nodes is None else min(int(model.max_leaf_nodes), beyond),
    )
