"""Damaged arrays: every kernel of trees says so, and none leaves its buffers."""

import numpy as np
import pytest
from scipy import sparse
from tests.core.trees.test_forest_predict import forest

from quire import _core
from quire._shared.trees.arrays import NODE

CODES = np.array([0, 1, 0, 1], dtype=np.int32)
LIMITS = (2, 10, 2, 1, 0.0, 0.0, 0)
X = np.array([[0, 1], [1, 0], [2, 1], [3, 0]], dtype=np.float32)


def tree(*nodes):
    """Return the bytes of nodes (feature, left, right); three of them make a leaf of one class."""
    made = np.zeros(len(nodes), dtype=NODE)
    for at, (feature, left, right) in enumerate(nodes):
        made[at] = (feature, left, right, 5, 0.0)
    return made.view(np.uint8)


LEAF = (-2, -1, -2)
BAD_TREES = {
    "a node with two parents": tree((0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 4), LEAF),
    "a chain of nodes with two parents": tree(*[(0, i + 1, i + 1) for i in range(30)], LEAF),
    "a cycle": tree((0, 1, 2), (0, 0, 2), LEAF),
    "a node that is its own child": tree((0, 0, 1), LEAF),
    "a child beyond the end": tree((0, 1, 3), LEAF, LEAF),
    "a far child": tree((0, 1, 2**31 - 1), LEAF, LEAF),
    "a negative right child": tree((0, 1, -7), LEAF, LEAF),
    "a column beyond the data": tree((2, 1, 2), LEAF, LEAF),
    "a far column": tree((2**31 - 1, 1, 2), LEAF, LEAF),
    "a negative column": tree((-5, 1, 2), LEAF, LEAF),
    "a node without a parent": tree((0, 1, 2), LEAF, LEAF, LEAF),
    "a leaf with a child": tree((0, 1, 2), LEAF, (-2, -1, 1)),
    "a leaf with another mark": tree((0, 1, 2), LEAF, (-2, -9, -1)),
}
# What is no tree, and yet no way through it leaves the arrays.
WALKABLE = {"a node without a parent", "a leaf with a child", "a leaf with another mark"}


def rows(kind, n):
    dense = np.random.default_rng(0).integers(-1, 2, (n, 2)).astype(np.float32)
    return sparse.csr_array(dense) if kind == "sparse" else dense


def sums_of(nodes, n_classes=2):
    n = nodes.size // 24
    return (
        np.arange(n + 1, dtype=np.int64),
        np.zeros(n, dtype=np.int32),
        np.ones(n),
    )


