"""Paths have the coefficients of single fits, a range that fits the data, a table and a picture."""

import pickle
import sys
from dataclasses import FrozenInstanceError

import matplotlib
import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification, make_regression
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
    SGDRegressor,
)
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from quire.model_selection import RegularizationPath, regularization_path, risk_curve
from quire.model_selection._curves.penalty import penalty_of

matplotlib.use("Agg")
from matplotlib import pyplot

X, Y = make_regression(80, 12, n_informative=4, noise=5.0, random_state=0)
XC, YC = make_classification(120, 6, n_informative=4, n_classes=3, random_state=0)
SAGA = {"solver": "saga", "max_iter": 5000, "tol": 1e-6}


@pytest.mark.parametrize(
    ("model", "name", "invert"),
    [
        (Ridge(), "alpha", False),
        (Lasso(tol=1e-10), "alpha", False),
        (ElasticNet(tol=1e-10, l1_ratio=0.3), "alpha", False),
        (RidgeClassifier(), "alpha", False),
        (LogisticRegression(tol=1e-8, max_iter=2000), "C", True),
    ],
)
def test_coefficients_are_those_of_single_fits(model, name, invert):
    data = (X, Y) if model.__class__ in (Ridge, Lasso, ElasticNet) else (XC, YC)
    path = regularization_path(model, *data, penalties=[0.1, 10, 1])
    np.testing.assert_array_equal(path.penalties, [10, 1, 0.1])
    assert path.param_name == name
    assert path.label == ("1 / C" if invert else "alpha")
    for number, penalty in enumerate(path.penalties):
        value = 1 / penalty if invert else penalty
        single = clone(model).set_params(**{name: value}).fit(*data)
        np.testing.assert_allclose(
            path.coefs[number], np.atleast_2d(single.coef_), rtol=1e-4, atol=1e-6
        )
        np.testing.assert_allclose(
            path.intercepts[number], np.ravel(single.intercept_), rtol=1e-4, atol=1e-5
        )
    assert not hasattr(model, "coef_")


def test_risks_are_those_on_the_training_data():
    path = regularization_path(Ridge(), X, Y, penalties=[5.0])
    fitted = Ridge(5.0).fit(X, Y)
    assert path.loss == "squared error"
    assert path.risks == pytest.approx([mean_squared_error(Y, fitted.predict(X))])
    path = regularization_path(LogisticRegression(tol=1e-8), XC, YC, penalties=[2.0])
    fitted = LogisticRegression(C=0.5, tol=1e-8).fit(XC, YC)
    assert path.loss == "log loss"
    assert path.risks == pytest.approx([log_loss(YC, fitted.predict_proba(XC))], rel=1e-5)
    path = regularization_path(RidgeClassifier(), XC, YC, penalties=[2.0])
    assert path.loss == "share of errors"
    assert path.risks == pytest.approx([1 - RidgeClassifier(2.0).fit(XC, YC).score(XC, YC)])


