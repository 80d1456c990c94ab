"""Rectangles of a tree: they cover the plane, and every row is in the one of its leaf."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
from matplotlib.patches import Rectangle

from quire.linear_model import Ridge
from quire.pictures import tree_partition
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor


def rectangles(ax):
    return {
        patch.get_gid(): (np.array(patch.get_xy()), patch.get_width(), patch.get_height())
        for patch in ax.patches
        if isinstance(patch, Rectangle) and patch.get_gid()
    }


@pytest.mark.parametrize(
    "model", [DecisionTreeClassifier(max_leaf_nodes=7), DecisionTreeRegressor(max_leaf_nodes=7)]
)
def test_rows_are_in_the_rectangle_of_their_leaf(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (X.sum(axis=1) > 0).astype(int) + (X[:, 0] > 1)
    model.fit(X, y)
    left, right = tree_partition(X, y, model=model)
    found = rectangles(right)
    assert len(found) == model.get_n_leaves() == 7
    width, height = np.ptp(right.get_xlim()), np.ptp(right.get_ylim())
    assert sum(w * h for _, w, h in found.values()) == pytest.approx(width * height)
    leaves = model.apply(X)
    for corner, w, h in found.values():
        inside = ((X > corner) & (X <= np.add(corner, (w, h)))).all(axis=1)
        assert len(set(leaves[inside])) <= 1
    answers = [t.get_text() for t in left.texts if t.get_text().startswith("$R_")]
    assert len(answers) == 7


def test_answers_are_means_of_rectangles():
    X = np.array([[0.0, 0], [1, 0], [0, 5], [1, 5]])
    y = np.array([1.0, 1.25, 7.5, 8.5])
    left, _ = tree_partition(X, y, max_leaves=2)
    texts = [t.get_text() for t in left.texts]
    assert "$x_{2}$ ≤ 2.5" in texts
    assert "$R_{1}$\n1.12" in texts
    assert "$R_{2}$\n8" in texts


def test_errors():
    X, y = np.zeros((4, 2)), [0, 1, 0, 1]
    with pytest.raises(ValueError, match="expected 'auto'"):
        tree_partition(task="both")
    with pytest.raises(ValueError, match="3 columns"):
        tree_partition(X, y, model=DecisionTreeClassifier().fit(np.eye(4)[:, :3], y))
    with pytest.raises(TypeError, match="not a tree"):
        tree_partition(X, y, model=Ridge().fit(X, y))
