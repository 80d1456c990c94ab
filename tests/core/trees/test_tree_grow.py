"""The kernels that grow trees against a search over all thresholds by brute force."""

import numpy as np
import pytest
import sklearn.tree
from scipy import sparse
from tests.helpers.best_splits import assert_best_splits
from tests.reference.trees import forest_predict as reference

from quire import _core
from quire._shared.trees.arrays import NODE
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor

CRITERIA = ["gini", "entropy", "squared_error", "poisson"]
LIMITS = (3, 2**62, 2, 1, 0.0, 0.0, 0)


def problem(seed, kind, criterion):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 45))
    X = rng.normal(size=(n, 3)).astype(np.float32)
    if kind == "ties":
        X = np.round(X)
    elif kind == "missing":
        X[rng.uniform(size=X.shape) < 0.25] = np.nan
        X[:, 2] = np.nan
    elif kind != "dense":
        X[rng.uniform(size=X.shape) < 0.6] = 0
        X = np.abs(X) if kind == "positive" else X
    y = rng.integers(0, 3, n)
    y = (
        np.unique(y, return_inverse=True)[1]
        if criterion in CRITERIA[:2]
        else rng.gamma(2.0, size=n)
    )
    return X, y, rng


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", ["dense", "ties", "missing", "sparse", "positive"])
@pytest.mark.parametrize("seed", range(4))
def test_every_split_is_the_best(seed, kind, criterion):
    X, y, rng = problem(seed, kind, criterion)
    n = len(y)
    weights = [np.ones(n), rng.integers(0, 3, n).astype(float), rng.uniform(0.1, 2, n)][seed % 3]
    weights[0] = 1.0
    cls = DecisionTreeClassifier if criterion in CRITERIA[:2] else DecisionTreeRegressor
    least = 1 + 2 * (seed % 2)
    model = cls(criterion=criterion, random_state=seed, min_samples_leaf=least)
    given = sparse.csr_array(X) if kind in ("sparse", "positive") else X
    model.fit(given, y, sample_weight=None if seed % 3 == 0 else weights)
    assert model.engine_ == "quire"
    assert_best_splits(model, X, y, weights, criterion, least)


@pytest.mark.parametrize("n", [40, 200, 3000])
@pytest.mark.parametrize("rounded", [False, True])
def test_all_ways_to_sort_agree(n, rounded):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 2)).astype(np.float32)
    X = np.round(X, 1) if rounded else X
    y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    stump = DecisionTreeClassifier(max_depth=1).fit(X, y)
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert stump.tree_.threshold[0] == theirs.tree_.threshold[0]
    np.testing.assert_allclose(stump.tree_.impurity, theirs.tree_.impurity)


def test_many_rows():
    """So many that small nodes copy their ranks."""
    rng = np.random.default_rng(0)
    n = 70_000
    X = rng.normal(size=(n, 3)).astype(np.float32)
    X[rng.uniform(size=X.shape) < 0.01] = np.nan
    y, weights = rng.integers(0, 2, n), rng.uniform(0.5, 2, n)
    options = {"min_samples_leaf": 60, "max_depth": 9, "random_state": 0}
    ours = DecisionTreeClassifier(**options).fit(X, y, sample_weight=weights)
    theirs = sklearn.tree.DecisionTreeClassifier(**options).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(ours.tree_.feature, theirs.tree_.feature)
    np.testing.assert_array_equal(ours.tree_.threshold, theirs.tree_.threshold)
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))


@pytest.mark.parametrize("k", [1, 3, 40, 59])
def test_rows_and_columns_draw_alike(k):
    """Few columns of many, in small and in large nodes: every split is on a column that varies."""
    rng = np.random.default_rng(k)
    X = sparse.random_array((300, 60), density=0.05, rng=rng, format="csr", dtype=np.float32)
    y = rng.integers(0, 3, 300)
    model = DecisionTreeClassifier(max_features=k, random_state=0).fit(X, y)
    tree = model.tree_
    inner = tree.children_left >= 0
    assert (tree.n_node_samples[tree.children_left[inner]] > 0).all()
    assert (tree.n_node_samples[tree.children_right[inner]] > 0).all()
    np.testing.assert_array_equal(model.tree_.apply(X), model.apply(X))
    assert len(np.unique(tree.feature[inner])) > 20


