"""GaussianNB: equal to scikit-learn's where that is defined, and defined where that is not."""

import copy
import os
import pickle
import subprocess
import sys
import tracemalloc
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn import naive_bayes
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.helpers.gaussian_models import (
    ATTRIBUTES,
    METHODS,
    assert_posterior,
    assert_same_model,
    blobs,
)

from quire.naive_bayes import GaussianNB

# Equal to scikit-learn ---------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("n_rows", "n_cols", "n_classes"),
    [(400, 6, 3), (400, 1, 2), (2000, 20, 50), (6000, 3, 1000), (50, 300, 2), (30, 4, 1)],
)
def test_equals_scikit_learn(n_rows, n_cols, n_classes, weighted):
    X, y, weights = blobs(n_rows, n_cols, n_classes)
    w = weights if weighted else None
    theirs = naive_bayes.GaussianNB().fit(X, y, w)
    assert_same_model(GaussianNB().fit(X, y, w), theirs, X)


@pytest.mark.parametrize("var_smoothing", [1e-9, 0.0, 0.1])
@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
def test_parameters_mean_what_they_mean_there(var_smoothing, priors):
    X, y, w = blobs()
    parameters = {"var_smoothing": var_smoothing, "priors": priors}
    theirs = naive_bayes.GaussianNB(**parameters).fit(X, y, w)
    assert_same_model(GaussianNB(**parameters).fit(X, y, w), theirs, X)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
def test_partial_fit_equals_scikit_learn(weighted, priors):
    X, y, weights = blobs()
    X[100:200] *= 3  # batches with an epsilon of their own
    y[250:300] = 1  # and one without two of the classes
    ours = GaussianNB(var_smoothing=0.05, priors=priors)
    theirs = naive_bayes.GaussianNB(var_smoothing=0.05, priors=priors)
    edges = [0, 60, 100, 200, 250, 300, 301, 400]
    for begin, end in pairwise(edges):
        part = slice(begin, end)
        w = weights[part] if weighted else None
        ours.partial_fit(X[part], y[part], [0, 1, 2], w)
        theirs.partial_fit(X[part], y[part], [0, 1, 2], w)
        assert_same_model(ours, theirs, X)


def test_partial_fit_goes_on_after_fit():
    X, y, _ = blobs()
    ours = GaussianNB().fit(X[:200], y[:200]).partial_fit(X[200:], y[200:])
    theirs = naive_bayes.GaussianNB().fit(X[:200], y[:200]).partial_fit(X[200:], y[200:])
    assert_same_model(ours, theirs, X)


@pytest.mark.parametrize("weighted", [False, True])
def test_float32_stays_float32_and_is_summed_in_double(weighted):
    X, y, weights = blobs(dtype=np.float32)
    w = weights.astype(np.float32) if weighted else None
    ours = GaussianNB().fit(X, y, w)
    assert_same_model(ours, naive_bayes.GaussianNB().fit(X, y, w), rtol=1e-4)
    assert {getattr(ours, name)(X).dtype for name in METHODS} == {np.dtype(np.float32)}
    assert ours.predict_proba(X.astype(np.float64)).dtype == np.float64
    in_double = GaussianNB().fit(X.astype(np.float64), y, w)
    for name in ATTRIBUTES:
        expected = getattr(in_double, name).astype(np.float32)
        np.testing.assert_array_equal(getattr(ours, name), expected)
    ours.partial_fit(X.astype(np.float64), y)
    assert ours.theta_.dtype == np.float32  # that of the first rows


@pytest.mark.parametrize(
    "dtype", [np.float16, np.longdouble, np.int64, np.int8, np.uint16, bool, ">f8"]
)
def test_other_types_of_numbers(dtype):
    X, y, _ = blobs()
    X = (X > 0).astype(dtype) if dtype is bool else np.abs(X * 3).astype(dtype)
    theirs = naive_bayes.GaussianNB().fit(X.astype(np.float64), y)
    ours = GaussianNB().fit(X, y)
    expected = X.dtype.newbyteorder("=") if X.dtype.kind == "f" else np.float64
    assert ours.theta_.dtype == ours.var_.dtype == ours.epsilon_.dtype == expected
    rtol = 1e-2 if dtype is np.float16 else 1e-10
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=rtol)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=rtol)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=rtol)


