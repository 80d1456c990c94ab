"""The kernels of k-means against NumPy, for every instruction set and number of threads."""

import numpy as np
import pytest
from scipy import sparse
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.reference.cluster import kmeans as reference

from quire import _core

FREE = -np.inf  # no slack: every row is looked at


def make(n_rows=300, n_cols=40, n_clusters=7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_cols)) * (rng.random((n_rows, n_cols)) < 0.3)
    sums = rng.normal(size=(n_clusters, n_cols))
    return X, sums, rng.uniform(0.2, 2.0, n_clusters)


def kernels(X, kind):
    """X as the kernels take it, and the three of them."""
    if kind == "dense":
        return X, (
            _core.cluster.dense_kmeans_assign,
            _core.cluster.dense_kmeans_update,
            _core.cluster.dense_kmeans_distances,
        )
    return sparse.csr_array(X), (
        _core.cluster.csr_kmeans_assign,
        _core.cluster.csr_kmeans_update,
        _core.cluster.csr_kmeans_distances,
    )


def assign(X, sums, factor, kind="dense", *, operand=True, scale=1.0, n_threads=1, slack=FREE):
    rows, (kernel, _, _) = kernels(X, kind)
    norms = ((factor[:, None] * sums) ** 2).sum(axis=1)
    turned = (
        _core.cluster.kmeans_operand(sums, scale) if operand else np.empty((0, 0), dtype=np.float32)
    )
    labels, slacks = np.zeros(len(X), dtype=np.int32), np.full(len(X), slack)
    lengths, drift = np.linalg.norm(X.astype(np.float64), axis=1), np.zeros(len(sums))
    kernel(rows, lengths, sums, factor, norms, turned, scale, drift, labels, slacks, n_threads)
    return labels, slacks


@pytest.mark.parametrize("n_clusters", [1, 5, 16, 17, 40, 100, 130])
def test_operand(n_clusters):
    sums = np.random.default_rng(1).normal(size=(n_clusters, 300))
    for n_threads in (1, 3):
        found = _core.cluster.kmeans_operand(sums, 0.5, n_threads)
        np.testing.assert_array_equal(found, reference.kmeans_operand(sums, 0.5))


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("values", [np.float32, np.float64])
@pytest.mark.parametrize("n_clusters", [1, 2, 15, 16, 33, 64, 65, 112, 129, 260])
def test_assign_at_every_width_and_instruction_set(n_clusters, values, kind):
    X, sums, factor = make(n_clusters=n_clusters)
    X = X.astype(values)
    twin = reference.dense_kmeans_assign(X.astype(np.float64), sums, factor)
    found = []
    for level in SIMD_LEVELS:
        with simd(level):
            found.append(assign(X, sums, factor, kind))
    for labels, slack in found:
        np.testing.assert_array_equal(labels, twin)
        if kind == "csr":
            np.testing.assert_array_equal(slack, found[0][1])
    if kind == "dense" and n_clusters > 1:  # its products may be fused; the slack is but a bound
        truth = reference.kmeans_slack(X.astype(np.float64), sums, factor)
        for _, slack in found:
            assert np.all(slack <= truth + 1e-12)
            np.testing.assert_allclose(slack, truth, atol=1e-4)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_slack_is_below_the_true_one_and_close_to_it(kind):
    X, sums, factor = make(n_clusters=20)
    truth = reference.kmeans_slack(X, sums, factor)
    _, slack = assign(X, sums, factor, kind)
    assert np.all(slack <= truth + 1e-12)
    np.testing.assert_allclose(slack, truth, atol=1e-4)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_rows_with_slack_are_left_alone(kind):
    X, sums, factor = make()
    labels, slack = assign(X, sums, factor, kind, slack=1.0)
    assert not labels.any()
    np.testing.assert_array_equal(slack, 1.0)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_double_precision_decides_where_single_cannot(kind):
    X, sums, _ = make(n_clusters=1)
    near = np.repeat(sums, 40, axis=0)
    near[:, 0] = (
        1 + np.random.default_rng(3).permutation(40) * 1e-10
    )  # the same in single precision
    one = np.ones(40)
    assert len(np.unique(near.astype(np.float32), axis=0)) == 1
    labels, _ = assign(X, near, one, kind)
    np.testing.assert_array_equal(labels, assign(X, near, one, kind, operand=False)[0])
    distances = (near**2).sum(axis=1) - 2 * X @ near.T
    chosen = distances[np.arange(len(X)), labels]
    np.testing.assert_allclose(chosen, distances.min(axis=1), rtol=0, atol=1e-12)
    assert len(np.unique(labels)) > 1


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_equal_centres_go_to_the_first(kind):
    X, sums, factor = make(n_clusters=4)
    labels, _ = assign(X, np.vstack([sums, sums]), np.concatenate([factor, factor]), kind)
    np.testing.assert_array_equal(labels, reference.dense_kmeans_assign(X, sums, factor))


@pytest.mark.parametrize("size", [1e-150, 1e-30, 1e30, 1e140])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_sizes_beyond_single_precision(kind, size):
    X, sums, factor = make()
    twin = reference.dense_kmeans_assign(X, sums, factor)
    scale = 2.0 ** -round(np.log2(size))
    labels, _ = assign(X * size, sums * size, factor, kind, scale=scale)
    np.testing.assert_array_equal(labels, twin)
    labels, _ = assign(X * size, sums * size * 1e18, factor / 1e18, kind, scale=scale)
    np.testing.assert_array_equal(labels, twin)


