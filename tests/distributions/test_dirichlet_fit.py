"""Dirichlet parameters by maximum likelihood, from proportions and from counts."""

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.exceptions import ConvergenceWarning

from quire.distributions import Dirichlet

ALPHAS = [
    [2.0, 3.0, 5.0],
    [0.3, 0.5, 0.2, 1.5],
    [200.0, 1000.0],
    [1e5, 3e5, 2e5],
]


def draw_counts(alpha, n_rows, length, seed=0):
    proportions = Dirichlet(alpha).rvs(n_rows, random_state=seed)
    return np.random.default_rng(seed).multinomial(length, proportions)


def climbs(likelihood, alpha, tolerance=1e-7):
    """Whether no small change of any parameter raises the likelihood."""
    best = likelihood(alpha)
    for k in range(len(alpha)):
        for factor in (0.99, 1.01):
            other = alpha.copy()
            other[k] *= factor
            if likelihood(other) > best + tolerance * abs(best):
                return True
    return False


@pytest.mark.parametrize("alpha", ALPHAS)
def test_fit_finds_the_maximum(alpha):
    rows = Dirichlet(alpha).rvs(500, random_state=1)
    found = Dirichlet.fit(rows)
    assert not climbs(lambda a: Dirichlet(a).logpdf(rows).sum(), found.alpha)
    np.testing.assert_allclose(found.alpha, alpha, rtol=0.25)
    # The expected logarithms are those of the data: the condition of the maximum.
    np.testing.assert_allclose(found.mean_log(), np.log(rows).mean(axis=0), rtol=1e-7)


def test_fit_against_a_general_optimiser():
    rows = Dirichlet([0.4, 1.0, 2.5]).rvs(200, random_state=0)
    general = optimize.minimize(
        lambda log_alpha: -Dirichlet(np.exp(log_alpha)).logpdf(rows).sum(),
        np.zeros(3),
        tol=1e-10,
    )
    np.testing.assert_allclose(Dirichlet.fit(rows).alpha, np.exp(general.x), rtol=1e-4)


def test_fit_with_tiny_parameters():
    # Proportions of 1e-300 and less would be zeros: keep those that are not.
    rows = Dirichlet([0.02, 0.03, 0.04]).rvs(3000, random_state=0)
    rows = rows[(rows > 0).all(axis=1)]
    found = Dirichlet.fit(rows)
    np.testing.assert_allclose(found.mean_log(), np.log(rows).mean(axis=0), rtol=1e-7)


def test_weights_are_repetitions():
    rows = Dirichlet([1, 2, 3]).rvs(30, random_state=0)
    weights = np.arange(30) % 3
    repeated = Dirichlet.fit(np.repeat(rows, weights, axis=0))
    np.testing.assert_allclose(Dirichlet.fit(rows, weights).alpha, repeated.alpha, rtol=1e-8)
    counts = draw_counts([1, 2, 3], 30, 20)
    repeated = Dirichlet.fit_counts(np.repeat(counts, weights, axis=0))
    np.testing.assert_allclose(
        Dirichlet.fit_counts(counts, weights).alpha, repeated.alpha, rtol=1e-8
    )


def test_symmetric_fits():
    rows = Dirichlet([0.7] * 5).rvs(2000, random_state=0)
    found = Dirichlet.fit(rows, symmetric=True)
    assert np.ptp(found.alpha) == 0
    assert found.alpha[0] == pytest.approx(0.7, rel=0.05)
    counts = draw_counts([0.7] * 5, 2000, 30)
    found = Dirichlet.fit_counts(counts, symmetric=True)
    assert found.alpha[0] == pytest.approx(0.7, rel=0.05)
    best = found.counts_logpmf(counts).sum()
    for factor in (0.98, 1.02):
        assert Dirichlet(found.alpha * factor).counts_logpmf(counts).sum() < best
    empty_column = np.column_stack([counts, np.zeros(len(counts))])
    assert Dirichlet.fit_counts(empty_column, symmetric=True).alpha[0] < found.alpha[0]


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("alpha", [[2.0, 3.0, 5.0], [0.05, 0.1, 0.02, 0.2], [30.0, 60.0]])
def test_fit_counts_finds_the_maximum(alpha, as_sparse):
    counts = draw_counts(alpha, 400, 40, seed=2)
    found = Dirichlet.fit_counts(sparse.csr_matrix(counts) if as_sparse else counts)
    assert not climbs(lambda a: Dirichlet(a).counts_logpmf(counts).sum(), found.alpha)
    np.testing.assert_allclose(found.alpha, alpha, rtol=0.3)


