"""Margins on features that naive Bayes has weighted: what only the machine has."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from quire.svm import NBSVM, LinearSVC


def make(n=200, p=40):
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.5, (n, p)))
    return X, rng.integers(0, 2, n)


def test_the_machine_is_that_of_linear_svc():
    """Equal bits, where LinearSVC is given the weighted features and the same seed."""
    X, y = make()
    model = NBSVM(C=0.3, random_state=5).fit(X, y)
    present = (X > 0).toarray()
    p, q = 1 + present[y == 1].sum(axis=0), 1 + present[y == 0].sum(axis=0)
    r = (np.log(p) - np.log(q) + (np.log(q.sum()) - np.log(p.sum()))).astype(np.float32)
    machine = LinearSVC(C=0.3, random_state=5, dual=True).fit(sparse.csr_array(present * r), y)
    primal = NBSVM(C=0.3, tol=1e-12, max_iter=100_000).fit(X.toarray(), y)
    np.testing.assert_allclose(model.coef_[0], r * machine.coef_[0], atol=1e-2)
    np.testing.assert_allclose(model.coef_, primal.coef_, atol=1e-2)


def test_one_seed_gives_one_model():
    X, y = make()
    same = [NBSVM(random_state=3).fit(X, y).coef_ for _ in range(2)]
    np.testing.assert_array_equal(*same)


def test_without_an_intercept():
    X, y = make()
    assert NBSVM(fit_intercept=False, random_state=0).fit(X, y).intercept_.tolist() == [0.0]


def test_too_few_passes_are_told():
    X, y = make()
    X = sparse.csr_array(np.tile(X.toarray(), (1, 20)))  # more features than samples
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        NBSVM(C=10.0, max_iter=2, random_state=0).fit(X, y)


def test_it_gives_no_probabilities():
    assert not hasattr(NBSVM(), "predict_proba")
