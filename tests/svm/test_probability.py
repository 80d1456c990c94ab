"""Probabilities of kernel machines: they agree with predictions, and they are calibrated."""

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
from quire.svm import SVC
from quire.svm._calibration import agreed, coupled, fit_slopes, fold_numbers, pair_probabilities

pytestmark = pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")


def data(n_classes, seed=0, n=240):
    return make_classification(
        n, 8, n_informative=5, n_classes=n_classes, flip_y=0.2, class_sep=0.8, random_state=seed
    )


def check_agreement(model, X):
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)
    assert (probabilities > 0).all()
    assert (probabilities < 1).all()
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    singles = probabilities.astype(np.float32)
    np.testing.assert_array_equal(singles.argmax(axis=1), probabilities.argmax(axis=1))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_the_largest_is_the_prediction(n_classes, seed):
    X, y = data(n_classes, seed)
    rng = np.random.default_rng(seed)
    kernel = ("rbf", "linear", "poly", "sigmoid")[seed]
    options = {"break_ties": bool(seed % 2), "class_weight": (None, "balanced")[seed // 2]}
    model = SVC(kernel=kernel, C=float(10 ** rng.uniform(-2, 2)), probability=True, **options)
    model.fit(X[:120], y[:120])
    check_agreement(model, X)
    check_agreement(model, 3 * rng.normal(size=(500, 8)))
    check_agreement(model, np.zeros((1, 8)))


def test_votes_and_coupling_do_differ_without_it():
    X, y = data(5, 1)
    model = SVC(probability=True, random_state=0).fit(X, y)
    new = np.random.default_rng(0).normal(size=(2000, 8))
    decisions = model._decisions(new)
    free = coupled(pair_probabilities(decisions, -model._probA), 5)
    assert (free.argmax(axis=1) != model._votes(decisions)).any()
    check_agreement(model, new)


def test_two_classes_rise_with_the_decision():
    X, y = data(2)
    model = SVC(probability=True, random_state=0).fit(X, y)
    decisions = model.decision_function(X)
    order = np.argsort(decisions)
    assert (np.diff(model.predict_proba(X)[order, 1]) >= 0).all()
    assert model._probA.shape == (1, 2)
    assert (model._probA < 0).all()
    assert (model._probB == 0).all()


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
    check_agreement(SVC(kernel="precomputed", probability=True).fit(K, y), K)
    check_agreement(SVC(kernel=lambda a, b: a @ b.T, probability=True).fit(X, y), X)
    whole = SVC(probability=True, random_state=0, tol=1e-5).fit(X, y).predict_proba(X)
    monkeypatch.setattr(quire.svm._machine, "_LEAST_BUDGET", 1e-3)
    parts = SVC(probability=True, random_state=0, tol=1e-5, cache_size=0.05).fit(X, y)
    np.testing.assert_allclose(parts.predict_proba(X), whole, atol=1e-2)


def test_weights_count_as_repeats():
    X, y = data(2)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    model = SVC(gamma=0.1, probability=True, random_state=0).fit(X, y, weights)
    check_agreement(model, X)
    kept = weights > 0
    same = SVC(gamma=0.1, probability=True, random_state=0).fit(X[kept], y[kept], weights[kept])
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("sizes", [(1, 1), (1, 9), (2, 3, 1), (6, 1, 1)])
def test_few_samples(sizes):
    X, _ = make_blobs(np.array(sizes), random_state=0)
    y = np.repeat(list("abc")[: len(sizes)], sizes)
    model = SVC(probability=True, random_state=0).fit(X, y)
    check_agreement(model, X)


def test_nothing_to_tell_apart():
    y = np.array([0, 1] * 10)
    for X in (np.zeros((20, 3)), sparse.csr_array((20, 3))):
        check_agreement(SVC(probability=True).fit(X, y), X)


def test_hard_margin():
    X, y = make_blobs(60, centers=[[-3, 0], [3, 0]], cluster_std=0.7, random_state=0)
    check_agreement(SVC(kernel="linear", C=np.inf, probability=True).fit(X, y), X)


def test_model_file(tmp_path):
    X, y = data(3)
    model = SVC(probability=True, random_state=0).fit(X, y)
    path = tmp_path / "model.quire"
    quire.save(model, path)
    np.testing.assert_array_equal(quire.load(path).predict_proba(X), model.predict_proba(X))


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 6), st.integers(0, 10_000))
def test_agreed_is_near_and_first(n_classes, seed):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(n_classes, 0.7), 20)
    p[:3] = 1 / n_classes
    winners = rng.integers(0, n_classes, 20)
    found = agreed(p, winners)
    np.testing.assert_array_equal(found.argmax(axis=1), winners)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    right = p.argmax(axis=1) == winners
    right[:3] = False
    np.testing.assert_array_equal(found[right], p[right])
    # No other point of the set on the way to a random one is nearer.
    for other in rng.dirichlet(np.ones(n_classes), 10):
        k = other.argmax()
        for row in np.flatnonzero(winners == k):
            between = found[row] + 0.01 * (other - found[row])
            nearer = np.linalg.norm(between - p[row]) < np.linalg.norm(found[row] - p[row]) - 1e-5
            assert not nearer


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


def test_slopes():
    rng = np.random.default_rng(0)
    f = rng.normal(size=4000) * 2
    slope = np.where(f > 0, 3.0, 0.5)
    is_first = rng.uniform(size=4000) < 1 / (1 + np.exp(-slope * f))
    np.testing.assert_allclose(fit_slopes(f, is_first, np.ones(4000)), [3.0, 0.5], rtol=0.15)
    wrong_way = fit_slopes(f, f < 0, np.ones(4000))
    np.testing.assert_array_equal(wrong_way, [0.0, 0.0])
    np.testing.assert_array_equal(fit_slopes(f[:0], is_first[:0], f[:0]), [1.0, 1.0])


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
