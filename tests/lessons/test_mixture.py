"""The lesson on mixtures: its steps are those of the estimator, and the likelihood never falls."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm
from tests.helpers.lessons import lesson, numbers

from quire.lessons import mixture
from quire.mixture import GaussianMixture


@pytest.mark.parametrize("columns", ["one", "two"])
def test_the_numbers_are_those_of_the_estimator(columns):
    X = lesson("mixture").given["X"][:, : 1 if columns == "one" else 2]
    start = numbers("mixture", "The start", columns=columns)
    model = GaussianMixture(
        2,
        weights_init=start["weights"],
        means_init=start["means"],
        precisions_init=np.linalg.inv(start["covariances"]),
        tol=1e-4,
        max_iter=200,
        keep_steps=True,
    ).fit(X)
    last = numbers("mixture", f"Iteration {len(model.steps_) - 1}", columns=columns)
    np.testing.assert_allclose(last["means"], model.means_)
    np.testing.assert_allclose(last["weights"], model.weights_)
    np.testing.assert_allclose(last["covariances"], model.covariances_)
    assert last["log_likelihood"] == pytest.approx(model.score(X))
    first = numbers("mixture", "Iteration 1", columns=columns)
    np.testing.assert_allclose(first["means"], model.steps_[1].means)


def test_one_m_step_by_hand():
    X = lesson("mixture").given["X"][:, 0]
    start, after = numbers("mixture", "The start"), numbers("mixture", "Iteration 1")
    variances = np.array(start["covariances"])[:, 0, 0]
    densities = np.array(start["weights"]) * norm.pdf(
        X[:, None], np.array(start["means"])[:, 0], np.sqrt(variances)
    )
    shares = densities / densities.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(after["weights"], shares.mean(axis=0))
    means = (shares * X[:, None]).sum(axis=0) / shares.sum(axis=0)
    np.testing.assert_allclose(np.array(after["means"])[:, 0], means)
    assert start["log_likelihood"] == pytest.approx(np.log(densities.sum(axis=1)).mean())


def test_the_likelihood_never_falls():
    for run in lesson("mixture").runs:
        likelihoods = [step.numbers["log_likelihood"] for step in run.steps]
        assert (np.diff(likelihoods) > -1e-9).all()


def test_a_file():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40) * 100})
    made = mixture(frame)
    assert made.given["X"].shape == (40, 2)
    assert "the data frame" in made.html
