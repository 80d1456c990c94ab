"""The arrays of a fitted tree, and scikit-learn's ``Tree`` made from them when someone asks.

A tree is a dict of plain arrays. ``nodes`` has 24 bytes for each node. Two bits of ``samples`` say
where missing values go and whether the node asks about categories; its threshold is then a set. A
classifier has the sums of the classes at its leaves only (``sum_begin``, ``sum_class``,
``sum_weight``): those of all other nodes, and with them weights and impurities, follow from adding
up. Every other tree has ``value``, ``impurity`` and ``weight`` for each node. ``criterion`` names
the impurity.

Arrays may come from a file, or be changed by anyone. The kernels that answer look at every node
they read; whoever follows nodes in another way calls :func:`check_trees` first. Nothing remembers
that arrays were good.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire._shared.sklearn import NODE_DTYPE, Tree

__all__ = [
    "IS_CATEGORY",
    "NODE",
    "Arrays",
    "HasTrees",
    "category_set",
    "check_trees",
    "check_values",
    "class_arrays",
    "from_sklearn",
    "importances",
    "leaf_sums",
    "native",
    "node_sums",
    "pack",
    "to_sklearn",
    "unpack",
    "value_arrays",
    "with_values",
]

Arrays = dict[str, Any]
NODE = np.dtype(
    [("feature", "i4"), ("left", "i4"), ("right", "i4"), ("samples", "u4"), ("threshold", "f8")]
)
MISSING_LEFT = np.uint32(1 << 31)
IS_CATEGORY = np.uint32(1 << 30)
SAMPLE_COUNT = np.uint32((1 << 30) - 1)
_PER_NODE = ("value", "impurity", "weight")


class HasTrees:
    """An estimator that keeps its trees as arrays of this form."""

    def _tree_arrays(self) -> Arrays:
        """Return the arrays of all trees as :func:`pack` does, looked at by :func:`check_trees`."""
        raise NotImplementedError


def class_arrays(grown: tuple[Any, ...], criterion: str) -> Arrays:
    """Return the arrays of a classification tree from what the kernel returned."""
    nodes, depth, begin, classes, weights = grown
    return {
        "nodes": nodes.view(NODE),
        "depth": int(depth),
        "criterion": criterion,
        "sum_begin": begin.astype(np.int64),
        "sum_class": classes,
        "sum_weight": weights,
    }


def value_arrays(grown: tuple[Any, ...], criterion: str) -> Arrays:
    """Return the arrays of a regression tree from what the kernel returned."""
    nodes, depth, value, impurity, weight = grown
    return {
        "nodes": nodes.view(NODE),
        "depth": int(depth),
        "criterion": criterion,
        "value": value,
        "impurity": impurity,
        "weight": weight,
    }


def check_trees(packed: Arrays, n_features: int, n_classes: int) -> NDArray[np.int64]:
    """Look at packed trees as a whole, and return the depth of each.

    Parameters
    ----------
    packed : dict
        As :func:`pack` returns it.
    n_features : int
        Columns of the data.
    n_classes : int
        How many classes there are; read where the trees have sums of classes.

    Raises
    ------
    ValueError
        If the nodes are no trees, or other arrays do not fit them.
    """
    nodes = packed["nodes"].view(np.uint8)
    depths: NDArray[np.int64] = _core.trees.forest_check(nodes, packed["begin"], n_features)
    if "sum_begin" in packed:
        _core.trees.forest_check_sums(nodes, packed["begin"], *leaf_sums(packed), n_classes)
    else:
        check_values(packed)
    return depths


def check_values(arrays: Arrays) -> None:
    """Raise an error unless there is a value, an impurity and a weight for each node."""
    n = len(arrays["nodes"])
    for name in _PER_NODE:
        if np.ndim(arrays[name]) == 0 or len(arrays[name]) != n or np.size(arrays[name]) < n:
            raise ValueError(f"the arrays of the trees are damaged: {name}")


def _check_tree(arrays: Arrays, n_features: int, n_classes: int) -> int:
    """Look at one tree, and return its depth."""
    begin = np.array([0, len(arrays["nodes"])], dtype=np.int64)
    return int(check_trees(arrays | {"begin": begin}, n_features, n_classes)[0])


def category_set(arrays: Arrays, node: int) -> int | None:
    """Return the bits of the categories that go left; None if the node asks about a number."""
    nodes = arrays["nodes"]
    if not nodes["samples"][node] & IS_CATEGORY:
        return None
    return int(nodes["threshold"][node : node + 1].copy().view(np.uint64)[0])


def from_sklearn(tree: Any, criterion: str, categories: Any = None) -> Arrays:
    """Return the arrays of scikit-learn's ``Tree``; ``value`` has its shape.

    `categories` is a mask of the columns of categories, whose thresholds are sets.
    """
    nodes = np.empty(tree.node_count, dtype=NODE)
    nodes["feature"], nodes["threshold"] = tree.feature, tree.threshold
    nodes["left"], nodes["right"] = tree.children_left, tree.children_right
    nodes["samples"] = tree.n_node_samples
    nodes["samples"] |= np.where(tree.missing_go_to_left != 0, MISSING_LEFT, np.uint32(0))
    if categories is not None:
        inner = np.flatnonzero(nodes["left"] >= 0)  # leaves have no column
        asks = inner[categories[nodes["feature"][inner]]]
        nodes["samples"][asks] |= IS_CATEGORY
    return {
        "nodes": nodes,
        "depth": int(tree.max_depth),
        "criterion": criterion,
        "value": tree.value.copy(),
        "impurity": tree.impurity.copy(),
        "weight": tree.weighted_n_node_samples.copy(),
    }


def leaf_sums(arrays: Arrays) -> tuple[Any, Any, Any]:
    """Return the sums of the classes at the leaves as the kernels take them."""
    return arrays["sum_begin"], arrays["sum_class"], arrays["sum_weight"]


def native(arrays: Arrays) -> Arrays:
    """Return the arrays in the byte order of this machine; a pickle may come from another one.

    Nodes begin where the kernels can read them; a part of a file may begin anywhere.
    """
    known = {
        name: value.astype(value.dtype.newbyteorder("="), copy=False)
        if isinstance(value, np.ndarray)
        else value
        for name, value in arrays.items()
    }
    nodes = known.get("nodes")
    if isinstance(nodes, np.ndarray) and nodes.ctypes.data % 8 != 0:
        known["nodes"] = nodes.copy()
    return known


def node_sums(arrays: Arrays, n_classes: int) -> NDArray[np.float64]:
    """Return the sums of the classes at every node: shape (n_nodes, n_classes)."""
    sums: NDArray[np.float64] = _core.trees.tree_class_sums(
        arrays["nodes"].view(np.uint8), *leaf_sums(arrays), n_classes
    )
    return sums


@np.errstate(divide="ignore", invalid="ignore")  # weights above and below zero may cancel out
def _statistics(arrays: Arrays, n_classes: int) -> tuple[NDArray[Any], ...]:
    """Return value, impurity and weight of every node."""
    if "value" in arrays:
        value, impurity, weight = (arrays[name] for name in _PER_NODE)
        return value, impurity, weight
    sums = node_sums(arrays, n_classes)
    weight = sums.sum(axis=1)
    shares = sums / weight[:, None]
    if arrays["criterion"] == "gini":
        impurity = 1.0 - (sums * sums).sum(axis=1) / (weight * weight)
    else:
        logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
        impurity = -(shares * logs).sum(axis=1)
    return shares, impurity, weight


def to_sklearn(
    arrays: Arrays,
    n_features: int,
    n_classes: NDArray[np.intp],
    n_outputs: int,
    keep_sets: bool = False,
) -> Any:
    """Return scikit-learn's ``Tree`` of these arrays: its plots and other tools know it.

    It knows no sets of categories: their thresholds are NaN, unless `keep_sets`. Its code trusts
    its nodes, so that ours are looked at here.
    """
    depth = _check_tree(arrays, n_features, int(n_classes[0]))
    value, impurity, weight = _statistics(arrays, int(n_classes[0]))
    ours = arrays["nodes"]
    nodes = np.zeros(len(ours), dtype=NODE_DTYPE)
    nodes["left_child"], nodes["right_child"] = ours["left"], np.maximum(ours["right"], -1)
    nodes["feature"], nodes["threshold"] = ours["feature"], ours["threshold"]
    if not keep_sets:
        nodes["threshold"][(ours["samples"] & IS_CATEGORY) != 0] = np.nan
    nodes["n_node_samples"] = ours["samples"] & SAMPLE_COUNT
    nodes["missing_go_to_left"] = (ours["samples"] & MISSING_LEFT) != 0
    nodes["impurity"], nodes["weighted_n_node_samples"] = impurity, weight
    tree = Tree(n_features, n_classes, n_outputs)
    shape = (len(ours), n_outputs, int(n_classes.max()))
    values = np.ascontiguousarray(value, dtype=np.float64).reshape(shape)
    tree.__setstate__(
        {"max_depth": depth, "node_count": len(ours), "nodes": nodes, "values": values}
    )
    return tree


@np.errstate(divide="ignore", invalid="ignore")
def importances(arrays: Arrays, n_features: int, n_classes: int) -> NDArray[np.float64]:
    """Return the shares of the decrease of impurity that columns brought, if there is one."""
    _check_tree(arrays, n_features, n_classes)
    _, impurity, weight = _statistics(arrays, n_classes)
    nodes = arrays["nodes"]
    inner = np.flatnonzero(nodes["left"] >= 0)
    left, right = nodes["left"][inner], nodes["right"][inner]
    lost = weight * impurity
    gains = lost[inner] - lost[left] - lost[right]
    totals = np.bincount(nodes["feature"][inner], gains, minlength=n_features) / weight[0]
    whole = totals.sum()
    shares: NDArray[np.float64] = totals / whole if whole > 0 else totals
    return shares


def with_values(arrays: Arrays, n_classes: int) -> Arrays:
    """Return the arrays of a tree with values, impurities and weights, made of sums of classes."""
    if "value" in arrays:
        return arrays
    value, impurity, weight = _statistics(arrays, n_classes)
    rest = {name: arrays[name] for name in ("nodes", "depth", "criterion")}
    return rest | {"value": value[:, None, :], "impurity": impurity, "weight": weight}


def pack(trees: list[Arrays]) -> Arrays:
    """Return the arrays of several trees one after another, with where each begins."""
    begin = np.concatenate([[0], np.cumsum([len(tree["nodes"]) for tree in trees])])
    packed: Arrays = {
        "begin": begin.astype(np.int64),
        "depth": np.array([tree["depth"] for tree in trees], dtype=np.int64),
        "criterion": trees[0]["criterion"],
        "nodes": np.concatenate([tree["nodes"] for tree in trees]),
    }
    if "value" in trees[0]:
        return packed | {name: np.concatenate([tree[name] for tree in trees]) for name in _PER_NODE}
    ends = np.cumsum([len(tree["sum_class"]) for tree in trees])
    starts = [tree["sum_begin"][:-1] + end for tree, end in zip(trees, [0, *ends], strict=False)]
    packed["sum_begin"] = np.concatenate([*starts, ends[-1:]]).astype(np.int64)
    for name in ("sum_class", "sum_weight"):
        packed[name] = np.concatenate([tree[name] for tree in trees])
    return packed


def unpack(packed: Arrays, t: int) -> Arrays:
    """Return the arrays of one tree as views of those of the forest."""
    begin, end = packed["begin"][t], packed["begin"][t + 1]
    one: Arrays = {
        "nodes": packed["nodes"][begin:end],
        "depth": int(packed["depth"][t]),
        "criterion": packed["criterion"],
    }
    if "value" in packed:
        return one | {name: packed[name][begin:end] for name in _PER_NODE}
    sums = packed["sum_begin"][begin : end + 1]
    return one | {
        "sum_begin": sums - sums[0],
        "sum_class": packed["sum_class"][sums[0] : sums[-1]],
        "sum_weight": packed["sum_weight"][sums[0] : sums[-1]],
    }
