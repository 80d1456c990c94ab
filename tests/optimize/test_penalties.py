"""Penalties: the protocol that solvers ask for, and classes that are not ours."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from quire.optimize import (
    ElasticNetPenalty,
    LogisticLoss,
    MultinomialLoss,
    Penalty,
    SquaredLoss,
    choose_solver,
    coordinate_descent,
    gradient_descent,
    lbfgs,
    minimize,
    newton,
    newton_cg,
    newton_step,
    prox_newton,
    proximal_gradient,
)


class WeightedL1(Penalty):
    """A weight for each coefficient: some may be left alone."""

    is_separable = True

    def __init__(self, weights):
        self.weights = weights

    def value(self, w):
        return float(self.weights @ np.abs(w))

    def prox(self, w, step):
        return np.sign(w) * np.maximum(np.abs(w) - step * self.weights, 0.0)

    def least_subgradient(self, w, gradient):
        at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - self.weights, 0.0)
        return np.where(w == 0, at_zero, gradient + self.weights * np.sign(w))

    def at(self, coordinates):
        return WeightedL1(self.weights[coordinates])


class HuberL1:
    """Absolute values, rounded off at zero. It has the methods and does not derive."""

    is_smooth, is_separable = True, True

    def __init__(self, l1, width):
        self.l1, self.width = l1, width

    def value(self, w):
        inside = np.abs(w) <= self.width
        parts = np.where(inside, w**2 / (2 * self.width), np.abs(w) - self.width / 2)
        return float(self.l1 * parts.sum())

    def prox(self, w, step):
        by = step * self.l1
        return np.where(
            np.abs(w) <= self.width + by, w / (1 + by / self.width), w - by * np.sign(w)
        )

    def smooth_gradient(self, w):
        return self.l1 * np.clip(w / self.width, -1, 1)

    def smooth_curvature(self, w):
        return np.where(np.abs(w) <= self.width, self.l1 / self.width, 0.0)

    def least_subgradient(self, w, gradient):
        return gradient + self.smooth_gradient(w)

    def at(self, coordinates):
        return self

    def elastic_net(self):
        return None

    def conjugate(self, z):
        return np.inf

    def dual_scale(self, z):
        return 1.0


class GroupLasso(Penalty):
    """Norms of pairs of coefficients: not a sum over single ones."""

    def __init__(self, strength):
        self.strength = strength

    def value(self, w):
        return float(self.strength * np.linalg.norm(w.reshape(-1, 2), axis=1).sum())

    def prox(self, w, step):
        pairs = w.reshape(-1, 2)
        sizes = np.linalg.norm(pairs, axis=1, keepdims=True)
        kept = np.maximum(1 - step * self.strength / np.maximum(sizes, 1e-300), 0.0)
        return (kept * pairs).ravel()

    def least_subgradient(self, w, gradient):
        pairs, slopes = w.reshape(-1, 2), gradient.reshape(-1, 2)
        sizes = np.linalg.norm(pairs, axis=1, keepdims=True)
        steepness = np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True), 1e-300)
        at_zero = slopes * np.maximum(1 - self.strength / steepness, 0.0)
        elsewhere = slopes + self.strength * pairs / np.where(sizes > 0, sizes, 1.0)
        return np.where(sizes == 0, at_zero, elsewhere).ravel()


def make(kind=LogisticLoss, n=120, p=8):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.7)
    latent = X @ (rng.normal(size=p) * (np.arange(p) % 2)) + rng.logistic(size=n)
    if kind is SquaredLoss:
        return SquaredLoss(X, latent)
    return kind(X, np.digitize(latent, [0.0] if kind is LogisticLoss else [-1.0, 1.0]))


WEIGHTS = np.array([0.1, 0.05, 0.1, 0.05, 0.1, 0.0, 0.1, 0.05])
PENALTIES = [
    ElasticNetPenalty(l1=0.3, l2=0.2),
    WeightedL1(WEIGHTS),
    HuberL1(0.1, 0.2),
    GroupLasso(0.3),
]


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda penalty: type(penalty).__name__)
def test_prox_is_the_minimum_that_it_is_defined_by(penalty):
    rng = np.random.default_rng(1)
    w, step = rng.normal(size=8), 0.7
    v = penalty.prox(w, step)

    def objective(u):
        return penalty.value(u) + ((u - w) ** 2).sum() / (2 * step)

    for direction in rng.normal(size=(20, 8)):
        best = minimize_scalar(lambda t, d=direction: objective(v + t * d)).fun
        assert objective(v) <= best + 1e-9
    assert np.abs(penalty.least_subgradient(v, (v - w) / step)).max() < 1e-12


@pytest.mark.parametrize("kind", [SquaredLoss, LogisticLoss])
def test_all_solvers_reach_one_optimum_with_a_penalty_that_is_not_ours(kind):
    loss, penalty = make(kind), WeightedL1(WEIGHTS)
    assert choose_solver(loss, penalty) == "prox_newton"
    best = proximal_gradient(loss, penalty, tol=1e-10)
    assert best.converged
    zeros = best.x[:-1] == 0
    assert 0 < zeros.sum() < 8
    assert not zeros[5]  # it has no weight
    for solver in (prox_newton, coordinate_descent):
        result = solver(loss, penalty, tol=1e-8)
        assert result.converged, result.message
        assert result.gap is None
        np.testing.assert_allclose(result.x, best.x, atol=1e-6)
        np.testing.assert_array_equal(result.x[:-1] == 0, zeros)
    with pytest.raises(ValueError, match="has kinks"):
        newton(loss, penalty)


@pytest.mark.parametrize("kind", [SquaredLoss, LogisticLoss, MultinomialLoss])
def test_smooth_penalties_need_not_derive_from_ours(kind):
    loss, penalty = make(kind), HuberL1(0.1, 0.2)
    best = minimize(loss, penalty, "lbfgs", tol=1e-9)
    solvers = [gradient_descent, newton, newton_cg, lbfgs, proximal_gradient, prox_newton]
    if kind is not MultinomialLoss:
        solvers += [coordinate_descent]
    for solver in solvers:
        result = solver(loss, penalty, tol=1e-7)
        assert result.converged, (solver, result.message)
        assert result.value == pytest.approx(best.value, rel=1e-9)
    assert np.abs(newton_step(loss, best.x, penalty)).max() < 1e-6


def test_penalties_of_groups_are_for_proximal_gradients():
    loss, penalty = make(), GroupLasso(0.1)
    result = minimize(loss, penalty, tol=1e-9)
    assert result.trace.solver == "proximal_gradient"
    assert result.converged
    pairs = result.x[:-1].reshape(-1, 2)
    assert ((pairs == 0).all(axis=1) == (pairs == 0).any(axis=1)).all()
    assert (pairs == 0).any()
    with pytest.raises(ValueError, match="not a sum over coefficients"):
        coordinate_descent(loss, penalty)
    with pytest.raises(ValueError, match="needs a sum over coefficients"):
        prox_newton(loss, penalty)


def test_weights_that_are_all_the_same_are_the_lasso():
    loss = make()
    lasso = minimize(loss, ElasticNetPenalty(l1=0.05), tol=1e-9)
    weighted = minimize(loss, WeightedL1(np.full(8, 0.05)), tol=1e-9)
    assert lasso.trace.solver == weighted.trace.solver == "prox_newton"
    np.testing.assert_allclose(weighted.x, lasso.x, atol=1e-7)
