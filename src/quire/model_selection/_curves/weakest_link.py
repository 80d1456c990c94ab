r"""Cost-complexity pruning of a grown tree, all steps at once.

The cost of a tree is its impurity plus :math:`\alpha` for each leaf. As :math:`\alpha` grows, the
division goes whose subtree gains least for each leaf: that with the smallest

.. math:: g(t) = \frac{R(t) - R(T_t)}{|T_t| - 1},

where :math:`R(t)` is the weighted impurity of the node as a leaf, :math:`R(T_t)` that of the leaves
below and :math:`|T_t|` their number. One pass finds the :math:`\alpha` at which each node becomes a
leaf; every pruned tree, and what it predicts, follows from that without growing anything again.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.typing import Floats, Ints

__all__ = ["PrunedTrees"]


_NOTHING = 1e-12  # of the impurity of the root: a smaller gain is rounding


@dataclass(frozen=True, eq=False)
class PrunedTrees:
    """The nested sequence of a tree's pruned forms.

    Attributes
    ----------
    alphas : ndarray of shape (n_steps,)
        The cost of a leaf at which the tree changes, rising; the first is 0, for the whole tree.
    nodes : list of ndarray
        The nodes that become leaves at each step, in this order; none at the first.
    n_leaves : ndarray of shape (n_steps,)
        How many leaves are left after each step.
    order : ndarray of shape (n_nodes,)
        The place of a leaf among all leaves, from left to right; of other nodes, that of their
        first leaf.
    end : ndarray of shape (n_nodes,)
        The place behind the last leaf of a node.
    """

    alphas: Floats
    nodes: list[Ints]
    n_leaves: Ints
    order: Ints
    end: Ints

    @classmethod
    def of(cls, tree: Any) -> PrunedTrees:
        """Find the steps.

        Parameters
        ----------
        tree : sklearn.tree._tree.Tree
            Grown; its nodes stand behind their parents.
        """
        left, right = tree.children_left, tree.children_right
        leaf_risk = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
        order, end = _ranges(left, right)
        alphas, counts = [0.0], [int(np.count_nonzero(left < 0))]
        steps: list[list[int]] = [[]]
        for alpha, node, removed in _weakest_links(left, right, leaf_risk):
            if alpha > alphas[-1]:
                alphas.append(alpha)
                steps.append([])
                counts.append(counts[-1])
            steps[-1].append(node)
            counts[-1] -= removed
        nodes = [np.array(step, dtype=np.int64) for step in steps]
        return cls(np.array(alphas), nodes, np.array(counts), order, end)

    def answers(self, leaves: Ints, alphas: Floats) -> Iterator[Ints]:
        """Yield the node that answers each row, for one cost after another.

        Parameters
        ----------
        leaves : ndarray of shape (n_rows,)
            The leaf of each row in the whole tree.
        alphas : ndarray of shape (n_alphas,)
            Costs, rising.

        Yields
        ------
        ndarray of shape (n_rows,)
            Nodes; the array is used again.
        """
        places = self.order[leaves]
        by_place = np.argsort(places, kind="stable")
        places = places[by_place]
        node = np.asarray(leaves)[by_place].copy()
        back = np.empty_like(by_place)
        back[by_place] = np.arange(len(back))
        step = 0
        for alpha in alphas:
            while step < len(self.alphas) and self.alphas[step] <= alpha:
                for one in self.nodes[step]:
                    first, last = np.searchsorted(places, (self.order[one], self.end[one]))
                    node[first:last] = one
                step += 1
            yield node[back]


def _ranges(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Return for each node the places of its first leaf and behind its last, left to right."""
    n = len(left)
    count = np.ones(n, dtype=np.int64)
    for i in range(n - 1, -1, -1):  # children stand behind their parents
        if left[i] >= 0:
            count[i] = count[left[i]] + count[right[i]]
    order = np.zeros(n, dtype=np.int64)
    for i in range(n):
        if left[i] >= 0:
            order[left[i]] = order[i]
            order[right[i]] = order[i] + count[left[i]]
    return order, order + count


def _weakest_links(left: Ints, right: Ints, leaf_risk: Floats) -> Iterator[tuple[float, int, int]]:
    """Yield cost, node and the number of leaves that go, from the weakest division to the root."""
    n = len(left)
    parent = np.full(n, -1)
    inner = np.flatnonzero(left >= 0)
    parent[left[inner]] = parent[right[inner]] = inner
    parents, risk_as_leaf = parent.tolist(), leaf_risk.tolist()
    below, n_below = leaf_risk.copy().tolist(), [1] * n
    for i in inner[::-1].tolist():
        below[i] = below[left[i]] + below[right[i]]
        n_below[i] = n_below[left[i]] + n_below[right[i]]

    least = _NOTHING * risk_as_leaf[0]

    def gain(i: int) -> float:
        return float(max((risk_as_leaf[i] - below[i]) / (n_below[i] - 1), least))

    current = {i: gain(i) for i in inner.tolist()}  # of divisions that are left
    heap = [(value, i) for i, value in current.items()]
    heapq.heapify(heap)
    children = np.stack([left, right], axis=1).tolist()
    alpha = 0.0
    while heap:
        value, i = heapq.heappop(heap)
        if current.get(i) != value:  # gone, or no longer worth that
            continue
        alpha = max(alpha, value)
        removed = n_below[i] - 1
        yield alpha, i, removed
        stack = [i]
        while stack:  # divisions below go with it
            one = stack.pop()
            if current.pop(one, None) is not None:
                stack += children[one]
        change = risk_as_leaf[i] - below[i]
        below[i], n_below[i] = risk_as_leaf[i], 1
        at = parents[i]
        while at >= 0:
            below[at] += change
            n_below[at] -= removed
            current[at] = gain(at)
            heapq.heappush(heap, (current[at], at))
            at = parents[at]
