"""The E step against NumPy, for every instruction set, number of threads and guess."""

import numpy as np
import pytest
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.reference.cluster import responsibilities as reference

from quire import _core


def make(n_rows, n_cols, n_components, spread=1.0, upper=True, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_cols))
    means = spread * rng.normal(size=(n_components, n_cols))
    factors = rng.normal(size=(n_components, n_cols, n_cols)) / np.sqrt(n_cols)
    offsets = rng.normal(size=n_components)
    return X, means, np.triu(factors) if upper else factors, offsets


def guess(n_rows, n_components, seed=0):
    return np.random.default_rng(seed).integers(0, n_components, n_rows).astype(np.int32)


def call(X, means, factors, offsets, upper=True, least=-80.0, likely=None, n_threads=1):
    likely = guess(len(X), len(offsets)) if likely is None else likely
    return _core.cluster.dense_responsibilities(
        X, means, factors.ravel(), offsets, upper, least, likely, n_threads
    )


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("values", [np.float32, np.float64])
@pytest.mark.parametrize("n_cols", [1, 7, 8, 9, 15, 16, 17, 33, 40, 41, 47, 70])
@pytest.mark.parametrize("spread", [1.0, 20.0])
def test_every_width_and_instruction_set(n_cols, values, upper, spread):
    X, *mixture = make(29, n_cols, 5, spread, upper)
    X = X.astype(values)
    twin = reference.dense_responsibilities(X.astype(np.float64), *mixture, -80.0)
    found = []
    for level in SIMD_LEVELS:
        with simd(level):
            found.append(call(X, *mixture, upper))
    for ours, theirs in zip(found[0], twin, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-11)
    for other in found[1:]:
        for ours, theirs in zip(other, found[0], strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("n_rows", [1, 5, 6, 7, 191, 192, 193, 800])
def test_threads_and_guesses_change_no_bit(n_rows):
    X, *mixture = make(n_rows, 30, 4, 3.0)
    one = call(X, *mixture)
    shares = one[0]
    assert 0 < np.isneginf(shares).sum() < shares.size or n_rows == 1
    for n_threads in (2, 3, 8):
        for seed in (1, 2):
            likely = guess(n_rows, 4, seed)
            other = call(X, *mixture, likely=likely, n_threads=n_threads)
            np.testing.assert_array_equal(other[0], shares)
            np.testing.assert_array_equal(other[1], one[1])
            np.testing.assert_array_equal(likely, shares.argmax(axis=1))


def test_without_a_least_share_nothing_is_left_out():
    X, *mixture = make(100, 20, 6, 30.0)
    shares, norms = call(X, *mixture, least=-np.inf)
    twin, twin_norms = reference.dense_responsibilities(X, *mixture, -np.inf)
    assert twin.min() < -1000
    np.testing.assert_allclose(shares, twin, rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(norms, twin_norms, rtol=1e-11)


def test_below_the_diagonal_nothing_is_read():
    X, means, factors, offsets = make(30, 20, 3)
    other = factors + np.tril(np.full((20, 20), np.nan), -1)
    for ours, theirs in zip(
        call(X, means, other, offsets), call(X, means, factors, offsets), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_components_without_weight_and_rows_without_density():
    X, means, factors, offsets = make(20, 5, 3)
    offsets[1] = -np.inf
    shares, norms = call(X, means, factors, offsets, likely=np.ones(20, dtype=np.int32))
    assert np.isneginf(shares[:, 1]).all()
    np.testing.assert_allclose(np.exp(shares).sum(axis=1), 1)
    shares, norms = call(X, means, factors, np.full(3, -np.inf))
    assert np.isneginf(norms).all()
    assert np.isnan(shares).all()


@pytest.mark.parametrize("n_rows", [0, 1, 193, 1000])
def test_from_densities(n_rows):
    rng = np.random.default_rng(0)
    logs, offsets = 100 * rng.normal(size=(n_rows, 7)), rng.normal(size=7)
    twin, twin_norms = reference.log_responsibilities(offsets, logs)
    found = []
    for level in SIMD_LEVELS:
        for n_threads in (1, 3):
            with simd(level):
                shares = logs.copy()
                found.append(
                    (_core.cluster.log_responsibilities(offsets, shares, n_threads), shares)
                )
    for norms, shares in found:
        np.testing.assert_allclose(norms, twin_norms, rtol=1e-13)
        np.testing.assert_allclose(shares, twin, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(norms, found[0][0])
        np.testing.assert_array_equal(shares, found[0][1])


def test_no_rows_and_sizes_that_do_not_fit():
    X, means, factors, offsets = make(5, 4, 2)
    shares, norms = call(X[:0], means, factors, offsets)
    assert shares.shape == (0, 2)
    assert norms.shape == (0,)
    with pytest.raises(ValueError, match="fit each other"):
        call(X, means, factors.ravel()[1:], offsets)
    with pytest.raises(ValueError, match="stored by rows"):
        call(np.asfortranarray(X), means, factors, offsets)
    for wrong in (-1, 2):
        with pytest.raises(ValueError, match="numbers of components"):
            call(X, means, factors, offsets, likely=np.full(5, wrong, dtype=np.int32))
    with pytest.raises(ValueError, match="fit each other"):
        _core.cluster.log_responsibilities(np.zeros(3), np.zeros((5, 2)))
