"""Summaries of ordered models equal statsmodels'."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import logistic, norm
from sklearn.base import BaseEstimator, ClassifierMixin
from statsmodels.miscmodels.ordinal_model import OrderedModel

from quire.linear_model._summary.ordinal import OrdinalSummary
from quire.optimize import OrdinalLoss

LABELS = np.array(["1 bad", "2 fair", "3 good", "4 great"])
CDF = {"logit": logistic, "probit": norm}


class Ordered(OrdinalSummary, ClassifierMixin, BaseEstimator):
    """Newton's method from zero: what a fit leaves behind, for small data."""

    def __init__(self, link="logit", C=np.inf, n_steps=50):
        self.link = link
        self.C = C
        self.n_steps = n_steps

    def fit(self, X, y, sample_weight=None):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_features_in_ = p = X.shape[1]
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
        shares = np.bincount(codes, weights) / weights.sum()
        params = np.concatenate([np.zeros(p), CDF[self.link].ppf(shares.cumsum()[:-1])])
        loss = OrdinalLoss(X, codes, weights, self.link)
        for _ in range(self.n_steps):
            point = loss.at(params)
            params = params - np.linalg.lstsq(point.hessian(), point.gradient, rcond=None)[0]
        self.coef_, self.thresholds_ = params[:p], params[p:]
        return self


def problem(n=400, p=3, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * [1.0, 0.2, 4.0][:p]
    latent = X @ [0.8, -2.0, 0.1][:p] + rng.logistic(size=n)
    edges = np.quantile(latent, np.linspace(0, 1, n_classes + 1)[1:-1] ** 1.3)
    return X, LABELS[np.digitize(latent, edges)]


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_equal_to_statsmodels(link, form, n_classes):
    X, y = problem(n_classes=n_classes)
    model = Ordered(link).fit(X, y)
    summary = model.summary(form(X), y, feature_names=["a", "b", "c"])
    codes = np.unique(y, return_inverse=True)[1]
    theirs = OrderedModel(codes, X, distr=link)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = theirs.fit(method="bfgs", gtol=1e-10, maxiter=500, disp=False)
    found = summary.equations[0]
    thresholds = theirs.transform_threshold_params(result.params)[1:-1]
    # their parameters are the first threshold and the logarithms of the differences
    jacobian = np.zeros((n_classes - 1, n_classes - 1))
    jacobian[:, 0] = 1
    for j in range(1, n_classes - 1):
        jacobian[j:, j] = np.exp(result.params[3 + j])
    move = np.eye(n_classes + 2)
    move[3:, 3:] = jacobian
    covariance = move @ np.asarray(result.cov_params()) @ move.T  # numerical derivatives

    np.testing.assert_allclose(found.estimates[:3], result.params[:3], rtol=1e-6)
    np.testing.assert_allclose(found.estimates[3:], thresholds, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found.standard_errors, np.sqrt(np.diag(covariance)), rtol=1e-6)
    np.testing.assert_allclose(found.p_values[:3], result.pvalues[:3], rtol=1e-5)
    np.testing.assert_allclose(found.lower[:3], result.conf_int()[:3, 0], rtol=1e-6)
    np.testing.assert_allclose(summary.log_likelihood, result.llf)
    np.testing.assert_allclose(summary.null_log_likelihood, result.llnull)
    np.testing.assert_allclose(summary.r2, result.prsquared)
    np.testing.assert_allclose(summary.likelihood_ratio, result.llr)
    np.testing.assert_allclose(summary.likelihood_ratio_p_value, result.llr_pvalue, rtol=1e-6)
    np.testing.assert_allclose(summary.aic, result.aic)
    np.testing.assert_allclose(summary.bic, result.bic)
    assert summary.df_residual == result.df_resid
    labels = np.unique(y)
    assert found.terms == (
        "a",
        "b",
        "c",
        *map(" | ".join, pairwise(labels)),
    )


def test_odds_ratios_only_with_the_logit_link():
    X, y = problem()
    logit = Ordered().fit(X, y).summary(X, y)
    ratios = logit.odds_ratios()
    assert ratios.columns == ["term", "odds_ratio", "lower", "upper"]
    np.testing.assert_allclose(ratios["odds_ratio"], np.exp(logit.equations[0].estimates[:3]))
    with pytest.raises(ValueError, match="Ordered probit regression has no odds ratios"):
        Ordered("probit").fit(X, y).summary(X, y).odds_ratios()


def test_weights_are_counts():
    X, y = problem()
    counts = np.random.default_rng(0).integers(0, 4, size=len(y))
    model = Ordered().fit(X, y, counts)
    weighted = model.summary(X, y, counts)
    repeated = model.summary(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.covariance, repeated.covariance)
    np.testing.assert_allclose(weighted.bic, repeated.bic)


def test_outcomes_in_an_order_of_their_own_and_one_that_never_occurs():
    X, y = problem()
    expected = Ordered().fit(X, y).summary(X, y)
    model = Ordered().fit(X, y)
    names = dict(zip(LABELS, ["bad", "fair", "above", "zenith"], strict=True))
    model.classes_ = np.array(["bad", "fair", "good", "above", "zenith"])  # not sorted
    model.thresholds_ = np.insert(model.thresholds_, 2, model.thresholds_[1])
    summary = model.summary(X, [names[label] for label in y])
    np.testing.assert_allclose(summary.covariance, expected.covariance)
    assert summary.log_likelihood == pytest.approx(expected.log_likelihood)
    assert summary.equations[0].terms[3:] == ("bad | fair", "fair | above", "above | zenith")


def test_refusals():
    X, y = problem()
    with pytest.raises(ValueError, match=r"Ordered was fitted with a penalty \(C=1.0\)"):
        Ordered(C=1.0).fit(X, y).summary(X, y)
    model = Ordered().fit(X, y)
    with pytest.raises(ValueError, match="standard errors from the optimum of these data"):
        model.summary(X, y[::-1])
    with pytest.raises(ValueError, match="5 samples for 5 parameters"):
        model.summary(X[:5], y[:5])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("column", "message"),
    [
        (lambda X: X[:, 0] + X[:, 1], "'x3' is a linear combination of 'x0' and 'x1'"),
        (lambda X: np.full(len(X), 0.1), "'x3' is a linear combination of 'thresholds'"),
        (lambda X: np.zeros(len(X)), "column 'x3' is zero in every row"),
    ],
)
def test_collinear_columns_are_named(form, column, message):
    X, y = problem()
    model = Ordered().fit(X, y)
    model.coef_, model.n_features_in_ = np.append(model.coef_, 0.0), 4
    with pytest.raises(ValueError, match=message):
        model.summary(form(np.column_stack([X, column(X)])), y)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_separable_outcomes(link):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = Ordered(link)
    model.classes_, model.n_features_in_ = np.arange(3), 2
    model.coef_, model.thresholds_ = np.array([40.0, 0.0]), np.array([-20.0, 20.0])
    with pytest.raises(ValueError, match="can be separated"):
        model.summary(X, y)


@pytest.mark.parametrize(("link", "n_steps"), [("logit", 12), ("logit", 20), ("probit", 20)])
def test_columns_that_separate_some_samples_are_named(link, n_steps):
    X, y = problem()
    X = np.column_stack([X, (np.arange(len(y)) < 30) & (y == "4 great")])
    model = Ordered(link, n_steps=n_steps).fit(X, y)
    with pytest.raises(ValueError, match="without end along the columns 'x3', so that"):
        model.summary(X, y)
