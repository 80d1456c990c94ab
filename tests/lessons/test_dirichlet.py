"""The lesson on the Dirichlet distribution: means, variances and posteriors by the formula."""

import numpy as np
import pytest
from tests.helpers.lessons import lesson, numbers

from quire.distributions import Dirichlet
from quire.lessons._dirichlet import _CORNERS, _at


@pytest.mark.parametrize("concentration", [0.9, 3, 9, 30])
def test_mean_and_variance_by_the_formula(concentration):
    found = numbers("dirichlet", "The density", concentration=concentration)
    alpha = np.array(found["alpha"])
    mean = alpha / alpha.sum()
    np.testing.assert_allclose(found["mean"], mean)
    np.testing.assert_allclose(found["variance"], mean * (1 - mean) / (alpha.sum() + 1))
    assert alpha.sum() == pytest.approx(concentration)


def test_counts_are_added():
    prior = np.array(numbers("dirichlet", "The density")["alpha"])
    after = numbers("dirichlet", "After 10")
    assert after["counts"] == [2, 1, 7]
    np.testing.assert_allclose(after["alpha"], np.add(prior, [2, 1, 7]))
    expected = Dirichlet(prior).posterior([2, 1, 7])
    np.testing.assert_allclose(after["mean"], expected.mean())


def test_draws_are_those_of_the_distribution():
    alpha = numbers("dirichlet", "The density")["alpha"]
    draws = Dirichlet(alpha).rvs(200, random_state=0)
    np.testing.assert_allclose(numbers("dirichlet", "Eight")["draws"], draws[:8])
    np.testing.assert_allclose(numbers("dirichlet", "200")["mean_of_draws"], draws.mean(axis=0))


def test_a_larger_concentration_means_a_smaller_variance():
    spreads = [
        numbers("dirichlet", "The density", concentration=c)["variance"][0] for c in (0.9, 3, 9, 30)
    ]
    assert spreads == sorted(spreads, reverse=True)


def test_places_and_shares_belong_together():
    shares = Dirichlet([1, 2, 3]).rvs(20, random_state=0)
    np.testing.assert_allclose(_at(shares @ _CORNERS), shares)
    assert (_at(np.array([[2.0, 0.0]])) < 0).any()


def test_titles():
    titles = [step.title for step in lesson("dirichlet").start.steps]
    assert titles[4:] == ["After 1 token", *[f"After {n} tokens" for n in (2, 3, 5, 10)]]
