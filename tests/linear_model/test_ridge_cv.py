"""RidgeCV with sparse matrices: leaving out one by one, folds, scores."""

import numpy as np
import pytest
import sklearn.linear_model
from scipy import sparse
from sklearn import config_context
from sklearn.metrics import make_scorer, mean_squared_error
from sklearn.model_selection import KFold

from quire.linear_model import Ridge, RidgeCV
from quire.linear_model import _ridge_cv as module

ALPHAS = (0.03, 0.3, 3.0)
SHAPES = [(40, 9), (25, 60)]


def problem(n, p, n_targets=2, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, p), density=0.4, rng=rng, format="csr")
    Y = X @ rng.normal(size=(p, n_targets)) + rng.normal(size=(n, n_targets)) + 2
    return X, Y, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_errors_are_those_of_models_that_have_not_seen_the_sample(shape, fit_intercept):
    X, Y, _ = problem(*shape)
    model = RidgeCV(ALPHAS, fit_intercept=fit_intercept, store_cv_results=True).fit(X, Y)
    assert model.cv_results_.shape == (shape[0], 2, 3)
    for a, alpha in enumerate(ALPHAS):
        for i in (0, 7, shape[0] - 1):
            others = np.arange(shape[0]) != i
            ridge = Ridge(alpha, fit_intercept=fit_intercept, tol=1e-12)
            predicted = ridge.fit(X[others], Y[others]).predict(X[[i]])[0]
            np.testing.assert_allclose(model.cv_results_[i, :, a], (Y[i] - predicted) ** 2)
    best = model.cv_results_.mean(axis=(0, 1)).argmin()
    assert model.alpha_ == ALPHAS[best]
    np.testing.assert_allclose(model.best_score_, -model.cv_results_[:, :, best].mean())
    ridge = Ridge(model.alpha_, fit_intercept=fit_intercept, tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("scoring", [None, "r2", "neg_mean_absolute_error"])
@pytest.mark.parametrize("per_target", [True, False])
def test_equal_to_scikit_learn(shape, fit_intercept, weighted, scoring, per_target, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 50)  # several blocks of rows
    X, Y, weights = problem(*shape)
    options = {
        "alphas": ALPHAS,
        "fit_intercept": fit_intercept,
        "scoring": scoring,
        "alpha_per_target": per_target,
        "store_cv_results": True,
    }
    weights = weights if weighted else None
    ours = RidgeCV(**options).fit(X, Y, weights)
    theirs = sklearn.linear_model.RidgeCV(**options).fit(X.toarray(), Y, weights)
    for name in ("alpha_", "best_score_", "coef_", "intercept_", "cv_results_"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(theirs, name), rtol=1e-7, atol=1e-9, err_msg=name
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("y_shape", ["1d", "column", "2d"])
@pytest.mark.parametrize("cv", [None, 3])
def test_attributes_are_those_of_scikit_learn(dtype, y_shape, cv):
    X, Y, _ = problem(30, 5)
    y = {"1d": Y[:, 0], "column": Y[:, :1], "2d": Y}[y_shape].astype(dtype)
    X = X.astype(dtype)
    ours = RidgeCV(ALPHAS, cv=cv).fit(X, y)
    theirs = sklearn.linear_model.RidgeCV(ALPHAS, cv=cv).fit(X, y)
    assert set(vars(ours)) - {"n_jobs"} == set(vars(theirs))
    for name in ("coef_", "intercept_", "alpha_", "best_score_"):
        a, b = np.asarray(getattr(ours, name)), np.asarray(getattr(theirs, name))
        assert (a.shape, a.dtype) == (b.shape, b.dtype), name
        np.testing.assert_allclose(a, b, rtol=1e-3)


def test_folds():
    X, Y, weights = problem(60, 20)
    cv = KFold(4)
    ours = RidgeCV(ALPHAS, cv=cv, scoring="r2").fit(X, Y, weights)
    theirs = sklearn.linear_model.RidgeCV(ALPHAS, cv=cv, scoring="r2")
    theirs.fit(X.toarray(), Y, weights)
    assert ours.alpha_ == theirs.alpha_
    np.testing.assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)


@pytest.mark.parametrize("cv", [None, 3])
def test_metadata_routing(cv):
    X, Y, weights = problem(60, 8)
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(mean_squared_error, greater_is_better=False)
        scorer.set_score_request(sample_weight=True)
        ours = RidgeCV(ALPHAS, cv=cv, scoring=scorer).fit(X, Y[:, 0], sample_weight=weights)
        theirs = sklearn.linear_model.RidgeCV(ALPHAS, cv=cv, scoring=scorer)
        theirs.fit(X.toarray(), Y[:, 0], sample_weight=weights)
    assert ours.alpha_ == theirs.alpha_
    np.testing.assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-6)


@pytest.mark.parametrize("shape", [(300, 40), (40, 300)])
def test_threads_do_not_change_a_bit(shape):
    X, Y, weights = problem(*shape, n_targets=9)
    one = RidgeCV(n_jobs=1).fit(X, Y, weights)
    four = RidgeCV(n_jobs=4).fit(X, Y, weights)
    assert one.coef_.tobytes() == four.coef_.tobytes()
    assert one.best_score_ == four.best_score_


def test_errors_and_parameters_left_alone():
    X, Y, _ = problem(20, 5)
    with pytest.raises(ValueError, match=r"alphas\[1\] == -0.1, must be > 0"):
        RidgeCV([1.0, -0.1]).fit(X, Y)
    with pytest.raises(ValueError, match=r"alphas == 0.0, must be > 0"):
        RidgeCV([0.0]).fit(X, Y)
    with pytest.raises(TypeError, match=r"alphas\[0\] must be an instance of float"):
        RidgeCV(["a", 1.0]).fit(X, Y)
    for name in ("store_cv_results", "alpha_per_target"):
        with pytest.raises(ValueError, match=f"cv!=None and {name}=True are incompatible"):
            RidgeCV(cv=3, **{name: True}).fit(X, Y)
    model = RidgeCV((2,)).fit(X, Y)
    assert model.alphas == (2,)
    assert RidgeCV(0.5).fit(X, Y).alpha_ == 0.5
