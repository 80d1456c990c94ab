"""Summaries of least squares equal statsmodels'; where they would mislead there is an error."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import sparse
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning

from quire.linear_model._summary.least_squares import LeastSquaresSummary


class LinearRegression(LeastSquaresSummary, linear_model.LinearRegression):
    pass


class Ridge(LeastSquaresSummary, linear_model.Ridge):
    pass


KINDS = ["classical", "HC0", "HC1", "HC2", "HC3"]


def problem(n=120, p=4, seed=0, n_targets=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * 10.0 ** np.arange(p) + 5.0 * np.arange(p)
    shape = (p,) if n_targets is None else (p, n_targets)
    noise = rng.normal(size=(n, *shape[1:])) * (1 + (X[:, :1] if n_targets else X[:, 0]) ** 2)
    return X, X @ rng.normal(size=shape) + 2 + noise


def theirs(X, y, weights=None, kind="classical", intercept=True):
    design = sm.add_constant(X) if intercept else X
    model = sm.OLS(y, design) if weights is None else sm.WLS(y, design, weights=weights)
    return model.fit(cov_type="nonrobust" if kind == "classical" else kind)


def assert_same(summary, result, equation=0):
    def close(ours, expected):
        np.testing.assert_allclose(ours, expected, rtol=1e-6)

    found = summary.equations[equation]
    close(found.estimates, result.params)
    close(found.standard_errors, result.bse)
    close(found.statistics, result.tvalues)
    np.testing.assert_allclose(found.p_values, result.pvalues, rtol=1e-5, atol=1e-300)
    close(np.column_stack([found.lower, found.upper]), result.conf_int())
    measures = {
        "r2": result.rsquared,
        "adjusted_r2": result.rsquared_adj,
        "residual_standard_error": np.sqrt(result.scale),
        "f_statistic": result.fvalue,
        "log_likelihood": result.llf,
        "aic": result.aic,
        "bic": result.bic,
    }
    for name, expected in measures.items():
        close(np.ravel(getattr(summary, name))[equation], expected)
    np.testing.assert_allclose(
        np.ravel(summary.f_p_value)[equation], result.f_pvalue, rtol=1e-5, atol=1e-300
    )
    assert summary.df_model == result.df_model
    assert summary.df_residual == result.df_resid
    assert summary.n_samples == result.nobs
    covariance = (
        summary.covariance if summary.covariance.ndim == 2 else summary.covariance[equation]
    )
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    np.testing.assert_allclose(covariance / scale, result.cov_params() / scale, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_equal_to_statsmodels(kind, intercept, weighted, form):
    X, y = problem()
    weights = np.random.default_rng(1).uniform(0.2, 3, len(y)) if weighted else None
    model = LinearRegression(fit_intercept=intercept, tol=1e-14).fit(X, y, weights)
    summary = model.summary(form(X), y, weights, covariance=kind)
    assert summary.statistic == ("t" if kind == "classical" else "z")
    assert_same(summary, theirs(X, y, weights, kind, intercept))


@pytest.mark.parametrize("kind", ["classical", "HC3"])
def test_several_targets_have_a_table_each(kind):
    X, Y = problem(n_targets=3)
    summary = LinearRegression().fit(X, Y).summary(X, Y, covariance=kind)
    for t in range(3):
        assert_same(summary, theirs(X, Y[:, t], kind=kind), t)
    assert summary.covariance.shape == (3, 5, 5)
    assert summary.to_frame()["equation"].to_list() == [t for t in range(3) for _ in range(5)]
    text = str(summary)
    assert text.count("adjusted R2") == 3
    assert "target 2" in text
    assert max(map(len, text.splitlines())) <= 80
    assert summary.as_html().count('<th scope="rowgroup"') == 3


def test_longley():
    """The data of J. W. Longley (1967), nearly collinear, on which regressions used to fail."""
    data = sm.datasets.longley.load_pandas()
    model = LinearRegression().fit(data.exog, data.endog)
    summary = model.summary(data.exog, data.endog)
    assert_same(summary, theirs(data.exog, data.endog))
    # NIST, Statistical Reference Datasets: the certified values
    np.testing.assert_allclose(summary.equations[0].estimates[0], -3482258.63459582, rtol=1e-9)
    np.testing.assert_allclose(summary.equations[0].standard_errors[0], 890420.383607373, rtol=1e-9)
    np.testing.assert_allclose(summary.residual_standard_error, 304.854073561965, rtol=1e-9)
    np.testing.assert_allclose(summary.f_statistic, 330.285339234588, rtol=1e-9)
    assert summary.equations[0].terms[1:] == tuple(data.exog.columns)


def test_likelihood_ratio_against_the_mean():
    X, y = problem()
    summary = LinearRegression().fit(X, y).summary(X, y)
    null = sm.OLS(y, np.ones(len(y))).fit()
    lr, p, df = theirs(X, y).compare_lr_test(null)
    np.testing.assert_allclose(summary.null_log_likelihood, null.llf)
    np.testing.assert_allclose(summary.likelihood_ratio, lr)
    np.testing.assert_allclose(summary.likelihood_ratio_p_value, p)
    assert summary.df_model == df


@pytest.mark.parametrize("kind", ["classical", "HC1"])
def test_columns_that_span_the_constant(kind):
    rng = np.random.default_rng(0)
    X = np.eye(3)[rng.integers(3, size=60)]
    y = X @ [1.0, 2.0, 4.0] + rng.normal(size=60)
    summary = LinearRegression(fit_intercept=False).fit(X, y).summary(X, y, covariance=kind)
    assert_same(summary, theirs(X, y, kind=kind, intercept=False))
    assert summary.df_model == 2
    assert not summary.notes


def test_confidence():
    X, y = problem()
    model = LinearRegression().fit(X, y)
    wide = model.summary(X, y, confidence=0.99)
    np.testing.assert_allclose(
        np.column_stack([wide.equations[0].lower, wide.equations[0].upper]),
        theirs(X, y).conf_int(alpha=0.01),
    )
    for wrong in (0, 1, 95, "high", True):
        with pytest.raises(ValueError, match=r"confidence is .* between 0 and 1"):
            model.summary(X, y, confidence=wrong)


def test_rows_of_weight_zero_are_not_there():
    X, y = problem()
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    weights[::3] = 0
    model = LinearRegression().fit(X, y, weights)
    kept = weights > 0
    summary = model.summary(X, y, weights)
    assert_same(summary, theirs(X[kept], y[kept], weights[kept]))
    with pytest.raises(ValueError, match="at least one non-zero"):
        model.summary(X, y, np.zeros(len(y)))
    with pytest.raises(ValueError, match="negative"):
        model.summary(X, y, -weights)


def test_blocks_of_rows(monkeypatch):
    from quire.linear_model._summary import information

    X, y = problem()
    model = LinearRegression().fit(X, y)
    whole = model.summary(X, y, covariance="HC3")
    monkeypatch.setattr(information, "_BLOCK", 35)
    for form in (np.asarray, sparse.csr_array):
        cut = model.summary(form(X), y, covariance="HC3")
        np.testing.assert_allclose(cut.covariance, whole.covariance, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("column", "message"),
    [
        (lambda X: X[:, 0] - 2 * X[:, 2], r"'e' is a linear combination of 'a' and 'c', or very"),
        (lambda X: np.zeros(len(X)), "column 'e' is zero in every row"),
        (lambda X: np.full(len(X), 3.0), "'e' is a linear combination of 'intercept'"),
    ],
)
def test_collinear_columns_are_named(form, column, message):
    X, y = problem()
    X = X / X.std(axis=0)
    X = np.column_stack([X, column(X)])
    model = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.summary(form(X), y, feature_names=list("abcde"))


def test_penalised_and_bounded_models_are_refused():
    X, y = problem()
    with pytest.raises(
        ValueError, match=r"Ridge was fitted with a penalty \(alpha=1.0\).*not valid"
    ):
        Ridge().fit(X, y).summary(X, y)
    model = LinearRegression(positive=True).fit(X, y)
    with pytest.raises(ValueError, match="positive=True; standard errors are not valid at a bound"):
        model.summary(X, y)


def test_too_few_samples_and_too_many_parameters():
    X, y = problem(n=5)
    with pytest.raises(ValueError, match="5 samples for 5 parameters"):
        LinearRegression().fit(X, y).summary(X, y)
    model = LinearRegression()
    model.coef_, model.intercept_, model.n_features_in_ = np.zeros(50_000), 0.0, 50_000
    with pytest.raises(ValueError, match=r"50,001 x 50,001 numbers, 20\.0 GB.*SelectTerms"):
        model.summary(sparse.csr_array((3, 50_000)), np.zeros(3))


def test_other_data_are_noticed():
    X, y = problem()
    model = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"standard errors from the optimum of these data"):
        model.summary(X, y[::-1])
    with pytest.raises(ValueError, match=r"standard errors from the optimum of these data"):
        model.summary(X[:100], y[:100])
    model.coef_ = model.coef_ + 0.05 * model.summary(X, y).equations[0].standard_errors[1:]
    with pytest.warns(ConvergenceWarning, match="not fully converged"):
        model.summary(X, y)


def test_arguments():
    X, y = problem()
    model = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="covariance is 'HC4'; expected one of classical, HC0"):
        model.summary(X, y, covariance="HC4")
    with pytest.raises(ValueError, match="feature_names is 2; expected 4 names"):
        model.summary(X, y, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="feature_names is 'abcd'; expected 4 names"):
        model.summary(X, y, feature_names="abcd")
    with pytest.raises(ValueError, match="y has 2 targets; the model was fitted on 1"):
        model.summary(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="3 features, but LinearRegression is expecting 4"):
        model.summary(X[:, :3], y)


def test_leverage_of_one():
    X, y = problem()
    X = np.column_stack([X, np.arange(len(X)) == 7])
    model = LinearRegression().fit(X, y)
    assert np.isfinite(model.summary(X, y, covariance="HC1").covariance).all()
    with pytest.raises(
        ValueError, match=r"sample 7 whatever its target \(leverage 1\), so that HC3"
    ):
        model.summary(X, y, covariance="HC3")


def test_exact_fit_and_no_intercept_are_noted():
    X, _ = problem()
    y = X @ [1.0, 2.0, 3.0, 4.0]
    summary = LinearRegression(fit_intercept=False).fit(X, y).summary(X, y)
    assert any("exact" in note for note in summary.notes)
    assert "R2 compares with zero" in str(summary)
    assert summary.r2 == pytest.approx(1)