@pytest.mark.parametrize(
    "container",
    [
        np.ndarray.tolist,
        np.asfortranarray,
        pd.DataFrame,
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        lambda X: np.rec.fromarrays(
            [X, X], dtype=[("a", "f8", X.shape[1:]), ("b", "i1", X.shape[1:])]
        )["a"],
    ],
)
def test_containers(container):
    X, y, _ = blobs()
    assert_same_model(GaussianNB().fit(container(X), y), GaussianNB().fit(X, y), rtol=0)
    model = GaussianNB().fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(container(X)), model.predict_proba(X))


@pytest.mark.parametrize(
    "labels",
    [
        lambda y: np.array(["no", "yes", "maybe"])[y],
        lambda y: np.array(["no", "yes", "maybe"], dtype=object)[y],
        lambda y: y == 1,
        lambda y: y * 2.0 - 1,
        lambda y: y.astype(np.uint8),
        lambda y: pd.Series(y),
    ],
)
def test_labels(labels):
    X, y, _ = blobs()
    y = labels(y)
    theirs = naive_bayes.GaussianNB().fit(X, y)
    assert_same_model(GaussianNB().fit(X, y), theirs, X)
    partial = GaussianNB().partial_fit(X[:100], y[:100], np.unique(y)).partial_fit(X[100:], y[100:])
    np.testing.assert_array_equal(partial.predict(X), theirs.predict(X))


def test_means_far_from_zero_cost_no_digits():
    rng = np.random.default_rng(0)
    noise = np.round(rng.standard_normal((3000, 4)) * 2**20) / 2**20  # also exact beside 1e8
    y = rng.integers(0, 3, 3000)
    near, far = GaussianNB().fit(noise, y), GaussianNB().fit(noise + 1e8, y)
    np.testing.assert_allclose(far.var_, near.var_, rtol=1e-12)
    np.testing.assert_allclose(far.epsilon_, near.epsilon_, rtol=1e-12)
    parts = [GaussianNB().fit(noise[i::3] + 1e8, y[i::3]) for i in range(3)]
    merged = parts[0].merge(parts[1]).merge(parts[2])
    np.testing.assert_allclose(merged.var_, near.var_, rtol=1e-12)
    np.testing.assert_allclose(merged.epsilon_, near.epsilon_, rtol=1e-12)


# Contract ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [2, 3, 8, -1])
def test_same_bits_at_any_number_of_threads(n_jobs):
    X, y, w = blobs(30_000, 9, 4)
    one, many = GaussianNB(n_jobs=1).fit(X, y, w), GaussianNB(n_jobs=n_jobs).fit(X, y, w)
    for name in ATTRIBUTES:
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name))
    np.testing.assert_array_equal(one.predict_joint_log_proba(X), many.predict_joint_log_proba(X))


def test_clone_pickle_and_refit():
    X, y, w = blobs()
    model = GaussianNB(priors="uniform", n_jobs=1).fit(X, y, w)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert_same_model(again.merge(again), copy.deepcopy(model).merge(model), rtol=0)
    assert clone(model).get_params() == model.get_params()
    expected = GaussianNB(priors="uniform").fit(X[:50, :2], y[:50])
    assert_same_model(model.fit(X[:50, :2], y[:50]), expected, rtol=0)
    assert model.n_features_in_ == 2


