"""The parts of the plane that belong to the leaves of a tree, and how they are drawn."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np

from quire._shared.page.picture import Picture
from quire._shared.typing import Floats

__all__ = ["draw_boxes", "leaf_boxes"]


def leaf_boxes(tree: Any, divided: Container[int] | None = None) -> list[tuple[int, Floats]]:
    """Return the leaves of a tree on two columns, from left to right, with their rectangles.

    Parameters
    ----------
    tree : sklearn.tree._tree.Tree
        The nodes.
    divided : container of int, default=None
        The nodes that are divided already, of a tree that is growing; all if ``None``.

    Returns
    -------
    list of (int, ndarray of shape (2, 2))
        A node, and for both columns from where to where it goes.
    """
    whole = np.array([[-np.inf, np.inf], [-np.inf, np.inf]])
    waiting, leaves = [(0, whole)], []
    while waiting:
        node, box = waiting.pop()
        is_leaf = tree.children_left[node] < 0 if divided is None else node not in divided
        if is_leaf:
            leaves.append((node, box))
            continue
        axis, at = tree.feature[node], tree.threshold[node]
        left, right = box.copy(), box.copy()
        left[axis, 1] = right[axis, 0] = at
        waiting.append((int(tree.children_right[node]), right))
        waiting.append((int(tree.children_left[node]), left))
    return leaves


def draw_boxes(picture: Picture, tree: Any, leaves: list[tuple[int, Floats]]) -> dict[int, Floats]:
    """Colour each leaf with its most frequent class, purer ones more strongly.

    Returns
    -------
    dict
        From leaves to their rectangles, cut off at the edges of the picture.
    """
    limits = np.array([picture.x, picture.y])
    boxes = {}
    for node, box in leaves:
        inside = np.clip(box, limits[:, :1], limits[:, 1:])
        boxes[node] = inside
        shares = tree.value[node, 0] / tree.value[node, 0].sum()
        (left, right), (low, high) = inside
        if left == right or low == high:
            continue
        picture.line(
            [[left, low], [right, low], [right, high], [left, high]],
            int(shares.argmax()),
            width=0.6,
            closed=True,
            fill=max(0.05 + 0.2 * (float(shares.max()) - 0.5), 0.02),
        )
    return boxes