@pytest.mark.parametrize("name", BAD_TREES)
def test_check_names_the_damage(name):
    nodes = BAD_TREES[name]
    begin = np.array([0, nodes.size // 24])
    with pytest.raises(ValueError, match="the arrays of the trees are damaged"):
        _core.trees.forest_check(nodes, begin, 2)


@pytest.mark.parametrize("n_rows", [1, 200])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", BAD_TREES)
def test_no_walk_leaves_the_arrays(name, kind, n_rows):
    """A walk of few rows may never come to the damage; it must not go beyond."""
    nodes = BAD_TREES[name]
    begin = np.array([0, nodes.size // 24])
    X = rows(kind, n_rows)
    calls = {
        "leaves": lambda: _core.trees.forest_leaves(nodes, begin, X, 2),
        "shares": lambda: _core.trees.forest_shares(nodes, begin, *sums_of(nodes), 2, False, X, 2),
        "votes": lambda: _core.trees.forest_shares(nodes, begin, *sums_of(nodes), 2, True, X, 2),
        "values": lambda: _core.trees.forest_values(nodes, begin, np.ones(begin[1]), X, 2),
    }
    for call in calls.values():
        try:
            answer = call()
        except ValueError as error:
            assert "the arrays of the trees are damaged" in str(error)  # noqa: PT017
        else:
            assert name in WALKABLE or n_rows == 1 or "two parents" in name
            assert len(answer) == n_rows
            assert (answer >= 0).all()


@pytest.mark.parametrize("name", BAD_TREES)
def test_sums_of_nodes(name):
    nodes = BAD_TREES[name]
    try:
        sums = _core.trees.tree_class_sums(nodes, *sums_of(nodes), 2)
    except ValueError as error:
        assert "the arrays of the trees are damaged" in str(error)  # noqa: PT017
    else:
        assert sums.shape == (nodes.size // 24, 2)


def test_sparse_rows_of_nodes_without_samples():
    """Their columns count as used, though their weight is zero."""
    nodes = tree((0, 1, 2), LEAF, LEAF).view(NODE)
    nodes["samples"] = 0
    X = rows("sparse", 100)
    found = _core.trees.forest_leaves(nodes.view(np.uint8), np.array([0, 3]), X, 1)
    np.testing.assert_array_equal(found[:, 0], np.where(X.toarray()[:, 0] > 0, 2, 1))


@pytest.mark.parametrize("n_rows", [1, 200])
@pytest.mark.parametrize(
    ("begin", "classes", "weights"),
    [
        ([0, 0, 1, 3], [0, 5, 0], [1.0, 1.0, 1.0]),
        ([0, 0, 1, 3], [0, -1, 0], [1.0, 1.0, 1.0]),
        ([0, 0, 1, 9], [0, 0, 0], [1.0, 1.0, 1.0]),
        ([0, 0, -4, -1], [0, 0, 0], [1.0, 1.0, 1.0]),
        ([0, 0, 3, 1], [0, 0, 0], [1.0, 1.0, 1.0]),
        ([0, 0, 0, 0], [], []),
        ([0, 0, 1], [0, 0, 0], [1.0, 1.0, 1.0]),
        ([], [], []),
        ([0, 0, 1, 3], [0, 0, 0], [1.0]),
    ],
)
def test_sums_outside_of_their_arrays(begin, classes, weights, n_rows):
    nodes = tree((0, 1, 2), (-2, -1, -1), (-2, -1, -1))
    sums = (
        np.array(begin, dtype=np.int64),
        np.array(classes, dtype=np.int32),
        np.array(weights, dtype=float),
    )
    X = np.tile(np.array([[-1, 0], [1, 0]], dtype=np.float32), (n_rows, 1))
    for hard in (False, True):
        with pytest.raises(ValueError, match="sums of classes"):
            _core.trees.forest_shares(nodes, np.array([0, 3]), *sums, 2, hard, X, 1)
    with pytest.raises(ValueError, match="sums of classes"):
        _core.trees.tree_class_sums(nodes, *sums, 2)
    with pytest.raises(ValueError, match="sums of classes"):
        _core.trees.forest_check_sums(nodes, np.array([0, 3]), *sums, 2)


@pytest.mark.parametrize("n_rows", [1, 200])
def test_the_only_class_of_a_leaf_is_one_of_the_classes(n_rows):
    nodes = tree((0, 1, 2), (-2, -1, -2 - 499), (-2, -1, np.iinfo(np.int32).min))
    X = rows("dense", n_rows)
    with pytest.raises(ValueError, match="sums of classes"):
        _core.trees.forest_shares(nodes, np.array([0, 3]), *sums_of(nodes), 2, False, X, 1)


@pytest.mark.parametrize(
    "begin", [[], [0], [0, 2], [1, 3], [0, 3, 3], [0, 4, 3], [0, -1, 3], [0, 2**60, 3], [3, 0]]
)
def test_trees_begin_and_end_with_the_nodes(begin):
    nodes = tree((0, 1, 2), LEAF, LEAF)
    begin = np.array(begin, dtype=np.int64)
    for X in (rows("dense", 40), rows("sparse", 40), rows("dense", 1)):
        with pytest.raises(ValueError, match=r"begin|a tree has no node"):
            _core.trees.forest_leaves(nodes, begin, X, 1)
    with pytest.raises(ValueError, match=r"begin|a tree has no node"):
        _core.trees.forest_check(nodes, begin, 2)


def test_a_forest_without_trees():
    none = np.zeros(0, dtype=np.uint8)
    with pytest.raises(ValueError, match="there is no tree"):
        _core.trees.forest_leaves(none, np.array([0]), X, 1)


def test_values_are_as_many_as_nodes():
    nodes = tree((0, 1, 2), LEAF, LEAF)
    for n in (0, 2, 4):
        with pytest.raises(ValueError, match="values"):
            _core.trees.forest_values(nodes, np.array([0, 3]), np.ones(n), X, 1)


def test_answers_have_a_size():
    nodes = tree(LEAF)
    many = np.zeros((2**40, 0), dtype=np.float32)
    with pytest.raises(ValueError, match="too large"):
        _core.trees.forest_shares(nodes, np.array([0, 1]), *sums_of(nodes), 2**40, False, many, 1)
    with pytest.raises(ValueError, match="too large"):
        _core.trees.tree_class_sums(nodes, *sums_of(nodes), 2**60)


def test_bytes_of_nodes():
    nodes = tree((0, 1, 2), LEAF, LEAF)
    with pytest.raises(ValueError, match="24 bytes"):
        _core.trees.forest_leaves(nodes[:-1], np.array([0, 3]), X, 1)
    shifted = np.empty(nodes.size + 1, dtype=np.uint8)[1:]
    shifted[:] = nodes
    with pytest.raises(ValueError, match="8 divides"):
        _core.trees.forest_leaves(shifted, np.array([0, 3]), X, 1)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("n_rows", [1, 200])
@pytest.mark.parametrize("damage", ["column", "negative column", "falling", "long", "start"])
def test_sparse_rows_outside_of_their_arrays(damage, n_rows, index):
    S = sparse.csr_array(np.ones((n_rows, 2), dtype=np.float32))
    data, indices, indptr = S.data, S.indices.astype(index), S.indptr.astype(index)
    if damage.endswith("column"):
        indices[1] = 1_000_000 if damage == "column" else -1_000_000
    elif damage == "falling":
        indptr[0], indptr[-1] = 0, -5
    elif damage == "long":
        indptr[-1] = 1_000_000
    else:
        indptr[0] = -3
    nodes = tree((0, 1, 2), LEAF, LEAF)
    rows = (data, indices, indptr, 2)
    with pytest.raises(ValueError, match=r"column|indptr"):
        _core.trees.forest_leaves(nodes, np.array([0, 3]), rows, 1)
    with pytest.raises(ValueError, match=r"column|indptr"):
        _core.trees.TreeData(rows, 1, np.zeros(0, dtype=np.uint8))


def test_random_bytes_do_no_harm():
    rng = np.random.default_rng(7)
    answered = 0
    for trial in range(300):
        nodes, begin = forest(rng, 3, 2)
        raw = nodes.view(np.uint8).copy()
        for at in rng.integers(0, raw.size, 1 + trial % 8):
            raw[at] = rng.integers(256)
        X = rows(["dense", "sparse"][trial % 2], [1, 300][trial // 2 % 2])
        for call in (
            lambda raw=raw, X=X, begin=begin: _core.trees.forest_leaves(raw, begin, X, 2),
            lambda raw=raw, X=X, begin=begin: _core.trees.forest_shares(
                raw, begin, *sums_of(raw), 2, False, X, 2
            ),
        ):
            try:
                answered += len(call()) == X.shape[0]
            except ValueError as error:
                assert "damaged" in str(error)  # noqa: PT017
    assert answered > 0


# Growing -----------------------------------------------------------------------------------------


@pytest.fixture
def data():
    return _core.trees.TreeData(X, 1, np.zeros(0, dtype=np.uint8))


@pytest.mark.parametrize("codes", [[0, 1, 0, 2], [0, 1, 0, -1], [0, 1, 0], [0, 1, 0, 1, 0]])
def test_codes(data, codes):
    with pytest.raises(ValueError, match=r"class|equally many"):
        data.grow_class_tree(np.array(codes, dtype=np.int32), 2, np.empty(0), 0, False, 0, LIMITS)


@pytest.mark.parametrize("weights", [[1.0] * 3, [1.0] * 5, [1, 1, 1, np.nan], [1, 1, 1, np.inf]])
def test_weights(data, weights):
    weights = np.array(weights, dtype=float)
    with pytest.raises(ValueError, match=r"weights"):
        data.grow_class_tree(CODES, 2, weights, 0, False, 0, LIMITS)
    with pytest.raises(ValueError, match=r"weights"):
        data.grow_value_tree(CODES.astype(float), weights, 2, False, 0, LIMITS)


@pytest.mark.parametrize(
    "limits", [(), LIMITS[:6], (*LIMITS, 0), (-1, *LIMITS[1:]), ("a",) * 7, (None,) * 7]
)
def test_limits(data, limits):
    with pytest.raises(ValueError, match="limit"):
        data.grow_class_tree(CODES, 2, np.empty(0), 0, False, 0, limits)


@pytest.mark.parametrize("criterion", [-1, 2, 3, 4, 99])
def test_criteria(data, criterion):
    with pytest.raises(ValueError, match="criterion"):
        data.grow_class_tree(CODES, 2, np.empty(0), criterion, False, 0, LIMITS)
    with pytest.raises(ValueError, match="criterion"):
        data.grow_value_tree(
            CODES.astype(float), np.empty(0), criterion if criterion > 3 else 1, False, 0, LIMITS
        )


@pytest.mark.parametrize("marks", [[1], [1, 0, 0]])
def test_marks_of_categories(marks):
    with pytest.raises(ValueError, match="one mark for each column"):
        _core.trees.TreeData(X, 1, np.array(marks, dtype=np.uint8))


def test_rows_that_are_not_in_order():
    ones = np.ones(2, dtype=np.float32)
    none = np.zeros(0, dtype=np.uint8)
    for columns in ([1, 0], [1, 1]):
        parts = (ones, np.array(columns, dtype=np.int32), np.array([0, 2], dtype=np.int32), 2)
        with pytest.raises(ValueError, match="must rise"):
            _core.trees.TreeData(parts, 1, none)
    parts = (ones * np.nan, np.array([0, 1], dtype=np.int32), np.array([0, 2], dtype=np.int32), 2)
    with pytest.raises(ValueError, match="NaN"):
        _core.trees.TreeData(parts, 1, none)


@pytest.mark.parametrize("random", [False, True])
def test_infinite_values_end(random):
    """No threshold parts them from others, at any depth."""
    far = np.array([[0, np.inf], [1, np.inf], [np.inf, 0], [-np.inf, 1]], dtype=np.float32)
    data = _core.trees.TreeData(far, 1, np.zeros(0, dtype=np.uint8))
    limits = (2, 2**60, 2, 1, 0.0, 0.0, 0)
    nodes, *_ = data.grow_class_tree(CODES, 2, np.empty(0), 0, random, 0, limits)
    assert len(_core.trees.forest_check(nodes, np.array([0, nodes.size // 24]), 2)) == 1


@pytest.mark.parametrize("random", [False, True])
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("missing", [False, True])
def test_sets_of_categories(random, n_classes, missing):
    """A tree that asks about sets parts all categories that differ, and numbers stay in range."""
    rng = np.random.default_rng(n_classes)
    categories = rng.integers(0, 64, (400, 2)).astype(np.float32)
    codes = (categories[:, 0].astype(np.int32) * 7 + 3) % n_classes
    if missing:
        categories[rng.uniform(size=categories.shape) < 0.1] = np.nan
    data = _core.trees.TreeData(categories, 2, np.ones(2, dtype=np.uint8))
    limits = (2, 500, 2, 1, 0.0, 0.0, 0)
    nodes, _, *sums = data.grow_class_tree(
        codes.astype(np.int32), n_classes, np.empty(0), 0, random, 3, limits
    )
    begin = np.array([0, nodes.size // 24])
    assert (nodes.view(NODE)["samples"] & (1 << 30)).any()
    _core.trees.forest_check(nodes, begin, 2)
    shares = _core.trees.forest_shares(
        nodes, begin, sums[0].astype(np.int64), *sums[1:], n_classes, False, categories, 2
    )
    right = shares.argmax(axis=1) == codes
    assert right.all() if not missing else right.mean() > 0.9
    y = codes.astype(float)
    nodes, _, value, *_ = data.grow_value_tree(y, np.empty(0), 2, random, 3, limits)
    begin = np.array([0, nodes.size // 24])
    found = _core.trees.forest_values(nodes, begin, value, categories, 2)
    assert np.mean((found - y) ** 2) <= (0 if not missing else 0.1 * y.var())
