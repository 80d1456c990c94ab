"""The dual without a limit on iterations, and its value in double precision."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

import quire.svm._dual
import quire.svm._machine
from quire.svm import SVC, SVR


def data(seed=36, n=24, n_classes=2):
    return make_classification(
        n, 4, n_informative=3, n_redundant=0, n_classes=n_classes, n_clusters_per_class=1,
        flip_y=0.2, class_sep=0.5, random_state=seed,
    )  # fmt: skip


@pytest.mark.parametrize("in_parts", [False, True])
def test_no_limit_means_none(in_parts, monkeypatch):
    """Rounds that end before the solution do not end the search."""
    X, y = data()
    whole = SVC(kernel="linear", tol=1e-7).fit(X, y)
    monkeypatch.setattr(quire.svm._dual, "_ROUND", 10)
    if in_parts:
        monkeypatch.setattr(quire.svm._machine, "_WHOLE", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVC(kernel="linear", tol=1e-7).fit(X, y)
        SVR(kernel="linear", tol=1e-7).fit(X, X[:, 0])
    assert model.fit_status_ == 0
    assert model.n_iter_[0] > 30
    np.testing.assert_allclose(model.dual_coef_, whole.dual_coef_, atol=1e-5)


def test_a_limit_is_still_one():
    X, y = data()
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(max_iter=20\)"):
        model = SVC(kernel="linear", tol=1e-7, max_iter=20).fit(X, y)
    assert (model.fit_status_, model.n_iter_.tolist()) == (1, [20])


@pytest.mark.parametrize("in_parts", [False, True])
def test_rounding_ends_it_with_a_reason(in_parts, monkeypatch):
    monkeypatch.setattr(quire.svm._dual, "_ROUND", 20_000)
    if in_parts:
        monkeypatch.setattr(quire.svm._machine, "_WHOLE", 0)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 4)), rng.integers(0, 2, 24)
    model = SVC(kernel="linear", C=100, tol=1e-17)
    with pytest.warns(ConvergenceWarning, match=r"rounding keeps .* to tol=1e-17. Increase tol"):
        model.fit(X, y)
    assert model.fit_status_ == 1
    assert model.n_iter_[0] % 20_000 == 0


def objective(K, beta):
    return np.abs(beta).sum() - 0.5 * beta @ K @ beta


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_objective_is_not_above_the_maximum(form, n_classes):
    X, y = data(3, 200, n_classes)
    X = 30 * X + 1000  # single precision has few digits left for the kernel of such rows
    rough = SVC(kernel="linear", C=1e-6).fit(form(X), y)
    best = SVC(kernel="linear", C=1e-6, tol=1e-9).fit(form(X), y)
    assert (rough.dual_objective_ <= best.dual_objective_ * (1 + 1e-9)).all()
    alpha = best.alpha_.reshape(len(best.dual_objective_), -1)
    pairs = [(0, 1)] if n_classes == 2 else [(0, 1), (0, 2), (1, 2)]
    for value, a, (i, j) in zip(best.dual_objective_, alpha, pairs, strict=True):
        beta = np.where(y == i, a, -a)
        assert set(np.unique(y[a > 0])) <= {i, j}
        assert value == pytest.approx(objective(X @ X.T, beta), rel=1e-12)


def test_the_objective_of_given_kernels_and_after_another_fit():
    X, y = data(3, 100)
    K = rbf_kernel(X, gamma=0.25)
    named = SVC(gamma=0.25).fit(X, y)
    given = SVC(kernel="precomputed").fit(K, y)
    called = SVC(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.25)).fit(X, y)
    beta = np.where(y == 1, given.alpha_, -given.alpha_)
    for model in (named, given, called):
        assert model.dual_objective_[0] == pytest.approx(objective(K, beta), rel=1e-12)
    before = named.dual_objective_[0]
    assert named.set_params(C=2.0).fit(X, y).dual_objective_[0] > before
    with pytest.raises(AttributeError, match="before it is fitted"):
        SVC().dual_objective_  # noqa: B018


def test_the_objective_of_a_regression():
    X, _ = data(3, 100)
    y = X[:, 0] ** 2
    model = SVR(gamma=0.25, epsilon=0.05).fit(X, y)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    wanted = y @ beta - 0.05 * np.abs(beta).sum() - 0.5 * beta @ rbf_kernel(X, gamma=0.25) @ beta
    assert model.dual_objective_ == pytest.approx(wanted, rel=1e-12)
