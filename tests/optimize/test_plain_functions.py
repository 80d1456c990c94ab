"""Descent on plain functions, and the steps that solvers keep."""

import numpy as np
import pytest

from quire.optimize import (
    DescentStep,
    ElasticNetPenalty,
    LogisticLoss,
    coordinate_descent,
    gradient_descent,
    lbfgs,
    minimize,
    newton,
    newton_cg,
    prox_newton,
    proximal_gradient,
)

STEEPNESS = np.array([1.0, 4.0])


def bowl(x):
    return STEEPNESS @ x**2 / 2


def bowl_gradient(x):
    return STEEPNESS * x


def bowl_hessian(x):
    return np.diag(STEEPNESS)


def valley(x):
    """Rosenbrock's function, whose minimum is 0 at (1, 1)."""
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def valley_gradient(x):
    across = x[1] - x[0] ** 2
    return np.array([-2 * (1 - x[0]) - 400 * x[0] * across, 200 * across])


def valley_hessian(x):
    corner = -400 * x[0]
    return np.array([[2 - 400 * (x[1] - 3 * x[0] ** 2), corner], [corner, 200.0]])


def test_descent_follows_the_rule_that_is_written_down():
    """By hand: try twice the last step (1 at first), halve until Armijo's rule holds, step."""
    result = gradient_descent(bowl, bowl_gradient, [4.0, 1.0], keep_steps=True, tol=1e-3)
    x, last = np.array([4.0, 1.0]), 0.5
    for number, step in enumerate(result.steps):
        np.testing.assert_array_equal(step.point, x)
        assert step.value == bowl(x)
        g = bowl_gradient(x)
        np.testing.assert_allclose(step.gradient_norm, np.linalg.norm(g), rtol=1e-12)
        assert np.isnan(step.step_size) if number == 0 else step.step_size == last
        if np.linalg.norm(g) <= 1e-3:
            break
        last *= 2
        while bowl(x - last * g) > bowl(x) - 1e-4 * last * g @ g:
            last /= 2
        x = x - last * g
    assert number == result.n_iter == len(result.steps) - 1
    assert result.converged
    assert result.gradient_norm <= 1e-3


def test_each_step_goes_against_the_gradient_and_down():
    result = gradient_descent(valley, valley_gradient, [-1.2, 1.0], keep_steps=True, max_iter=200)
    for before, after in zip(result.steps, result.steps[1:], strict=False):
        move = after.point - before.point
        expected = -after.step_size * valley_gradient(before.point)
        np.testing.assert_allclose(move, expected, atol=1e-12)
        assert after.value < before.value
    np.testing.assert_array_equal(result.path, [step.point for step in result.steps])
    assert result.path.shape == (201, 2)
    assert not result.converged


def test_both_reach_the_minimum_of_a_curved_valley():
    slow = gradient_descent(valley, valley_gradient, [-1.2, 1.0], tol=1e-5, max_iter=50_000)
    fast = newton(valley, valley_gradient, valley_hessian, [-1.2, 1.0], tol=1e-5)
    assert slow.converged
    assert fast.converged
    np.testing.assert_allclose(slow.x, 1, atol=1e-4)
    np.testing.assert_allclose(fast.x, 1, atol=1e-6)
    assert fast.n_iter < slow.n_iter / 10


def test_newton_needs_one_step_on_a_parabola():
    result = newton(bowl, bowl_gradient, bowl_hessian, x0=[4.0, 1.0], keep_steps=True)
    np.testing.assert_allclose(result.path, [[4, 1], [0, 0]], atol=1e-14)
    assert result.steps[1].step_size == 1.0


