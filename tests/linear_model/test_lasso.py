"""Lasso and elastic net: scikit-learn's results, sparse as dense, weights, warnings, threads."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn.linear_model as theirs
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

import quire.linear_model as ours

TIGHT = {"tol": 1e-11, "max_iter": 100_000}


def make(n=80, p=40, density=0.3, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.random((n, p)) * (rng.random((n, p)) < density)
    w = rng.normal(size=p) * (rng.random(p) < 0.3)
    y = X @ w + 2 + 0.1 * rng.normal(size=n)
    return X.astype(dtype), y.astype(dtype), rng.uniform(0, 2, n)


def form(X, kind):
    return X if kind == "dense" else getattr(sparse, f"{kind}_array")(X)


@pytest.mark.parametrize("kind", ["dense", "csr", "csc"])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_scikit_learns_optimum(kind, l1_ratio, fit_intercept, positive, weighted):
    X, y, s = make()
    s[:5] = 0
    settings = {
        "alpha": 2e-3,
        "l1_ratio": l1_ratio,
        "fit_intercept": fit_intercept,
        "positive": positive,
        **TIGHT,
    }
    weights = s if weighted else None
    peer = theirs.ElasticNet(**settings).fit(X, y, sample_weight=weights)
    model = ours.ElasticNet(**settings).fit(form(X, kind), y, sample_weight=weights)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5 * np.abs(peer.coef_).max())
    assert model.intercept_ == pytest.approx(peer.intercept_, rel=1e-5, abs=1e-8)
    assert type(model.intercept_) is type(peer.intercept_)
    assert model.dual_gap_ <= 1e-11 * np.var(y) * 2 + (0 if fit_intercept else 1e-10)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), atol=1e-5)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("shape", [(80, 40), (50, 600)])
def test_float32(kind, shape):
    X, y, s = make(*shape, dtype=np.float32)
    peer = theirs.Lasso(alpha=5e-3, **TIGHT).fit(X.astype(float), y.astype(float), s)
    model = ours.Lasso(alpha=5e-3, tol=1e-9, max_iter=100_000).fit(form(X, kind), y, s)
    assert model.coef_.dtype == np.float32
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-3 * np.abs(peer.coef_).max())
    assert model.intercept_ == pytest.approx(peer.intercept_, rel=1e-3)


@pytest.mark.parametrize("name", ["lasso_path", "enet_path"])
@pytest.mark.parametrize("kind", ["dense", "csc"])
@pytest.mark.parametrize("precompute", [False, "auto"])
def test_paths(name, kind, precompute):
    X, y, _ = make(n=100, p=30)
    settings = {"alphas": 12, "precompute": precompute, "return_n_iter": True, **TIGHT}
    peer = getattr(theirs, name)(X, y, **settings)
    found = getattr(ours, name)(form(X, kind), y, **settings)
    np.testing.assert_allclose(found[0], peer[0])
    np.testing.assert_allclose(found[1], peer[1], atol=1e-5 * np.abs(peer[1]).max())
    assert found[1].shape == (30, 12)
    assert np.all(found[2] <= 1e-11 * (y @ y) / len(y))
    assert len(found[3]) == 12


def test_paths_of_several_targets_are_scikit_learns():
    X, y, _ = make()
    Y = np.c_[y, -y]
    for mine, peer in zip(
        ours.enet_path(X, Y, alphas=3), theirs.enet_path(X, Y, alphas=3), strict=True
    ):
        np.testing.assert_array_equal(mine, peer)


@pytest.mark.filterwarnings("ignore:Objective did not converge")
def test_an_offset_that_is_not_the_means_is_left_to_scikit_learn():
    X, y, _ = make()
    settings = {
        "alphas": [0.01],
        "X_offset": X.mean(axis=0) / 2,
        "X_scale": np.ones(40),
        "max_iter": 2,
    }
    C = sparse.csc_array(X)
    mine, peer = ours.enet_path(C, y, **settings), theirs.enet_path(C, y, **settings)
    np.testing.assert_array_equal(mine[1], peer[1])


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("weighted", [True, False])
def test_cross_validation(kind, weighted):
    X, y, s = make(n=120)
    settings = {"alphas": 15, "cv": KFold(4, shuffle=True, random_state=0), **TIGHT}
    weights = s if weighted else None
    peer = theirs.LassoCV(**settings).fit(X, y, sample_weight=weights)
    model = ours.LassoCV(**settings).fit(form(X, kind), y, sample_weight=weights)
    np.testing.assert_allclose(model.alphas_, peer.alphas_)
    np.testing.assert_allclose(model.mse_path_, peer.mse_path_, rtol=1e-4)
    assert model.mse_path_.shape == (15, 4)
    assert model.alpha_ == pytest.approx(peer.alpha_)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)
    assert not hasattr(model, "l1_ratio_")


def test_cross_validation_of_the_mixture():
    X, y, _ = make(n=120)
    settings = {"l1_ratio": [0.2, 0.9], "alphas": 8, "cv": 3, **TIGHT}
    peer = theirs.ElasticNetCV(**settings).fit(X, y)
    model = ours.ElasticNetCV(**settings).fit(sparse.csr_array(X), y)
    assert model.l1_ratio_ == peer.l1_ratio_
    assert model.alphas_.shape == (2, 8)
    np.testing.assert_allclose(model.mse_path_, peer.mse_path_, rtol=1e-4)


@pytest.mark.parametrize("name", ["Lasso", "LassoCV", "ElasticNetCV"])
def test_threads_do_not_change_a_bit(name):
    X, y, s = make(n=600, p=300)
    one, four = (
        getattr(ours, name)(n_jobs=n_jobs).fit(sparse.csr_array(X), y, s) for n_jobs in (1, 4)
    )
    np.testing.assert_array_equal(one.coef_, four.coef_)
    assert one.intercept_ == four.intercept_
    assert one.dual_gap_ == four.dual_gap_


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_hard_matrices(kind):
    """Empty rows, zero, constant and repeated columns; more columns than rows."""
    X, y, _ = make(40, 320)
    X[:4] = 0
    X[:, :5] = 0
    X[:, 5] = 0.1
    X[:, 7] = X[:, 6]
    model = ours.Lasso(alpha=1e-3, **TIGHT).fit(form(X, kind), y)
    assert not model.coef_[:6].any()
    peer = theirs.Lasso(alpha=1e-3, **TIGHT).fit(X, y)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), atol=1e-4)
    assert model.sparse_coef_.shape == (1, 320)


def test_entries_stored_in_pieces():
    X, y, _ = make()
    whole = sparse.csc_array(X)
    pieces = sparse.csc_array(
        (np.repeat(whole.data / 2, 2), np.repeat(whole.indices, 2), 2 * whole.indptr), whole.shape
    )
    one, two = (ours.Lasso(alpha=1e-3, **TIGHT).fit(form, y) for form in (whole, pieces))
    np.testing.assert_allclose(two.coef_, one.coef_, atol=1e-8)
    assert pieces.nnz == 2 * whole.nnz


def test_several_targets():
    X, y, _ = make()
    Y = np.c_[y, y[::-1]]
    model = ours.Lasso(alpha=1e-3, **TIGHT).fit(sparse.csr_array(X), Y)
    assert model.coef_.shape == (2, 40)
    assert model.dual_gap_.shape == (2,)
    alone = ours.Lasso(alpha=1e-3, **TIGHT).fit(sparse.csr_array(X), Y[:, 1])
    np.testing.assert_allclose(model.coef_[1], alone.coef_, atol=1e-9)
    assert model.intercept_[1] == pytest.approx(alone.intercept_)


def test_a_fit_that_ends_early_says_by_how_much():
    X, y, _ = make(n=100, p=400)
    with pytest.warns(
        ConvergenceWarning, match="Objective did not converge.*Duality gap: "
    ) as seen:
        model = ours.Lasso(alpha=1e-4, max_iter=2, tol=1e-10).fit(X, y)
    assert len(seen) == 1
    assert model.n_iter_ == 2
    assert model.dual_gap_ > 1e-10


@pytest.mark.filterwarnings("ignore:With alpha=0")
def test_no_penalty():
    X, y, _ = make(n=100, p=5, density=1.0)
    with pytest.warns(UserWarning, match="With alpha=0"):
        model = ours.Lasso(alpha=0, **TIGHT).fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs.LinearRegression().fit(X, y).coef_, atol=1e-4)
    X, y, _ = make(n=30, p=60)
    with pytest.warns(ConvergenceWarning, match="zero l1 penalization"):
        ours.Lasso(alpha=0, max_iter=1, tol=1e-10).fit(X, y)


def test_warm_start():
    X, y, _ = make(n=100, p=400)
    model = ours.ElasticNet(alpha=2e-3, warm_start=True, tol=1e-8, max_iter=10_000).fit(X, y)
    assert model.n_iter_ > 1
    assert model.fit(X, y).n_iter_ <= 1


def test_wrong_arguments():
    X, y, _ = make()
    with pytest.raises(ValueError, match="coef_init has shape"):
        ours.lasso_path(X, y, coef_init=np.ones(3))
    with pytest.raises(ValueError, match="Fortran order"):
        ours.enet_path(X, y, check_input=False, precompute=False)
    with pytest.raises(ValueError, match="random or cyclic"):
        ours.enet_path(X, y, selection="other")
    with pytest.raises(ValueError, match="n_jobs"):
        ours.Lasso(n_jobs="all").fit(X, y)


def test_clone_pickle_and_parameters():
    X, y, _ = make()
    model = ours.LassoCV(cv=3, alphas=5, n_jobs=2).fit(X, y)
    assert isinstance(model, theirs.LassoCV)
    assert clone(model).get_params()["n_jobs"] == 2
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert ours.Lasso.path is ours.enet_path
    lasso = ours.Lasso(1e-3, n_jobs=1)
    assert isinstance(lasso, theirs.Lasso)
    assert "l1_ratio" not in lasso.get_params()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pickle.loads(pickle.dumps(lasso)).fit(X, y).score(X, y) > 0.5
