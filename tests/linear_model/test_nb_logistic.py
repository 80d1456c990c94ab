"""Probabilities of logistic regression on features that naive Bayes has weighted."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from quire._shared.decisions import decisions
from quire.linear_model import NBLogistic


def make(n_classes, n=120, p=25):
    rng = np.random.default_rng(n_classes)
    X = sparse.csr_array(rng.poisson(0.5, (n, p)))
    return X, rng.integers(0, n_classes, n)


def test_two_classes_have_the_sigmoid_of_the_score():
    X, y = make(2)
    model = NBLogistic().fit(X, y)
    second = expit(model.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X), np.stack([1 - second, second], axis=1))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


def test_more_classes_have_sigmoids_over_their_sum():
    X, y = make(4)
    model = NBLogistic().fit(X, y)
    each = expit(model.decision_function(X))
    expected = each / each.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(expected))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_far_away_probabilities_keep_their_digits(n_classes):
    X, y = make(n_classes)
    model = NBLogistic().fit(X, y)
    model.coef_ = model.coef_ * 0
    model.intercept_ = np.array([900.0]) if n_classes == 2 else np.array([-900.0, -902.0, -950.0])
    logs = model.predict_log_proba(X[:1])
    if n_classes == 2:
        np.testing.assert_allclose(logs, [[-900.0, 0.0]])
    else:
        total = np.log1p(np.exp(-2) + np.exp(-50))
        np.testing.assert_allclose(logs, [[-total, -2 - total, -50 - total]])
        np.testing.assert_allclose(model.predict_proba(X[:1]).sum(), 1.0)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_label_and_probabilities_from_one_look(n_classes):
    X, y = make(n_classes)
    model = NBLogistic().fit(X, y)
    codes, probabilities = decisions(model, X)
    np.testing.assert_array_equal(model.classes_[codes], model.predict(X))
    np.testing.assert_array_equal(probabilities, model.predict_proba(X))


def test_without_an_intercept():
    X, y = make(2)
    assert NBLogistic(fit_intercept=False).fit(X, y).intercept_.tolist() == [0.0]


def test_too_few_steps_are_told():
    X, y = make(2)
    with pytest.warns(ConvergenceWarning, match="NBLogistic did not converge in 1 iterations"):
        NBLogistic(max_iter=1, tol=1e-10, C=100.0).fit(X, y)


def test_a_path_in_rough_steps_comes_near():
    X, y = make(3)
    for one in NBLogistic().fit_path(X, y, [0.01, 1.0, 100.0], tol=1e-3):
        exact = NBLogistic(C=one.C, tol=1e-9).fit(X, y)
        np.testing.assert_allclose(
            one.decision_function(X), exact.decision_function(X), atol=0.2 + 0.02 * one.C
        )
