"""The kernels that ask trees about rows, against walks in Python: few rows and many."""

import numpy as np
import pytest
from scipy import sparse
from tests.reference.trees import forest_predict as reference

from quire import _core
from quire._shared.trees.arrays import NODE
from quire._shared.trees.rows import as_rows


def random_tree(rng, n_cols, depth, sets):
    """Return nodes in the order in which they are made; thresholds are often values of rows."""
    rows, waiting = [], [(0, -1, "")]
    while waiting:
        level, parent, side = waiting.pop(int(rng.integers(len(waiting))))
        at = len(rows)
        if parent >= 0:
            rows[parent][1 if side == "left" else 2] = at
        samples = int(rng.integers(1, 100)) | (int(rng.integers(2)) << 31)
        if level == depth or (level > 0 and rng.uniform() < 0.2):
            rows.append([-2, -1, -1, samples, -2.0])
            continue
        threshold = [rng.normal(), np.round(rng.normal(), 1), np.inf, 1e300][rng.integers(4)]
        if sets and rng.uniform() < 0.5:
            samples |= 1 << 30
            threshold = rng.integers(0, 2**63, dtype=np.uint64).view(np.float64)
        rows.append([int(rng.integers(n_cols)), 0, 0, samples, threshold])
        waiting += [(level + 1, at, "left"), (level + 1, at, "right")]
    return np.array([tuple(row) for row in rows], dtype=NODE)


def forest(rng, n_trees, n_cols, sets=False):
    trees = [random_tree(rng, n_cols, int(rng.integers(0, 9)), sets) for _ in range(n_trees)]
    begin = np.concatenate([[0], np.cumsum([len(tree) for tree in trees])]).astype(np.int64)
    return np.concatenate(trees), begin


@pytest.mark.parametrize("kind", ["dense", "missing", "sets", "sparse", "sparse, int64"])
@pytest.mark.parametrize("n_rows", [1, 3, 16, 17, 900])
def test_leaves(kind, n_rows):
    rng = np.random.default_rng(n_rows)
    n_cols = 5
    nodes, begin = forest(rng, 4, n_cols, sets=kind == "sets")
    X = np.round(rng.normal(size=(n_rows, n_cols)), 1).astype(np.float32)
    if kind == "sets":
        X = np.where(rng.uniform(size=X.shape) < 0.8, np.round(20 * np.abs(X)), X)
        X = X.astype(np.float32)
    if kind in ("missing", "sets"):
        X[rng.uniform(size=X.shape) < 0.2] = np.nan
    rows = X
    if kind.startswith("sparse"):
        X[rng.uniform(size=X.shape) < 0.6] = 0
        rows = sparse.csr_array(X)
    if kind == "sparse, int64":
        rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    _core.trees.forest_check(nodes.view(np.uint8), begin, n_cols)
    expected = reference.forest_leaves(nodes, begin, X)
    for n_threads in (1, 2):
        found = _core.trees.forest_leaves(nodes.view(np.uint8), begin, rows, n_threads)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_rows", [64, 65, 300])
def test_leaves_of_many_sparse_columns(n_rows):
    """Rows that are empty, full and in between; columns that no tree asks about."""
    rng = np.random.default_rng(n_rows)
    nodes, begin = forest(rng, 20, 200)
    X = sparse.random_array((n_rows, 400), density=0.1, rng=rng, data_sampler=rng.normal).toarray()
    X = X.astype(np.float32)
    X[0], X[1] = 0, 1
    expected = reference.forest_leaves(nodes, begin, X)
    for n_threads in (1, 2):
        found = _core.trees.forest_leaves(
            nodes.view(np.uint8), begin, as_rows(sparse.csr_array(X)), n_threads
        )
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_rows", [2, 700])
def test_values_are_means_over_the_trees(n_rows):
    rng = np.random.default_rng(n_rows)
    nodes, begin = forest(rng, 6, 3)
    values = rng.normal(size=len(nodes))
    X = rng.normal(size=(n_rows, 3)).astype(np.float32)
    found = _core.trees.forest_values(nodes.view(np.uint8), begin, values, as_rows(X), 2)
    expected = reference.forest_values(nodes, begin, values, X)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("n_rows", [2, 700])
def test_shares_are_means_over_the_trees(n_rows, hard):
    rng = np.random.default_rng(n_rows)
    nodes, begin = forest(rng, 6, 3)
    dense = rng.integers(0, 4, (len(nodes), 3)).astype(float) * (nodes["left"] < 0)[:, None]
    dense[(nodes["left"] < 0) & (dense.sum(axis=1) == 0), 1] = 2
    alone = np.count_nonzero(dense, axis=1) == 1
    nodes["right"][alone] = -2 - dense[alone].argmax(axis=1)
    sums = sparse.csr_array(dense)
    X = rng.normal(size=(n_rows, 3)).astype(np.float32)
    found = _core.trees.forest_shares(
        nodes.view(np.uint8),
        begin,
        sums.indptr.astype(np.int64),
        sums.indices.astype(np.int32),
        sums.data,
        3,
        hard,
        as_rows(X),
        2,
    )
    expected = reference.forest_shares(nodes, begin, dense, hard, X)
    np.testing.assert_allclose(found, expected)


def test_sums_of_the_classes_at_every_node():
    rng = np.random.default_rng(0)
    nodes, _ = forest(rng, 1, 3)
    dense = rng.integers(1, 4, (len(nodes), 3)).astype(float) * (nodes["left"] < 0)[:, None]
    sums = sparse.csr_array(dense)
    found = _core.trees.tree_class_sums(
        nodes.view(np.uint8),
        sums.indptr.astype(np.int64),
        sums.indices.astype(np.int32),
        sums.data,
        3,
    )
    np.testing.assert_array_equal(found, reference.tree_class_sums(nodes, dense))
