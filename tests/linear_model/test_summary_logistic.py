"""Summaries of logistic regression equal statsmodels'; what has no standard errors is refused."""

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from scipy import sparse
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning

from quire.linear_model._summary.logistic import LogisticSummary


class LogisticRegression(LogisticSummary, linear_model.LogisticRegression):
    def __init__(
        self, C=np.inf, tol=1e-12, fit_intercept=True, class_weight=None, solver="newton-cg"
    ):
        super().__init__(
            C=C,
            tol=tol,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            solver=solver,
            max_iter=2000,
        )


LABELS = np.array(["no", "some", "yes", "zeal"])


def problem(n_classes=2, n=300, p=3, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    scores = X @ rng.normal(size=(p, n_classes)) + rng.normal(size=n_classes)
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return X * [1.0, 0.1, 3.0][:p] + shift, LABELS[y]


def close(ours, expected, rtol=1e-6):
    np.testing.assert_allclose(ours, expected, rtol=rtol)


def assert_same(summary, result):
    """Compare with a result whose parameters are in one row for each equation."""

    def rows(values):  # statsmodels: a column for each equation
        return np.asarray(values).reshape(-1, len(summary.equations), order="A").T

    for number, found in enumerate(summary.equations):
        close(found.estimates, rows(result.params)[number])
        close(found.standard_errors, rows(result.bse)[number])
        close(found.statistics, rows(result.tvalues)[number])
        np.testing.assert_allclose(found.p_values, rows(result.pvalues)[number], rtol=1e-5)
    intervals = np.asarray(result.conf_int()).reshape(len(summary.equations), -1, 2)
    close([np.column_stack([e.lower, e.upper]) for e in summary.equations], intervals)
    close(summary.log_likelihood, result.llf)
    close(summary.null_log_likelihood, result.llnull)
    close(summary.r2, result.prsquared)
    close(summary.aic, result.aic)
    close(summary.bic, result.bic)
    close(summary.likelihood_ratio, result.llr)
    close(summary.likelihood_ratio_p_value, result.llr_pvalue, rtol=1e-5)
    assert summary.df_model == result.df_model
    assert summary.df_residual == result.df_resid
    scale = np.sqrt(np.outer(np.diag(summary.covariance), np.diag(summary.covariance)))
    np.testing.assert_allclose(summary.covariance / scale, result.cov_params() / scale, atol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_equal_to_statsmodels(n_classes, form):
    X, y = problem(n_classes)
    summary = LogisticRegression().fit(X, y).summary(form(X), y)
    codes = np.unique(y, return_inverse=True)[1]
    kind = sm.Logit if n_classes == 2 else sm.MNLogit
    result = kind(codes, sm.add_constant(X)).fit(method="newton", tol=1e-12, disp=False)
    assert_same(summary, result)
    assert summary.reference == "no"
    assert [e.label for e in summary.equations] == LABELS[1:n_classes].tolist()


def test_sparse_with_few_entries_and_blocks(monkeypatch):
    from quire.linear_model._summary import information

    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 12), density=0.08, rng=rng, format="csr")
    y = LABELS[rng.integers(3, size=400)]
    model = LogisticRegression().fit(X, y)
    expected = model.summary(X.toarray(), y)
    np.testing.assert_allclose(model.summary(X, y).covariance, expected.covariance, rtol=1e-8)
    monkeypatch.setattr(information, "_BLOCK", 300)
    np.testing.assert_allclose(model.summary(X, y).covariance, expected.covariance, rtol=1e-8)


def test_large_means_cost_no_digits():
    X, y = problem()
    near = LogisticRegression().fit(X, y)
    summary = near.summary(X, y)
    far = LogisticRegression().fit(X, y)
    far.intercept_ = far.intercept_ - far.coef_ @ np.full(3, 1e5)
    moved = far.summary(X + 1e5, y)
    close(moved.equations[0].standard_errors[1:], summary.equations[0].standard_errors[1:], 1e-8)


