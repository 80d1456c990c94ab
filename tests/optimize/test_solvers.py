"""Solvers: one optimum, gaps that bound, records of the way."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from quire._shared.design import Design
from quire.optimize import (
    ElasticNetPenalty,
    LogisticLoss,
    MultinomialLoss,
    OrdinalLoss,
    SquaredLoss,
    Trace,
    check_gradient,
    coordinate_descent,
    gradient_descent,
    lbfgs,
    minimize,
    newton,
    newton_cg,
    prox_newton,
    proximal_gradient,
)

LOSSES = ["squared", "logistic", "multinomial", "logit", "probit"]


def make(name, n=120, p=8, seed=0, as_sparse=False, fit_intercept=True, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.7)).astype(dtype)
    latent = X @ (rng.normal(size=p) * (np.arange(p) % 2)) + rng.logistic(size=n)
    weights = rng.integers(0, 4, n)
    X = sparse.csr_array(X) if as_sparse else X
    if name == "squared":
        return SquaredLoss(X, latent, weights, fit_intercept)
    if name == "logistic":
        return LogisticLoss(X, latent > 0.3, weights, fit_intercept)
    codes = np.digitize(latent, np.quantile(latent, [0.2, 0.5, 0.7]))
    if name == "multinomial":
        return MultinomialLoss(X, codes, weights, fit_intercept)
    return OrdinalLoss(X, codes, weights, link=name)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_all_solvers_reach_one_optimum_of_a_smooth_objective(name, as_sparse, fit_intercept):
    loss = make(name, as_sparse=as_sparse, fit_intercept=fit_intercept)
    penalty = ElasticNetPenalty(l2=0.05)
    best = newton(loss, penalty, tol=1e-11)
    assert best.converged
    for solver in (gradient_descent, newton_cg, lbfgs, proximal_gradient):
        result = solver(loss, penalty, tol=1e-7)
        assert result.converged, (solver, result.message)
        assert result.gradient_norm <= 1e-7
        np.testing.assert_allclose(result.value, best.value, rtol=1e-10)
        if name != "multinomial":  # intercepts of all classes can move together
            np.testing.assert_allclose(result.x, best.x, atol=3e-6)
        assert result.trace.value[-1] == result.value
        assert len(result.trace) == result.n_iter + 1


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(("l1", "l2"), [(0.1, 0.0), (0.02, 0.05), (10.0, 0.0)])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_all_solvers_reach_one_optimum_with_absolute_values(name, l1, l2, as_sparse):
    loss = make(name, as_sparse=as_sparse)
    penalty = ElasticNetPenalty(l1, l2)
    best = proximal_gradient(loss, penalty, tol=1e-9, max_iter=100_000)
    assert best.converged
    zeros = best.x[: loss.n_features * loss.n_outputs] == 0
    assert zeros.any() if l1 == 0.1 else True
    assert zeros.all() if l1 == 10 else True
    result = prox_newton(loss, penalty, tol=1e-9)
    assert result.converged, result.message
    if name == "multinomial":  # intercepts of all classes can move together
        assert result.n_iter < 50
        np.testing.assert_allclose(result.x[:-4], best.x[:-4], atol=1e-6)
        np.testing.assert_allclose(np.diff(result.x[-4:]), np.diff(best.x[-4:]), atol=1e-6)
    else:
        np.testing.assert_allclose(result.x, best.x, atol=1e-6)
    np.testing.assert_allclose(result.value, best.value, rtol=1e-10)
    if name in ("squared", "logistic"):
        result = coordinate_descent(loss, penalty, tol=1e-11)
        assert result.converged, result.message
        np.testing.assert_allclose(result.x, best.x, atol=1e-5)
        np.testing.assert_allclose(result.value, best.value, rtol=1e-9)


@pytest.mark.parametrize("name", ["squared", "logistic"])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize(("l1", "l2"), [(0.05, 0.0), (0.02, 0.1), (0.0, 0.2)])
def test_the_gap_bounds_how_far_the_objective_is(name, fit_intercept, l1, l2):
    loss = make(name, fit_intercept=fit_intercept, seed=3)
    penalty = ElasticNetPenalty(l1, l2)
    best = proximal_gradient(loss, penalty, tol=1e-10, max_iter=100_000).value
    frame = coordinate_descent(loss, penalty, tol=1e-9, n_passes=1).trace.to_frame()
    assert len(frame) > 3
    assert (frame["gap"] >= frame["value"] - best - 1e-12).all()
    assert frame["gap"][-1] < 1e-8
    assert frame["gap"][0] > 1e-4


def test_ridge_has_a_closed_form():
    loss = make("squared", fit_intercept=False)
    X, s, n = loss.design.X, loss.weights, loss.n_features
    exact = np.linalg.solve(X.T @ (s[:, None] * X) + 0.1 * np.eye(n), X.T @ (s * loss.y))
    for solver in ("newton", "newton_cg", "lbfgs", "gradient_descent", "prox_newton"):
        result = minimize(loss, ElasticNetPenalty(l2=0.1), solver, tol=1e-10)
        np.testing.assert_allclose(result.x, exact, atol=1e-9)
    assert newton(loss, ElasticNetPenalty(l2=0.1)).n_iter == 1


def test_gradient_descent_goes_down_and_stops_at_the_tolerance():
    for name in LOSSES:
        result = gradient_descent(make(name), ElasticNetPenalty(l2=0.01), tol=1e-4)
        assert (np.diff(result.trace.value) < 0).all()
        assert result.trace.gradient_norm[-1] <= 1e-4 < result.trace.gradient_norm[-2]
        assert result.trace.iteration == list(range(result.n_iter + 1))


def test_newton_converges_quadratically():
    norms = newton(make("logit"), tol=1e-12).trace.gradient_norm
    small = [n for n in norms if n < 0.1]
    assert any(after < 10 * before**2 for before, after in pairwise(small))
    assert len(norms) < 10


def test_collinear_and_constant_columns():
    X = make("logistic").design.X
    X = np.column_stack([X, X[:, 0] * 2, np.ones(len(X)), np.zeros(len(X))])
    y = make("logistic").y
    whole = newton(LogisticLoss(X, y), tol=1e-9)
    assert whole.converged
    part = newton(LogisticLoss(X[:, :8], y), tol=1e-9)
    assert whole.value == pytest.approx(part.value, rel=1e-12)
    assert newton_cg(LogisticLoss(X, y), tol=1e-9).value == pytest.approx(part.value, rel=1e-12)
    lasso = prox_newton(LogisticLoss(X, y), ElasticNetPenalty(l1=0.01), tol=1e-9)
    assert lasso.converged
    assert lasso.x[10] == 0


def test_more_features_than_rows():
    loss = make("logit", n=40, p=300, as_sparse=True)
    one = minimize(loss, ElasticNetPenalty(l2=0.1), "newton_cg", tol=1e-10)
    two = minimize(loss, ElasticNetPenalty(l2=0.1), "newton", tol=1e-10)
    np.testing.assert_allclose(one.x, two.x, atol=1e-8)
    sparse_one = minimize(loss, ElasticNetPenalty(l1=0.05), tol=1e-9)
    assert sparse_one.converged
    assert 0 < np.count_nonzero(sparse_one.x[:300]) < 60


def test_small_columns_are_read_in_their_own_precision():
    double, single = make("logit"), make("logit", dtype=np.float32)
    for penalty in (ElasticNetPenalty(l2=0.05), ElasticNetPenalty(l1=0.02)):
        exact = minimize(double, penalty, tol=1e-8).x
        np.testing.assert_allclose(minimize(single, penalty, tol=1e-5).x, exact, atol=1e-3)


def test_auto_picks():
    smooth, rough = ElasticNetPenalty(l2=0.1), ElasticNetPenalty(l1=0.1)
    assert minimize(make("logit"), smooth).trace.solver == "newton"
    assert minimize(make("logit", p=250), smooth).trace.solver == "newton_cg"
    assert minimize(make("logit"), rough).trace.solver == "prox_newton"
    assert minimize(make("multinomial"), rough).trace.solver == "prox_newton"
    centered = SquaredLoss(Design(np.eye(4)).centered(), np.arange(4.0))
    assert minimize(centered, rough).trace.solver == "proximal_gradient"
    with pytest.raises(ValueError, match="solver is 'adam'"):
        minimize(make("squared"), smooth, "adam")


def test_solvers_refuse_what_they_cannot_do():
    loss, rough = make("multinomial"), ElasticNetPenalty(l1=0.1)
    for solver in (gradient_descent, newton, newton_cg, lbfgs):
        with pytest.raises(ValueError, match="needs a gradient everywhere"):
            solver(loss, rough)
    with pytest.raises(ValueError, match="SquaredLoss or a LogisticLoss"):
        coordinate_descent(loss, rough)
    with pytest.raises(ValueError, match="needs a penalty"):
        coordinate_descent(make("squared"), ElasticNetPenalty())
    centered = SquaredLoss(Design(np.eye(4)).centered(), np.arange(4.0))
    for solver in (prox_newton, coordinate_descent):
        with pytest.raises(ValueError, match="not centred"):
            solver(centered, rough)
    with pytest.raises(ValueError, match="at the start"):
        newton(make("logit"), x0=np.zeros(11))
    with pytest.raises(ValueError, match="at the start"):
        newton(SquaredLoss([[np.nan]], [1.0]))


def test_start_callback_and_limit():
    loss, seen = make("logit"), []
    short = newton_cg(
        loss, tol=1e-12, max_iter=2, callback=lambda *arguments: seen.append(arguments)
    )
    assert not short.converged
    assert short.message == "stopped after 2 iterations"
    assert [s[0] for s in seen] == [1, 2]
    assert seen[-1][2] == short.value
    np.testing.assert_array_equal(seen[-1][1], short.x)
    again = newton(loss, x0=newton(loss, tol=1e-9).x, tol=1e-8)
    assert again.n_iter == 0
    assert again.converged


def test_a_callback_can_stop_everything():
    def stop(iteration, x, value):
        raise KeyboardInterrupt

    for solver in (gradient_descent, newton, newton_cg, lbfgs, proximal_gradient, prox_newton):
        with pytest.raises(KeyboardInterrupt):
            solver(make("logit"), ElasticNetPenalty(l2=0.1), callback=stop)


def test_threads_change_no_bit():
    rng = np.random.default_rng(0)
    X = sparse.random_array((3000, 400), density=0.1, rng=rng, format="csr")
    y = np.digitize(X @ rng.normal(size=400) + rng.logistic(size=3000), [-1, 0, 2])
    for penalty in (ElasticNetPenalty(l2=1e-3), ElasticNetPenalty(l1=1e-3)):
        one, four = (minimize(OrdinalLoss(Design(X, k), y), penalty, tol=1e-6).x for k in (1, 4))
        np.testing.assert_array_equal(one, four)


def test_the_trace_is_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    result = newton(make("logistic"))
    ax = result.trace.plot()
    (line,) = ax.get_lines()
    assert line.get_label() == "newton"
    assert len(line.get_xdata()) == len(result.trace)
    other = gradient_descent(make("logistic"), tol=1e-3)
    assert other.trace.plot(ax, best=result.value, number=1) is ax
    assert ax.get_yscale() == "log"
    assert isinstance(result.trace, Trace)
    import matplotlib.pyplot as plt

    plt.close("all")


def test_check_gradient_finds_a_mistake():
    class Wrong(SquaredLoss):
        def rows(self, scores, extra):
            rows = super().rows(scores, extra)
            rows.slope = rows.slope * 1.1
            return rows

    X = np.random.default_rng(0).normal(size=(20, 3))
    assert check_gradient(SquaredLoss(X, X[:, 0])).gradient_error < 1e-9
    assert check_gradient(Wrong(X, X[:, 0]), np.ones(4)).gradient_error > 0.01
