"""Fisher's criterion by hand, its eigenvalues, the direction of the means, and draws."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from quire.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    fisher_criterion,
    fisher_direction,
    scatter_matrices,
)


def long_classes(n=200, seed=0):
    """Two classes stretched along one diagonal: their means lie along an axis, the gap does not."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    stretched = rng.normal(size=(n, 2)) @ np.array([[2.0, 2.0], [-0.3, 0.3]])
    return stretched + np.outer(y, [3.0, 0.0]), y


@pytest.mark.parametrize("as_sparse", [False, True])
def test_scatter_of_two_classes_is_the_formula(as_sparse):
    X, y = long_classes()
    first, second = X[y == 0], X[y == 1]
    m1, m2 = first.mean(axis=0), second.mean(axis=0)
    scatter = scatter_matrices(sparse.csr_array(X) if as_sparse else X, y)
    np.testing.assert_allclose(scatter.between, np.outer(m2 - m1, m2 - m1))
    within = sum(np.outer(x - m1, x - m1) for x in first)
    within = within + sum(np.outer(x - m2, x - m2) for x in second)
    np.testing.assert_allclose(scatter.within, within, rtol=1e-9)
    np.testing.assert_allclose(scatter.means, [m1, m2])


@pytest.mark.parametrize("as_sparse", [False, True])
def test_the_criterion_is_that_of_the_projected_numbers(as_sparse):
    X, y = long_classes()
    rows = sparse.csr_array(X) if as_sparse else X
    scatter = scatter_matrices(X, y)
    for w in np.random.default_rng(1).normal(size=(5, 2)):
        a, b = X[y == 0] @ w, X[y == 1] @ w
        spread = ((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()
        expected = (b.mean() - a.mean()) ** 2 / spread
        np.testing.assert_allclose(fisher_criterion(rows, y, w), expected)
        np.testing.assert_allclose(scatter.criterion(w), expected)
        np.testing.assert_allclose(fisher_criterion(rows, y, -7 * w), expected)


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    scatter = scatter_matrices(X, y)
    m = X.mean(axis=0)
    between = sum(
        50 * np.outer(X[y == k].mean(axis=0) - m, X[y == k].mean(axis=0) - m) for k in range(3)
    )
    np.testing.assert_allclose(scatter.between, between)
    total = (X - m).T @ (X - m)
    np.testing.assert_allclose(scatter.within + scatter.between, total)
    values = scatter.eigenvalues()
    np.testing.assert_allclose(values, [32.1919, 0.2854], atol=1e-4)  # of Fisher's irises
    for solver in ("svd", "eigen"):
        model = LinearDiscriminantAnalysis(solver).fit(X, y)
        np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)
        for value, v in zip(model.eigenvalues_, model.scalings_.T, strict=False):
            np.testing.assert_allclose(fisher_criterion(X, y, v), value)
            np.testing.assert_allclose(scatter.between @ v, value * scatter.within @ v, atol=1e-6)
        share = model.eigenvalues_ / model.eigenvalues_.sum()
        np.testing.assert_allclose(share, model.explained_variance_ratio_[:2], atol=1e-8)
    assert LinearDiscriminantAnalysis("eigen").fit(X, y).scalings_.shape == (4, 4)
    assert LinearDiscriminantAnalysis("svd").fit(X, y).scalings_.shape == (4, 2)
    sparse_model = LinearDiscriminantAnalysis().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(sparse_model.eigenvalues_, values, rtol=1e-8)


def test_the_best_direction_is_best():
    X, y = long_classes()
    w = fisher_direction(X, y)
    m1, m2 = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
    solution = np.linalg.solve(scatter_matrices(X, y).within, m2 - m1)
    np.testing.assert_allclose(w, solution / np.linalg.norm(solution))
    best = fisher_criterion(X, y, w)
    np.testing.assert_allclose(scatter_matrices(X, y).eigenvalues(), [best])
    angles = np.linspace(0, np.pi, 181)
    others = [fisher_criterion(X, y, [np.cos(a), np.sin(a)]) for a in angles]
    assert max(others) <= best
    np.testing.assert_allclose(fisher_direction(sparse.csr_array(X), y), w)
    weights = LinearDiscriminantAnalysis().fit(X, y).coef_[0]
    np.testing.assert_allclose(weights / np.linalg.norm(weights), w, atol=1e-10)


def test_the_direction_of_the_means_is_furthest_apart_and_still_overlaps():
    """The two projections of the same classes: along m2 - m1 they mix, by Fisher's they do not."""
    X, y = long_classes()
    means = fisher_direction(X, y, direction="means")
    m1, m2 = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
    np.testing.assert_allclose(means, (m2 - m1) / np.linalg.norm(m2 - m1))
    fisher = fisher_direction(X, y)
    assert means @ (m2 - m1) > fisher @ (m2 - m1) > 0
    assert fisher_criterion(X, y, fisher) > 10 * fisher_criterion(X, y, means)

    def accuracy(w):
        z = X @ w
        middle = (z[y == 0].mean() + z[y == 1].mean()) / 2
        return ((z > middle) == y).mean()  # above the threshold is the second class

    assert accuracy(fisher) >= 0.99
    assert accuracy(means) < 0.85


def test_no_spread_and_no_distance():
    X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
    y = [0, 0, 1, 1]
    assert fisher_criterion(X, y, [1, 0, 0]) == np.inf
    assert fisher_criterion(X, y, [0, 1, 0]) == 0
    assert np.isnan(fisher_criterion(X, y, [0, 0, 1]))


def test_a_large_sparse_x_has_a_criterion_but_no_matrices():
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 50_000), density=0.001, format="csr", rng=rng)
    y = np.arange(300) % 3
    w = rng.normal(size=50_000)
    z = X @ w
    between = sum(100 * (z[y == k].mean() - z.mean()) ** 2 for k in range(3))
    within = sum(((z[y == k] - z[y == k].mean()) ** 2).sum() for k in range(3))
    np.testing.assert_allclose(fisher_criterion(X, y, w), between / within)
    with pytest.raises(ValueError, match="fisher_criterion"):
        scatter_matrices(X, y)
    model = LinearDiscriminantAnalysis("eigen", shrinkage=0.5).fit(X, y)
    assert model.eigenvalues_.shape == (2,)
    assert model.eigenvalues_[0] >= model.eigenvalues_[1] > 0
    assert model.scalings_.shape == (50_000, 2)