@pytest.mark.parametrize(
    "model",
    [
        Lasso(),
        Lasso(fit_intercept=False),
        ElasticNet(l1_ratio=0.5),
        LogisticRegression(l1_ratio=1.0, **SAGA),
        LogisticRegression(l1_ratio=0.5, fit_intercept=False, **SAGA),
    ],
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_default_range_of_l1_starts_where_all_is_zero(model, form):
    data = (XC, YC) if isinstance(model, LogisticRegression) else (X, Y)
    path = regularization_path(model, form(data[0]), data[1], n_penalties=4)
    assert np.abs(path.coefs[0]).max() < 1e-4 * np.abs(path.coefs).max()
    below = regularization_path(model, *data, penalties=[0.95 * path.penalties[0]])
    assert np.abs(below.coefs).max() > 1e-4 * np.abs(path.coefs).max()
    assert path.penalties[-1] == pytest.approx(path.penalties[0] / 1000)
    assert path.n_nonzero()[-1] > path.n_nonzero()[0]


class Ordered(ClassifierMixin, BaseEstimator):
    """What a model of ordered outcomes looks like from outside."""

    def __init__(self, link="logit", C=1.0, l1_ratio=1.0):
        self.link = link
        self.C = C
        self.l1_ratio = l1_ratio

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.coef_ = np.full(X.shape[1], self.C)
        self.thresholds_ = np.arange(len(self.classes_) - 1.0)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_ordered_outcomes(link):
    from scipy.differentiate import derivative
    from scipy.stats import logistic, norm

    path = regularization_path(Ordered(link), XC, YC, n_penalties=3)
    assert path.intercepts.shape == (3, 2)
    assert path.outputs == (None,)
    np.testing.assert_allclose(path.coefs[:, 0, 0], 1 / path.penalties)
    # the slope of the log-likelihood at zero coefficients, by finite differences
    cdf = (logistic if link == "logit" else norm).cdf
    ppf = (logistic if link == "logit" else norm).ppf
    shares = np.bincount(YC) / len(YC)
    ends = np.concatenate([[-np.inf], ppf(shares.cumsum()[:-1]), [np.inf]])

    def likelihood(w, j):
        move = np.multiply.outer(w, XC[:, j])
        return np.log(cdf(ends[YC + 1] - move) - cdf(ends[YC] - move)).sum(axis=-1)

    slopes = [abs(derivative(lambda w, j=j: likelihood(w, j), 0.0).df) for j in range(6)]
    assert path.penalties[0] == pytest.approx(max(slopes), rel=1e-6)


def test_default_range_follows_the_scale_of_the_data():
    small = regularization_path(Ridge(), X, Y)
    large = regularization_path(Ridge(), X * 10, Y)
    np.testing.assert_allclose(large.penalties, 100 * small.penalties)
    np.testing.assert_allclose(np.log10(small.penalties[[0, -1]]) % 1, 0, atol=1e-9)
    assert small.norms()[0] < 0.01 * small.norms()[-1]
    free = LinearRegression().fit(X, Y).coef_
    np.testing.assert_allclose(small.coefs[-1, 0], free, rtol=1e-3, atol=1e-3)
    assert len(regularization_path(Ridge(), X, Y, n_penalties=7).penalties) == 7
    constant = regularization_path(Ridge(), np.ones((5, 1)), np.arange(5.0))
    assert (constant.coefs == 0).all()


def test_pipeline_from_texts():
    texts = ["good film", "bad film", "good plot good cast", "bad plot", "good", "bad bad cast"]
    y = ["pos", "neg", "pos", "neg", "pos", "neg"]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression(tol=1e-8))
    path = regularization_path(model, texts, y, penalties=[10.0, 0.1])
    assert path.param_name == "logisticregression__C"
    assert path.terms.tolist() == ["bad", "cast", "film", "good", "plot"]
    single = clone(model).set_params(logisticregression__C=10.0).fit(texts, y)
    np.testing.assert_allclose(path.coefs[1], single[-1].coef_, rtol=1e-4)
    assert set(path.strongest(2)) == {"good", "bad"}


def test_pipeline_of_polynomials_has_their_names():
    frame = pl.DataFrame(X[:, :2], schema=["a", "b"])
    model = make_pipeline(PolynomialFeatures(2), StandardScaler(), Ridge())
    path = regularization_path(model, frame, Y, penalties=[1.0])
    assert path.terms.tolist() == ["1", "a", "b", "a^2", "a b", "b^2"]
    plain = regularization_path(Ridge(), frame, Y, penalties=[1.0])
    assert plain.terms.tolist() == ["a", "b"]
    given = regularization_path(Ridge(), X[:, :2], Y, penalties=[1], feature_names=["u", "v"])
    assert given.terms.tolist() == ["u", "v"]


def test_sample_weights():
    weights = np.arange(len(Y)) % 3
    path = regularization_path(Ridge(), X, Y, penalties=[3.0], sample_weight=weights)
    single = Ridge(3.0).fit(X, Y, weights)
    np.testing.assert_allclose(path.coefs[0, 0], single.coef_)
    expected = np.average((Y - single.predict(X)) ** 2, weights=weights)
    assert path.risks == pytest.approx([expected])


def test_several_targets_and_classes():
    path = regularization_path(Ridge(), X, np.column_stack([Y, -Y]), penalties=[1.0, 2.0])
    assert path.coefs.shape == (2, 2, 12)
    assert path.outputs == (0, 1)
    np.testing.assert_allclose(path.coefs[:, 0], -path.coefs[:, 1])
    labels = np.array(["a", "b", "c"])[YC]
    classes = regularization_path(RidgeClassifier(), XC, labels, penalties=[1.0])
    assert classes.outputs == ("a", "b", "c")
    assert classes.strongest(1, "b") != []
    with pytest.raises(ValueError, match="no output 'd' in this path; there are: 'a', 'b', 'c'"):
        classes.strongest(1, "d")


def test_frame():
    path = regularization_path(RidgeClassifier(), XC, YC, penalties=[1.0, 2.0])
    frame = path.to_frame()
    assert frame.columns == ["penalty", "output", "term", "coef"]
    assert frame.height == 2 * 3 * 6
    for (i, k, j), coef in np.ndenumerate(path.coefs):
        row = frame.filter(penalty=path.penalties[i], output=k, term=f"x{j}")
        assert row["coef"].to_list() == [coef]
    single = regularization_path(Ridge(), X, Y, penalties=[1.0]).to_frame()
    assert single.columns == ["penalty", "term", "coef"]


def test_counts_and_norms():
    path = regularization_path(Lasso(), X, Y, n_penalties=6)
    np.testing.assert_array_equal(path.n_nonzero(), (path.coefs != 0).sum(axis=(1, 2)))
    np.testing.assert_allclose(path.norms(), np.abs(path.coefs).sum(axis=(1, 2)))
    np.testing.assert_allclose(path.norms(2), np.linalg.norm(path.coefs[:, 0], axis=1))
    with pytest.raises(ValueError, match="order is 3; expected 1 or 2"):
        path.norms(3)