@pytest.mark.parametrize("reference", ["no", "some", "yes"])
def test_reference_class(reference):
    X, y = problem(3)
    model = LogisticRegression().fit(X, y)
    summary = model.summary(X, y, reference=reference)
    others = [label for label in LABELS[:3] if label != reference]
    order = [reference, *others]
    codes = np.array([order.index(label) for label in y])
    result = sm.MNLogit(codes, sm.add_constant(X)).fit(method="newton", tol=1e-12, disp=False)
    assert_same(summary, result)
    assert f"class {others[0]} against {reference}" in str(summary)


def test_reference_of_two_classes_turns_the_signs():
    X, y = problem()
    model = LogisticRegression().fit(X, y)
    first, second = (model.summary(X, y, reference=label) for label in ("no", "some"))
    close(second.equations[0].estimates, -first.equations[0].estimates)
    close(second.equations[0].standard_errors, first.equations[0].standard_errors)
    assert second.equations[0].label == "no"
    with pytest.raises(ValueError, match=r"reference is 'maybe'.* There are: 'no', 'some'"):
        model.summary(X, y, reference="maybe")


def test_weights_are_counts():
    X, y = problem(3)
    counts = np.random.default_rng(0).integers(0, 4, size=len(y))
    model = LogisticRegression().fit(X, y, counts)
    weighted = model.summary(X, y, counts)
    repeated = model.summary(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    close(weighted.covariance, repeated.covariance)
    for name in ("n_samples", "bic", "null_log_likelihood", "log_likelihood", "df_residual"):
        close(getattr(weighted, name), getattr(repeated, name))


def test_without_intercept():
    X, y = problem()
    summary = LogisticRegression(fit_intercept=False).fit(X, y).summary(X, y)
    result = sm.Logit((y == "some").astype(int), X).fit(method="newton", tol=1e-12, disp=False)
    close(summary.equations[0].standard_errors, result.bse)
    close(summary.log_likelihood, result.llf)
    close(summary.null_log_likelihood, -len(y) * np.log(2))
    assert summary.df_model == 3
    assert "all classes the same probability" in str(summary)


def test_odds_ratios():
    X, y = problem(3)
    summary = LogisticRegression().fit(X, y).summary(X, y, feature_names=["a", "b", "c"])
    ratios = summary.odds_ratios()
    assert ratios.columns == ["equation", "term", "odds_ratio", "lower", "upper"]
    assert ratios["term"].to_list() == ["a", "b", "c"] * 2
    frame = summary.to_frame().filter(pl.col("term") != "intercept")
    for ours, theirs in (("odds_ratio", "estimate"), ("lower", "lower"), ("upper", "upper")):
        close(ratios[ours], np.exp(frame[theirs]))


@pytest.mark.parametrize("C", [1.0, 1e6])
def test_penalised_models_are_refused(C):
    X, y = problem()
    with pytest.raises(
        ValueError, match=r"penalty \(C=.*not valid for penalised .* LogisticRegression\(C=np.inf\)"
    ):
        LogisticRegression(C=C).fit(X, y).summary(X, y)


def test_cross_validated_and_class_weighted_models_are_refused():
    class LogisticRegressionCV(LogisticSummary, linear_model.LogisticRegressionCV):
        pass

    X, y = problem()
    with pytest.raises(ValueError, match="class_weight='balanced'; such estimates are not"):
        LogisticRegression(class_weight="balanced").fit(X, y).summary(X, y)
    model = LogisticRegressionCV(
        Cs=[1.0], l1_ratios=(0,), use_legacy_attributes=False, scoring="accuracy"
    ).fit(X, y)
    with pytest.raises(ValueError, match="chooses a penalty by cross-validation"):
        model.summary(X, y)


@pytest.mark.filterwarnings("ignore")  # whatever the solver says about data without an optimum
@pytest.mark.parametrize("n_classes", [2, 3])
def test_separable_classes(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.digitize(X[:, 0], [0.0] if n_classes == 2 else [-0.5, 0.5])
    X[:, 0] += np.sign(X[:, 0])
    if n_classes == 3:
        X = np.column_stack([X, X[:, 0] ** 2])
    model = LogisticRegression(tol=1e-8).fit(X, y)
    with pytest.raises(ValueError, match="classes can be separated"):
        model.summary(X, y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tol", [1e-5, 1e-8, 1e-12])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_columns_that_separate_some_samples_are_named(tol, n_classes):
    X, y = problem(n_classes)
    rare = (np.arange(len(y)) < 12) & (y == "some")  # occurs in one class only
    X = np.column_stack([X, rare])
    model = LogisticRegression(tol=tol).fit(X, y)
    with pytest.raises(ValueError, match=r"grows without end along the columns 'rare', so that"):
        model.summary(X, y, feature_names=["a", "b", "c", "rare"])


@pytest.mark.filterwarnings("ignore")
def test_rare_columns_that_separate_nothing_are_summarised():
    """One sample of the other class has the column, if only a little of it: there is an optimum."""
    X, y = problem()
    rare = np.where((np.arange(len(y)) < 30) & (y == "some"), 1.0, 0.0)
    rare[np.flatnonzero(y == "no")[-1]] = 0.05
    X = np.column_stack([X, rare])
    result = sm.Logit((y == "some").astype(int), sm.add_constant(X)).fit(maxiter=200, disp=False)
    model = LogisticRegression(tol=1e-10).fit(X, y)
    summary = model.summary(X, y)
    close(summary.equations[0].standard_errors, result.bse, rtol=1e-3)
    model.sparsify()
    close(model.summary(X, y).covariance, summary.covariance)


def test_collinear_columns_are_named():
    X, y = problem()
    names = ["a", "b", "c", "d"]
    for form in (np.asarray, sparse.csr_array):
        for column, message in (
            (X[:, 0] + X[:, 1], "'d' is a linear combination of 'a' and 'b'"),
            (np.zeros(len(X)), "column 'd' is zero in every row"),
            (np.full(len(X), 0.1), "'d' is a linear combination of 'intercept'"),
        ):
            wide = np.column_stack([X, column])
            model = LogisticRegression().fit(X, y)
            model.coef_ = np.column_stack([model.coef_, [0.0]])
            model.n_features_in_ = 4
            with pytest.raises(ValueError, match=message):
                model.summary(form(wide), y, feature_names=names)


def test_other_data_are_noticed():
    X, y = problem()
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="standard errors from the optimum of these data"):
        model.summary(X, y[::-1])
    with pytest.raises(ValueError, match="classes the model was not fitted on: 'zeal'"):
        model.summary(X, np.where(np.arange(len(y)) == 3, "zeal", y))
    with pytest.raises(ValueError, match="y has 299 labels and X 300 rows"):
        model.summary(X, y[1:])
    model.coef_ = model.coef_ + 0.05 * model.summary(X, y).equations[0].standard_errors[1:]
    with pytest.warns(ConvergenceWarning, match="not fully converged"):
        model.summary(X, y)


def test_too_few_samples_and_too_many_parameters():
    X, y = problem(3, n=8)
    with pytest.raises(ValueError, match="8 samples for 8 parameters"):
        LogisticRegression(tol=0.1).fit(X, y).summary(X, y)
    model = LogisticRegression()
    model.classes_, model.n_features_in_ = np.arange(20), 50_000
    model.coef_, model.intercept_ = np.zeros((20, 50_000)), np.zeros(20)
    with pytest.raises(ValueError, match=r"950,019 x 950,019 numbers, 7,220\.3 GB"):
        model.summary(sparse.csr_array((20, 50_000)), np.arange(20))


def test_default_solver_is_near_enough():
    X, y = problem()
    model = LogisticRegression(solver="lbfgs", tol=1e-4).fit(X, y)
    result = sm.Logit((y == "some").astype(int), sm.add_constant(X)).fit(disp=False)
    close(model.summary(X, y).equations[0].standard_errors, result.bse, rtol=1e-2)