@pytest.mark.parametrize("cosine", [False, True])
@pytest.mark.parametrize("values", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_update_and_distances(kind, values, cosine):
    X, sums, _ = make(2000, 30, 20)
    X = X.astype(values)
    exact = X.astype(np.float64)
    rng = np.random.default_rng(2)
    weights, n = rng.uniform(0.5, 2, len(X)), len(sums)
    before = np.empty(0, dtype=np.int32)
    labels = rng.integers(0, n, len(X), dtype=np.int32)
    factor, norms, scale = np.ones(n), (sums**2).sum(axis=1), 0.25
    operand = _core.cluster.kmeans_operand(sums, scale)
    rows, (_, update, distances) = kernels(X, kind)
    for step in range(4):
        old = factor[:, None] * sums
        totals = np.bincount(labels, weights, minlength=n)
        rebuild = np.full(n, step == 2, dtype=np.uint8)
        fixed = (weights, before, labels, rebuild, totals, cosine, scale)
        shift = update(rows, *fixed, sums, factor, norms, operand, 1 + step)
        twin = reference.dense_kmeans_update(exact, weights, labels, n, cosine)
        for ours, theirs in zip((sums, factor, norms), twin, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
        moved = np.linalg.norm(factor[:, None] * sums - old, axis=1)
        np.testing.assert_allclose(shift, moved, rtol=1e-9, atol=1e-14)
        np.testing.assert_array_equal(operand, reference.kmeans_operand(sums, scale))
        np.testing.assert_allclose(
            distances(rows, sums, factor, norms, labels, 2),
            reference.dense_kmeans_distances(exact, sums, factor, labels),
            rtol=1e-9,
        )
        before = labels.copy()
        moves = rng.random(len(X)) < 0.02  # some clusters change by few rows
        labels[moves] = rng.integers(0, 3, moves.sum())


@pytest.mark.parametrize("values", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("n_rows", "n_cols", "n_candidates"), [(1, 1, 1), (2050, 40, 6), (999, 17, 8), (1026, 5, 19)]
)
def test_candidates_have_the_same_bits_on_every_machine(n_rows, n_cols, n_candidates, values):
    X, _, _ = make(n_rows, n_cols)
    X = X.astype(values)
    exact = X.astype(np.float64)
    rng = np.random.default_rng(4)
    weights, closest = rng.uniform(0.5, 2, n_rows), rng.uniform(0, 2 * n_cols, n_rows)
    chosen = rng.integers(0, n_rows, n_candidates)
    squares = (exact**2).sum(axis=1)
    twin = reference.dense_kmeans_candidates(exact, weights, closest, chosen)
    found = []
    for level in SIMD_LEVELS:
        for n_threads in (1, 3):
            with simd(level):
                found.append(
                    _core.cluster.dense_kmeans_candidates(
                        X, squares, weights, closest, chosen, n_threads
                    )
                )
    for result in found:
        for ours, theirs, first in zip(result, twin, found[0], strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-11)
            np.testing.assert_array_equal(ours, first)


def test_a_cluster_without_weight_has_no_sum():
    X, _, _ = make(50, 8, 3)
    weights = np.full(50, 0.1)
    before = np.repeat(np.arange(3), [1, 20, 29]).astype(np.int32)
    labels = before.copy()
    labels[0] = 2
    sums, factor, norms = reference.dense_kmeans_update(X, weights, before, 3, False)
    totals = np.bincount(labels, weights, minlength=3)
    fixed = (weights, before, labels, np.zeros(3, dtype=np.uint8), totals, False, 1.0)
    _core.cluster.dense_kmeans_update(X, *fixed, sums, factor, norms, np.empty((0, 0), np.float32))
    assert not sums[0].any()
    assert factor[0] == norms[0] == 0


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_same_bits_at_any_number_of_threads(kind):
    X, sums, factor = make(3000, 50, 30)
    labels, slack = assign(X, sums, factor, kind)
    rows, (_, update, _) = kernels(X, kind)
    results = []
    for n_threads in (1, 2, 3, 8):
        again = assign(X, sums, factor, kind, n_threads=n_threads)
        np.testing.assert_array_equal(again, (labels, slack))
        state = [sums.copy(), factor.copy(), np.ones(30), _core.cluster.kmeans_operand(sums, 1.0)]
        totals = np.bincount(labels, minlength=30).astype(np.float64)
        none, rebuild = np.empty(0, dtype=np.int32), np.zeros(30, dtype=np.uint8)
        fixed = (np.ones(3000), none, labels, rebuild, totals, False, 1.0)
        results.append([update(rows, *fixed, *state, n_threads), *state])
    for result in results[1:]:
        for one, other in zip(results[0], result, strict=True):
            np.testing.assert_array_equal(other, one)


def test_what_does_not_fit_is_refused():
    X, sums, factor = make()
    with pytest.raises(ValueError, match="n_clusters x n_cols"):
        assign(X[:, :-1].copy(), sums, factor)
    with pytest.raises(ValueError, match="stored by rows"):
        assign(np.asfortranarray(X), sums, factor)
    rows, (_, _, distances) = kernels(X, "csr")
    wrong = np.full(len(X), 7, dtype=np.int32)
    with pytest.raises(ValueError, match="labels must be in"):
        distances(rows, sums, factor, factor, wrong)
    with pytest.raises(TypeError):  # a copy would be changed in place of the array
        distances(rows, sums, factor, factor, wrong.astype(np.int64))
    by_row, row = np.ones(len(X)), np.zeros(1, dtype=np.int64)
    with pytest.raises(ValueError, match="numbers of rows"):
        _core.cluster.dense_kmeans_candidates(X, by_row, by_row, by_row, row - 1)
    with pytest.raises(ValueError, match="n_rows entries"):
        _core.cluster.dense_kmeans_candidates(X, by_row, by_row, by_row[1:].copy(), row)
