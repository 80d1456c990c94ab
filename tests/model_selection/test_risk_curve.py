"""Risk curves equal scikit-learn's validation curves, and choose a value by the usual rules."""

import pickle
from dataclasses import FrozenInstanceError

import matplotlib
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification, make_regression
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, validation_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from quire.datasets import make_text_classification
from quire.model_selection import RiskCurve, risk_curve

matplotlib.use("Agg")
from matplotlib import pyplot

X, Y = make_regression(60, 5, noise=20.0, random_state=0)
XC, YC = make_classification(120, 6, n_informative=4, n_classes=3, random_state=0)


def made(test, *, simpler="larger", values=(0.1, 1.0, 10.0, 100.0), spread=0.1):
    """A curve whose held-out means and standard errors (`spread`) are known."""
    test = np.array(test, dtype=float)[:, None] + spread * np.array([-1.0, 1.0])
    values = np.array(values)[: len(test)]
    return RiskCurve(
        values=values,
        param="ridge__alpha",
        train_scores=test / 2,
        test_scores=test,
        scoring="squared error",
        simpler=simpler,
        test_ratio=1.0,
    )


@pytest.mark.parametrize(
    ("loss", "scoring", "name"),
    [
        (None, "neg_mean_squared_error", "squared error"),
        ("squared_error", "neg_mean_squared_error", "squared error"),
        ("absolute_error", "neg_mean_absolute_error", "absolute error"),
        ("neg_median_absolute_error", "neg_median_absolute_error", "median absolute error"),
        ("r2", "r2", "negative r2"),
        (get_scorer("r2"), "r2", "negative score"),
    ],
)
def test_regression_equals_validation_curve(loss, scoring, name):
    values = [0.1, 10, 1]
    curve = risk_curve(Ridge(), X, Y, param_range=values, loss=loss)
    train, test = validation_curve(
        Ridge(), X, Y, param_name="alpha", param_range=sorted(values), cv=KFold(5), scoring=scoring
    )
    np.testing.assert_allclose(curve.train_scores, -train)
    np.testing.assert_allclose(curve.test_scores, -test)
    np.testing.assert_array_equal(curve.values, sorted(values))
    assert curve.scoring == name
    assert curve.param == "alpha"


@pytest.mark.parametrize(
    ("loss", "scoring"), [(None, "neg_log_loss"), ("log_loss", "neg_log_loss"), ("zero_one", None)]
)
def test_classification_equals_validation_curve(loss, scoring):
    model = LogisticRegression(tol=1e-9, max_iter=2000)
    values = [0.01, 1.0, 10.0]
    curve = risk_curve(model, XC, YC, param_range=values, loss=loss, cv=4)
    train, test = validation_curve(
        model, XC, YC, param_name="C", param_range=values, cv=4, scoring=scoring
    )
    flip = 1 if scoring is None else 0  # accuracy
    np.testing.assert_allclose(curve.train_scores, flip - train, rtol=1e-5, atol=1e-12)
    np.testing.assert_allclose(curve.test_scores, flip - test, rtol=1e-5, atol=1e-12)
    assert curve.simpler == "smaller"