def test_draws_have_the_moments_of_the_model():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5], store_covariance=True).fit(X, names)
    drawn, labels = model.sample(40_000, random_state=0)
    assert drawn.shape == (40_000, 4)
    shares = [(labels == name).mean() for name in model.classes_]
    np.testing.assert_allclose(shares, [0.2, 0.3, 0.5], atol=0.01)
    for mean, name in zip(model.means_, model.classes_, strict=True):
        rows = drawn[labels == name]
        np.testing.assert_allclose(rows.mean(axis=0), mean, atol=0.03)
        np.testing.assert_allclose(np.cov(rows.T), model.covariance_, atol=0.015)
    again, _ = model.sample(40_000, random_state=0)
    np.testing.assert_array_equal(drawn, again)
    with pytest.raises(ValueError, match="store_covariance=True"):
        LinearDiscriminantAnalysis().fit(X, y).sample(3)
    with pytest.raises(ValueError, match="at least 1"):
        model.sample(0)


def test_what_cannot_be():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="y has 3 classes"):
        fisher_direction(X, y)
    with pytest.raises(ValueError, match="'fisher' or 'means'"):
        fisher_direction(X, y == 1, direction="median")
    with pytest.raises(ValueError, match="w has shape"):
        fisher_criterion(X, y, [1, 2])
    with pytest.raises(ValueError, match="one class"):
        scatter_matrices(X, np.zeros(150))
    with pytest.raises(ValueError, match="equal"):
        fisher_direction([[0.0], [1.0], [0.0], [1.0]], [0, 0, 1, 1])
    with pytest.raises(AttributeError, match="solver='svd' or 'eigen'"):
        _ = LinearDiscriminantAnalysis("lsqr").fit(X, y).eigenvalues_
    assert not hasattr(LinearDiscriminantAnalysis(), "eigenvalues_")
