"""LeastSquaresClassifier: pseudo-inverse, codings, outliers, and the contract."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from quire.linear_model import LeastSquaresClassifier


def blobs(n_classes, n=120, p=4, seed=0):
    X, y = make_blobs(n, p, centers=n_classes, cluster_std=3.0, random_state=seed)
    return X, np.array(["ant", "bee", "cat", "dog"])[y]


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_coefficients_are_pseudo_inverse_times_targets(n_classes, as_matrix, fit_intercept):
    X, y = blobs(n_classes)
    model = LeastSquaresClassifier(fit_intercept=fit_intercept, tol=1e-12).fit(as_matrix(X), y)
    classes = np.unique(y)
    T = (y[:, None] == classes).astype(float)
    if n_classes == 2:
        T = np.where(y == classes[1], 1.0, -1.0)[:, None]
    X1 = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
    W = np.linalg.pinv(X1) @ T
    assert model.coef_.shape == (1 if n_classes == 2 else n_classes, 4)
    assert model.intercept_.shape == (len(model.coef_),)
    np.testing.assert_allclose(model.coef_, W[:4].T, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, W[4] if fit_intercept else 0, atol=1e-9)
    scores = X1 @ W
    decisions = model.decision_function(as_matrix(X))
    np.testing.assert_allclose(decisions, scores[:, 0] if n_classes == 2 else scores, atol=1e-8)
    best = (scores[:, 0] > 0).astype(int) if n_classes == 2 else scores.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(as_matrix(X)), classes[best])
    if n_classes > 2 and fit_intercept:
        np.testing.assert_allclose(decisions.sum(axis=1), 1)


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_penalty_and_weights(as_matrix):
    X, y = blobs(3)
    rng = np.random.default_rng(0)
    copies = rng.integers(1, 4, len(y))
    model = LeastSquaresClassifier(alpha=5.0, tol=1e-12)
    weighted = model.fit(as_matrix(X), y, copies).coef_
    repeated = model.fit(as_matrix(np.repeat(X, copies, axis=0)), np.repeat(y, copies)).coef_
    np.testing.assert_allclose(weighted, repeated, rtol=1e-8)
    Xc = X - np.average(X, axis=0, weights=copies)
    T = (y[:, None] == np.unique(y)).astype(float)
    T -= np.average(T, axis=0, weights=copies)
    closed = np.linalg.solve(Xc.T * copies @ Xc + 5 * np.eye(4), Xc.T * copies @ T).T
    np.testing.assert_allclose(weighted, closed, rtol=1e-8)


def test_class_weights():
    X, y = blobs(3)
    X, y = X[20:], y[20:]
    counts = dict(zip(*np.unique(y, return_counts=True), strict=True))
    balanced = {k: len(y) / (3 * n) for k, n in counts.items()}
    by_name = LeastSquaresClassifier(class_weight="balanced").fit(X, y)
    by_hand = LeastSquaresClassifier(class_weight=balanced).fit(X, y)
    by_sample = LeastSquaresClassifier().fit(X, y, [balanced[k] for k in y])
    np.testing.assert_array_equal(by_name.coef_, by_hand.coef_)
    np.testing.assert_allclose(by_name.coef_, by_sample.coef_)
    assert not np.allclose(by_name.coef_, LeastSquaresClassifier().fit(X, y).coef_)


def test_two_classes_give_fishers_direction():
    X, y = blobs(2)
    w = LeastSquaresClassifier().fit(X, y).coef_[0]
    fisher = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).coef_[0]
    cosine = w @ fisher / np.linalg.norm(w) / np.linalg.norm(fisher)
    assert cosine == pytest.approx(1, abs=1e-10)


def test_far_away_points_on_the_right_side_pull_it_and_not_logistic_regression():
    """Bishop (2006), figure 4.4."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal([-1, 1], 0.7, (50, 2)), rng.normal([1, -1], 0.7, (50, 2))])
    y = np.repeat([0, 1], 50)
    X_far = np.vstack([X, rng.normal([9, -9], 0.3, (10, 2))])
    y_far = np.append(y, np.ones(10, dtype=int))

    def boundary(model):
        """Return where the boundary cuts the line between the two centres; 0 is the middle."""
        w, c = model.coef_[0], model.intercept_[0]
        return -c / (w @ [1, -1])

    before, after = (boundary(LeastSquaresClassifier().fit(*d)) for d in ((X, y), (X_far, y_far)))
    logistic = [boundary(LogisticRegression().fit(*d)) for d in ((X, y), (X_far, y_far))]
    assert abs(after - before) > 0.3
    assert abs(logistic[1] - logistic[0]) < 0.01
    errors = np.sum(LeastSquaresClassifier().fit(X_far, y_far).predict(X) != y)
    assert errors > np.sum(LeastSquaresClassifier().fit(X, y).predict(X) != y)


