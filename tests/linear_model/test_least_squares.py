"""LinearRegression and Ridge: closed forms, scikit-learn's results, awkward matrices."""

import pickle

import numpy as np
import pytest
import sklearn.linear_model
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from quire.linear_model import LinearRegression, Ridge
from quire.linear_model._engines.block_cg import block_ridge
from quire.linear_model._engines.row_operator import RowOperator

SHAPES = [(60, 12), (12, 60), (500, 150), (150, 500)]


def problem(n, p, n_targets=3, density=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, p), density=density, rng=rng, format="csr")
    Y = rng.normal(size=(n, n_targets)) + 3
    return X, Y, rng.uniform(0.2, 2, n)


def closed_form(X, Y, alpha, weights, fit_intercept):
    """(X'SX + alpha I)^-1 X'SY with the intercept as an unpenalised column."""
    X = X.toarray() if sparse.issparse(X) else X
    X1 = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
    penalty = alpha * np.eye(X1.shape[1])
    if fit_intercept:
        penalty[-1, -1] = 0
    S = np.diag(np.ones(len(X)) if weights is None else weights)
    W = np.linalg.solve(X1.T @ S @ X1 + penalty, X1.T @ S @ Y)
    return (W[:-1].T, W[-1]) if fit_intercept else (W.T, 0.0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("solver", ["auto", "sparse_cg", "lsqr"])
def test_ridge_is_its_closed_form(shape, fit_intercept, weighted, solver):
    X, Y, weights = problem(*shape)
    weights = weights if weighted else None
    model = Ridge(0.7, fit_intercept=fit_intercept, solver=solver, tol=1e-12)
    model.fit(X, Y, weights)
    coef, intercept = closed_form(X, Y, 0.7, weights, fit_intercept)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, intercept, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.predict(X), X @ coef.T + intercept, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("shape", [*SHAPES, (1200, 1100), (1100, 1200)])
def test_a_penalty_for_each_target(shape):
    X, Y, weights = problem(*shape, density=0.05)
    alphas = np.array([0.5, 3.0, 20.0])
    model = Ridge(alphas, tol=1e-12).fit(X, Y, weights)
    for t, alpha in enumerate(alphas):
        alone = Ridge(alpha, tol=1e-12).fit(X, Y[:, t], weights)
        np.testing.assert_allclose(model.coef_[t], alone.coef_, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(model.intercept_[t], alone.intercept_, rtol=1e-7)


@pytest.mark.parametrize("shape", [(500, 400), (400, 500)])
@pytest.mark.parametrize("tol", [1e-4, 1e-10])
def test_block_conjugate_gradients_reach_their_tolerance(shape, tol):
    X, Y, weights = problem(*shape, n_targets=40, density=0.05)
    Y[:, 3], Y[:, 4], Y[:, 5] = Y[:, 0] + Y[:, 1], 2.5, 1e-6 * Y[:, 6]  # dependent, constant, tiny
    A = RowOperator(X, weights, True, 2)
    B = A.targets(Y)
    with threadpool_limits(1):
        W, n_iter, residual = block_ridge(A, B, 0.1, tol, None)
    assert residual <= tol
    assert len(n_iter) == 40
    # The gradient is A' times the residual of the system of samples, so at most |A| times it.
    gradient = A.t_dot(B - A.dot(W)) - 0.1 * W
    right = B if shape[0] < shape[1] else A.t_dot(B)
    norm = np.linalg.norm(A.dot(np.eye(shape[1])), 2) if shape[0] < shape[1] else 1
    sizes = np.linalg.norm(right, axis=0)
    assert (np.linalg.norm(gradient, axis=0) <= 1.01 * tol * norm * sizes + 1e-12).all()


def test_a_block_needs_fewer_passes_than_its_targets():
    X, Y, _ = problem(400, 600, n_targets=20, density=0.05)
    A = RowOperator(X, None, True, 1)
    B = A.targets(Y)
    with threadpool_limits(1):
        together = block_ridge(A, B, 0.01, 1e-6, None).n_iter.max()
        alone = max(block_ridge(A, B[:, [t]], 0.01, 1e-6, None).n_iter.max() for t in range(3))
    assert together < 0.8 * alone


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("n_targets", [1, 4])
def test_least_squares_is_that_of_lapack(shape, fit_intercept, weighted, n_targets):
    X, Y, weights = problem(*shape, n_targets=n_targets)
    weights = weights if weighted else None
    model = LinearRegression(fit_intercept=fit_intercept, tol=1e-13).fit(X, Y, weights)
    peer = sklearn.linear_model.LinearRegression(fit_intercept=fit_intercept, tol=1e-13)
    peer.fit(X.toarray(), Y, weights)
    assert model.coef_.shape == peer.coef_.shape
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("Model", ["LinearRegression", "Ridge"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["dense", "csr", "csc", "coo", "csr64"])
@pytest.mark.parametrize("y_shape", ["1d", "column", "2d"])
def test_attributes_are_those_of_scikit_learn(Model, dtype, kind, y_shape):
    X, Y, _ = problem(80, 6, density=0.8)
    y = {"1d": Y[:, 0], "column": Y[:, :1], "2d": Y}[y_shape].astype(dtype)
    X = X.astype(dtype)
    if kind == "csr64":
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    X = X.toarray() if kind == "dense" else X if kind == "csr64" else X.asformat(kind)
    ours = globals()[Model]().fit(X, y)
    theirs = getattr(sklearn.linear_model, Model)().fit(X, y)
    names = {name for name in vars(theirs) if name.endswith("_")}
    assert names == {name for name in vars(ours) if name.endswith("_")}
    for name in ("coef_", "intercept_"):
        a, b = getattr(ours, name), getattr(theirs, name)
        assert np.shape(a) == np.shape(b)
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(a, b, rtol=2e-3)
    assert getattr(ours, "solver_", None) == getattr(theirs, "solver_", None)
    predicted = ours.predict(X)
    assert predicted.dtype == theirs.predict(X).dtype
    np.testing.assert_allclose(predicted, theirs.predict(X), rtol=1e-3)


@pytest.mark.parametrize("solver", ["svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga"])
def test_dense_solvers_agree(solver):
    X, Y, weights = problem(100, 8)
    model = Ridge(0.5, solver=solver, tol=1e-10, max_iter=20_000, random_state=0)
    model.fit(X.toarray(), Y, weights)
    coef, intercept = closed_form(X, Y, 0.5, weights, True)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model.intercept_, intercept, rtol=1e-5)
    assert model.solver_ == solver


@pytest.mark.parametrize("sparse_X", [True, False])
def test_positive(sparse_X):
    X, Y, weights = problem(100, 8)
    model = Ridge(0.5, positive=True, tol=1e-10).fit(X if sparse_X else X.toarray(), Y, weights)
    assert (model.coef_ >= 0).all()
    assert (model.coef_ == 0).any()
    peer = sklearn.linear_model.Ridge(0.5, positive=True, tol=1e-10).fit(X.toarray(), Y, weights)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)
    nonnegative = LinearRegression(positive=True)
    if sparse_X:
        with pytest.raises(TypeError, match="dense data is required"):
            nonnegative.fit(X, Y)
    else:
        assert (nonnegative.fit(X.toarray(), Y).coef_ >= 0).all()


@pytest.mark.parametrize("Model", [LinearRegression, Ridge])
def test_awkward_columns_and_rows(Model):
    """All-zero, constant and equal columns; empty rows; rows of weight zero."""
    X, Y, weights = problem(80, 10)
    X = X.toarray()
    X[:, 1], X[:, 2], X[:, 3], X[:7] = 0, 4, X[:, 0], 0
    X[:7, 2] = 4
    weights[::5] = 0
    model = Model(tol=1e-13).fit(sparse.csr_array(X), Y, weights)
    peer = getattr(sklearn.linear_model, Model.__name__)(tol=1e-13).fit(X, Y, weights)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.coef_[:, [1, 2]], 0, atol=1e-12)
    np.testing.assert_allclose(model.coef_[:, 0], model.coef_[:, 3], rtol=1e-6)
    kept = weights > 0
    without = Model(tol=1e-13).fit(sparse.csr_array(X[kept]), Y[kept], weights[kept])
    np.testing.assert_allclose(model.coef_, without.coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("Model", [LinearRegression, Ridge])
@pytest.mark.parametrize("shape", [(300, 400), (400, 300)])
def test_constant_targets_and_constant_features_give_zero(Model, shape):
    X = problem(*shape)[0]
    model = Model().fit(X, np.full(shape[0], 2.0))
    np.testing.assert_allclose(model.coef_, 0, atol=1e-15)
    assert model.intercept_ == 2
    constant = sparse.csr_array(np.ones((300, 250)))
    model = Model().fit(constant, problem(300, 2)[1])
    np.testing.assert_allclose(model.coef_, 0, atol=1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_least_norm_where_there_are_many_solutions(fit_intercept):
    X, Y, _ = problem(40, 300)
    model = LinearRegression(fit_intercept=fit_intercept, tol=1e-13).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), Y, rtol=1e-8)
    dense = X.toarray() - (X.toarray().mean(axis=0) if fit_intercept else 0)
    target = Y - Y.mean(axis=0) if fit_intercept else Y
    np.testing.assert_allclose(model.coef_, (np.linalg.pinv(dense) @ target).T, atol=1e-8)
    nearly = Ridge(1e-9, fit_intercept=fit_intercept, tol=1e-13).fit(X, Y)
    np.testing.assert_allclose(nearly.coef_, model.coef_, atol=1e-6)
    zero = Ridge(0, fit_intercept=fit_intercept, tol=1e-13).fit(X, Y)
    np.testing.assert_allclose(zero.coef_, model.coef_, atol=1e-8)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_large_means_are_taken_away(fit_intercept):
    X, Y, _ = problem(400, 30, density=1.0)
    X = sparse.csr_array(X.toarray() + 100)
    model = Ridge(1.0, fit_intercept=fit_intercept, tol=1e-10).fit(X, Y)
    coef, _ = closed_form(X, Y, 1.0, None, fit_intercept)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    "model", [Ridge(0.1), Ridge([0.1] * 24 + [1.0]), LinearRegression(), Ridge(solver="lsqr")]
)
@pytest.mark.parametrize("shape", [(2000, 1100), (1100, 2000)])
def test_threads_do_not_change_a_bit(model, shape):
    X, Y, weights = problem(*shape, n_targets=25, density=0.05)
    one = clone(model).set_params(n_jobs=1).fit(X, Y, weights)
    four = clone(model).set_params(n_jobs=4).fit(X, Y, weights)
    assert one.coef_.tobytes() == four.coef_.tobytes()
    assert one.intercept_.tobytes() == four.intercept_.tobytes()
    assert one.predict(X).tobytes() == four.predict(X).tobytes()