def test_feature_names():
    X, y, _ = blobs(n_cols=2)
    model = GaussianNB().fit(pd.DataFrame(X, columns=["a", "b"]), y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(pd.DataFrame(X, columns=["b", "a"]))


@pytest.mark.parametrize("order", ["C", "F"])
def test_x_is_neither_changed_nor_copied(order):
    X, y, w = blobs(20_000, 100)
    X = np.asarray(X, order=order)
    before, model = X.copy(), GaussianNB()
    for work in (lambda: model.fit(X, y), lambda: model.fit(X, y, w), lambda: model.predict(X)):
        tracemalloc.start()
        work()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < X.nbytes / 5
    np.testing.assert_array_equal(X, before)


def test_arrays_of_other_libraries_go_to_scikit_learn():
    program = """
import array_api_strict as xp, numpy as np, sklearn
from quire.naive_bayes import GaussianNB
X, y = np.array([[0.0], [1.0], [4.0], [5.5]]), np.array([0, 0, 1, 1])
ours = GaussianNB().fit(X, y)
with sklearn.config_context(array_api_dispatch=True):
    theirs = GaussianNB().fit(xp.asarray(X), xp.asarray(y))
    for name in ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"):
        got = getattr(theirs, name)(xp.asarray(X))
        assert type(got) is type(xp.asarray(X)), name
        np.testing.assert_allclose(np.asarray(got), getattr(ours, name)(X), atol=1e-12)
"""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


# Priors ------------------------------------------------------------------------------------------


def test_named_priors():
    X, y, w = blobs()
    assert_same_model(GaussianNB(priors="documents").fit(X, y, w), GaussianNB().fit(X, y, w))
    uniform = GaussianNB(priors="uniform").fit(X, y, w)
    np.testing.assert_array_equal(uniform.class_prior_, np.full(3, 1 / 3))
    assert_same_model(uniform, GaussianNB(priors=np.full(3, 1 / 3)).fit(X, y, w), X)
    uniform.partial_fit(X[:5], y[:5])
    np.testing.assert_array_equal(uniform.class_prior_, np.full(3, 1 / 3))


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ([0.5, 0.5], "Number of priors must match number of classes."),
        ([0.5, 0.6, 0.1], "The sum of the priors should be 1."),
        ([1.5, -1.0, 0.5], "Priors must be non-negative."),
        ("tokens", "The 'priors' parameter of GaussianNB must be"),
        (0.3, "The 'priors' parameter of GaussianNB must be"),
    ],
)
def test_bad_priors(priors, message):
    X, y, _ = blobs()
    with pytest.raises(ValueError, match=message):
        GaussianNB(priors=priors).fit(X, y)


def test_a_prior_of_zero_is_impossible():
    X, y, _ = blobs()
    model = GaussianNB(priors=[0.5, 0, 0.5]).fit(X, y)
    assert (model.predict_joint_log_proba(X)[:, 1] == -np.inf).all()
    assert (assert_posterior(model, X)[:, 1] == 0).all()
    assert np.isfinite(model.log_likelihood(X)).all()


@pytest.mark.parametrize("priors", [None, "uniform", [0.2, 0.3, 0.5]])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_class_not_seen_yet_is_impossible(priors, dtype):
    X, y, _ = blobs(dtype=dtype)
    seen = y != 1
    model = GaussianNB(priors=priors).partial_fit(X[seen], y[seen], [0, 1, 2])
    rows = np.vstack([X, np.zeros((1, X.shape[1]), dtype)])  # theta_ of the unseen class
    proba = model.predict_proba(rows)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-6)
    assert (proba[:, 1] == 0).all()
    assert (model.predict_joint_log_proba(rows)[:, 1] == -np.inf).all()
    assert (model.log_likelihood(rows)[:, 1] == -np.inf).all()
    assert model.evidence(X).log_odds(0, 1).tolist() == [np.inf] * len(X)
    if priors is None:
        assert model.class_prior_[1] == 0
    model.partial_fit(X[~seen], y[~seen])
    assert np.isfinite(model.predict_joint_log_proba(X)).all()


# No variance, too much variance ------------------------------------------------------------------


def test_a_column_without_variance_is_a_certainty():
    X = np.array([[0.1, 1.0], [0.1, 3.0], [0.1, 2.0], [0.2, 5.0], [0.3, 9.0], [0.4, 7.0]])
    model = GaussianNB(var_smoothing=0).fit(X, [0, 0, 0, 1, 1, 1])
    assert model.var_[0, 0] == 0
    rows = np.array([[0.1, 2.0], [np.nextafter(0.1, 1), 2.0]])
    ours = model.log_likelihood(rows)
    np.testing.assert_allclose(ours[0, 0], norm.logpdf(2.0, 2.0, np.sqrt(2 / 3)))
    assert ours[1, 0] == -np.inf
    expected = norm.logpdf(rows, model.theta_[1], np.sqrt(model.var_[1])).sum(axis=1)
    np.testing.assert_allclose(ours[:, 1], expected)
    proba = assert_posterior(model, rows)
    assert proba[0, 0] > 0.9
    assert proba[1].tolist() == [0, 1]