def test_polynomial_of_degree_15():
    """The penalty that is too small follows the noise, the one too large follows nothing."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, size=(25, 1))
    y = np.sin(2 * np.pi * x[:, 0]) + 0.3 * rng.normal(size=25)
    model = make_pipeline(PolynomialFeatures(15), StandardScaler(), Ridge())
    curve = risk_curve(model, x, y, param_range=np.logspace(-9, 4, 14), random_state=0)
    assert curve.param == "ridge__alpha"
    assert (np.diff(curve.mean("train")) > 0).all()
    best, risk = curve.best()
    assert 1e-6 < best < 10
    assert curve.mean()[0] > 1.5 * risk
    assert curve.mean()[-1] > 1.5 * risk
    assert curve.one_standard_error()[0] >= best
    train, test = validation_curve(
        model,
        x,
        y,
        param_name="ridge__alpha",
        param_range=[1e-3, 1.0],
        cv=KFold(5, shuffle=True, random_state=0),
        scoring="neg_mean_squared_error",
    )
    some = risk_curve(model, x, y, param_range=[1e-3, 1.0], random_state=0)
    np.testing.assert_allclose(some.train_scores, -train)
    np.testing.assert_allclose(some.test_scores, -test)


def test_default_ranges():
    curve = risk_curve(Lasso(), X, Y, cv=2)
    assert len(curve.values) == 50
    assert curve.values[-1] == pytest.approx(1000 * curve.values[0])
    curve = risk_curve(make_pipeline(StandardScaler(), Ridge()), X, Y, cv=2)
    assert curve.values[0] == pytest.approx(1e-5)
    assert curve.values[-1] == pytest.approx(1e5)
    curve = risk_curve(LogisticRegression(tol=0.1), sparse.csr_array(XC), YC, cv=2)
    assert curve.values[0] < 1 < curve.values[-1]


def test_texts():
    data = make_text_classification(60, n_classes=2, n_words=200, n_informative=20, mean_length=20)
    model = make_pipeline(CountVectorizer(), LogisticRegression())
    curve = risk_curve(model, data.texts, data.y, param_range=[0.01, 1.0], cv=3)
    assert curve.param == "logisticregression__C"
    assert curve.scoring == "log loss"
    # a parameter of an earlier step: the whole pipeline is fitted for each value
    frequent = risk_curve(
        model, data.texts, data.y, param_name="countvectorizer__min_df", param_range=[1, 5], cv=3
    )
    assert frequent.test_scores.shape == (2, 3)
    assert (frequent.train_scores[0] != frequent.train_scores[1]).any()
    assert frequent.simpler == "smaller"


def test_other_parameters_and_models_are_fitted_anew():
    model = RandomForestRegressor(n_estimators=5, random_state=0, warm_start=True)
    curve = risk_curve(model, X, Y, param_name="max_depth", param_range=[1, 3], cv=3)
    _, test = validation_curve(
        model.set_params(warm_start=False),
        X,
        Y,
        param_name="max_depth",
        param_range=[1, 3],
        cv=3,
        scoring="neg_mean_squared_error",
    )
    np.testing.assert_allclose(curve.test_scores, -test)


def test_log_loss_of_a_class_that_training_never_saw():
    y = np.array([0, 1, 0, 1, 2, 2])
    folds = [(np.arange(4), np.arange(4, 6))]
    model = LogisticRegression()
    curve = risk_curve(model, np.eye(6), y, param_range=[1.0], cv=folds)
    np.testing.assert_allclose(curve.test_scores, -np.log(np.finfo(float).eps))


def test_log_loss_of_classes_in_an_order_of_their_own():
    class Reversed(LogisticRegression):
        def fit(self, X, y):
            super().fit(X, y)
            self.classes_ = self.classes_[::-1]
            return self

        def predict_proba(self, X):
            return super().predict_proba(X)[:, ::-1]

    ours = risk_curve(Reversed(), XC, YC, param_range=[1.0])
    plain = risk_curve(LogisticRegression(), XC, YC, param_range=[1.0])
    np.testing.assert_allclose(ours.test_scores, plain.test_scores)


def test_folds():
    groups = np.arange(len(Y)) // 12
    by_group = risk_curve(Ridge(), X, Y, param_range=[1.0], cv=3, groups=groups)
    given = risk_curve(Ridge(), X, Y, param_range=[1.0], cv=list(GroupKFold(3).split(X, Y, groups)))
    np.testing.assert_allclose(by_group.test_scores, given.test_scores)
    default = risk_curve(Ridge(), X, Y, param_range=[1.0], cv=None)
    assert default.n_folds == 5
    one = risk_curve(RidgeClassifier(), XC, YC, param_range=[1.0], random_state=3, cv=2)
    splitter = StratifiedKFold(2, shuffle=True, random_state=3)
    two = risk_curve(RidgeClassifier(), XC, YC, param_range=[1.0], cv=splitter)
    np.testing.assert_array_equal(one.test_scores, two.test_scores)
    threads = risk_curve(Ridge(), X, Y, param_range=[1.0, 2.0], n_jobs=2)
    np.testing.assert_array_equal(
        threads.test_scores, risk_curve(Ridge(), X, Y, param_range=[1.0, 2.0]).test_scores
    )


def test_mean_and_standard_error():
    curve = made([3.0, 2.0, 2.05, 4.0])
    np.testing.assert_allclose(curve.mean(), [3.0, 2.0, 2.05, 4.0])
    np.testing.assert_allclose(curve.mean("train"), [1.5, 1.0, 1.025, 2.0])
    np.testing.assert_allclose(curve.standard_error(), 0.1)
    with pytest.raises(ValueError, match="of is 'all'; expected 'test' or 'train'"):
        curve.mean("all")


@pytest.mark.parametrize(
    ("test", "simpler", "best", "within"),
    [
        ([3.0, 2.0, 2.05, 4.0], "larger", 1.0, 10.0),
        ([3.0, 2.0, 2.05, 4.0], "smaller", 1.0, 1.0),
        ([2.05, 2.0, 3.0, 4.0], "smaller", 1.0, 0.1),
        ([2.0, 2.0, 2.0, 4.0], "larger", 10.0, 10.0),  # of equals the simplest
        ([2.0, 2.0, 2.0, 4.0], "smaller", 0.1, 0.1),
        ([np.nan, 2.0, 3.0, np.inf], "larger", 1.0, 1.0),
    ],
)
def test_choices(test, simpler, best, within):
    curve = made(test, simpler=simpler)
    assert curve.best()[0] == best
    assert curve.one_standard_error()[0] == within


def test_one_fold_has_no_standard_error():
    folds = [(np.arange(40), np.arange(40, 60))]
    curve = risk_curve(Ridge(), X, Y, param_range=[0.1, 1.0, 1e4], cv=folds)
    assert np.isnan(curve.standard_error()).all()
    assert curve.one_standard_error() == curve.best()
    assert "±" not in str(curve)
    ax = curve.plot()
    assert ax.get_ylabel() == "Squared error"
    pyplot.close("all")


def test_text():
    lines = str(made([3.0, 2.0, 2.05, 4.0])).splitlines()
    assert lines[0] == "squared error by ridge__alpha, mean ± standard error over 2 folds"
    assert lines[2].split() == ["alpha", "training", "held", "out"]
    assert lines[4].endswith("1.000  2.000 ± 0.100  best")
    assert lines[5].endswith("2.050 ± 0.100  within one standard error")
    assert lines[6].endswith("4.000 ± 0.100")
    both = str(made([3.0, 2.0, 2.5, 4.0]))
    assert "within" not in both
    assert "1.00e-06 ± 1.00e-07" in str(made([1e-6], spread=1e-7))
    assert repr(made([1.0])) == (
        "RiskCurve(param='ridge__alpha', n_values=1, n_folds=2, scoring='squared error')"
    )


def test_frame():
    curve = risk_curve(Ridge(), X, Y, param_range=[1.0, 2.0], cv=3)
    frame = curve.to_frame()
    assert frame.columns == ["value", "fold", "train", "test"]
    for (number, fold), risk in np.ndenumerate(curve.test_scores):
        row = frame.filter(value=curve.values[number], fold=fold)
        assert row["test"].to_list() == [risk]
        assert row["train"].to_list() == [curve.train_scores[number, fold]]


def test_plot():
    curve = made([3.0, 2.0, 2.05, 4.0])
    ax = curve.plot()
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "ridge__alpha"
    assert ax.get_ylabel() == "Squared error, mean of 2 folds"
    train, test, best, within = ax.get_lines()
    np.testing.assert_array_equal(train.get_ydata(), curve.mean("train"))
    np.testing.assert_array_equal(test.get_ydata(), curve.mean())
    assert best.get_xdata()[0] == 1.0
    assert within.get_xdata()[0] == 10.0
    _, mine = pyplot.subplots()
    assert made([3.0, 2.0], values=(1, 2)).plot(mine) is mine
    assert mine.get_xscale() == "linear"
    pyplot.close("all")


def test_pickle_and_frozen():
    curve = made([3.0, 2.0])
    copy = pickle.loads(pickle.dumps(curve))
    assert str(copy) == str(curve)
    with pytest.raises(FrozenInstanceError):
        curve.scoring = "none"


@pytest.mark.parametrize("wrong", [[], ["a"], [np.nan], [True]])
def test_ranges_that_are_none(wrong):
    with pytest.raises(ValueError, match=r"param_range is .* expected finite numbers"):
        risk_curve(Ridge(), X, Y, param_range=wrong)


def test_errors():
    with pytest.raises(ValueError, match="DummyClassifier has no alpha and no C"):
        risk_curve(DummyClassifier(), XC, YC)
    with pytest.raises(ValueError, match="no default range for max_iter; give its values"):
        risk_curve(Ridge(), X, Y, param_name="max_iter")
    with pytest.raises(ValueError, match="belongs to an inner step"):
        risk_curve(make_pipeline(Ridge(), StandardScaler()), X, Y, param_name="ridge__alpha")
    with pytest.raises(ValueError, match="RidgeClassifier gives no probabilities, which log_loss"):
        risk_curve(RidgeClassifier(), XC, YC, loss="log_loss")
    with pytest.raises(ValueError, match="'simpler' parameter of risk_curve must be a str among"):
        risk_curve(Ridge(), X, Y, simpler="left")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        risk_curve(Ridge(), X, Y[:-1])
    with pytest.raises(ValueError, match="cv gives no folds"):
        risk_curve(Ridge(), X, Y, param_range=[1.0], cv=[])


def test_progress_is_shown(capsys):
    risk_curve(Ridge(), X, Y, param_range=[1.0], verbose=True)
    assert "Folds" in capsys.readouterr().err
