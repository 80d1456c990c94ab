"""The lesson on Gaussian naive Bayes: means, variances and sums are those of the estimator."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm
from tests.helpers.lessons import lesson, numbers

from quire.lessons import gaussian_naive_bayes
from quire.naive_bayes import GaussianNB

NAME = "gaussian_naive_bayes"


@pytest.mark.parametrize("prior", ["documents", "uniform"])
@pytest.mark.parametrize("smoothing", [1e-9, 3.0])
def test_the_numbers_are_those_of_the_estimator(prior, smoothing):
    given = lesson(NAME).given
    model = GaussianNB(priors=prior, var_smoothing=smoothing).fit(given["X"], given["y"])
    values = {"prior": prior, "smoothing": smoothing}
    np.testing.assert_allclose(numbers(NAME, "Find the means", **values)["means"], model.theta_)
    np.testing.assert_allclose(numbers(NAME, "Find the var", **values)["variances"], model.var_)
    posterior = numbers(NAME, "The posterior", **values)["posterior"]
    np.testing.assert_allclose(posterior, model.predict_proba([given["x"]])[0])
    joint = model.predict_joint_log_proba([given["x"]])[0]
    run = next(run for run in lesson(NAME).runs if run.values == values)
    assert run.steps[-3].numbers["log_odds"] == pytest.approx(joint[0] - joint[1])


def test_means_variances_and_bells_by_hand():
    given = lesson(NAME).given
    X, y, x = given["X"], given["y"], given["x"]
    first = np.unique(y)[0]
    mean, deviation = X[y == first].mean(axis=0), X[y == first].std(axis=0)
    np.testing.assert_allclose(numbers(NAME, "Find the means")["means"][0], mean)
    heights = numbers(NAME, "The bells of heart rate")["heights"]
    assert heights[0] == pytest.approx(norm.pdf(x[0], mean[0], deviation[0]), rel=1e-6)


def test_a_file_with_three_classes():
    rng = np.random.default_rng(0)
    y = np.repeat(["x", "y", "z"], 20)
    X = rng.normal(size=(60, 2)) + 3 * np.repeat(np.eye(3)[:, :2], 20, axis=0)
    made = gaussian_naive_bayes(pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "label": y}))
    model = GaussianNB().fit(X, y)
    found = made.start.steps[-2].numbers["posterior"]
    np.testing.assert_allclose(found, model.predict_proba([made.given["x"]])[0])
    assert "the two most probable are shown" in made.html
