"""Maps between spaces: what each method promises, what it translates, bad input."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import Ridge

import quire
from quire.alignment import VectorMap, WordVectors
from quire.alignment._solvers import loss_and_gradient, ridge_path

rng = np.random.default_rng(7)
A = rng.normal(size=(60, 6))
TURN = np.linalg.qr(rng.normal(size=(6, 6)))[0]
B = A @ rng.normal(size=(6, 5)) + 0.1 * rng.normal(size=(60, 5))
PLAIN = {"normalize": False}


def spaces(n=400, d=20, noise=0.05):
    X = np.random.default_rng(0).normal(size=(n, d))
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(d, d)))[0]
    Y = X @ turn + noise * np.random.default_rng(2).normal(size=(n, d))
    source = WordVectors([f"s{i}" for i in range(n)], X)
    return source, WordVectors([f"t{i}" for i in range(n)], Y), turn


def pairs(start, stop):
    return [(f"s{i}", f"t{i}") for i in range(start, stop)]


def test_the_gradient_is_that_of_the_loss():
    R = rng.normal(size=(6, 5))
    numeric = approx_fprime(R.ravel(), lambda r: loss_and_gradient(r.reshape(6, 5), A, B)[0], 1e-6)
    np.testing.assert_allclose(loss_and_gradient(R, A, B)[1].ravel(), numeric, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("n", [60, 4])  # 4: fewer pairs than dimensions
def test_gradient_descent_reaches_least_squares(n):
    exact = VectorMap("least_squares", **PLAIN).fit(A[:n], B[:n])
    descent = VectorMap("gradient", tol=1e-10, max_iter=100_000, **PLAIN).fit(A[:n], B[:n])
    np.testing.assert_allclose(descent.R_, exact.R_, atol=1e-8)
    assert (np.diff(descent.losses_) <= 1e-12 * descent.losses_[0]).all()
    expected = np.linalg.lstsq(A[:n], B[:n], rcond=None)[0]
    np.testing.assert_allclose(exact.R_, expected, atol=1e-10)


def test_descent_that_stops_early_or_diverges():
    with pytest.warns(ConvergenceWarning, match="VectorMap did not converge in 2"):
        VectorMap("gradient", max_iter=2).fit(A, B)
    with pytest.raises(ValueError, match="diverges with learning_rate=10"):
        VectorMap("gradient", learning_rate=10.0).fit(A, B)


def test_steps_are_those_of_the_notes_and_start_at_zero(tmp_path):
    model = VectorMap("gradient", learning_rate=1e-3, keep_steps=True, **PLAIN).fit(A, B)
    R = np.zeros((6, 5))
    for number, step in enumerate(model.steps_[:50]):
        loss, gradient = loss_and_gradient(R, A, B)
        np.testing.assert_allclose(step.R, R, atol=1e-12)
        assert step.loss == pytest.approx(loss)
        assert step.gradient_norm == pytest.approx(np.linalg.norm(gradient))
        assert step.step_size == (1e-3 if number else 0.0)
        R = R - 1e-3 * gradient
    assert [step.loss for step in model.steps_] == model.losses_.tolist()
    assert np.array_equal(model.steps_[-1].R, model.R_)
    quire.save(model, tmp_path / "map.quire")
    assert not hasattr(quire.load(tmp_path / "map.quire"), "steps_")
    for other in ({"method": "least_squares"}, {"keep_steps": False}):
        assert not hasattr(clone(model).fit(A, B).set_params(**other).fit(A, B), "steps_")


@pytest.mark.filterwarnings("ignore:VectorMap did not converge")
def test_the_last_step_is_the_map_where_descent_stops_early():
    model = VectorMap("gradient", max_iter=3, keep_steps=True).fit(A, B)
    assert len(model.steps_) == 4
    assert np.array_equal(model.steps_[-1].R, model.R_)
    assert model.steps_[-1].loss == pytest.approx(model.loss_)


@pytest.mark.parametrize("method", ["gradient", "least_squares", "ridge", "orthogonal"])
@pytest.mark.parametrize("settings", [PLAIN, {"center": True}])
def test_the_loss_is_the_squared_frobenius_norm(method, settings):
    model = VectorMap(method, **settings).fit(A, B)
    X, Y = A, B
    if model.normalize:
        X, Y = (M / np.linalg.norm(M, axis=1, keepdims=True) for M in (A, B))
    X, Y = X - model.source_mean_, Y - model.target_mean_
    assert model.loss_ == pytest.approx(np.linalg.norm(X @ model.R_ - Y, "fro") ** 2)
    # As a trace: tr(R'A'AR) - 2 tr(R'A'B) + tr(B'B).
    trace = np.trace(model.R_.T @ X.T @ X @ model.R_ - 2 * model.R_.T @ X.T @ Y + Y.T @ Y)
    assert model.loss_ == pytest.approx(trace)
    least = VectorMap("least_squares", **settings).fit(A, B).loss_
    assert model.loss_ >= least * (1 - 1e-12)


@pytest.mark.parametrize("n", [60, 4])
def test_one_decomposition_serves_every_penalty(n):
    alphas = [0.01, 1.0, 100.0]
    path = ridge_path(A[:n], B[:n], alphas)
    for alpha, R, error in zip(alphas, path.maps, path.errors, strict=True):
        ridge = Ridge(alpha, fit_intercept=False)
        np.testing.assert_allclose(R, ridge.fit(A[:n], B[:n]).coef_.T, atol=1e-9)
        left_out = []
        for i in range(n):
            rest = np.arange(n) != i
            left_out.append(ridge.fit(A[:n][rest], B[:n][rest]).predict(A[:n][[i]]) - B[i])
        assert error == pytest.approx(np.mean(np.square(left_out)), rel=1e-8)
    model = VectorMap("ridge", alpha=alphas, **PLAIN).fit(A[:n], B[:n])
    assert model.alpha_ == alphas[int(np.argmin(path.errors))]


@pytest.mark.parametrize("d", [6, 300])
def test_a_rotation_is_recovered(d):
    X = np.random.default_rng(0).normal(size=(2 * d, d))
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(d, d)))[0]
    for options in ({}, PLAIN, {"center": True}):
        model = VectorMap("orthogonal", **options).fit(X, X @ turn)
        assert np.abs(model.R_ - turn).max() < 1e-8
    assert np.abs(VectorMap("least_squares", **PLAIN).fit(X, X @ turn).R_ - turn).max() < 1e-8


def test_orthogonal_maps_keep_lengths_between_dimensions():
    model = VectorMap("orthogonal", **PLAIN).fit(A, B)
    np.testing.assert_allclose(model.R_.T @ model.R_, np.eye(5), atol=1e-12)


def test_centring_is_an_intercept():
    model = VectorMap("least_squares", center=True, **PLAIN).fit(A + 3, B - 7)
    ones = np.column_stack([np.ones(60), A + 3])
    expected = ones @ np.linalg.lstsq(ones, B - 7, rcond=None)[0]
    np.testing.assert_allclose(model.transform(A + 3), expected, atol=1e-9)


@pytest.mark.parametrize("rule", ["nearest", "csls"])
def test_translation_and_precision(rule):
    source, target, turn = spaces()
    model = VectorMap().fit(source, target, pairs(0, 100))
    assert np.abs(model.R_ - turn).max() < 0.05
    (best, score), *others = model.translate("s200", 3, retrieval=rule)[0]
    assert best == "t200"
    assert score > others[0][1]
    found = model.precision_at_k(pairs(100, 400), (1, 5), retrieval=rule)
    assert found == {1: 1.0, 5: 1.0}
    wrong = [("s1", "t2"), ("s1", "t1"), ("s3", "t4")]  # a word may have several
    assert model.precision_at_k(wrong, (1,), retrieval=rule) == {1: 0.5}
    assert len(model.translate("s0", k=10_000)[0]) == 400


def test_refinement_grows_a_small_seed():
    source, target, _ = spaces(noise=0.25)
    seed = pairs(0, 12)
    before = VectorMap().fit(source, target, seed).precision_at_k(pairs(12, 400), (1,))[1]
    model = VectorMap(n_refinements=10).fit(source, target, seed)
    after = model.precision_at_k(pairs(12, 400), (1,))[1]
    assert after > before + 0.1
    assert model.dictionary_sizes_[0] == 12
    assert model.dictionary_sizes_[-1] > 200


def test_zero_vectors_and_threads():
    source, target, _ = spaces()
    source.vectors[5] = 0
    a, b = (
        VectorMap(n_jobs=n).fit(source, target, pairs(0, 50)).translate(["s5", "s7"])
        for n in (1, 3)
    )
    assert a == b
    assert np.isfinite([score for row in a for _, score in row]).all()


@pytest.mark.parametrize("method", ["gradient", "least_squares", "ridge", "orthogonal"])
def test_saved_and_loaded(method, tmp_path):
    source, target, _ = spaces()
    model = VectorMap(method, max_iter=100_000).fit(source, target, pairs(0, 60))
    again = quire.load(quire.save(model, tmp_path / "map.quire"))
    np.testing.assert_array_equal(
        again.transform(A @ A.T[:, :20]), model.transform(A @ A.T[:, :20])
    )
    assert again.translate(["s9"]) == model.translate(["s9"])
    assert clone(again).get_params() == model.get_params()


def test_words_that_are_missing():
    source, target, _ = spaces()
    with pytest.raises(KeyError, match="'S1' is not among the 400 words; close to it are 's1'"):
        VectorMap().fit(source, target, [("S1", "t1")])
    some = VectorMap().fit(source, target, [*pairs(0, 30), ("S1", "t1")], missing="skip")
    assert some.dictionary_sizes_ == [30]
    with pytest.raises(KeyError, match="s4000"):
        some.translate(["s4000"])
    with pytest.raises(ValueError, match="no pair"):
        VectorMap().fit(source, target, [("S1", "t1")], missing="skip")


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda s, t: VectorMap("procrustes").fit(A, B), ValueError, "method"),
        (lambda s, t: VectorMap().fit(A, B[:9]), ValueError, "60 rows and B 9"),
        (lambda s, t: VectorMap().fit(s, B), TypeError, "both be WordVectors"),
        (lambda s, t: VectorMap().fit(s, t), ValueError, "need pairs"),
        (lambda s, t: VectorMap().fit(s, t, ["s1"]), ValueError, "two words"),
        (lambda s, t: VectorMap(n_refinements=2).fit(A, B), ValueError, "need WordVectors"),
        (lambda s, t: VectorMap("ridge", alpha=[0.0, 1]).fit(A, B), ValueError, "positive"),
        (lambda s, t: VectorMap().fit(A, B).translate(["a"]), ValueError, "knows no words"),
        (lambda s, t: VectorMap().fit(A, B).transform(B), ValueError, "5 features"),
        (lambda s, t: VectorMap().fit(A * np.nan, B), ValueError, "NaN"),
        (lambda s, t: VectorMap().transform(A), NotFittedError, "not fitted"),
        (
            lambda s, t: VectorMap().fit(s, t, pairs(0, 9)).translate("s1", retrieval="far"),
            ValueError,
            "'nearest' or 'csls'",
        ),
        (lambda s, t: VectorMap().fit(s, t, pairs(0, 9)).translate("s1", 0), ValueError, "k is 0"),
    ],
)
def test_bad_input(call, error, match):
    source, target, _ = spaces()
    with pytest.raises(error, match=match):
        call(source, target)
