"""Complexity curves equal scikit-learn's validation curves, and decompose every value alike."""

import os
import pickle
import signal
import time

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, validation_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from quire.datasets import make_text_classification
from quire.feature_extraction.text import CountVectorizer
from quire.model_selection import ComplexityCurve, bias_variance, complexity_curve

matplotlib.use("Agg")
from matplotlib import pyplot

X, Y = make_regression(80, 5, noise=20.0, random_state=0)
XC, YC = make_classification(120, 6, n_informative=4, n_classes=3, random_state=0)


def made(test, values, **more):
    test = np.array(test)[:, None] + 0.1 * np.array([-1.0, 1.0])
    seconds = np.full(test.shape, 0.5)
    return ComplexityCurve(
        values=values,
        param="step__depth",
        train_scores=1 - test / 10,
        test_scores=test,
        fit_times=seconds,
        score_times=seconds,
        scoring="accuracy",
        test_ratio=0.5,
        **more,
    )


@pytest.mark.parametrize(
    ("model", "X", "y", "param", "values"),
    [
        (Ridge(), X, Y, "alpha", [0.1, 1.0, 10.0]),
        (make_pipeline(StandardScaler(), Ridge()), X, Y, "ridge__alpha", [0.1, 10.0]),
        (make_pipeline(PolynomialFeatures(), Ridge()), X, Y, "polynomialfeatures__degree", [1, 2]),
        (LogisticRegression(max_iter=500), XC, YC, "C", [0.1, 1.0]),
        (DecisionTreeClassifier(random_state=0), XC, YC, "max_depth", [1, 3, None]),
        (DecisionTreeClassifier(random_state=0), XC, YC, "criterion", ["gini", "entropy"]),
    ],
)
def test_scores_equal_validation_curve(model, X, y, param, values):
    curve = complexity_curve(model, X, y, param=param, values=values, cv=4)
    train, test = validation_curve(model, X, y, param_name=param, param_range=values, cv=4)
    np.testing.assert_allclose(curve.train_scores, train)
    np.testing.assert_allclose(curve.test_scores, test)
    assert curve.values == tuple(values)
    assert not curve.decompositions
    assert "loss" not in curve.table().columns


def test_scoring_and_shuffled_folds():
    curve = complexity_curve(
        Ridge(),
        X,
        Y,
        param="alpha",
        values=[1.0],
        scoring="neg_mean_squared_error",
        random_state=2,
    )
    _, test = validation_curve(
        Ridge(),
        X,
        Y,
        param_name="alpha",
        param_range=[1.0],
        scoring="neg_mean_squared_error",
        cv=KFold(5, shuffle=True, random_state=2),
    )
    np.testing.assert_allclose(curve.test_scores, test)
    assert curve.scoring == "neg mean squared error"


def test_numbers_are_sorted_and_others_are_not():
    curve = complexity_curve(Ridge(), X, Y, param="alpha", values=np.array([10, 1, 10, 0.1]))
    assert curve.values == (0.1, 1, 10)
    curve = complexity_curve(
        DecisionTreeRegressor(), X, Y, param="max_depth", values=[None, 2, 1], random_state=0
    )
    assert curve.values == (None, 2, 1)
    assert curve.to_frame()["value"].unique(maintain_order=True).to_list() == ["None", "2", "1"]


def test_decompositions_are_those_of_bias_variance():
    """All values see the same samples, and one alone sees them too."""
    values = [1, 3]
    curve = complexity_curve(
        DecisionTreeRegressor(random_state=0),
        X,
        Y,
        param="max_depth",
        values=values,
        decompose={"n_resamples": 5},
        random_state=0,
    )
    seed = int(np.random.RandomState(0).randint(0, 2**31 - 1, size=1)[0])
    for value, found in zip(values, curve.decompositions, strict=True):
        alone = bias_variance(
            DecisionTreeRegressor(max_depth=value, random_state=0),
            X,
            Y,
            n_resamples=5,
            random_state=seed,
        )
        assert alone.to_frame().equals(found.to_frame())
    assert curve.table()["bias"].to_list() == [one.bias for one in curve.decompositions]


def test_ridge_over_alpha_trades_variance_for_bias():
    rng = np.random.default_rng(0)
    weights = rng.normal(size=8)
    design = rng.normal(size=(40, 8))
    new = rng.normal(size=(50, 8))
    curve = complexity_curve(
        make_pipeline(StandardScaler(), Ridge()),
        new,
        new @ weights + rng.normal(size=50),
        param="ridge__alpha",
        values=np.logspace(-1, 3, 5),
        decompose={
            "resampling": lambda rng: (design, design @ weights + rng.normal(size=40)),
            "y_true": new @ weights,
            "noise": 1.0,
        },
        random_state=0,
    )
    assert (np.diff(curve.table()["bias"]) > 0).all()
    assert (np.diff(curve.table()["variance"]) < 0).all()
    for one in curve.decompositions:
        assert one.noise + one.bias + one.variance + one.chance == pytest.approx(
            one.loss, abs=1e-12
        )


