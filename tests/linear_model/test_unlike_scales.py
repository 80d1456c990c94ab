"""Columns of unlike scale: the exact optimum, whatever the units.

The exact solutions are made in standardised columns, where every problem is well conditioned, and
carried back to the units of the data.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LinearRegression as SklearnLinearRegression

from quire.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LeastSquaresClassifier,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    OrdinalRegression,
    Ridge,
    RidgeCV,
)

FORMS = [np.asarray, sparse.csr_array]
SCALES = np.array([30_000.0, 0.02, 1.0, 1e-4])
MEANS = np.array([50_000.0, 0.1, -1.0, 0.0])


def make(n=400, p=4, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, p))
    Z[:, 1] += 0.3 * Z[:, 0]
    scales, means = np.resize(SCALES, p), np.resize(MEANS, p)
    y = Z[:, :4] @ [0.1, 1.0, -0.5, 0.5] + rng.normal(size=n)
    return Z * scales + means, y


def exact(X, y, weights=None, alpha=0.0):
    """Return coefficients and intercepts in the units of X, by way of standardised columns."""
    weights = np.ones(len(X)) if weights is None else weights
    mean, middle = np.average(X, axis=0, weights=weights), np.average(y, axis=0, weights=weights)
    centred = (X - mean).astype(np.longdouble)
    scale = np.sqrt((weights[:, None] * centred**2).sum(axis=0) + alpha)
    Z = (centred / scale).astype(float) * np.sqrt(weights)[:, None]
    right = (y - middle) * (np.sqrt(weights) if y.ndim == 1 else np.sqrt(weights)[:, None])
    penalty = np.diag((np.sqrt(alpha) / scale).astype(float))
    stacked = np.vstack([Z, penalty])
    zeros = np.zeros((Z.shape[1], *y.shape[1:]))
    v = np.linalg.lstsq(stacked, np.concatenate([right, zeros]), rcond=None)[0]
    coef = (v.T / scale).astype(float)
    return coef, middle - mean @ coef.T


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:LinearRegression. beside the largest columns")
def test_least_squares_is_exact(form, weighted):
    X, y = make()
    weights = np.random.default_rng(1).uniform(0.1, 2, len(y)) if weighted else None
    model = LinearRegression().fit(form(X), y, weights)
    coef, intercept = exact(X, y, weights)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-6)
    assert model.intercept_ == pytest.approx(intercept, rel=1e-6)


def test_it_says_that_scikit_learn_leaves_columns_out():
    X, y = make()
    names = ["income", "share", "age", "rate"]
    frame = pd.DataFrame(X, columns=names)
    with pytest.warns(UserWarning, match=r"LinearRegression: .*'share', 'rate' are so small that "):
        model = LinearRegression().fit(frame, y)
    theirs = SklearnLinearRegression().fit(X, y)
    assert theirs.rank_ < model.rank_ == 4
    assert model.score(frame, y) > theirs.score(X, y) + 0.3


@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_said_of_like_scales_and_of_collinear_columns(form):
    X, y = make()
    Z = (X - MEANS) / SCALES
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LinearRegression().fit(form(Z), y)
        twice = LinearRegression().fit(form(np.hstack([Z, Z, np.ones((len(Z), 1))])), y)
    half = LinearRegression().fit(Z, y).coef_ / 2
    np.testing.assert_allclose(twice.coef_, [*half, *half, 0], atol=1e-6)


@pytest.mark.filterwarnings("ignore:LinearRegression. beside the largest columns")
def test_the_norm_is_the_least_where_minimisers_are_many():
    X, y = make()
    wide = np.hstack([X, X[:, 1:2], np.full((len(X), 1), 7.0)])
    model = LinearRegression().fit(wide, y)
    coef, _ = exact(X, y)
    np.testing.assert_allclose(model.coef_[1] + model.coef_[4], coef[1], rtol=1e-5)
    np.testing.assert_allclose(model.coef_[1], model.coef_[4], rtol=1e-5)
    assert model.coef_[5] == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("alpha", [0.0, 1e-3, 1.0])
def test_the_classifier_is_exact_and_quiet(form, alpha):
    X, y = make()
    codes = np.digitize(y, [-0.5, 0.5])
    coef, intercept = exact(X, np.eye(3)[codes], alpha=alpha)
    model = LeastSquaresClassifier(alpha).fit(form(X), codes)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-5)
    np.testing.assert_allclose(model.intercept_, intercept, rtol=1e-5)
    two = LeastSquaresClassifier(alpha).fit(form(X), codes > 0)
    coef, _ = exact(X, np.where(codes > 0, 1.0, -1.0), alpha=alpha)
    np.testing.assert_allclose(two.coef_[0], coef, rtol=1e-5)


def test_a_path_of_the_classifier_is_exact():
    X, y = make(600, 300)
    for model in LeastSquaresClassifier(tol=1e-10).fit_path(sparse.csr_array(X), y > 0, [0.1, 1.0]):
        coef, _ = exact(X, np.where(y > 0, 1.0, -1.0), alpha=model.alpha)
        np.testing.assert_allclose(model.coef_[0], coef, rtol=1e-4, atol=1e-9 * abs(coef).max())


@pytest.mark.parametrize("solver", ["auto", "sparse_cg", "lsqr"])
@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_sparse_ridge_is_exact(solver, alpha):
    X, y = make()
    model = Ridge(alpha, solver=solver, tol=1e-8).fit(sparse.csr_array(X), y)
    coef, intercept = exact(X, y, alpha=alpha)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-5)
    assert model.intercept_ == pytest.approx(intercept, rel=1e-5)


@pytest.mark.parametrize("solver", ["auto", "sparse_cg", "lsqr"])
def test_sparse_ridge_explains_what_dense_ridge_does(solver):
    X, y = make()
    dense = Ridge().fit(X, y).score(X, y)
    assert Ridge(solver=solver).fit(sparse.csr_array(X), y).score(X, y) == pytest.approx(
        dense, abs=1e-3
    )


@pytest.mark.parametrize("model", [Ridge(tol=1e-9), LinearRegression(tol=1e-9)])
def test_conjugate_gradients_are_exact(model):
    """So many columns that no Gram matrix is made."""
    X, y = make(900, 300)
    alpha = getattr(model, "alpha", 0.0)
    coef, _ = exact(X, y, alpha=alpha)
    model.fit(sparse.csr_array(X), y)
    scales = X.std(axis=0)
    np.testing.assert_allclose(model.coef_ * scales, coef * scales, atol=1e-6)


def test_penalties_of_their_own_are_exact():
    X, y = make(900, 300)
    Y = np.column_stack([y, -2 * y, y**2])
    model = Ridge([1e-2, 1.0, 5.0], tol=1e-9).fit(sparse.csr_array(X), Y)
    scales = X.std(axis=0)
    for target, alpha in enumerate([1e-2, 1.0, 5.0]):
        coef, _ = exact(X, Y[:, target], alpha=alpha)
        np.testing.assert_allclose(model.coef_[target] * scales, coef * scales, atol=1e-6)


@pytest.mark.parametrize("cv", [None, 3])
def test_ridge_cv_agrees_with_dense_data(cv):
    X, y = make()
    alphas = [1e-3, 1e-2, 1e-1]
    ours = RidgeCV(alphas, cv=cv).fit(sparse.csr_array(X), y)
    coef, _ = exact(X, y, alpha=ours.alpha_)
    np.testing.assert_allclose(ours.coef_, coef, rtol=1e-4)


# The penalty of an L1 term depends on units, so the optimum is checked by its own conditions.


def kkt_violation(X, y, model, alpha, l1_ratio):
    """Return by how much subgradients miss zero, as correlations of columns and residuals."""
    residual = y - model.predict(X)
    pull = X.T @ residual / len(y) - alpha * (1 - l1_ratio) * model.coef_
    active = model.coef_ != 0
    miss = np.where(active, np.abs(pull - alpha * l1_ratio * np.sign(model.coef_)), 0)
    miss[~active] = np.maximum(np.abs(pull[~active]) - alpha * l1_ratio, 0)
    return (miss / X.std(axis=0) / residual.std()).max()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_lasso_and_elastic_net_meet_their_conditions(form, l1_ratio):
    X, y = make()
    alpha = 1e-5
    cls, options = (Lasso, {}) if l1_ratio == 1 else (ElasticNet, {"l1_ratio": l1_ratio})
    model = cls(alpha, tol=1e-12, max_iter=100_000, **options).fit(form(X), y)
    assert np.flatnonzero(model.coef_).tolist()[:2] == [0, 1]
    assert kkt_violation(X, y, model, alpha, l1_ratio) < 1e-5


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cls", [LassoCV, ElasticNetCV])
def test_the_chosen_lasso_explains_the_small_columns(form, cls):
    X, y = make()
    model = cls(alphas=[1e-6, 1e-5], cv=3, tol=1e-8, max_iter=100_000).fit(form(X), y)
    coef, _ = exact(X, y)
    assert model.coef_[1] == pytest.approx(coef[1], rel=0.2)


def newton(X, y):
    """Return the maximum-likelihood weights of a logistic regression, in the units of X."""
    scale, mean = X.std(axis=0), X.mean(axis=0)
    Z = np.column_stack([(X - mean) / scale, np.ones(len(X))])
    w = np.zeros(Z.shape[1])
    for _ in range(50):
        p = expit(Z @ w)
        w += np.linalg.solve(Z.T @ (Z * (p * (1 - p))[:, None]), Z.T @ (y - p))
    return w[:-1] / scale, w[-1] - mean @ (w[:-1] / scale)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("solver", ["lbfgs", "newton"])
def test_logistic_regression_is_exact(form, solver):
    X, y = make()
    model = LogisticRegression(C=np.inf, solver=solver).fit(form(X), y > 0)
    coef, intercept = newton(X, y > 0)
    np.testing.assert_allclose(model.coef_[0], coef, rtol=1e-3)
    assert model.intercept_[0] == pytest.approx(intercept, rel=1e-3)


@pytest.mark.parametrize("form", FORMS)
def test_ordinal_regression_and_chosen_penalties_use_small_columns(form):
    X, y = make()
    ordinal = OrdinalRegression(C=np.inf).fit(form(X), np.where(y > 0, 1, 0))
    coef, _ = newton(X, y > 0)
    np.testing.assert_allclose(np.abs(ordinal.coef_.ravel()), np.abs(coef), rtol=1e-3)
    chosen = LogisticRegressionCV(
        Cs=[1e6, 1e8],
        cv=3,
        l1_ratios=(0,),
        scoring="neg_log_loss",
        use_legacy_attributes=False,
    ).fit(form(X), y > 0)
    assert chosen.coef_[0][1] == pytest.approx(coef[1], rel=0.05)
