"""The divisions of a tree one after another, as it was grown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SplitStep", "split_steps"]


@dataclass(frozen=True)
class SplitStep:
    """A tree after one more division, in ``steps_`` of trees that were fitted with `keep_steps`.

    The first step is the root alone: its `node`, `feature`, `left` and `right` are -1.

    Attributes
    ----------
    node : int
        The node that was divided.
    feature : int
        The column that it asks about.
    threshold : float
        Rows with at most this value go left; NaN where the question is about categories.
    left, right : int
        The new leaves.
    impurity : float
        Of the whole tree: the impurity of its leaves, weighted by their samples.
    n_leaves : int
        How many leaves there are now.

    Examples
    --------
    >>> from quire.tree import DecisionTreeRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 5.0, 7.0]
    >>> tree = DecisionTreeRegressor(keep_steps=True).fit(X, y)
    >>> for step in tree.steps_:
    ...     print(step.n_leaves, step.node, step.threshold, step.impurity)
    1 -1 nan 9.5
    2 0 2.5 0.5
    3 2 3.5 0.0
    """

    node: int
    feature: int
    threshold: float
    left: int
    right: int
    impurity: float
    n_leaves: int


def split_steps(tree: Any, categories: NDArray[np.bool_] | None) -> list[SplitStep]:
    """Return the steps in which a tree grew, from its nodes.

    A division adds its two children to the nodes, first the left one, both when a tree is grown in
    depth and when it is grown by what divisions gain. The numbers of the left children are
    therefore in the order of the divisions.

    Parameters
    ----------
    tree : sklearn.tree._tree.Tree
        The whole tree, before it is pruned.
    categories : ndarray of bool of shape (n_features,) or None
        Which columns are categories.
    """
    left, right, feature = tree.children_left, tree.children_right, tree.feature
    lost = tree.weighted_n_node_samples * tree.impurity / tree.weighted_n_node_samples[0]
    inner = np.flatnonzero(left >= 0)
    order = inner[np.argsort(left[inner])]
    threshold = tree.threshold.copy()
    if categories is not None:
        threshold[inner[categories[feature[inner]]]] = np.nan
    leaves = lost[0] + np.cumsum(lost[left[order]] + lost[right[order]] - lost[order])
    steps = [SplitStep(-1, -1, float("nan"), -1, -1, float(lost[0]), 1)]
    for number, (node, impurity) in enumerate(zip(order.tolist(), leaves, strict=True), start=2):
        steps.append(
            SplitStep(
                node,
                int(feature[node]),
                float(threshold[node]),
                int(left[node]),
                int(right[node]),
                max(float(impurity), 0.0),  # sums of differences may end below by rounding
                number,
            )
        )
    return steps