def test_texts():
    data = make_text_classification(80, n_classes=2, n_words=200, n_informative=20, mean_length=20)
    model = make_pipeline(CountVectorizer(), LogisticRegression())
    for param, values in [
        ("logisticregression__C", [0.01, 1.0]),
        ("countvectorizer__ngram_range", [(1, 1), (1, 2)]),
    ]:
        curve = complexity_curve(
            model,
            data.texts,
            data.y,
            param=param,
            values=values,
            cv=3,
            decompose={"n_resamples": 3},
            random_state=0,
        )
        one, two = curve.decompositions
        assert one.loss_name == "share of errors"
        assert one.bias + one.net_variance == pytest.approx(one.loss, abs=1e-12)
        assert (one.rows == two.rows).all()


def test_seed_decides_and_threads_do_not():
    one, two = (
        complexity_curve(
            RandomForestRegressor(5),
            X,
            Y,
            param="max_depth",
            values=[1, None],
            decompose={"n_resamples": 3},
            random_state=4,
            n_jobs=jobs,
            cv=3,
        )
        for jobs in (None, 3)
    )
    np.testing.assert_array_equal(one.test_scores, two.test_scores)
    for a, b in zip(one.decompositions, two.decompositions, strict=True):
        assert a.to_frame().equals(b.to_frame())


def test_best_text_and_tables():
    curve = made([0.6, 0.8, np.nan], (1, 2, 3))
    assert curve.best()[0] == 2
    assert str(curve).splitlines()[0] == (
        "accuracy by step__depth, mean ± standard error over 2 folds"
    )
    assert str(curve).splitlines()[2].split() == ["depth", "training", "held", "out"]
    assert str(curve).splitlines()[4].endswith("0.800 ± 0.100  best")
    assert repr(curve) == (
        "ComplexityCurve(param='step__depth', n_values=3, n_folds=2, scoring='accuracy')"
    )
    assert "<th" in curve._repr_html_()
    assert made([0.5, 0.5], ("<b>", None))._repr_html_().count("&lt;b&gt;") == 1
    assert curve.to_frame().columns == [
        "value",
        "fold",
        "train",
        "test",
        "fit_seconds",
        "score_seconds",
    ]
    assert made([0.5, 0.5], (1, 2.5)).table()["value"].to_list() == [1.0, 2.5]
    assert str(pickle.loads(pickle.dumps(curve))) == str(curve)


def test_plots():
    ax = made([0.6, 0.8], (1, 100)).plot()
    assert ax.get_xscale() == "log"
    assert ax.get_lines()[-1].get_xdata()[0] == 100
    ax = made([0.6, 0.8], ("gini", None)).plot()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["gini", "None"]
    curve = complexity_curve(
        Ridge(), X, Y, param="alpha", values=[1.0, 2.0], decompose={"n_resamples": 3}
    )
    ax = curve.plot(of="parts")
    labels = [line.get_label() for line in ax.get_lines()]
    assert labels == ["squared error", "bias² + noise", "variance"]
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), curve.table()["loss"])
    np.testing.assert_allclose(ax.get_lines()[2].get_ydata(), curve.table()["variance"])
    with pytest.raises(ValueError, match="no parts; make it with decompose=True"):
        made([0.6, 0.8], (1, 2)).plot(of="parts")
    with pytest.raises(ValueError, match="of is 'bias'; expected 'scores' or 'parts'"):
        curve.plot(of="bias")
    pyplot.close("all")


def test_interrupt_ends_it():
    class Slow(DummyRegressor):
        def fit(self, X, y):
            time.sleep(0.01)
            begun.append(self)
            if len(begun) == 5:
                os.kill(os.getpid(), signal.SIGINT)
            return super().fit(X, y)

    begun = []
    with pytest.raises(KeyboardInterrupt):
        complexity_curve(Slow(), X, Y, param="quantile", values=np.linspace(0, 1, 90), n_jobs=2)
    time.sleep(0.1)  # threads end with their step
    assert len(begun) < 20


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"param": "alhpa"}, ValueError, r"Ridge has no parameter 'alhpa'\. Did you mean alpha\?"),
        ({"param": "zzz"}, ValueError, r"Ridge has no parameter 'zzz'\.$"),
        ({"values": []}, ValueError, "values is empty"),
        ({"values": "abc"}, TypeError, "values is 'abc'; expected a list"),
        ({"values": 3}, TypeError, "values is 3; expected a list"),
        ({"decompose": {"samples": 3}}, ValueError, "decompose has 'samples', which is no"),
        ({"decompose": {"loss": "hinge"}}, ValueError, "loss is 'hinge'"),
        ({"decompose": 3}, ValueError, "'decompose' parameter of"),
        ({"cv": []}, ValueError, "cv gives no folds"),
    ],
)
def test_arguments_that_do_not_fit(more, error, message):
    with pytest.raises(error, match=message):
        complexity_curve(Ridge(), X, Y, **{"param": "alpha", "values": [1.0], **more})


def test_parameters_of_steps_are_suggested():
    model = make_pipeline(StandardScaler(), Ridge())
    with pytest.raises(ValueError, match=r"Did you mean ridge__alpha\?"):
        complexity_curve(model, X, Y, param="alpha", values=[1.0])