def test_float32_and_threads():
    rng = np.random.default_rng(0)
    X = sparse.random_array((800, 1500), density=0.02, rng=rng, format="csr", dtype=np.float32)
    y = rng.integers(0, 12, 800)
    one, four = (LeastSquaresClassifier(1.0, n_jobs=n).fit(X, y) for n in (1, 4))
    assert one.coef_.dtype == one.intercept_.dtype == np.float32
    assert one.coef_.tobytes() == four.coef_.tobytes()
    assert one.score(X, y) > 0.9


def test_meta_estimators():
    X, y = blobs(4)
    for wrapper in (OneVsRestClassifier, OneVsOneClassifier):
        assert wrapper(LeastSquaresClassifier()).fit(X, y).score(X, y) > 0.6


def test_errors():
    X, y = blobs(2)
    with pytest.raises(ValueError, match=r"at least 2 classes .* only one class: .*'ant'"):
        LeastSquaresClassifier().fit(X, ["ant"] * len(X))
    with pytest.raises(ValueError, match="'alpha' parameter of LeastSquaresClassifier"):
        LeastSquaresClassifier(-1.0).fit(X, y)
    with pytest.raises(ValueError, match="Unknown label type"):
        LeastSquaresClassifier().fit(X, X[:, 0])


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(("n", "p"), [(2600, 2300), (2300, 2600), (120, 30)])
def test_a_path_has_the_models_that_single_fits_have(n_classes, n, p):
    rng = np.random.default_rng(0)
    X = sparse.random_array((n, p), density=0.01, rng=rng, format="csr")
    y = np.array(["ant", "bee", "cat", "dog"])[rng.integers(0, n_classes, n)]
    model = LeastSquaresClassifier(tol=1e-9)
    alphas = [1.0, 0.1, 10.0]
    path = model.fit_path(X, y, alphas)
    assert not hasattr(model, "coef_")
    for alpha, found in zip(alphas, path, strict=True):
        single = LeastSquaresClassifier(alpha, tol=1e-10).fit(X, y)
        assert found.alpha == alpha
        np.testing.assert_allclose(found.coef_, single.coef_, atol=1e-7)
        np.testing.assert_allclose(found.intercept_, single.intercept_, atol=1e-8)
        np.testing.assert_array_equal(found.predict(X[:200]), single.predict(X[:200]))


def test_paths_of_dense_data_and_without_penalty():
    X, y = blobs(3)
    path = LeastSquaresClassifier().fit_path(X, y, [0.0, 1.0])
    for alpha, found in zip([0.0, 1.0], path, strict=True):
        single = LeastSquaresClassifier(alpha).fit(X, y)
        np.testing.assert_array_equal(found.coef_, single.coef_)


def test_a_path_of_targets_that_do_not_depend_on_anything():
    X = sparse.csr_array((2500, 2400))
    path = LeastSquaresClassifier().fit_path(X, np.arange(2500) % 3, [1.0, 2.0])
    assert all((model.coef_ == 0).all() for model in path)
    np.testing.assert_allclose(path[0].intercept_, 1 / 3, atol=1e-3)