def test_newton_goes_down_where_the_function_is_curved_downwards():
    """f = x^4 - x^2 is concave at 0.1, where Newton's own step leads to the maximum at 0."""
    result = newton(
        lambda x: float(x[0] ** 4 - x[0] ** 2),
        lambda x: 4 * x**3 - 2 * x,
        lambda x: [[12 * x[0] ** 2 - 2]],
        [0.1],
    )
    assert result.converged
    np.testing.assert_allclose(result.x, np.sqrt(0.5))


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, X[:, 0] - X[:, 1] + rng.logistic(size=60) > 0


def test_a_loss_written_as_a_function_takes_the_same_way():
    X, y = data()
    loss, start = LogisticLoss(X, y), np.zeros(4)
    own = gradient_descent(loss, keep_steps=True)
    plain = gradient_descent(loss.value, loss.gradient, start, keep_steps=True)
    np.testing.assert_array_equal(own.path, plain.path)
    own = newton(loss, None, start, keep_steps=True)
    hessian = lambda w: loss.at(w).hessian()  # noqa: E731
    plain = newton(loss.value, loss.gradient, hessian, start, keep_steps=True)
    np.testing.assert_array_equal(own.path, plain.path)


@pytest.mark.parametrize(
    ("solver", "l1"),
    [
        (gradient_descent, 0.0),
        (newton, 0.0),
        (newton_cg, 0.0),
        (lbfgs, 0.0),
        (proximal_gradient, 0.02),
        (prox_newton, 0.02),
        (coordinate_descent, 0.02),
    ],
)
def test_every_solver_keeps_its_steps_and_takes_the_same_without(solver, l1):
    X, y = data()
    loss, penalty = LogisticLoss(X, y), ElasticNetPenalty(l1, 0.01)
    result = solver(loss, penalty, keep_steps=True)
    plain = solver(loss, penalty)
    np.testing.assert_array_equal(result.x, plain.x)
    assert len(result.steps) == result.n_iter + 1 == len(result.trace)
    assert all(isinstance(step, DescentStep) for step in result.steps)
    np.testing.assert_array_equal(result.steps[0].point, np.zeros(4))
    np.testing.assert_array_equal(result.steps[-1].point, result.x)
    assert [step.value for step in result.steps] == result.trace.value
    for step in result.steps:
        assert step.value == loss.value(step.point) + penalty.value(step.point[:-1])
    with pytest.raises(AttributeError, match="keep_steps=True"):
        _ = plain.steps
    assert minimize(loss, penalty, solver.__name__, keep_steps=True).steps


def test_a_callback_cannot_change_what_was_kept():
    def spoil(iteration, x, value):
        x[:] = 0

    kept = gradient_descent(bowl, bowl_gradient, [4.0, 1.0], keep_steps=True, max_iter=2).path
    spoiled = gradient_descent(
        bowl, bowl_gradient, [4.0, 1.0], keep_steps=True, max_iter=1, callback=spoil
    ).path
    np.testing.assert_array_equal(kept[:2], spoiled)


def test_bad_input_is_named():
    X, y = data()
    with pytest.raises(TypeError, match="both callable"):
        gradient_descent(bowl, None, [0.0])
    with pytest.raises(TypeError, match="needs x0"):
        gradient_descent(bowl, bowl_gradient)
    with pytest.raises(TypeError, match="hess must be callable"):
        newton(bowl, bowl_gradient, [1.0, 1.0])
    with pytest.raises(TypeError, match="must be a Penalty"):
        gradient_descent(LogisticLoss(X, y), bowl_gradient)
    with pytest.raises(TypeError, match="knows its own"):
        newton(LogisticLoss(X, y), None, bowl_hessian, np.zeros(4))
    with pytest.raises(ValueError, match="must be a vector"):
        gradient_descent(bowl, bowl_gradient, [[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"grad\(x\) has shape \(1,\)"):
        gradient_descent(bowl, lambda x: [1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="nan at the start"):
        gradient_descent(lambda x: np.nan, bowl_gradient, [1.0, 2.0])
    with pytest.raises(ValueError, match="not finite at x"):
        gradient_descent(bowl, lambda x: x * np.inf, [1.0, 2.0])
