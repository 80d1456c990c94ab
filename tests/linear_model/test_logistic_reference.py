"""A softmax whose reference class is at zero while it is fitted."""

import numpy as np
import pytest
from scipy import optimize, sparse
from scipy.special import logsumexp
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from quire.linear_model import LogisticRegression
from quire.optimize import MultinomialLoss, check_gradient

LAMBDA = 0.7


def data(n=150):
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X = StandardScaler().fit_transform(X) + rng.normal(size=X.shape)  # not separable
    chosen = rng.permutation(150)[:n]
    return X[chosen], np.array(["setosa", "versicolor", "virginica"])[y[chosen]]


def direct_minimum(X, y, reference, l1, l2, fit_intercept=True, sample_weight=None):
    """Minimise sum of losses + l1 |W|_1 + l2 |W|^2 with SciPy, one class's weights left out.

    Absolute values are sums of two parts that are not negative.
    """
    classes, codes = np.unique(y, return_inverse=True)
    others = np.flatnonzero(classes != reference)
    n, p, K = *X.shape, len(classes)
    Z = np.column_stack([X, np.ones(n)]) if fit_intercept else X
    weights = np.ones(n) if sample_weight is None else sample_weight
    shape = (len(others), Z.shape[1])
    size = shape[0] * shape[1]
    penalized = np.zeros(shape)
    penalized[:, :p] = 1

    def value_and_gradient(v):
        W = (v[:size] - v[size:]).reshape(shape)
        scores = np.zeros((n, K))
        scores[:, others] = Z @ W.T
        log_total = logsumexp(scores, axis=1)
        value = weights @ (log_total - scores[np.arange(n), codes])
        residual = np.exp(scores - log_total[:, None])
        residual[np.arange(n), codes] -= 1
        G = (weights[:, None] * residual[:, others]).T @ Z + 2 * l2 * penalized * W
        value += l2 * (penalized * W**2).sum() + l1 * np.tile(penalized.ravel(), 2) @ v
        sides = [G.ravel() + l1 * penalized.ravel(), -G.ravel() + l1 * penalized.ravel()]
        return value, np.concatenate(sides)

    found = optimize.minimize(
        value_and_gradient,
        np.zeros(2 * size),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * (2 * size),
        options={"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-9},
    )
    W = (found.x[:size] - found.x[size:]).reshape(shape)
    coef, intercept = np.zeros((K, p)), np.zeros(K)
    coef[others] = W[:, :p]
    if fit_intercept:
        intercept[others] = W[:, p]
    return coef, intercept, found.fun


# The lambda of the summed loss: of |W|^2, of |W|_1, of both by halves, of nothing.
PENALTIES = {
    "l2": ({"C": 1 / (2 * LAMBDA)}, 0.0, LAMBDA),
    "l1": ({"C": 1 / LAMBDA, "l1_ratio": 1.0}, LAMBDA, 0.0),
    "both": ({"C": 1 / LAMBDA, "l1_ratio": 0.5}, LAMBDA / 2, LAMBDA / 4),
    "none": ({"C": np.inf}, 0.0, 0.0),
}


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("reference", ["setosa", "virginica"])
@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_it_is_the_minimum_with_that_class_at_zero(penalty, reference, as_sparse, fit_intercept):
    X, y = data()
    options, l1, l2 = PENALTIES[penalty]
    rows = sparse.csr_array(X) if as_sparse else X
    model = LogisticRegression(
        solver="auto", reference=reference, fit_intercept=fit_intercept, tol=1e-6, **options
    ).fit(rows, y)
    coef, intercept, _ = direct_minimum(X, y, reference, l1, l2, fit_intercept)
    np.testing.assert_allclose(model.coef_, coef, atol=2e-4)
    np.testing.assert_allclose(model.intercept_, intercept, atol=2e-4)
    at = model.classes_.tolist().index(reference)
    assert not model.coef_[at].any()
    assert model.intercept_[at] == 0


def test_it_differs_from_the_default_written_against_the_same_class():
    X, y = data()
    options = PENALTIES["l2"][0]
    fixed = LogisticRegression(reference="setosa", **options).fit(X, y)
    free = LogisticRegression(**options).fit(X, y)
    difference = np.abs(fixed.coef_ - free.reference_coding("setosa")[0]).max()
    assert difference > 0.1
    np.testing.assert_allclose(fixed.reference_coding("setosa")[0], fixed.coef_)
    # and the choice of the class matters, as it does not without a penalty
    other = LogisticRegression(reference="virginica", **options).fit(X, y)
    assert np.abs(fixed.predict_proba(X) - other.predict_proba(X)).max() > 0.005


def test_without_a_penalty_every_reference_is_the_same_model():
    X, y = data()
    free = LogisticRegression(C=np.inf).fit(X, y)
    for reference in free.classes_:
        fixed = LogisticRegression(C=np.inf, reference=reference).fit(X, y)
        np.testing.assert_allclose(fixed.predict_proba(X), free.predict_proba(X), atol=1e-6)
        np.testing.assert_allclose(fixed.coef_, free.reference_coding(reference)[0], atol=1e-4)
        summary = fixed.summary(X, y)  # against the class of the fit
        assert reference not in [equation.label for equation in summary.equations]
        np.testing.assert_allclose(
            summary.equations[0].estimates[1:], fixed.coef_[fixed.classes_ != reference][0]
        )


def test_readings_are_against_the_class_of_the_fit():
    X, y = data()
    model = LogisticRegression(reference="virginica").fit(X, y)
    coef, intercept = model.reference_coding()
    np.testing.assert_array_equal(coef, model.coef_)
    np.testing.assert_array_equal(intercept, model.intercept_)
    np.testing.assert_array_equal(model.odds_ratios(), np.exp(model.coef_))
    np.testing.assert_array_equal(model.reference_coding("setosa")[0][0], 0)


def test_two_classes_have_one_row_of_weights_whatever_the_reference():
    X, y = data()
    y = y == "setosa"
    plain = LogisticRegression().fit(X, y)
    for reference in (False, True):
        model = LogisticRegression(reference=reference).fit(X, y)
        np.testing.assert_array_equal(model.coef_, plain.coef_)


@pytest.mark.parametrize("solver", ["lbfgs", "newton", "gradient-descent", "saga"])
def test_solvers_agree(solver):
    X, y = data()
    best = LogisticRegression(reference="setosa", tol=1e-8).fit(X, y)
    model = LogisticRegression(reference="setosa", solver=solver, tol=1e-6, max_iter=10_000).fit(
        X, y
    )
    np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-3)
    assert model.gap_ < 1e-4
    expected = {"newton": "newton", "gradient-descent": "gradient-descent"}
    assert model.solver_ == expected.get(solver, "newton-cg")


