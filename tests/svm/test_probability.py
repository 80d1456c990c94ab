"""Probabilities of kernel machines: they are calibrated, also with weights of classes."""

import numpy as np
import pytest
import sklearn.svm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_blobs, make_classification
from sklearn.metrics import log_loss

import quire
import quire.svm._machine
from quire._shared.sigmoid import fit_sigmoid
from quire.svm import SVC
from quire.svm._calibration import coupled, fold_numbers, pair_probabilities

pytestmark = pytest.mark.filterwarnings(
    "ignore:The `probability` parameter:FutureWarning",
    "ignore:Attribute `prob._` was deprecated:FutureWarning",
)


def data(n_classes, seed=0, n=240):
    return make_classification(
        n, 8, n_informative=5, n_classes=n_classes, flip_y=0.2, class_sep=0.8, random_state=seed
    )


def check_probabilities(model, X):
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)
    assert (probabilities > 0).all()
    assert (probabilities < 1).all()


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_they_are_shares(n_classes, seed):
    X, y = data(n_classes, seed)
    rng = np.random.default_rng(seed)
    kernel = ("rbf", "linear", "poly", "sigmoid")[seed]
    options = {"break_ties": bool(seed % 2), "class_weight": (None, "balanced")[seed // 2]}
    model = SVC(kernel=kernel, C=float(10 ** rng.uniform(-2, 2)), probability=True, **options)
    model.fit(X[:120], y[:120])
    check_probabilities(model, X)
    check_probabilities(model, 3 * rng.normal(size=(500, 8)))
    check_probabilities(model, np.zeros((1, 8)))


def test_two_classes_rise_with_the_decision():
    X, y = data(2)
    model = SVC(probability=True, random_state=0).fit(X, y)
    decisions = model.decision_function(X)
    order = np.argsort(decisions)
    assert (np.diff(model.predict_proba(X)[order, 1]) >= 0).all()
    f = -decisions  # above zero for the first class
    sigmoid = 1 / (1 + np.exp(model.probA_ * f + model.probB_))
    np.testing.assert_allclose(model.predict_proba(X)[:, 0], sigmoid, rtol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_numbers_of_the_sigmoid_have_scikit_learns_shapes(n_classes):
    X, y = data(n_classes)
    models = [library.SVC(probability=True).fit(X, y) for library in (quire.svm, sklearn.svm)]
    for name in ("probA_", "probB_"):
        ours, theirs = (getattr(model, name) for model in models)
        assert ours.shape == theirs.shape == (n_classes * (n_classes - 1) // 2,)
        assert ours.dtype == theirs.dtype
    assert (models[0].probA_ < 0).all()
    for library in (quire.svm, sklearn.svm):
        assert library.SVC().fit(X, y).probA_.shape == (0,)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.95, 0.98])
def test_calibrated_with_weights_of_classes(share, seed):
    X, y = make_classification(
        3000, 8, n_informative=5, weights=[share], class_sep=0.8, random_state=seed
    )
    losses = []
    for library in (quire.svm, sklearn.svm):
        model = library.SVC(probability=True, class_weight="balanced", random_state=0)
        probabilities = model.fit(X[:1500], y[:1500]).predict_proba(X[1500:])
        losses.append(log_loss(y[1500:], probabilities))
        assert probabilities[:, 1].mean() == pytest.approx(y[1500:].mean(), abs=0.015)
    assert losses[0] == pytest.approx(losses[1], rel=0.05)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_as_good_as_libsvms(n_classes):
    X, y = data(n_classes, 3, 1200)
    settings = {"probability": True, "random_state": 0}
    losses = [
        log_loss(y[600:], library.SVC(**settings).fit(X[:600], y[:600]).predict_proba(X[600:]))
        for library in (quire.svm, sklearn.svm)
    ]
    assert losses[0] < losses[1] + 0.03
    assert losses[0] < 0.8 * np.log(n_classes)


def test_seeds_threads_and_kinds():
    X, y = data(3)

    def fitted(X, **options):
        return SVC(probability=True, **options).fit(X, y).predict_proba(X)

    one = fitted(X, random_state=1)
    np.testing.assert_array_equal(one, fitted(X, random_state=1))
    assert not np.array_equal(one, fitted(X, random_state=2))
    rows = sparse.csr_array(X)
    threads = [fitted(rows, random_state=1, n_jobs=n) for n in (1, 3)]
    np.testing.assert_array_equal(*threads)
    np.testing.assert_allclose(threads[0], one, atol=1e-4)


def test_the_machine_is_the_same_with_and_without():
    X, y = data(3)
    without = SVC().fit(X, y)
    model = SVC(probability=True).fit(X, y)
    np.testing.assert_array_equal(model.dual_coef_, without.dual_coef_)
    np.testing.assert_array_equal(model.support_, without.support_)
    assert model.dual_objective_ == pytest.approx(without.dual_objective_)


def test_own_kernels_and_kernels_in_parts(monkeypatch):
    X, y = data(3)
    K = X @ X.T
    check_probabilities(SVC(kernel="precomputed", probability=True).fit(K, y), K)
    check_probabilities(SVC(kernel=lambda a, b: a @ b.T, probability=True).fit(X, y), X)
    whole = SVC(probability=True, random_state=0, tol=1e-5).fit(X, y).predict_proba(X)
    monkeypatch.setattr(quire.svm._machine, "_LEAST_BUDGET", 1e-3)
    parts = SVC(probability=True, random_state=0, tol=1e-5, cache_size=0.05).fit(X, y)
    np.testing.assert_allclose(parts.predict_proba(X), whole, atol=1e-2)


def test_weights_count_as_repeats():
    X, y = data(2)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    model = SVC(gamma=0.1, probability=True, random_state=0).fit(X, y, weights)
    check_probabilities(model, X)
    kept = weights > 0
    same = SVC(gamma=0.1, probability=True, random_state=0).fit(X[kept], y[kept], weights[kept])
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("sizes", [(1, 1), (1, 9), (2, 3, 1), (6, 1, 1)])
def test_few_samples(sizes):
    X, _ = make_blobs(np.array(sizes), random_state=0)
    y = np.repeat(list("abc")[: len(sizes)], sizes)
    model = SVC(probability=True, random_state=0).fit(X, y)
    check_probabilities(model, X)


def test_nothing_to_tell_apart():
    y = np.array([0, 1] * 10)
    for X in (np.zeros((20, 3)), sparse.csr_array((20, 3))):
        check_probabilities(SVC(probability=True).fit(X, y), X)


def test_hard_margin():
    X, y = make_blobs(60, centers=[[-3, 0], [3, 0]], cluster_std=0.7, random_state=0)
    check_probabilities(SVC(kernel="linear", C=np.inf, probability=True).fit(X, y), X)


def test_model_file(tmp_path):
    X, y = data(3)
    model = SVC(probability=True, random_state=0).fit(X, y)
    path = tmp_path / "model.quire"
    quire.save(model, path)
    np.testing.assert_array_equal(quire.load(path).predict_proba(X), model.predict_proba(X))


@settings(deadline=None, max_examples=60)
@given(st.integers(3, 6), st.integers(0, 10_000))
def test_coupled_is_the_minimum(n_classes, seed):
    rng = np.random.default_rng(seed)
    pairs = rng.uniform(0.01, 0.99, (5, n_classes * (n_classes - 1) // 2))
    found = coupled(pairs, n_classes)
    i, j = np.triu_indices(n_classes, 1)

    def misfit(p):
        return np.sum(((1 - pairs) * p[:, i] - pairs * p[:, j]) ** 2, axis=1)

    best = misfit(found)
    for other in rng.dirichlet(np.ones(n_classes), (20, 5)):
        assert (misfit(0.99 * found + 0.01 * other) >= best - 1e-12).all()


def test_sigmoid():
    rng = np.random.default_rng(0)
    f = rng.normal(size=20_000) * 2
    is_first = rng.uniform(size=20_000) < 1 / (1 + np.exp(-1.5 * f + 0.7))
    ones = np.ones(len(f))
    np.testing.assert_allclose(fit_sigmoid(f, is_first, ones), [-1.5, 0.7], rtol=0.05)
    a, b = fit_sigmoid(f, ~is_first, ones)  # the wrong way round, as in LIBSVM
    np.testing.assert_allclose([a, b], [1.5, -0.7], rtol=0.05)
    assert fit_sigmoid(f[:0], is_first[:0], f[:0]) == (-1.0, 0.0)


def test_sigmoid_is_the_maximum_of_the_likelihood_of_weighted_samples():
    rng = np.random.default_rng(1)
    f, weights = rng.normal(size=60), rng.integers(1, 4, 60).astype(float)
    is_first = f + rng.normal(size=60) > 1
    a, b = fit_sigmoid(f, is_first, weights)
    repeats = weights.astype(int)
    np.testing.assert_allclose(
        fit_sigmoid(np.repeat(f, repeats), np.repeat(is_first, repeats), np.ones(repeats.sum())),
        (a, b),
        rtol=1e-6,
    )
    n, m = weights[is_first].sum(), weights[~is_first].sum()
    target = np.where(is_first, (n + 1) / (n + 2), 1 / (m + 2))
    p = 1 / (1 + np.exp(a * f + b))
    np.testing.assert_allclose(weights @ (p - target), 0, atol=1e-6)
    np.testing.assert_allclose(weights @ ((p - target) * f), 0, atol=1e-6)


@pytest.mark.parametrize("f", [np.zeros(30), np.full(30, 1e-300), np.full(30, 3.0)])
def test_sigmoid_of_equal_decisions_is_a_share(f):
    is_first = np.arange(30) < 6
    a, b = fit_sigmoid(f, is_first, np.ones(30))
    target = np.where(is_first, 7 / 8, 1 / 26).mean()
    shares = pair_probabilities(f[:1, None], np.array([a]), np.array([b]))
    np.testing.assert_allclose(shares, target, rtol=1e-5)


def test_sigmoid_of_separated_decisions_is_finite():
    f = np.concatenate([np.full(50, 1e-9), np.full(50, -1e9)])
    a, b = fit_sigmoid(f, f > 0, np.ones(100))
    assert np.isfinite([a, b]).all()


def test_slopes_of_older_files():
    f = np.array([[1.0], [0.0], [-1.0]])
    slopes = pair_probabilities(f, np.array([[-1.0, -2.0]]), np.zeros(1))
    np.testing.assert_allclose(slopes[:, 0].round(2), [0.73, 0.5, 0.12])


def test_folds_hold_their_share_of_each_class():
    codes = np.repeat([0, 1, 2], [50, 7, 1])
    folds = fold_numbers(codes, 3)
    for k in range(3):
        counts = np.bincount(folds[codes == k], minlength=5)
        assert counts.max() - counts.min() <= 1


def test_errors_are_scikit_learns():
    X, y = data(2)
    with pytest.raises(AttributeError, match="predict_proba"):
        SVC().fit(X, y).predict_proba(X)
    with pytest.warns(FutureWarning, match="probability"):
        model = SVC(probability=False).fit(X, y)
    model.probability = True
    with pytest.raises(ValueError, match="fitted with probability=False"):
        model.predict_proba(X)
