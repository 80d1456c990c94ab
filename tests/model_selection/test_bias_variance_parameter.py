"""Bias and variance of an estimator of a parameter, against the formulas of statistics."""

import matplotlib
import numpy as np
import pytest

from quire.linear_model import Ridge
from quire.model_selection import EstimatorBiasVariance, bias_variance

matplotlib.use("Agg")
from matplotlib import pyplot

SIGMA, N = 2.0, 8


def normal(rng):
    return rng.normal(3.0, SIGMA, size=N)


def within(found, expected, error):
    return abs(found - expected) < 4 * error


def test_the_sample_variance_with_one_over_n_is_too_small_by_an_nth() -> None:
    result = bias_variance(np.var, truth=SIGMA**2, sampler=normal, n_resamples=4000, random_state=0)
    errors = result.standard_errors
    # E = (n - 1) / n sigma^2; Var = 2 (n - 1) / n^2 sigma^4
    assert within(result.bias, -(SIGMA**2) / N, errors["bias"])
    assert within(result.variance, 2 * (N - 1) / N**2 * SIGMA**4, errors["variance"])
    assert within(result.mse, (2 * N - 1) / N**2 * SIGMA**4, errors["mse"])
    assert errors["bias"] < 0.05
    assert abs(result.bias**2 + result.variance - result.mse) < 1e-12
    # With n - 1 the bias is gone and the variance larger: the biased one has the smaller error.
    unbiased = bias_variance(
        lambda x: x.var(ddof=1), truth=SIGMA**2, sampler=normal, n_resamples=4000, random_state=0
    )
    assert within(unbiased.bias, 0.0, unbiased.standard_errors["bias"])
    assert unbiased.variance == pytest.approx(result.variance * (N / (N - 1)) ** 2)
    assert result.mse < unbiased.mse


def test_the_mean_has_no_bias_and_its_variance_is_sigma_squared_over_n() -> None:
    result = bias_variance(np.mean, truth=3.0, sampler=normal, n_resamples=4000, random_state=1)
    errors = result.standard_errors
    assert within(result.bias, 0.0, errors["bias"])
    assert within(result.variance, SIGMA**2 / N, errors["variance"])
    assert errors["variance"] == pytest.approx(
        np.sqrt(2 / 4000) * SIGMA**2 / N, rel=0.1
    )  # of a normal


def test_a_vector_of_parameters() -> None:
    def both(x):
        return [x.mean(), x.var()]

    result = bias_variance(both, truth=[3.0, 4.0], sampler=normal, n_resamples=300, random_state=0)
    assert result.name == "both"
    assert result.estimates.shape == (300, 2)
    alone = bias_variance(np.var, truth=4.0, sampler=normal, n_resamples=300, random_state=0)
    assert result.bias[1] == pytest.approx(alone.bias)
    np.testing.assert_allclose(result.bias**2 + result.variance, result.mse)
    table = result.table()
    assert table["mse"].to_list() == result.mse.tolist()
    assert "parameter" in str(result)
    assert "parameter" not in str(alone)
    ax = result.plot(parameter=1)
    assert [line.get_xdata()[0] for line in ax.lines] == pytest.approx([4.0, result.mean[1]])
    assert "<table>" in result._repr_html_()
    pyplot.close("all")


def test_the_same_seed_gives_the_same_samples_and_a_thousand_is_the_default() -> None:
    settings = {"truth": 3.0, "sampler": normal, "random_state": 5}
    first, second = (bias_variance(np.mean, **settings) for _ in range(2))
    assert isinstance(first, EstimatorBiasVariance)
    assert np.array_equal(first.estimates, second.estimates)
    assert np.array_equal(
        bias_variance(np.mean, 3.0, normal, random_state=5).estimates, first.estimates
    )
    assert first.n_samples == 1000
    assert len(np.unique(first.estimates)) == 1000


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(TypeError, match="truth and sampler"):
        bias_variance(np.mean, truth=3.0)
    with pytest.raises(TypeError, match="truth and sampler"):
        bias_variance(np.mean, [[1.0]], [1.0], truth=3.0, sampler=normal)
    with pytest.raises(TypeError, match="needs X and y for a model"):
        bias_variance(Ridge())
    with pytest.raises(TypeError, match="expected a function"):
        bias_variance(Ridge(), truth=3.0, sampler=normal)
    with pytest.raises(ValueError, match=r"shape \(8,\); the shape of truth is \(\)"):
        bias_variance(lambda x: x, truth=3.0, sampler=normal)
    with pytest.raises(ValueError, match="expected a number or a vector"):
        bias_variance(np.mean, truth=[[1.0]], sampler=normal)
    with pytest.raises(ValueError, match="n_resamples"):
        bias_variance(np.mean, truth=1.0, sampler=normal, n_resamples=1)