def test_weights_of_samples_and_classes():
    X, y = data(60)
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, len(y)).astype(float)
    model = LogisticRegression(reference="setosa", C=1 / (2 * LAMBDA), tol=1e-8)
    model.fit(X, y, sample_weight=weights)
    coef, *_ = direct_minimum(X, y, "setosa", 0.0, LAMBDA, sample_weight=weights)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-4)
    repeated = np.repeat(np.arange(len(y)), weights.astype(int))
    again = LogisticRegression(reference="setosa", C=1 / (2 * LAMBDA), tol=1e-8)
    np.testing.assert_allclose(again.fit(X[repeated], y[repeated]).coef_, coef, atol=1e-4)


def test_warm_starts_and_paths():
    X, y = data()
    model = LogisticRegression(reference="setosa", warm_start=True, tol=1e-6).fit(X, y)
    before = model.coef_.copy()
    model.fit(X, y)
    assert model.n_iter_[0] == 0
    np.testing.assert_array_equal(model.coef_, before)
    for one in LogisticRegression(reference="setosa").fit_path(X, y, [0.1, 1.0]):
        alone = LogisticRegression(reference="setosa", C=one.C).fit(X, y)
        np.testing.assert_allclose(one.coef_, alone.coef_, atol=1e-4)


def test_derivatives_of_the_loss():
    X, y = data(40)
    codes = np.unique(y, return_inverse=True)[1]
    for reference in range(3):
        check = check_gradient(MultinomialLoss(X, codes, reference=reference))
        assert check.gradient_error < 1e-8
        assert check.hessian_error < 1e-7
        hessian = MultinomialLoss(X, codes, reference=reference).at(np.zeros(10)).hessian()
        assert np.linalg.eigvalsh(hessian).min() > 0  # nothing moves freely any more


def test_what_cannot_be():
    X, y = data()
    with pytest.raises(ValueError, match="'rose' is not a class of this model"):
        LogisticRegression(reference="rose").fit(X, y)
    with pytest.raises(ValueError, match="reference is 3"):
        MultinomialLoss(X, np.arange(150) % 3, reference=3)
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations"):
        LogisticRegression(reference="setosa", max_iter=1, tol=1e-9).fit(X, y)
    apart = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    with pytest.warns(ConvergenceWarning, match="perfect separation"):
        LogisticRegression(reference=1, C=np.inf).fit(apart, [0, 0, 1, 1, 2, 2])