def test_fit_counts_of_rows_with_different_lengths():
    rng = np.random.default_rng(0)
    proportions = Dirichlet([0.5, 1.0, 4.0]).rvs(3000, random_state=0)
    lengths = rng.integers(0, 200, 3000)
    counts = np.array([rng.multinomial(n, p) for n, p in zip(lengths, proportions, strict=True)])
    np.testing.assert_allclose(Dirichlet.fit_counts(counts).alpha, [0.5, 1, 4], rtol=0.1)


def test_cost_does_not_grow_with_counts():
    counts = draw_counts([2.0, 3.0], 300, 2_000_000_000)
    np.testing.assert_allclose(Dirichlet.fit_counts(counts).alpha, [2, 3], rtol=0.2)


def test_fit_counts_with_many_categories():
    alpha = np.random.default_rng(0).uniform(0.005, 0.05, 2000)
    counts = draw_counts(alpha, 500, 300)
    seen = counts.sum(axis=0) > 0
    found = Dirichlet.fit_counts(sparse.csr_array(counts[:, seen]))
    assert found.concentration == pytest.approx(alpha.sum(), rel=0.1)
    assert np.corrcoef(found.alpha, alpha[seen])[0, 1] > 0.8


def test_errors_of_fits():
    with pytest.raises(ValueError, match=r"proportions\[1, 0\] is 0.*Dirichlet.fit_counts"):
        Dirichlet.fit([[0.5, 0.5], [0.0, 1.0]])
    with pytest.raises(ValueError, match="All 3 rows are equal"):
        Dirichlet.fit([[0.5, 0.5]] * 3)
    with pytest.raises(ValueError, match="one category"):
        Dirichlet.fit([[1.0], [1.0]])
    with pytest.raises(ValueError, match="one category"):
        Dirichlet.fit_counts([[3], [4]])
    with pytest.raises(ValueError, match=r"Column 1 of the counts is empty \(1 of 3 are\)"):
        Dirichlet.fit_counts([[1, 0, 2], [3, 0, 1]])
    with pytest.raises(ValueError, match="Rows with two counts or more"):
        Dirichlet.fit_counts([[1, 0], [0, 1]])
    with pytest.raises(ValueError, match=r"counts contain 0.5.*Dirichlet.fit"):
        Dirichlet.fit_counts([[0.5, 0.5]])
    with pytest.raises(ValueError, match=r"sample_weight has shape \(1,\); expected \(2,\)"):
        Dirichlet.fit([[0.5, 0.5], [0.4, 0.6]], [1.0])
    with pytest.raises(ValueError, match="not negative, with a positive sum"):
        Dirichlet.fit([[0.5, 0.5], [0.4, 0.6]], [-1.0, 2.0])


def test_counts_that_differ_less_than_chance_makes_them():
    with pytest.warns(ConvergenceWarning, match="would grow without end") as caught:
        found = Dirichlet.fit_counts([[10, 20]] * 50)
    assert caught[0].filename == __file__
    np.testing.assert_allclose(found.mean(), [1 / 3, 2 / 3], rtol=1e-3)


def test_too_few_steps_are_a_warning():
    rows = Dirichlet([0.3, 5.0]).rvs(50, random_state=0)
    with pytest.warns(ConvergenceWarning, match="increase max_iter") as caught:
        Dirichlet.fit(rows, max_iter=1)
    assert caught[0].filename == __file__
