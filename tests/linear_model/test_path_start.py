"""The start of a fit along a path: the lowest point among the combinations of earlier fits."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import make_classification

from quire.linear_model import LogisticRegression, LogisticRegressionCV
from quire.linear_model._engines.logistic_problem import LogisticProblem
from quire.linear_model._engines.path_start import PathStart
from quire.linear_model._engines.smooth_logistic import smooth_logistic
from quire.linear_model._logistic_cv import _rounds


def problem_of(n_classes, weighted, form=sparse.csr_array):
    X, y = make_classification(
        200, 30, n_informative=8, n_classes=n_classes, flip_y=0.2, random_state=0
    )
    weights = np.random.default_rng(0).random(len(y)) if weighted else None
    return LogisticProblem(form(X), y.astype(np.int32), n_classes, sample_weight=weights)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("intercept_l2", [0.0, 0.5])
def test_the_start_is_the_lowest_combination(n_classes, weighted, intercept_l2):
    problem = problem_of(n_classes, weighted)
    start, fits = PathStart(problem), []
    assert start.options(1.0, 0.0) == {}
    for l2 in (500.0, 100.0, 20.0, 4.0):
        fits.append(smooth_logistic(problem, l2=l2, intercept_l2=intercept_l2, tol=1e-8))
        start.add(fits[-1])
    fits = fits[:0:-1]  # the last three, latest first

    def value(shares):
        Z, W, b = (
            sum(a * getattr(fit, name) for a, fit in zip(shares, fits, strict=True))
            for name in ("scores", "coef", "intercept")
        )
        penalty = 0.5 * ((W**2).sum() + intercept_l2 * (b**2).sum())
        return problem.loss(np.ascontiguousarray(Z), Z, 0.0) + penalty

    options = start.options(1.0, intercept_l2)
    W = np.vstack([options["coef"], options["intercept"]])
    np.testing.assert_allclose(options["scores"], problem.scores(W), rtol=1e-9, atol=1e-9)
    penalty = 0.5 * ((W[:-1] ** 2).sum() + intercept_l2 * (W[-1] ** 2).sum())
    reached = problem.loss(options["scores"], options["scores"], 0.0) + penalty
    lowest = minimize(value, [1.0, 0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-6}).fun
    assert reached <= lowest * (1 + 1e-3)
    assert reached < value([1.0, 0.0, 0.0])


def test_the_start_saves_work_and_leads_to_the_same_minimum():
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 900), density=0.03, format="csr", rng=rng)
    problem = LogisticProblem(X, rng.integers(0, 4, 300).astype(np.int32), 4)
    start, last, products = PathStart(problem), None, [0, 0]
    for C in (0.1, 0.8, 6.4, 50.0, 400.0, 3000.0):
        by_last = {} if last is None else {"coef": last.coef, "intercept": last.intercept}
        last = smooth_logistic(problem, l2=1 / C, **by_last)
        found = smooth_logistic(problem, l2=1 / C, **start.options(1 / C, 0.0))
        start.add(found)
        products[0] += last.n_products
        products[1] += found.n_products
        np.testing.assert_allclose(found.objective, last.objective, rtol=1e-6)
    assert products[1] < 0.9 * products[0]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_fits_of_folds_are_near_their_minimum(n_classes, form):
    problem = problem_of(n_classes, False, form)
    X, y = problem.design.X, problem.codes
    train, test = np.arange(150), np.arange(150, 200)
    model = LogisticRegressionCV(
        Cs=6,
        cv=[(train, test)],
        l1_ratios=(0,),
        scoring="accuracy",
        use_legacy_attributes=False,
        refit=False,
    ).fit(X, y)
    for C, W in zip(model.Cs_, model.coefs_paths_[0, 0], strict=True):
        best = LogisticRegression(C=C, tol=1e-9).fit(X[train], y[train])
        values = []
        for coef, intercept in ((W[:, :-1], W[:, -1]), (best.coef_, best.intercept_)):
            Z = X[train] @ coef.T + intercept
            Z = np.hstack([np.zeros_like(Z), Z]) if n_classes == 2 else Z
            loss = np.logaddexp.reduce(Z, axis=1) - Z[np.arange(150), y[train]]
            values.append(C * loss.sum() + 0.5 * (coef**2).sum())
        assert values[0] <= values[1] * (1 + 1e-3)


def test_folds_that_do_not_fill_a_round_share_the_threads():
    assert _rounds(5, 2) == [range(4), range(4, 5)]
    assert _rounds(4, 2) == [range(4)]
    assert _rounds(3, 8) == [range(3)]