@pytest.mark.parametrize("Model", [LinearRegression, Ridge])
def test_nothing_is_densified_centred_or_changed(Model):
    """A dense copy of this matrix would be 40 GB."""
    rng = np.random.default_rng(0)
    shape = (50_000, 100_000)
    places = tuple(rng.integers(0, size, 2000) for size in shape)
    X = sparse.csr_array((rng.uniform(0.5, 1, 2000), places), shape=shape)
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    Y = rng.normal(size=(50_000, 2))
    model = Model().fit(X, Y)
    assert model.score(X, Y) > 0
    for old, new in zip(before, (X.data, X.indices, X.indptr), strict=True):
        np.testing.assert_array_equal(old, new)


def test_ridge_says_when_it_did_not_converge():
    X, Y, _ = problem(400, 300)
    for alpha in (1e-4, [1e-4, 1e-3, 1e-2]):
        with pytest.warns(ConvergenceWarning, match=r"Ridge did not converge in 2 .*max_iter"):
            model = Ridge(alpha, solver="lsqr", max_iter=2).fit(X, Y)
        np.testing.assert_array_equal(model.n_iter_, [2, 2, 2])


@pytest.mark.parametrize("Model", [LinearRegression, Ridge])
def test_errors(Model):
    X, Y, weights = problem(20, 5)
    peer = getattr(sklearn.linear_model, Model.__name__)
    bad = X.copy()
    bad.data[0] = np.nan
    nan_y = Y.copy()
    nan_y[0] = np.nan
    for arguments in [(bad, Y), (X, nan_y), (X, Y[:-1]), (X, Y, weights[:-1]), (X[:0], Y[:0])]:
        with pytest.raises(ValueError, match=r".+") as theirs:
            peer().fit(*arguments)
        with pytest.raises(ValueError, match=r".+") as ours:
            Model().fit(*arguments)
        assert str(ours.value) == str(theirs.value)
    model = Model().fit(X, Y)
    with pytest.raises(ValueError, match="X has 4 features, but"):
        model.predict(X[:, :4])


def test_errors_of_ridge():
    X, Y, _ = problem(20, 5)
    with pytest.raises(ValueError, match="penalties do not correspond: 2 != 3"):
        Ridge([1.0, 2.0]).fit(X, Y)
    with pytest.raises(ValueError, match="does not support fitting the intercept on sparse"):
        Ridge(solver="svd").fit(X, Y)
    with pytest.raises(ValueError, match="only when positive=True"):
        Ridge(solver="lbfgs").fit(X, Y)
    with pytest.raises(ValueError, match="does not support positive fitting"):
        Ridge(solver="lsqr", positive=True).fit(X, Y)
    with pytest.raises(ValueError, match="'n_jobs' parameter of Ridge"):
        Ridge(n_jobs="all").fit(X, Y)


def test_pickles_and_predictions_leave_the_model_alone():
    X, Y, _ = problem(50, 5)
    model = Ridge().fit(X, Y)
    before = pickle.dumps(model)
    predicted = model.predict(X)
    assert pickle.dumps(model) == before
    np.testing.assert_array_equal(pickle.loads(before).predict(X), predicted)
