"""Kernels of logistic regression against NumPy and against finite differences."""

import numpy as np
import pytest
from scipy import sparse
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.reference.linear import logistic as reference

from quire import _core

NONE = np.empty(0)
NO_DIRECTION = np.empty((0, 1))


def problem(n=60, p=30, width=5, seed=0, values=np.float64, index=np.int32, weighted=True):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.3)).astype(values)
    X[:, p // 2] = 0
    X[n // 2] = 0
    codes = rng.integers(0, max(width, 2), n).astype(np.int32)
    weights = rng.random(n) * (rng.random(n) < 0.9) if weighted else NONE
    return X, codes, weights, rng.normal(size=(p + 1, width)), rng


def arrays(X, index=np.int32):
    X = sparse.csr_array(X)
    return X.data, X.indices.astype(index), X.indptr.astype(index), X.shape[1]


@pytest.mark.parametrize("width", [1, 2, 3, 20])
@pytest.mark.parametrize("weighted", [True, False])
def test_losses_and_states(width, weighted):
    _, codes, weights, _, rng = problem(n=1500, width=width, weighted=weighted)
    Z, D = rng.normal(size=(2, 1500, width)) * 5
    for n_threads in (1, 4):
        loss = _core.linear.logistic_loss(Z, codes, weights, D, 0.3, n_threads)
        assert loss == pytest.approx(reference.logistic_loss(Z, codes, weights, D, 0.3), rel=1e-12)
        for single, rtol in ((False, 1e-12), (True, 1e-6)):
            ours = _core.linear.logistic_state(Z, codes, weights, single, n_threads)
            twin = reference.logistic_state(Z, codes, weights)
            assert ours[0] == pytest.approx(twin[0], rel=1e-12)
            np.testing.assert_allclose(ours[1], twin[1], rtol=1e-10, atol=1e-14)
            np.testing.assert_allclose(ours[2], twin[2], rtol=rtol, atol=1e-14)


def test_small_losses_keep_their_digits():
    Z = np.array([[60.0], [-800.0]])
    codes = np.array([1, 1], dtype=np.int32)
    loss, residuals, curvature = _core.linear.logistic_state(Z, codes, NONE, False)
    assert loss == 800 + np.exp(-60)
    assert residuals[0, 0] == pytest.approx(-np.exp(-60))
    assert curvature[1, 0] == 0
    only = _core.linear.logistic_loss(Z[:1], codes[:1], NONE, NO_DIRECTION, 0.0)
    assert only == pytest.approx(np.exp(-60), rel=1e-14)
    softmax = _core.linear.logistic_loss(
        np.array([[50.0, 0.0, 0.0]]), codes[:1] * 0, NONE, NO_DIRECTION, 0
    )
    assert softmax == pytest.approx(2 * np.exp(-50), rel=1e-14)


@pytest.mark.parametrize("level", SIMD_LEVELS)
def test_exponentials_of_any_size_at_every_level(level):
    # Softmax of (0, z, z): probabilities from 1/3 down to those that are no longer there.
    z = -np.concatenate([np.linspace(0, 2, 501), np.linspace(2, 740, 5001), [1e4]])
    Z = np.column_stack([np.zeros_like(z), z, z])
    codes = np.zeros(len(z), dtype=np.int32)
    with simd(level):
        _, _, probabilities = _core.linear.logistic_state(Z, codes, NONE, False)
    expected = np.exp(z) / (1 + 2 * np.exp(z))
    normal = z >= -708
    np.testing.assert_allclose(probabilities[normal, 1], expected[normal], rtol=2e-15)
    assert (probabilities[~normal, 1] == 0).all()


@pytest.mark.parametrize("width", [1, 4])
def test_residuals_are_the_derivative_of_the_loss(width):
    _, codes, weights, _, rng = problem(n=8, width=width)
    Z = rng.normal(size=(8, width))
    _, residuals, _ = _core.linear.logistic_state(Z, codes, weights, False)
    for i, k in np.ndindex(Z.shape):
        E = np.zeros_like(Z)
        E[i, k] = 1
        up, down = (_core.linear.logistic_loss(Z, codes, weights, E, h) for h in (1e-5, -1e-5))
        assert residuals[i, k] == pytest.approx((up - down) / 2e-5, abs=1e-8)


def squares(X):
    return (X.astype(np.float64) ** 2).sum(axis=0)


def no_head(arguments):
    curvature = arguments[2]
    return np.empty((len(curvature), 0), dtype=curvature.dtype)


def hessian_arguments(X, Z, codes, weights, single=False, index=np.int32, l2=0.5):
    curvature = _core.linear.logistic_state(Z, codes, weights, single)[2]
    return arrays(X, index), arrays(X.T, index), curvature, weights, l2, 0.25


@pytest.mark.parametrize("width", [1, 3])
def test_hessian_product_is_the_derivative_of_the_gradient(width):
    X, codes, weights, W, rng = problem(n=20, p=7, width=width)
    V = rng.normal(size=W.shape)

    def gradient(W):
        residuals = _core.linear.logistic_state(X @ W[:-1] + W[-1], codes, weights, False)[1]
        return np.vstack([X.T @ residuals + 0.5 * W[:-1], residuals.sum(0) + 0.25 * W[-1]])

    arguments = hessian_arguments(X, X @ W[:-1] + W[-1], codes, weights)
    product = _core.linear.logistic_hessian_product(*arguments, True, no_head(arguments), V)
    numeric = (gradient(W + 1e-5 * V) - gradient(W - 1e-5 * V)) / 2e-5
    np.testing.assert_allclose(product, numeric, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("width", [1, 2, 3, 4, 7, 12, 20, 28, 31, 33, 70])
@pytest.mark.parametrize("intercept", [True, False])
def test_hessian_products_of_every_width(width, intercept):
    X, codes, weights, W, rng = problem(n=90, p=40, width=width)
    V, Z = rng.normal(size=W.shape), rng.normal(size=(90, width))
    arguments = hessian_arguments(X, Z, codes, weights)
    twin = reference.logistic_hessian_product(X, *arguments[2:], intercept, V)
    results, head = [], no_head(arguments)
    for level in SIMD_LEVELS:
        with simd(level):
            results.append(_core.linear.logistic_hessian_product(*arguments, intercept, head, V))
    np.testing.assert_allclose(results[0], twin, rtol=1e-10, atol=1e-12)
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
    rough = hessian_arguments(X, Z, codes, weights, single=True)
    single = _core.linear.logistic_hessian_product(*rough, intercept, no_head(rough), V)
    np.testing.assert_allclose(single, twin, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("values", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_newton_directions_solve_the_system(width, values, index):
    X, codes, weights, G, rng = problem(width=width, values=values)
    Z = rng.normal(size=(60, width))
    arguments = hessian_arguments(X, Z, codes, weights, index=index)
    d, scores, n_products, residual, slope = _core.linear.logistic_newton(
        *arguments, True, squares(X), no_head(arguments), G, 1e-10, 0.0, 500
    )
    assert 0 < n_products < 200
    assert residual <= 1e-10
    assert slope == pytest.approx((G * d).sum())
    twin = reference.logistic_hessian_product(X.astype(float), *arguments[2:], True, d)
    np.testing.assert_allclose(twin, -G, rtol=1e-5, atol=1e-7)
    twin = reference.logistic_newton(X.astype(float), *arguments[2:], True, G)
    np.testing.assert_allclose(d, twin, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(scores, X @ d[:-1] + d[-1], rtol=1e-6, atol=1e-9)
    few = _core.linear.logistic_newton(
        *arguments, True, squares(X), no_head(arguments), G, 1e-10, 0.0, 2
    )
    assert few[2] == 2


@pytest.mark.parametrize("width", [1, 3])
def test_newton_directions_end_where_the_gradient_would_be_small(width):
    X, codes, weights, G, rng = problem(width=width)
    arguments = hessian_arguments(X, rng.normal(size=(60, width)), codes, weights)
    largest = 0.1 * np.abs(G).max()

    def left(max_products):
        d, _, n_products, *_ = _core.linear.logistic_newton(
            *arguments, True, squares(X), no_head(arguments), G, 0.0, largest, max_products
        )
        Hd = reference.logistic_hessian_product(X.astype(float), *arguments[2:], True, d)
        return np.abs(G + Hd).max(), n_products

    size, n_products = left(500)
    assert size <= largest * (1 + 1e-9)
    assert left(n_products - 1)[0] > largest


@pytest.mark.parametrize("width", [1, 2, 3, 20, 33])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("values", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_gradients_of_every_width(width, intercept, values, index):
    X, _, _, W, rng = problem(n=90, p=40, width=width, values=values)
    residuals = rng.normal(size=(90, width))
    twin, largest, square = reference.logistic_gradient(
        X.astype(float), residuals, W, 0.5, 0.25, intercept
    )
    gradient, columns = _core.linear.logistic_gradient, arrays(X.T, index)
    results = []
    for level in SIMD_LEVELS:
        with simd(level):
            for n_threads in (1, 4):
                results.append(
                    gradient(columns, residuals, W, 0.5, 0.25, intercept, False, n_threads)
                )
    np.testing.assert_allclose(results[0][0], twin, rtol=1e-12, atol=1e-12)
    assert results[0][1:] == pytest.approx((largest, square))
    for result in results[1:]:
        np.testing.assert_array_equal(result[0], results[0][0])
        assert result[1:] == results[0][1:]
    rough = gradient(columns, residuals, W, 0.5, 0.25, intercept, True)
    np.testing.assert_allclose(rough[0], twin, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="weights and gradient must have"):
        gradient(columns, residuals, W[1:], 0.5, 0.25, intercept, False)
    with pytest.raises(ValueError, match="residuals must have"):
        gradient(columns, residuals[1:], W, 0.5, 0.25, intercept, False)


@pytest.mark.parametrize("width", [1, 6])
def test_same_bits_at_any_number_of_threads(width):
    X, codes, weights, G, rng = problem(n=1200, p=300, width=width)
    Z = rng.normal(size=(1200, width))
    for single in (False, True):
        arguments = hessian_arguments(X, Z, codes, weights, single=single)
        one = _core.linear.logistic_newton(
            *arguments, True, squares(X), no_head(arguments), G, 1e-3, 0.0, 50, 1
        )
        for n_threads in (2, 4):
            many = _core.linear.logistic_newton(
                *arguments, True, squares(X), no_head(arguments), G, 1e-3, 0.0, 50, n_threads
            )
            for which in (0, 1):
                np.testing.assert_array_equal(many[which], one[which])
            assert many[2:] == one[2:]
    one, many = (_core.linear.logistic_state(Z, codes, weights, False, n) for n in (1, 4))
    assert one[0] == many[0]


def test_frequent_columns_may_be_dense():
    X, codes, weights, V, rng = problem(n=90, p=40, width=1, values=np.float32)
    X[:, :20] = rng.normal(size=(90, 20)) * (rng.random((90, 20)) < 0.6)
    X[:, 20:] *= rng.random((90, 20)) < 0.3
    arguments = hessian_arguments(X, rng.normal(size=(90, 1)), codes, weights, single=True)
    order, head, *tail = _core.sparse.csr_frequent_first(arrays(X))
    assert head.shape == (90, 16)
    backward = np.empty(40, dtype=np.intp)
    backward[order] = np.arange(40)
    split = ((*tail, 40), (*tail, 0), *arguments[2:])
    V_order = np.vstack([V[order], V[-1:]])
    whole = _core.linear.logistic_hessian_product(*arguments, True, no_head(arguments), V)
    parts = _core.linear.logistic_hessian_product(*split, True, head, V_order)
    np.testing.assert_allclose(parts[:-1][backward], whole[:-1], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(parts[-1], whole[-1], rtol=1e-4)
    whole = _core.linear.logistic_newton(
        *arguments, True, squares(X), no_head(arguments), V, 1e-4, 0.0, 99
    )
    parts = _core.linear.logistic_newton(
        *split, True, squares(X)[order], head, V_order, 1e-4, 0.0, 99, 2
    )
    np.testing.assert_allclose(parts[0][:-1][backward], whole[0][:-1], rtol=1e-2, atol=1e-3)
    with pytest.raises(ValueError, match="multiple of eight"):
        _core.linear.logistic_hessian_product(
            *split, True, np.ascontiguousarray(head[:, :7]), V_order
        )
    with pytest.raises(ValueError, match="head must have n_rows"):
        _core.linear.logistic_hessian_product(*split, True, head[:-1], V_order)


def test_what_does_not_fit_is_refused():
    X, codes, weights, G, rng = problem(width=3)
    Z = rng.normal(size=(60, 3))
    with pytest.raises(ValueError, match="class is out of range"):
        _core.linear.logistic_loss(Z, codes + 1, weights, NO_DIRECTION, 0.0)
    with pytest.raises(ValueError, match="weights must have"):
        _core.linear.logistic_loss(Z, codes, np.ones(3), NO_DIRECTION, 0.0)
    with pytest.raises(ValueError, match="scores must have"):
        _core.linear.logistic_state(Z[:3], codes, weights, False)
    arguments = hessian_arguments(X, Z, codes, weights)
    with pytest.raises(ValueError, match="vectors must have"):
        _core.linear.logistic_newton(
            *arguments, True, squares(X), no_head(arguments), G[:-1], 0.1, 0.0, 5
        )
    X, codes, weights, G, rng = problem(width=1)
    arguments = hessian_arguments(X, rng.normal(size=(60, 1)), codes, weights)
    with pytest.raises(ValueError, match="squares must have n_cols entries"):
        _core.linear.logistic_newton(
            *arguments, True, np.ones(3), no_head(arguments), G, 0.1, 0.0, 5
        )