def test_drawn_columns_are_drawn_evenly():
    """With one of twelve columns that are all alike, each is the first as often."""
    rng = np.random.default_rng(0)
    dense = (rng.uniform(size=(400, 12)) < 0.5).astype(np.float32)
    y = rng.integers(0, 2, 400)
    for X in (dense, sparse.csr_array(dense)):
        options = {"max_features": 1, "max_depth": 1}
        roots = [
            DecisionTreeClassifier(**options, random_state=s).fit(X, y).tree_.feature[0]
            for s in range(360)
        ]
        counts = np.bincount(roots, minlength=12)
        assert counts.min() > 12
        assert counts.max() < 54


def test_equal_columns_are_as_likely():
    x = np.arange(20.0)
    y = (x > 9).astype(int)
    for X in (np.stack([x] * 4, axis=1), sparse.csr_array(np.stack([x] * 4, axis=1))):
        roots = [
            DecisionTreeClassifier(random_state=s).fit(X, y).tree_.feature[0] for s in range(100)
        ]
        assert np.bincount(roots, minlength=4).min() > 8


def test_wrong_lengths_and_classes_are_refused():
    data = _core.trees.TreeData(np.zeros((4, 3), dtype=np.float32), 1, np.empty(0, dtype=np.uint8))
    codes = np.zeros(3, dtype=np.int32)
    with pytest.raises(ValueError, match="equally many"):
        data.grow_class_tree(codes, 2, np.empty(0), 0, False, 0, LIMITS)
    with pytest.raises(ValueError, match="outside"):
        data.grow_class_tree(np.full(4, 2, dtype=np.int32), 2, np.empty(0), 0, False, 0, LIMITS)
    with pytest.raises(ValueError, match="equally many"):
        data.grow_value_tree(np.zeros(4), np.ones(3), 2, False, 0, LIMITS)


def damaged(**changes):
    nodes = np.array([(0, 1, 2, 2, 0.5), (-2, -1, -1, 1, -2), (-2, -1, -1, 1, -2)], dtype=NODE)
    for name, value in changes.items():
        nodes[name][0] = value
    return nodes.view(np.uint8)


@pytest.mark.parametrize("changes", [{"left": 0}, {"right": 3}, {"left": 7}, {"feature": 2}])
def test_damaged_nodes_are_refused(changes):
    begin = np.array([0, 3], dtype=np.int64)
    _core.trees.forest_check(damaged(), begin, 2)
    assert reference.forest_check(damaged().view(NODE), begin, 2)
    assert not reference.forest_check(damaged(**changes).view(NODE), begin, 2)
    with pytest.raises(ValueError, match="damaged"):
        _core.trees.forest_check(damaged(**changes), begin, 2)


def test_damaged_sums_are_refused():
    begin = np.array([0, 3], dtype=np.int64)
    classes, weights = np.array([0, 1], dtype=np.int32), np.ones(2)
    good = np.array([0, 0, 1, 2], dtype=np.int64)
    _core.trees.forest_check_sums(damaged(), begin, good, classes, weights, 2)
    assert reference.forest_check_sums(damaged().view(NODE), good, classes, weights, 2)
    for sums, of in [(good[:-1], classes), (good - 1, classes), (good, classes + 1)]:
        with pytest.raises(ValueError, match="damaged"):
            _core.trees.forest_check_sums(damaged(), begin, sums, of, weights, 2)
        assert not reference.forest_check_sums(damaged().view(NODE), sums, of, weights, 2)
    nodes = damaged().view(NODE).copy()
    nodes["right"][2] = -2 - 2  # a leaf of a class that is not there
    assert not reference.forest_check_sums(nodes, good, classes, weights, 2)
    with pytest.raises(ValueError, match="damaged"):
        _core.trees.forest_check_sums(nodes.view(np.uint8), begin, good, classes, weights, 2)
