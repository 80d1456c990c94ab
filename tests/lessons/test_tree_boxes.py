"""Rectangles of leaves: every point is in that of its own leaf."""

import numpy as np

from quire._shared.page.picture import Picture
from quire.lessons._tree_boxes import draw_boxes, leaf_boxes
from quire.tree import DecisionTreeClassifier


def test_points_are_in_the_box_of_their_leaf():
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 2)), rng.integers(0, 3, 80)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    boxes = dict(leaf_boxes(tree.tree_))
    assert len(boxes) == tree.get_n_leaves()
    for x, leaf in zip(X, tree.apply(X), strict=True):
        assert ((x > boxes[leaf][:, 0]) & (x <= boxes[leaf][:, 1])).all()
    picture = Picture("x", (0, 1), (0, 1))
    inside = draw_boxes(picture, tree.tree_, leaf_boxes(tree.tree_))
    areas = [np.prod(box[:, 1] - box[:, 0]) for box in inside.values()]
    assert np.isclose(sum(areas), 1.0)
    assert [node for node, _ in leaf_boxes(tree.tree_, divided=())] == [0]