def test_a_column_that_is_the_same_everywhere_says_nothing():
    X, y, _ = blobs()
    with_constant = np.column_stack([X, np.full(len(X), 7.3)])
    model = GaussianNB(var_smoothing=0).fit(with_constant, y)
    expected = GaussianNB(var_smoothing=0).fit(X, y).predict_joint_log_proba(X)
    np.testing.assert_allclose(model.predict_joint_log_proba(with_constant), expected, rtol=1e-12)
    with_constant[:, -1] = 7.4
    assert (model.predict_joint_log_proba(with_constant) == -np.inf).all()
    proba = assert_posterior(model, with_constant)
    np.testing.assert_allclose(proba, np.tile(model.class_prior_, (len(X), 1)))
    assert model.evidence(with_constant).log_odds(0, 1)[0] == pytest.approx(
        np.log(model.class_prior_[0] / model.class_prior_[1])
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_all_columns_constant(dtype):
    X = np.array([[1, 2], [1, 2], [3, 4]], dtype)
    model = GaussianNB(var_smoothing=0).fit(X, [0, 0, 1])
    np.testing.assert_array_equal(model.predict_proba(X), [[1, 0], [1, 0], [0, 1]])
    other = model.predict_proba(np.array([[5, 5], [1, 4]], dtype))
    np.testing.assert_allclose(other, [[2 / 3, 1 / 3]] * 2, rtol=1e-6)
    same = GaussianNB().fit(X[:2], [0, 1])  # the largest variance is zero, and so is epsilon_
    assert same.epsilon_ == 0
    np.testing.assert_allclose(same.predict_proba(X[:1]), [[0.5, 0.5]], rtol=1e-6)


@pytest.mark.parametrize("var_smoothing", [0, 1e-9])
@pytest.mark.parametrize("size", [1e160, 1.7e308])
def test_finite_values_that_overflow(var_smoothing, size):
    X, y, w = blobs(40, 2)
    X[:, 1] = np.where(np.arange(40) % 2, size, -size)
    for weights in (None, w):
        model = GaussianNB(var_smoothing=var_smoothing).fit(X, y, weights)
        proba = assert_posterior(model, X)
        np.testing.assert_allclose(proba, np.tile(model.class_prior_, (40, 1)))
        model.partial_fit(X, y, sample_weight=weights).merge(model)
        assert_posterior(model, X)
    assert_posterior(GaussianNB().fit(X[:, :1], y), np.array([[size], [-size]]))


# Merging -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_merged_parts_equal_the_whole(weighted, dtype):
    X, y, weights = blobs(n_classes=5, dtype=dtype)
    X[:100] *= 4
    w = weights if weighted else np.ones(len(X))
    whole = GaussianNB(var_smoothing=0.01).fit(X, y, w if weighted else None)
    edges = [0, 17, 100, 399, 400]
    parts = []
    for begin, end in pairwise(edges):
        part = slice(begin, end)
        model = GaussianNB(var_smoothing=0.01)
        parts.append(model.fit(X[part], y[part], w[part] if weighted else None))
    merged = parts[0].merge(parts[1]).merge(parts[2].merge(parts[3]))
    assert_same_model(merged, whole, rtol=1e-10 if dtype is np.float64 else 1e-6)
    if dtype is np.float64:
        assert_same_model(merged, whole, X)


def test_merge_joins_classes_and_leaves_the_other_alone():
    X, y, _ = blobs()
    names = np.array(["b", "longer", "a"])[y]
    left = GaussianNB().fit(X[y != 2], names[y != 2])
    right = GaussianNB(priors="documents").fit(X[y == 2], names[y == 2])
    before = copy.deepcopy(vars(right))
    assert left.merge(right) is left
    assert_same_model(left, GaussianNB().fit(X, names), X)
    for name in [*ATTRIBUTES, "classes_"]:
        np.testing.assert_array_equal(getattr(right, name), before[name])
    uniform = GaussianNB(priors="uniform").fit(X[y != 2], y[y != 2])
    uniform.merge(GaussianNB(priors="uniform").fit(X[y == 2], y[y == 2]))
    assert_same_model(uniform, GaussianNB(priors="uniform").fit(X, y), X)


def test_merge_after_partial_fit_equals_the_whole():
    X, y, w = blobs()
    X[:200] *= 5
    left = GaussianNB(var_smoothing=0.1)
    for part in (slice(0, 100), slice(100, 250)):
        left.partial_fit(X[part], y[part], [0, 1, 2], w[part])
    left.merge(GaussianNB(var_smoothing=0.1).fit(X[250:], y[250:], w[250:]))
    assert_same_model(left, GaussianNB(var_smoothing=0.1).fit(X, y, w), X)


def test_models_that_cannot_be_merged():
    X, y, _ = blobs()
    model = GaussianNB().fit(X, y)
    with pytest.raises(TypeError, match="a fitted GaussianNB of quire, got MultinomialNB"):
        model.merge(naive_bayes.MultinomialNB())
    with pytest.raises(TypeError, match="a fitted GaussianNB of quire"):
        model.merge(naive_bayes.GaussianNB().fit(X, y))
    with pytest.raises(NotFittedError):
        model.merge(GaussianNB())
    with pytest.raises(NotFittedError):
        GaussianNB().merge(model)
    with pytest.raises(ValueError, match="Models of 6 and 2 columns"):
        model.merge(GaussianNB().fit(X[:, :2], y))
    with pytest.raises(ValueError, match="different names"):
        model.merge(GaussianNB().fit(pd.DataFrame(X, columns=list("abcdef")), y))
    with pytest.raises(
        ValueError, match=r"different var_smoothing cannot be merged: 1e-09 and 0.1"
    ):
        model.merge(GaussianNB(var_smoothing=0.1).fit(X, y))
    with pytest.raises(ValueError, match="different priors cannot be merged"):
        model.merge(GaussianNB(priors="uniform").fit(X, y))
    with pytest.raises(ValueError, match="Mix of label input types"):
        model.merge(GaussianNB().fit(X, y.astype(str)))
    given = GaussianNB(priors=[0.5, 0.5]).fit(X[y < 2], y[y < 2])
    with pytest.raises(ValueError, match="priors lists 2 probabilities, and the two models have 3"):
        given.merge(GaussianNB(priors=[0.5, 0.5]).fit(X[y > 0], y[y > 0]))
    assert_same_model(model, GaussianNB().fit(X, y), X)


# Likelihood and evidence -------------------------------------------------------------------------


def test_log_likelihood_is_the_joint_without_the_prior():
    X, y, w = blobs()
    model = GaussianNB().fit(X, y, w)
    likelihood = model.log_likelihood(X)
    density = [norm.logpdf(X, model.theta_[k], np.sqrt(model.var_[k])).sum(1) for k in range(3)]
    np.testing.assert_allclose(likelihood, np.transpose(density), rtol=1e-12)
    np.testing.assert_allclose(
        likelihood + np.log(model.class_prior_), model.predict_joint_log_proba(X), rtol=1e-12
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_evidence_adds_up(dtype):
    X, y, w = blobs(dtype=dtype)
    names = np.array(["x", "y", "z"])[y]
    model = GaussianNB().fit(X, names, w)
    evidence = model.evidence(X)
    joint = model.predict_joint_log_proba(X)
    tolerance = 1e-9 if dtype is np.float64 else 1e-3
    for a in range(3):
        for b in range(3):
            left, right = model.classes_[[a, b]]
            parts = evidence.contributions(left, right)
            offset = evidence.offset(left, right)
            assert parts.shape == X.shape
            np.testing.assert_allclose(
                offset, np.log(model.class_prior_[a] / model.class_prior_[b]), atol=1e-6
            )
            np.testing.assert_allclose(
                offset + parts.sum(axis=1), joint[:, a] - joint[:, b], atol=tolerance
            )


def test_evidence_has_names():
    X, y, _ = blobs(n_cols=2)
    model = GaussianNB().fit(pd.DataFrame(X, columns=["width", "height"]), y)
    document = model.evidence(pd.DataFrame(X, columns=["width", "height"])).document(0)
    assert {part.term for part in document.terms} == {"width", "height"}
    assert {part.value for part in document.terms} == set(X[0])
    model = GaussianNB().fit(X, y)
    assert {part.term for part in model.evidence(X)[0].terms} == {0, 1}
    assert model.evidence(X, feature_names=["u", "v"])[0].terms[0].term in {"u", "v"}
    with pytest.raises(ValueError, match="feature_names has 1 names; the model has 2 columns"):
        model.evidence(X, feature_names=["u"])
