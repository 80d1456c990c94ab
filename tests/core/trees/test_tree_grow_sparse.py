"""Trees that draw columns: all ways to look at them, sparse or dense, grow the same tree.

Depth first, a subtree has its columns put together once it is small enough; best first, every node
looks at the columns of all rows, or at its own rows. Columns are drawn by the way from the root to
a node, so that the trees must be the same.
"""

from collections import Counter

import numpy as np
import pytest
from scipy import sparse

from quire import _core
from quire.ensemble import ExtraTreesRegressor, RandomForestClassifier
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier


def counts(n_rows, n_cols, per_row, seed=0, negative=False):
    """Return rows with words of falling frequency, and weak classes in them."""
    rng = np.random.default_rng(seed)
    words = np.minimum(n_cols * rng.power(0.25, size=(n_rows, per_row)), n_cols - 1).astype(int)
    values = rng.integers(1, 6, size=words.shape).astype(np.float32)
    if negative:
        values *= rng.choice([-1, 1], size=values.shape)
    at = (np.repeat(np.arange(n_rows), per_row), n_cols - 1 - words.ravel())
    X = sparse.csr_array((values.ravel(), at), shape=(n_rows, n_cols), dtype=np.float32)
    X.sum_duplicates()
    X.data[X.data == 0] = 1
    y = (np.asarray(X[:, ::2].sum(axis=1)).ravel() + rng.normal(scale=3, size=n_rows)) // 40
    y = np.unique(y, return_inverse=True)[1] % 4
    return X, np.where(rng.uniform(size=n_rows) < 0.3, rng.integers(0, 4, n_rows), y)


def questions(tree):
    """Return the nodes as nested tuples, whatever order they are in."""

    def below(at):
        left, right = tree.children_left[at], tree.children_right[at]
        here = (int(tree.feature[at]), float(tree.threshold[at]), int(tree.n_node_samples[at]))
        return here if left < 0 else (*here, below(left), below(right))

    return below(0)


KINDS = {
    "gini": (DecisionTreeClassifier, {}),
    "entropy": (DecisionTreeClassifier, {"criterion": "entropy"}),
    "random": (ExtraTreeClassifier, {}),
    "numbers": (DecisionTreeRegressor, {}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(1500, 3000, 60), (1200, 70_000, 50), (300, 40, 8)])
def test_the_order_of_growing_does_not_matter(kind, shape):
    X, y = counts(*shape, negative=kind == "random")
    cls, options = KINDS[kind]
    options = options | {"max_features": "sqrt", "random_state": 3}
    deep = cls(**options).fit(X, y)
    best = cls(**options, max_leaf_nodes=10**6).fit(X, y)
    assert deep.tree_.node_count > 100
    if kind == "numbers":  # sums are added up in other orders
        np.testing.assert_allclose(deep.predict(X), best.predict(X))
        np.testing.assert_array_equal(
            np.bincount(deep.tree_.feature + 2), np.bincount(best.tree_.feature + 2)
        )
    else:
        assert questions(deep.tree_) == questions(best.tree_)


@pytest.mark.parametrize("max_features", [1, "sqrt", 0.7, None])
@pytest.mark.parametrize("kind", KINDS)
def test_dense_rows_give_the_same_tree(kind, max_features):
    """Also where all columns that are drawn are constant, so that others are looked for."""
    for shape in ((300, 40, 8), (400, 900, 3)):
        X, y = counts(*shape, negative=True)
        cls, options = KINDS[kind]
        options = options | {"max_features": max_features, "random_state": 5}
        if kind == "numbers":
            options["max_depth"] = 4  # sums are added up in other orders
        trees = [cls(**options).fit(rows, y).tree_ for rows in (X, X.toarray())]
        assert trees[0].node_count > 4
        assert questions(trees[0]) == questions(trees[1])


@pytest.mark.parametrize("n_cols", [5000, 70_000])
def test_all_instructions_grow_the_same_trees(n_cols):
    X, y = counts(900, n_cols, 70)
    level, grown = _core.base.simd_level(), []
    try:
        for name in ("portable", "avx2", "avx512"):
            try:
                _core.base.set_simd_level(name)
            except ValueError:  # this machine does not have it
                continue
            model = DecisionTreeClassifier(max_features=40, random_state=0).fit(X, y)
            grown.append(questions(model.tree_))
    finally:
        _core.base.set_simd_level(level)
    assert grown
    assert all(tree == grown[0] for tree in grown)


def test_repeated_rows_are_weights():
    X, y = counts(600, 2000, 60)
    twice = np.arange(600) % 3 == 0
    options = {"max_features": 50, "random_state": 1}
    repeated = DecisionTreeClassifier(**options).fit(
        sparse.vstack([X, X[twice]], format="csr"), np.concatenate([y, y[twice]])
    )
    weighted = DecisionTreeClassifier(**options).fit(X, y, sample_weight=1.0 + twice)
    np.testing.assert_array_equal(repeated.tree_.feature, weighted.tree_.feature)
    np.testing.assert_array_equal(repeated.tree_.threshold, weighted.tree_.threshold)


def test_every_split_parts_the_samples_as_it_says():
    X, y = counts(2000, 4000, 60, negative=True)
    model = DecisionTreeClassifier(max_features="sqrt", random_state=0).fit(X, y)
    tree, reached = model.tree_, model.decision_path(X)
    np.testing.assert_array_equal(np.asarray(reached.sum(axis=0)).ravel(), tree.n_node_samples)
    assert model.score(X, y) > 0.99


def test_columns_without_variation_are_not_asked_about():
    X = sparse.csr_array(np.tile(np.array([[1.0, 0, 2, 0]], dtype=np.float32), (50, 1)))
    model = RandomForestClassifier(3, random_state=0).fit(X, np.arange(50) % 2)
    assert all(tree.tree_.node_count == 1 for tree in model.estimators_)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_shares_of_random_trees(make):
    """Of one column with four values that are as frequent there are five trees.

    The first threshold is in the middle with 1/3, else one of 1/6 each follows.
    """
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (400, 1)).astype(np.float32), rng.normal(size=400)
    n = 3000
    forest = ExtraTreesRegressor(n, random_state=42).fit(make(X), y)
    nodes = [tree._arrays["nodes"] for tree in forest.estimators_]
    shapes = Counter(tuple(np.floor(one["threshold"][one["left"] >= 0])) for one in nodes)
    assert len(shapes) == 5
    for shape, count in shapes.items():
        share = 1 / 3 if shape[0] == 1 else 1 / 6
        assert abs(count - n * share) < 4 * np.sqrt(n * share * (1 - share))
