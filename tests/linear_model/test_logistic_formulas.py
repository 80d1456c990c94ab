"""The logistic loss as textbooks write it: classes +1 and -1, a summed loss, lambda."""

import numpy as np
import pytest
from scipy import optimize

from quire.linear_model import LogisticRegression, sigmoid
from quire.optimize import LogisticLoss, gradient_descent, newton

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 3))
T = np.where(X @ [1.0, -1.0, 0.0] + rng.logistic(size=80) > 0, 1, -1)


def error(w):
    """E(w) = sum_i log(1 + exp(-t_i w'x_i))."""
    return np.log1p(np.exp(-T * (X @ w))).sum()


def error_gradient(w):
    return sum(-(1 - sigmoid(t * (w @ x))) * t * x for x, t in zip(X, T, strict=True))


def error_hessian(w):
    return sum(
        sigmoid(t * (w @ x)) * (1 - sigmoid(t * (w @ x))) * np.outer(x, x)
        for x, t in zip(X, T, strict=True)
    )


def test_both_codings_are_one_loss():
    loss = LogisticLoss(X, (T + 1) // 2, fit_intercept=False)
    for w in rng.normal(size=(5, 3)):
        point = loss.at(w)  # a mean
        np.testing.assert_allclose(80 * point.value, error(w))
        np.testing.assert_allclose(80 * point.gradient, error_gradient(w))
        np.testing.assert_allclose(80 * point.hessian(), error_hessian(w))
        of_zero_and_one = (sigmoid(X @ w) - (T + 1) / 2) @ X
        np.testing.assert_allclose(error_gradient(w), of_zero_and_one)


def test_derivatives_are_those_of_differences():
    w, h = np.array([0.3, -0.7, 0.1]), 1e-5
    slopes = [(error(w + h * e) - error(w - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(error_gradient(w), slopes, atol=1e-7)
    changes = [(error_gradient(w + h * e) - error_gradient(w - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(error_hessian(w), changes, atol=1e-7)
    assert np.linalg.eigvalsh(error_hessian(w)).min() > 0  # convex


@pytest.mark.parametrize("lam", [0.01, 0.7, 10.0])
def test_c_is_half_the_inverse_of_lambda_for_squares(lam):
    model = LogisticRegression(C=1 / (2 * lam), fit_intercept=False, tol=1e-8).fit(X, T)

    def gradient(w):
        return error_gradient(w) + 2 * lam * w

    slow = gradient_descent(lambda w: error(w) + lam * w @ w, gradient, np.zeros(3), tol=1e-7)
    fast = newton(
        lambda w: error(w) + lam * w @ w,
        gradient,
        lambda w: error_hessian(w) + 2 * lam * np.eye(3),
        np.zeros(3),
    )
    np.testing.assert_allclose(model.coef_[0], slow.x, atol=1e-6)
    np.testing.assert_allclose(model.coef_[0], fast.x, atol=1e-6)


@pytest.mark.parametrize("lam", [0.1, 0.7, 5.0])
def test_c_is_the_inverse_of_lambda_for_absolute_values(lam):
    model = LogisticRegression(
        C=1 / lam, l1_ratio=1.0, solver="auto", fit_intercept=False, tol=1e-9
    ).fit(X, T)

    def both_sides(v):  # w = v[:3] - v[3:], both not negative
        w = v[:3] - v[3:]
        g = error_gradient(w)
        return error(w) + lam * v.sum(), np.concatenate([g + lam, lam - g])

    found = optimize.minimize(
        both_sides,
        np.zeros(6),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * 6,
        options={"ftol": 1e-15, "gtol": 1e-10},
    )
    np.testing.assert_allclose(model.coef_[0], found.x[:3] - found.x[3:], atol=1e-5)
