"""A tree as text: scikit-learn's lines, and sets of categories in words."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import sklearn.tree
from sklearn.utils.validation import check_is_fitted

from quire._shared.trees.arrays import IS_CATEGORY, category_set

__all__ = ["export_text", "node_sets"]

_SET_LINE = re.compile(r" (<=|> ) nan$")


def node_sets(tree: Any) -> dict[int, tuple[list[str], list[str]]]:
    """Return the categories that go left and right, by node, where a tree asks about categories."""
    categories = getattr(tree, "_categories", None)
    if categories is None:
        return {}
    nodes = tree._arrays["nodes"]
    asked = np.flatnonzero(nodes["samples"] & IS_CATEGORY).tolist()
    return {
        node: categories.in_set(int(nodes["feature"][node]), category_set(tree._arrays, node) or 0)
        for node in asked
    }


def export_text(
    decision_tree: Any,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    max_depth: int = 10,
    spacing: int = 3,
    decimals: int = 2,
    show_weights: bool = False,
) -> str:
    """Return a tree as text, as :func:`sklearn.tree.export_text` does, with sets of categories.

    Parameters
    ----------
    decision_tree : estimator
        A fitted tree.
    feature_names : array-like of str, default=None
        Names of the columns; ``None`` means "feature_0" and so on.
    class_names : array-like of str, default=None
        Names of the classes; ``None`` means ``classes_``.
    max_depth : int, default=10
        How many levels of questions are written out.
    spacing : int, default=3
        The width of a level.
    decimals : int, default=2
        Digits of numbers after the point.
    show_weights : bool, default=False
        Whether leaves of a classifier show the weights of the classes.

    Returns
    -------
    str
        One line for each answer to a question, and for each leaf.

    Examples
    --------
    >>> from quire.tree import DecisionTreeClassifier, export_text
    >>> X = [["red"], ["blue"], ["green"], ["red"]]
    >>> tree = DecisionTreeClassifier(categorical_features=[0]).fit(X, [1, 1, 0, 1])
    >>> print(export_text(tree, feature_names=["colour"]))
    |--- colour is one of green
    |   |--- class: 0
    |--- colour is one of blue, red
    |   |--- class: 1
    <BLANKLINE>
    """
    check_is_fitted(decision_tree)
    with _calls_as_deep_as(decision_tree.tree_):
        text: str = sklearn.tree.export_text(
            decision_tree,
            feature_names=feature_names,
            class_names=class_names,
            max_depth=max_depth,
            spacing=spacing,
            decimals=decimals,
            show_weights=show_weights,
        )
    sets = node_sets(decision_tree)
    if not sets:
        return text
    written = (node for node in _from_the_root(decision_tree.tree_, max_depth) if node in sets)
    return _with_sets(text, written, sets)


@contextmanager
def _calls_as_deep_as(nodes: Any) -> Iterator[None]:
    """Within, calls may be nested as deeply as a tree is: scikit-learn's code calls itself."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(usual + 2 * int(nodes.max_depth))
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)


def _with_sets(
    text: str, to_come: Iterator[int], sets: dict[int, tuple[list[str], list[str]]]
) -> str:
    """Put words for the thresholds that are none."""
    open_nodes: list[int] = []
    lines = []
    for line in text.split("\n"):
        found = _SET_LINE.search(line)
        if found is not None:
            is_left = found[1] == "<="
            if is_left:
                open_nodes.append(next(to_come))
            node = open_nodes[-1] if is_left else open_nodes.pop()
            line = f"{line[: found.start()]} is one of {', '.join(sets[node][not is_left])}"
        lines.append(line)
    return "\n".join(lines)


def _from_the_root(nodes: Any, max_depth: int) -> Iterator[int]:
    """Return the nodes in the order in which they are written."""
    stack = [(0, 0)]
    while stack:
        node, depth = stack.pop()
        yield node
        if nodes.children_left[node] >= 0 and depth < max_depth:
            children = nodes.children_right[node], nodes.children_left[node]
            stack += [(int(child), depth + 1) for child in children]
