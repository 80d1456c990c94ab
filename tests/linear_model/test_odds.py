"""Odds, log-odds and the sigmoid, with their digits."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from quire.linear_model import LogisticRegression, logit, odds, sigmoid


def exact_logit(p):
    with localcontext() as context:
        context.prec = 60
        return float((Decimal(p) / (1 - Decimal(p))).ln())


def exact_sigmoid(z):
    with localcontext() as context:
        context.prec = 60
        return float(1 / (1 + (-Decimal(z)).exp()))


PROBABILITIES = [1e-300, 1e-17, 0.1, 0.2499, 0.25, 0.4, 0.5 - 1e-9, 0.5 + 1e-12, 0.7, 0.75, 0.999]


@pytest.mark.parametrize("p", PROBABILITIES)
def test_log_odds_have_all_their_digits(p):
    np.testing.assert_allclose(logit(p), exact_logit(p), rtol=4e-16)
    np.testing.assert_allclose(odds(p), float(Decimal(p) / (1 - Decimal(p))), rtol=4e-16)


@pytest.mark.parametrize("z", [-700.0, -40.0, -1.0, 0.0, 1e-10, 3.0, 40.0, 700.0])
def test_the_sigmoid_has_all_its_digits(z):
    np.testing.assert_allclose(sigmoid(z), exact_sigmoid(z), rtol=1e-15)


def test_the_ends_are_infinite_and_silent():
    np.testing.assert_array_equal(logit([0.0, 1.0]), [-np.inf, np.inf])
    np.testing.assert_array_equal(odds([0.0, 1.0]), [0.0, np.inf])
    np.testing.assert_array_equal(sigmoid([-np.inf, np.inf]), [0.0, 1.0])
    np.testing.assert_array_equal(sigmoid([-1e308, 1e308]), [0.0, 1.0])


def test_they_are_inverse_to_each_other_and_symmetric():
    p = np.linspace(0.001, 0.999, 999)
    np.testing.assert_allclose(sigmoid(logit(p)), p, rtol=1e-14)
    np.testing.assert_allclose(np.log(odds(p)), logit(p), atol=1e-14)
    np.testing.assert_allclose(logit(1 - p), -logit(p), atol=1e-13)


def test_shapes_and_types():
    assert isinstance(odds(0.5), float)
    assert isinstance(logit(np.float32(0.5)), float)
    assert logit([[0.5, 0.25]]).shape == (1, 2)
    assert sigmoid([]).shape == (0,)
    assert np.isnan(logit(np.nan))


@pytest.mark.parametrize("function", [odds, logit])
@pytest.mark.parametrize("p", [-0.1, 1.1, [0.5, 2.0]])
def test_probabilities_are_from_0_to_1(function, p):
    with pytest.raises(ValueError, match="a probability is from 0 to 1; got"):
        function(p)


def test_a_model_is_linear_in_log_odds_and_its_odds_ratios_divide_odds():
    X = np.arange(8.0)[:, None]
    model = LogisticRegression().fit(X, [0, 0, 1, 0, 1, 0, 1, 1])
    p = model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(logit(p), model.decision_function(X))
    np.testing.assert_allclose(odds(p[1:]) / odds(p[:-1]), model.odds_ratios()[1, 0])
