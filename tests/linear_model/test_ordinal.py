"""OrdinalRegression: against statsmodels, logistic regression and the objective itself."""

import numpy as np
import pytest
from scipy import optimize, sparse, stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from statsmodels.miscmodels.ordinal_model import OrderedModel

from quire.linear_model import OrdinalRegression
from quire.optimize import OrdinalLoss

LINKS = ["logit", "probit"]


def ratings(n=400, p=5, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    latent = X @ rng.normal(size=p) + rng.logistic(size=n)
    cuts = np.quantile(latent, np.linspace(0.15, 0.85, n_classes - 1))
    return X, np.digitize(latent, cuts) + 1


def objective(model, X, y, weights=None):
    """The class docstring's formula, with probabilities as differences of a distribution."""
    F = stats.logistic.cdf if model.link == "logit" else stats.norm.cdf
    ends = np.concatenate([[-np.inf], model.thresholds_, [np.inf]])
    codes = np.searchsorted(model.classes_, y)
    latent = X @ model.coef_
    P = F(ends[codes + 1] - latent) - F(ends[codes] - latent)
    w, rho = model.coef_, model.l1_ratio
    weights = np.ones(len(y)) if weights is None else weights
    penalty = (1 - rho) / 2 * w @ w + rho * np.abs(w).sum()
    return -model.C * weights @ np.log(P) + penalty


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_without_a_penalty_it_is_statsmodels_ordered_model(link, n_classes):
    X, y = ratings(n=150, n_classes=n_classes)
    peer = OrderedModel(y, X, distr=link).fit(method="bfgs", gtol=1e-7, maxiter=1000, disp=False)
    ends = peer.model.transform_threshold_params(np.asarray(peer.params))
    for solver in ("newton", "newton-cg", "lbfgs"):
        model = OrdinalRegression(link=link, C=np.inf, tol=1e-8, solver=solver, max_iter=500)
        model.fit(X, y)
        np.testing.assert_allclose(model.coef_, np.asarray(peer.params)[:5], rtol=1e-6, atol=2e-6)
        np.testing.assert_allclose(model.thresholds_, ends[1:-1], rtol=1e-6, atol=2e-6)
        codes = np.searchsorted(model.classes_, y)
        likelihood = model.predict_log_proba(X)[np.arange(len(y)), codes].sum()
        assert likelihood == pytest.approx(peer.llf, rel=1e-9)
        np.testing.assert_allclose(model.predict_proba(X), peer.predict(X), atol=1e-6)


@pytest.mark.parametrize("link", LINKS)
def test_summary_has_the_standard_errors_of_statsmodels(link):
    X, y = ratings(n=150, n_classes=2)  # statsmodels transforms the others of several thresholds
    peer = OrderedModel(y, X, distr=link).fit(method="bfgs", gtol=1e-7, maxiter=1000, disp=False)
    model = OrdinalRegression(link=link, C=np.inf, tol=1e-10).fit(X, y)
    errors = model.summary(X, y).equations[0].standard_errors
    np.testing.assert_allclose(errors, np.asarray(peer.bse), rtol=1e-5)


@pytest.mark.parametrize("link", LINKS)
def test_information_is_minus_the_second_derivative(link):
    X, y = ratings(n=60, p=2, n_classes=3)
    weights = np.arange(60) % 3
    codes, at = y - 1, np.array([0.3, -0.2, -0.5, 0.8])
    F = stats.logistic.cdf if link == "logit" else stats.norm.cdf

    def negative(x):
        ends = np.array([-np.inf, x[2], x[3], np.inf])
        P = F(ends[codes + 1] - X @ x[:2]) - F(ends[codes] - X @ x[:2])
        return -weights @ np.log(P)

    h, numeric = 1e-4, np.empty((4, 4))
    for i, a in enumerate(np.eye(4) * h):
        for j, b in enumerate(np.eye(4) * h):
            corners = [negative(at + s * a + t * b) * s * t for s in (-1, 1) for t in (-1, 1)]
            numeric[i, j] = sum(corners) / (4 * h**2)
    for matrix in (X, sparse.csr_array(X)):
        found = weights.sum() * OrdinalLoss(matrix, codes, weights, link).at(at).hessian()
        np.testing.assert_allclose(found, numeric, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("C", [0.1, 1.0, np.inf])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_two_classes_are_logistic_regression(C, l1_ratio):
    X, y = ratings(n_classes=2)
    model = OrdinalRegression(C=C, l1_ratio=l1_ratio, tol=1e-9).fit(X, y)
    solver = "lbfgs" if l1_ratio == 0 or np.isinf(C) else "saga"
    ratio = 0.0 if np.isinf(C) else l1_ratio
    peer = LogisticRegression(C=C, l1_ratio=ratio, solver=solver, tol=1e-9, max_iter=10_000)
    peer.fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_[0], atol=1e-5)
    np.testing.assert_allclose(-model.thresholds_, peer.intercept_, atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-5)
    np.testing.assert_allclose(
        model.decision_function(X), peer.decision_function(X), atol=1e-4, rtol=1e-4
    )
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("l1_ratio", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_the_objective_has_its_minimum_there(link, l1_ratio, as_sparse):
    X, y = ratings(seed=2)
    X = X * (np.random.default_rng(0).random(X.shape) < 0.5)
    weights = np.random.default_rng(1).random(len(y))
    model = OrdinalRegression(link=link, C=0.05, l1_ratio=l1_ratio, tol=1e-9)
    model.fit(sparse.csr_matrix(X) if as_sparse else X, y, sample_weight=weights)
    best = objective(model, X, y, weights)
    p = X.shape[1]

    def perturbed(x):
        other = OrdinalRegression(link=link, C=0.05, l1_ratio=l1_ratio)
        other.coef_, other.thresholds_, other.classes_ = x[:p], x[p:], model.classes_
        return objective(other, X, y, weights) if (np.diff(x[p:]) > 0).all() else np.inf

    start = np.concatenate([model.coef_, model.thresholds_])
    rng = np.random.default_rng(2)
    assert all(perturbed(start + 0.01 * rng.normal(size=len(start))) > best for _ in range(50))
    found = optimize.minimize(
        perturbed, np.r_[np.zeros(p), -1, 0, 1], method="Nelder-Mead",
        options={"maxiter": 4000, "maxfev": 4000, "adaptive": True, "xatol": 1e-9, "fatol": 1e-12},
    )  # fmt: skip
    assert best <= found.fun + 1e-9
    assert best == pytest.approx(found.fun, rel=0.01)


@pytest.mark.parametrize(
    ("l1_ratio", "solvers"),
    [
        (0.0, ["newton", "newton-cg", "lbfgs", "gradient-descent"]),
        (1.0, ["prox-newton", "proximal-gradient"]),
    ],
)
def test_all_solvers_find_the_same(l1_ratio, solvers):
    X, y = ratings()
    exact = OrdinalRegression(C=0.1, l1_ratio=l1_ratio, tol=1e-9, max_iter=10_000).fit(X, y)
    for solver in solvers:
        model = OrdinalRegression(
            C=0.1, l1_ratio=l1_ratio, tol=1e-7, solver=solver, max_iter=10_000
        ).fit(X, y)
        np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-6)
        np.testing.assert_allclose(model.thresholds_, exact.thresholds_, atol=1e-6)


def test_solvers_that_do_not_apply_are_refused():
    X, y = ratings(n=50)
    with pytest.raises(ValueError, match=r"solver='lbfgs' does not apply with l1_ratio=1.0"):
        OrdinalRegression(solver="lbfgs", l1_ratio=1.0).fit(X, y)
    with pytest.raises(ValueError, match="solver='prox-newton' does not apply"):
        OrdinalRegression(solver="prox-newton").fit(X, y)


def test_many_features_few_rows_sparse_and_dense():
    rng = np.random.default_rng(0)
    X = sparse.random_array((200, 1000), density=0.05, rng=rng, format="csr")
    y = np.digitize(X @ rng.normal(size=1000) + 0.1 * rng.logistic(size=200), [-1, 0, 1])
    for l1_ratio in (0.0, 0.5, 1.0):
        thin = OrdinalRegression(l1_ratio=l1_ratio, tol=1e-8).fit(X, y)
        thick = OrdinalRegression(l1_ratio=l1_ratio, tol=1e-8).fit(X.toarray(), y)
        np.testing.assert_allclose(thin.coef_, thick.coef_, atol=1e-6)
        np.testing.assert_allclose(thin.thresholds_, thick.thresholds_, atol=1e-6)
        if l1_ratio == 1.0:
            assert 0 < np.count_nonzero(thin.coef_) < 200


def test_threads_change_no_bit():
    rng = np.random.default_rng(0)
    X = sparse.random_array((3000, 500), density=0.1, rng=rng, format="csr")
    y = np.digitize(X @ rng.normal(size=500) + rng.logistic(size=3000), [-1, 0, 2])
    for l1_ratio in (0.0, 1.0):
        one, four = (
            OrdinalRegression(C=0.3, l1_ratio=l1_ratio, n_jobs=n).fit(X, y) for n in (1, 4)
        )
        np.testing.assert_array_equal(one.coef_, four.coef_)
        np.testing.assert_array_equal(one.predict_proba(X), four.predict_proba(X))


@pytest.mark.parametrize("link", LINKS)
def test_separable_data_without_a_penalty_are_named(link):
    X = np.arange(12.0)[:, None]
    y = np.repeat([0, 1, 2], 4)
    model = OrdinalRegression(link=link, C=np.inf)
    with pytest.warns(ConvergenceWarning, match="no maximum"):
        model.fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    OrdinalRegression(link=link).fit(X, y)  # with a penalty there is nothing to say


def test_separation_by_one_column_and_by_more_columns_than_rows():
    X, y = ratings(n=200, n_classes=3)
    only_lowest = (y == 1) & (np.arange(200) % 3 == 0)
    with pytest.warns(ConvergenceWarning, match="no maximum"):
        OrdinalRegression(C=np.inf).fit(np.column_stack([X, only_lowest]), y)
    wide = np.random.default_rng(0).normal(size=(30, 300))
    with pytest.warns(ConvergenceWarning, match="no maximum"):
        OrdinalRegression(C=np.inf).fit(wide, np.arange(30) % 3)


def test_collinear_columns_without_a_penalty():
    X, y = ratings()
    twice = np.column_stack([X, X[:, 0], np.ones(len(X)), np.zeros(len(X))])
    one = OrdinalRegression(C=np.inf, tol=1e-9).fit(X, y)
    two = OrdinalRegression(C=np.inf, tol=1e-9).fit(twice, y)
    np.testing.assert_allclose(two.predict_proba(twice), one.predict_proba(X), atol=1e-7)


def test_units_of_the_columns_do_not_matter_without_a_penalty():
    X, y = ratings()
    units = np.array([1e-5, 1e5, 1.0, 1e3, 1e-2])
    for link in LINKS:
        plain = OrdinalRegression(link=link, C=np.inf).fit(X, y)
        scaled = OrdinalRegression(link=link, C=np.inf).fit(X * units, y)
        np.testing.assert_allclose(scaled.coef_ * units, plain.coef_, rtol=1e-6)


@pytest.mark.parametrize("link", LINKS)
def test_weak_penalties_on_data_that_can_be_separated(link):
    """The quadratic model promises too much here; steps must be damped or cut."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 2000), density=0.02, rng=rng, format="csr")
    y = np.arange(300) % 4
    for l1_ratio in (0.0, 1.0):
        model = OrdinalRegression(link=link, C=1e3, l1_ratio=l1_ratio, max_iter=300).fit(X, y)
        assert model.score(X, y) == 1.0


def test_not_converged_is_said():
    X, y = ratings()
    with pytest.warns(ConvergenceWarning, match="OrdinalRegression did not converge in 1 iter"):
        OrdinalRegression(max_iter=1, tol=1e-12).fit(X, y)


def test_predictions():
    X, y = ratings(n_classes=5)
    model = OrdinalRegression(link="probit").fit(X, y)
    P = model.predict_proba(X)
    assert P.shape == (400, 5)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(X), model.classes_[P.argmax(axis=1)])
    half = model.classes_[(P.cumsum(axis=1) >= 0.5).argmax(axis=1)]
    np.testing.assert_array_equal(model.predict_median(X), half)
    np.testing.assert_allclose(model.latent(X), X @ model.coef_)
    F = stats.norm.cdf(model.thresholds_ - model.latent(X)[:, None])
    np.testing.assert_allclose(P.cumsum(axis=1)[:, :-1], F, atol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), np.log(P))
    assert model.score(X, y) == np.mean(model.predict(X) == y)
    assert np.abs(model.predict_median(X) - y).mean() < 0.8


def test_probabilities_far_away_are_logarithms_without_infinities():
    X, y = ratings()
    for link in LINKS:
        model = OrdinalRegression(link=link).fit(X, y)
        far = model.predict_log_proba(1e3 * X)
        assert np.isfinite(far).all()
        np.testing.assert_allclose(model.predict_proba(1e6 * X).sum(axis=1), 1.0)
