r"""The way of one row through many trees, and what every division on it changed.

With :math:`v_n` the class share or the mean at node :math:`n`, the answer of a tree at a leaf is

.. math:: v_\text{leaf} = v_\text{root} + \sum_{(p, c)} (v_c - v_p)

over the divisions of the path, from parent :math:`p` to child :math:`c`. A division belongs to the
column that it asks about, so that the sum is one over columns; that of a forest is the mean over
its trees. The decomposition is that of A. Saabas and of A. Palczewska and others, "Interpreting
random forest classification models using a feature contribution method", 2014.

The path is found from its leaf, so that nothing has to be asked again: all trees are walked side by
side, one level at a time. Class sums are known at leaves alone. Where the nodes of a subtree lie
one after another, those of inner nodes are differences of one running sum; otherwise they are added
up tree by tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quire._shared.trees.arrays import Arrays, node_sums, unpack
from quire._shared.typing import Floats, Ints

__all__ = ["ForestPaths"]


_MOST_RUNNING_SUMS = 8  # kept: each has the size of all leaves


@dataclass(frozen=True)
class _Visits:
    """Nodes of packed trees, the tree of each, and where its subtree ends."""

    tree: Ints
    node: Ints
    end: Ints


class ForestPaths:
    """What the divisions on the paths of rows change, summed by column.

    Parameters
    ----------
    packed : dict
        The arrays of one or more trees, as :func:`quire._shared.trees.arrays.pack` returns them.
    n_classes : int
        How many classes there are; 1 for regression.
    hard : bool, default=False
        Whether a node answers with one vote for its most frequent class, and not with shares.
    """

    def __init__(self, packed: Arrays, n_classes: int, hard: bool = False) -> None:
        self.packed = packed
        self.n_classes = n_classes
        self.hard = hard
        self._nodes = packed["nodes"]
        self._begin: Ints = packed["begin"]
        self._sums: dict[int | None, NDArray[np.longdouble]] = {}
        self._value: Floats | None = None
        if "value" in packed:
            self._value = np.asarray(packed["value"]).reshape(len(self._nodes), -1)
        self._in_order = self._is_in_order()

    @property
    def n_trees(self) -> int:
        """How many trees there are."""
        return len(self._begin) - 1

    def changes(self, leaves: Ints, k: int) -> tuple[float, Ints, Floats]:
        """Return the parts of the answer about one row.

        Parameters
        ----------
        leaves : ndarray of shape (n_trees,)
            The leaf of the row in each tree, by its number within the tree.
        k : int
            The class, or the output of a regression.

        Returns
        -------
        root : float
            The mean answer of the roots.
        columns : ndarray of shape (n_columns,)
            Columns that were asked about, rising.
        changes : ndarray of shape (n_columns,)
            The sum of what the answers changed by, over all trees, divided by their number.
        """
        roots = _Visits(np.arange(self.n_trees), self._begin[:-1], self._begin[1:])
        goal = self._begin[:-1] + leaves
        parents, children = self._descend(goal) if self._in_order else self._climb(goal)
        steps = self._values(children, k) - self._values(parents, k)
        columns, place = np.unique(self._nodes["feature"][parents.node], return_inverse=True)
        changes = np.bincount(place, steps, minlength=len(columns)) / self.n_trees
        root = float(self._values(roots, k).sum() / self.n_trees)
        return root, columns.astype(np.int64), changes

    def _descend(self, goal: Ints) -> tuple[_Visits, _Visits]:
        """Return the divided nodes on the paths of all trees, and the children that were taken.

        A leaf before the right child is in the left subtree.
        """
        at, end = self._begin[:-1].copy(), self._begin[1:].copy()
        live = np.flatnonzero(at != goal)
        levels = [(live[:0], at[:0], end[:0], at[:0], end[:0])]
        while len(live):
            parent, parent_end = at[live], end[live]
            right = self._begin[live] + self._nodes["right"][parent]
            goes_left = goal[live] < right
            child = np.where(goes_left, parent + 1, right)
            child_end = np.where(goes_left, right, parent_end)
            at[live], end[live] = child, child_end
            levels.append((live, parent, parent_end, child, child_end))
            live = live[child != goal[live]]
        tree, *places = (np.concatenate(part) for part in zip(*levels, strict=True))
        return _Visits(tree, *places[:2]), _Visits(tree, *places[2:])

    def _climb(self, goal: Ints) -> tuple[_Visits, _Visits]:
        """Return the same from the leaves upwards; where subtrees end is not known."""
        root = self._begin[:-1]
        at = goal.copy()
        live = np.flatnonzero(at != root)
        levels = [(live[:0], at[:0], at[:0])]
        while len(live):
            child = at[live]
            parent = self._parents[child]
            at[live] = parent
            levels.append((live, parent, child))
            live = live[parent != root[live]]
        tree, parents, children = (np.concatenate(part) for part in zip(*levels, strict=True))
        return _Visits(tree, parents, parents), _Visits(tree, children, children)

    @cached_property
    def _parents(self) -> Ints:
        """The parent of each node among those of all trees."""
        inner = np.flatnonzero(self._nodes["left"] >= 0)
        first = self._begin[np.searchsorted(self._begin, inner, side="right") - 1]
        parents = np.full(len(self._nodes), -1, dtype=np.int64)
        for side in ("left", "right"):
            parents[first + self._nodes[side][inner]] = inner
        return parents

    def _values(self, visits: _Visits, k: int) -> Floats:
        """Return the answer of each node."""
        if self._value is not None:
            answers = self._value[visits.node]
            of_class: Floats = (answers.argmax(axis=1) == k) * 1.0 if self.hard else answers[:, k]
            return of_class
        if self.hard or not self._in_order:
            return self._added_up(visits, k)
        begin, end = (self.packed["sum_begin"][place] for place in (visits.node, visits.end))
        mine, every = self._running_sum(k), self._running_sum(None)
        shares = (mine[end] - mine[begin]) / (every[end] - every[begin])
        found: Floats = shares.astype(np.float64)
        # The answer of a leaf is that of `predict_proba`, to the last bit.
        for i in np.flatnonzero(self._nodes["left"][visits.node] < 0):
            weights = self.packed["sum_weight"][begin[i] : end[i]]
            is_class = self.packed["sum_class"][begin[i] : end[i]] == k
            found[i] = weights[is_class].sum() / weights.sum()
        return found

    def _added_up(self, visits: _Visits, k: int) -> Floats:
        """Return the answers from the class sums of all nodes, made for one tree after another."""
        found = np.empty(len(visits.node))
        for t in np.unique(visits.tree):
            mine = np.flatnonzero(visits.tree == t)
            sums = node_sums(unpack(self.packed, t), self.n_classes)
            sums = sums[visits.node[mine] - self._begin[t]]
            if self.hard:
                found[mine] = sums.argmax(axis=1) == k
            else:
                found[mine] = sums[:, k] / sums.sum(axis=1)
        return found

    def _running_sum(self, k: int | None) -> NDArray[np.longdouble]:
        """Return the sum of the weights of a class, or of all, over the leaves before each entry.

        In extended precision where the machine has it: a leaf of little weight may stand behind
        many others.
        """
        if k not in self._sums:
            if len(self._sums) >= _MOST_RUNNING_SUMS:
                self._sums.clear()
            weights = self.packed["sum_weight"]
            mine = weights if k is None else np.where(self.packed["sum_class"] == k, weights, 0.0)
            self._sums[k] = np.append(np.longdouble(0), np.cumsum(mine, dtype=np.longdouble))
        return self._sums[k]

    def _is_in_order(self) -> bool:
        """Whether the nodes of every subtree lie one after another, as depth-first growth has it.

        A left child then follows its parent. Trees that grow best-first number two children in a
        row, so that this fails as soon as a left child is divided.
        """
        inner = np.flatnonzero(self._nodes["left"] >= 0)
        tree = np.searchsorted(self._begin, inner, side="right") - 1
        return bool((self._nodes["left"][inner] == inner - self._begin[tree] + 1).all())
