"""Means and squared deviations by class against their twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.reference.counts import class_moments as reference

from quire import _core

NONE = np.empty(0)
DTYPES = [np.float32, np.float64]
LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "columns of a larger one": lambda X: np.asfortranarray(np.vstack([X, X]))[: len(X)],
}


def make(n_rows, n_cols, n_classes, dtype=np.float64, mean=0.0, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n_rows, dtype=np.int32)
    X = rng.standard_normal((n_rows, n_cols)) + mean + 0.1 * labels[:, None]
    return X.astype(dtype), labels, rng.random(n_rows)


def assert_same_bits(ours, theirs):
    for left, right in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(left, right)


def assert_close(ours, twin, rtol=1e-12):
    (count, mean, low, ssd), (twin_count, twin_mean, twin_low, twin_ssd) = ours, twin
    np.testing.assert_allclose(count, twin_count, rtol=rtol)
    scale = np.sqrt(twin_ssd / np.where(twin_count == 0, 1, twin_count)[:, None]) + 1e-300
    error = (mean - twin_mean) + (low - twin_low)
    assert np.all(np.abs(error) <= 1e-12 * scale)  # to a share of the deviation, not of the mean
    np.testing.assert_allclose(ssd, twin_ssd, rtol=rtol)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("n_rows", "n_cols", "n_classes"),
    [(1, 1, 1), (3000, 1, 2), (1000, 7, 5), (300, 50, 3), (4000, 3, 1000), (9, 2000, 4)],
)
def test_moments(dtype, weighted, n_rows, n_cols, n_classes):
    X, labels, weights = make(n_rows, n_cols, n_classes, dtype)
    w = weights if weighted else NONE
    ours = _core.counts.dense_class_moments(X, labels, n_classes, w, 2)
    twin = reference.dense_class_moments(X, labels, n_classes, weights if weighted else None)
    assert [part.shape for part in ours] == [part.shape for part in twin]
    np.testing.assert_allclose(ours[0], twin[0], rtol=1e-13)
    np.testing.assert_allclose(ours[1], twin[1], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(ours[3], twin[3], rtol=1e-12, atol=1e-20)


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 2), st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.integers(0, 3)),
        min_size=1,
        max_size=20,
    ),
    n_threads=st.sampled_from([1, 4]),
)
def test_small_matrices(rows, n_threads):
    labels = np.array([row[0] for row in rows], np.int32)
    X = np.array([row[1:3] for row in rows])
    weights = np.array([row[3] for row in rows], np.float64)
    ours = _core.counts.dense_class_moments(X, labels, 3, weights, n_threads)
    twin = reference.dense_class_moments(X, labels, 3, weights)
    np.testing.assert_array_equal(ours[0], twin[0])
    np.testing.assert_allclose(ours[1] + ours[2], twin[1] + twin[2], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ours[3], twin[3], rtol=1e-11, atol=1e-18)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("mean", [1e8, -1e8, 1e12])
def test_a_mean_far_from_zero_costs_no_digits(mean, weighted):
    X, labels, weights = make(20_000, 3, 3, mean=mean)
    ours = _core.counts.dense_class_moments(X, labels, 3, weights if weighted else NONE, 2)
    twin = reference.dense_class_moments(X, labels, 3, weights if weighted else None)
    assert_close(ours, twin)


def test_a_first_row_far_from_the_others_costs_no_digits():
    X, labels, weights = make(20_000, 2, 2, mean=1e8)
    weights[:10], X[:10] = 1e-12, -1e8  # the first rows of both classes, which hardly count
    ours = _core.counts.dense_class_moments(X, labels, 2, weights, 2)
    assert_close(ours, reference.dense_class_moments(X, labels, 2, weights))
    weights[:10] = 0  # as if they were not there
    ours = _core.counts.dense_class_moments(X, labels, 2, weights)
    twin = reference.dense_class_moments(X[10:], labels[10:], 2, weights[10:])
    np.testing.assert_allclose(ours[3], twin[3], rtol=1e-12)


def test_equal_values_have_no_deviation():
    X = np.full((1001, 3), 0.1)
    X[:, 1], X[:, 2] = 1e300, -7.3
    labels = (np.arange(1001) % 2).astype(np.int32)
    for weights in (NONE, np.linspace(0, 1, 1001)):
        _, mean, low, ssd = _core.counts.dense_class_moments(X, labels, 2, weights)
        np.testing.assert_array_equal(mean, X[:2])
        np.testing.assert_array_equal(low, 0)
        np.testing.assert_array_equal(ssd, 0)


def test_classes_without_weight_have_zeros():
    X = np.array([[1.0], [2.0], [4.0]])
    labels = np.array([0, 2, 2], np.int32)
    count, mean, low, ssd = _core.counts.dense_class_moments(
        X, labels, 4, np.array([0.0, 1.0, 1.0])
    )
    np.testing.assert_array_equal(count, [0, 0, 2, 0])
    np.testing.assert_array_equal(mean, [[0], [0], [3], [0]])
    np.testing.assert_array_equal(low, 0)
    np.testing.assert_array_equal(ssd, [[0], [0], [2], [0]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n_cols", "n_classes"), [(1, 2), (13, 3), (90, 400), (700, 2)])
def test_same_bits_however_it_is_computed_and_stored(dtype, weighted, n_cols, n_classes):
    X, labels, weights = make(3000, n_cols, n_classes, dtype)
    w = weights if weighted else NONE
    one = _core.counts.dense_class_moments(X, labels, n_classes, w, 1)
    for n_threads in (2, 3, 8):
        assert_same_bits(_core.counts.dense_class_moments(X, labels, n_classes, w, n_threads), one)
    for level in SIMD_LEVELS:
        with simd(level):
            assert_same_bits(_core.counts.dense_class_moments(X, labels, n_classes, w, 2), one)
    for layout in LAYOUTS.values():
        moved = layout(X)
        assert_same_bits(_core.counts.dense_class_moments(moved, labels, n_classes, w, 2), one)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 500, 999])
def test_values_that_are_not_finite_show(bad, row):
    X, labels, _ = make(1000, 5, 3)
    X[row, 2] = bad
    mean, ssd = _core.counts.dense_class_moments(X, labels, 3, NONE)[1::2]
    assert not np.isfinite(mean[labels[row], 2])
    assert not np.isfinite(ssd[labels[row], 2])
    assert np.isfinite(np.delete(ssd, 2, axis=1)).all()


def test_no_rows_and_no_columns():
    nothing = np.empty(0, np.int32)
    assert (
        _core.counts.dense_class_moments(np.empty((0, 3)), nothing, 2, NONE)[1].tolist()
        == [[0] * 3] * 2
    )
    count, mean, *_ = _core.counts.dense_class_moments(
        np.empty((2, 0)), np.zeros(2, np.int32), 1, NONE
    )
    assert count.tolist() == [2]
    assert mean.shape == (1, 0)


@pytest.mark.parametrize(
    ("labels", "weights", "message"),
    [
        (np.array([0, 2], np.int32), NONE, r"label 2 is outside \[0, 2\)"),
        (np.array([-1, 0], np.int32), NONE, "label -1 is outside"),
        (np.array([0], np.int32), NONE, "labels has 1 entries for 2 rows"),
        (np.array([0, 1], np.int32), np.ones(3), "weights has 3 entries for 2 rows"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(labels, weights, message):
    with pytest.raises(ValueError, match=message):
        _core.counts.dense_class_moments(np.ones((2, 2)), labels, 2, weights)