def test_plot():
    path = regularization_path(Lasso(), X, Y)
    ax = path.plot(n_terms=3)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert sorted(labels) == sorted(path.strongest(3))
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "Penalty (alpha)"
    named = next(line for line in ax.get_lines() if line.get_label() == labels[0])
    column = path.terms.tolist().index(labels[0])
    np.testing.assert_array_equal(named.get_ydata(), path.coefs[:, 0, column])
    _, mine = pyplot.subplots()
    classes = regularization_path(RidgeClassifier(), XC, YC, penalties=[1.0, 2.0])
    assert classes.plot(mine, output=2) is mine
    assert mine.get_ylabel() == "Coefficient for 2"
    zero = regularization_path(Lasso(), X, Y, penalties=[1e6, 1e5]).plot()
    assert zero.get_legend() is None
    pyplot.close("all")


def test_plot_without_matplotlib(monkeypatch):
    path = regularization_path(Ridge(), X, Y, penalties=[1.0])
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'quire\[plot\]'"):
        path.plot()


def test_text_repr_and_pickle():
    path = regularization_path(RidgeClassifier(), XC, YC, penalties=[1.0, 20.0])
    lines = str(path).splitlines()
    assert lines[0] == "coefficients of 6 terms and 3 outputs by alpha"
    assert lines[3].split()[0] == "20"
    assert len(lines) == 5
    assert repr(path) == (
        "RegularizationPath(param_name='alpha', n_penalties=2, n_outputs=3, n_features=6)"
    )
    copy = pickle.loads(pickle.dumps(path))
    assert isinstance(copy, RegularizationPath)
    assert str(copy) == str(path)
    with pytest.raises(FrozenInstanceError):
        path.loss = "none"


@pytest.mark.parametrize("wrong", [[], [0.0], [-1, 1], [np.nan], [np.inf]])
def test_penalties_that_are_none(wrong):
    with pytest.raises(ValueError, match=r"penalties is .* expected finite numbers above zero"):
        regularization_path(Ridge(), X, Y, penalties=wrong)


def test_errors():
    with pytest.raises(
        ValueError, match=r"LinearRegression has no alpha and no C\. Name the param"
    ):
        regularization_path(LinearRegression(), X, Y)
    with pytest.raises(
        ValueError, match=r"Ridge has no parameter 'gamma'\. Penalties it has: alpha"
    ):
        regularization_path(Ridge(), X, Y, param_name="gamma")
    with pytest.raises(ValueError, match="feature_names does not fit: the model has 12 features"):
        regularization_path(Ridge(), X, Y, penalties=[1], feature_names=["a"])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        regularization_path(Ridge(), X, Y[:-1])
    with pytest.raises(ValueError, match="standardscaler__copy is no parameter of the model"):
        regularization_path(
            make_pipeline(StandardScaler(), Ridge()),
            X,
            Y,
            param_name="standardscaler__copy",
            penalties=[1.0],
        )
    from sklearn.kernel_ridge import KernelRidge

    with pytest.raises(ValueError, match="KernelRidge has no coef_; give a linear model"):
        regularization_path(KernelRidge(), X, Y, penalties=[1.0])
    with pytest.raises(ValueError, match="'n_penalties' parameter of regularization_path must be"):
        regularization_path(Ridge(), X, Y, n_penalties=0)


def test_which_parameter_is_the_penalty():
    inner = make_pipeline(StandardScaler(), Ridge())
    assert penalty_of(make_pipeline(StandardScaler(), inner), None).name == "pipeline__ridge__alpha"
    assert penalty_of(SGDRegressor(), None).name == "alpha"
    assert penalty_of(make_pipeline(Ridge(), Lasso()), None).name == "lasso__alpha"


def test_progress_is_shown(capsys):
    regularization_path(Ridge(), X, Y, penalties=[1.0, 2.0], verbose=True)
    assert "Penalties" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["C", "alpha"])
def test_held_out_risks_are_those_of_the_risk_curve(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    y = (X[:, 0] + rng.normal(size=90) > 0).astype(int)
    model = LogisticRegression(C=0.5) if name == "C" else Ridge(alpha=0.5)
    strengths = [0.1, 10.0, 1.0]
    path = regularization_path(model, X, y, penalties=strengths, cv=3)
    assert path.penalties.tolist() == [10.0, 1.0, 0.1]
    assert path.given == (2.0 if name == "C" else 0.5)
    loss = "zero_one" if name == "C" else "squared_error"
    assert path.model == type(model).__name__
    for k, strength in enumerate(path.penalties):
        value = 1 / strength if name == "C" else strength
        curve = risk_curve(model, X, y, param_range=[value], loss=loss, cv=3)
        np.testing.assert_allclose(path.held_out[k], curve.test_scores[0], atol=1e-6)
    assert regularization_path(model, X, y, penalties=strengths).held_out is None
