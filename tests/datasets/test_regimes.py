"""Made-up regimes: the model that their docstring states."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from quire.datasets import make_regimes
from quire.linear_model import OrdinalRegression


@pytest.mark.parametrize(("link", "cumulative"), [("logit", expit), ("probit", norm.cdf)])
def test_ratings_have_the_stated_probabilities(link, cumulative):
    data = make_regimes(40_000, link=link)
    np.testing.assert_allclose(data.score, data.X @ data.weights)
    for j, threshold in enumerate(data.thresholds, start=1):
        expected = cumulative(threshold - data.score)
        for low, high in ((-np.inf, -2), (-2, 0), (0, 2), (2, np.inf)):
            here = (data.score > low) & (data.score <= high)
            share = (data.rating[here] <= j).mean()
            np.testing.assert_allclose(share, expected[here].mean(), atol=0.02)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_ordered_regression_finds_weights_and_thresholds(link):
    data = make_regimes(20_000, link=link, random_state=1)
    model = OrdinalRegression(link=link, C=np.inf).fit(data.X, data.rating)
    np.testing.assert_allclose(model.coef_, data.weights, atol=0.08)
    np.testing.assert_allclose(model.thresholds_, data.thresholds, atol=0.1)


def test_indicators_are_standardised_and_go_together():
    data = make_regimes(40_000)
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=0.02)
    np.testing.assert_allclose(data.X.std(axis=0), 1, atol=0.02)
    place = data.indicators.index
    together = np.corrcoef(data.X[:, place("elections")], data.X[:, place("press")])[0, 1]
    np.testing.assert_allclose(together, 0.64, atol=0.02)


def test_seeds_and_bad_links():
    first, again, other = make_regimes(), make_regimes(), make_regimes(random_state=1)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.rating, again.rating)
    assert not np.array_equal(first.X, other.X)
    assert set(first.rating) == {1, 2, 3, 4, 5}
    with pytest.raises(ValueError, match="'logit' or 'probit'"):
        make_regimes(link="cauchit")
