"""Linear discriminant analysis: closed forms, scikit-learn's results, dense and sparse."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
import sklearn.discriminant_analysis as sk
from numpy.testing import assert_allclose, assert_array_equal
from scipy import linalg, sparse, special
from sklearn.base import clone
from sklearn.covariance import OAS

from quire.discriminant_analysis import LinearDiscriminantAnalysis, _sparse

SHAPES = [(120, 15, 4), (90, 12, 2), (60, 80, 3), (50, 70, 2)]
SETTINGS = [
    {"solver": "svd"},
    {"solver": "lsqr", "shrinkage": 0.1},
    {"solver": "lsqr", "shrinkage": 0.5},
    {"solver": "lsqr", "shrinkage": "auto"},
    {"solver": "eigen", "shrinkage": 0.1},
    {"solver": "eigen", "shrinkage": 0.5},
    {"solver": "eigen", "shrinkage": "auto"},
]
ATTRIBUTES = ["coef_", "intercept_", "means_", "priors_", "covariance_", "xbar_"]


def sample(n, p, n_classes, seed=0, dtype=np.float64):
    """Counts with a few marks of each class, an empty row, an empty and a constant column."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.poisson(0.4, (n, p)) * rng.random((n, p))
    X += (rng.random((n, p)) < 0.3) * (np.arange(p) % n_classes == y[:, None])
    X[3] = 0
    X[:, 1] = 0
    X[:, 5] = 2
    return X.astype(dtype), y


def assert_same(ours, theirs, rtol=1e-6, names=ATTRIBUTES):
    for name in names:
        if hasattr(theirs, name) and hasattr(ours, name):
            expected = getattr(theirs, name)
            found = getattr(ours, name)
            assert found.shape == expected.shape, name
            assert found.dtype == expected.dtype, name
            assert_allclose(found, expected, rtol, rtol * np.abs(expected).max(), err_msg=name)


def assert_same_up_to_sign(ours, theirs, tol=1e-6):
    assert ours.shape == theirs.shape
    signs = np.sign(np.sum(ours * theirs, axis=0))
    assert_allclose(ours * signs, theirs, tol, tol * np.abs(theirs).max())


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_two_classes_give_fishers_direction(solver, container):
    rng = np.random.default_rng(1)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 5)) @ rng.normal(size=(5, 5)) + y[:, None]
    m1, m2 = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
    within = sum((X[y == k] - m).T @ (X[y == k] - m) for k, m in enumerate((m1, m2)))
    w = np.linalg.solve(within, m2 - m1)
    model = LinearDiscriminantAnalysis(solver=solver).fit(container(X), y)
    found = model.coef_[0]
    assert_allclose(found / np.linalg.norm(found), w / np.linalg.norm(w), rtol=1e-7)
    assert_allclose(found, len(y) * w, rtol=1e-7)  # the covariance is the scatter over n
    # Equal priors: the boundary is half way between the means.
    assert_allclose(model.decision_function(container((m1 + m2)[None] / 2)), 0, atol=1e-9)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_more_classes_give_the_generalised_eigenvectors(container):
    X, y = sample(150, 8, 4)
    X = np.delete(X, [1, 5], axis=1)
    means = np.array([X[y == k].mean(axis=0) for k in range(4)])
    counts = np.bincount(y)
    within = sum((X[y == k] - means[k]).T @ (X[y == k] - means[k]) for k in range(4))
    centred = means - X.mean(axis=0)
    between = (counts[:, None] * centred).T @ centred
    for solver in ("svd", "eigen"):
        model = LinearDiscriminantAnalysis(solver=solver).fit(container(X), y)
        V = model.scalings_[:, :3]
        ratios = np.diag(V.T @ between @ V) / np.diag(V.T @ within @ V)
        assert_allclose(between @ V, within @ V * ratios, atol=1e-8 * np.abs(between @ V).max())
        assert_allclose(model.explained_variance_ratio_, ratios / ratios.sum(), rtol=1e-8)
        assert np.all(np.diff(ratios) < 0)


@pytest.mark.parametrize("settings", [*SETTINGS, {"solver": "eigen"}, {"solver": "lsqr"}], ids=str)
@pytest.mark.parametrize("shape", SHAPES[:2])
def test_dense_equals_scikit_learn(settings, shape):
    X, y = sample(*shape)
    X = np.delete(X, [1, 5], axis=1)
    settings = settings | {"priors": np.arange(1, 1 + shape[2]) / sum(range(1 + shape[2]))}
    ours = LinearDiscriminantAnalysis(**settings).fit(X, y)
    theirs = sk.LinearDiscriminantAnalysis(**settings).fit(X, y)
    assert_same(ours, theirs, 1e-9)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    if settings["solver"] != "lsqr":
        assert_same_up_to_sign(ours.transform(X), theirs.transform(X))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sparse_equals_dense_scikit_learn(settings, shape, dtype):
    X, y = sample(*shape, dtype=dtype)
    # The reference in double precision: of float32, scikit-learn's own digits are few.
    theirs = sk.LinearDiscriminantAnalysis(**settings).fit(X.astype(np.float64), y)
    types = sk.LinearDiscriminantAnalysis(**settings).fit(X, y)
    S = sparse.csr_matrix(X)
    ours = LinearDiscriminantAnalysis(**settings).fit(S, y)
    tol = 1e-6 if dtype == np.float64 else 2e-4
    for name in [*ATTRIBUTES, "explained_variance_ratio_"]:
        assert hasattr(ours, name) == hasattr(theirs, name), name
        if hasattr(ours, name):
            found, expected = getattr(ours, name), getattr(theirs, name)
            assert found.shape == expected.shape, name
            assert found.dtype == getattr(types, name).dtype, name
            assert_allclose(found, expected, tol, tol * abs(expected).max(), err_msg=name)
    for method in ("decision_function", "predict_proba"):
        found, expected = getattr(ours, method)(S), getattr(theirs, method)(X)
        assert found.dtype == getattr(types, method)(X).dtype
        assert_allclose(found, expected, tol, 10 * tol * abs(expected).max(), err_msg=method)
    assert_array_equal(ours.predict(S), theirs.predict(X))
    assert ours.score(S, y) == theirs.score(X, y)
    if settings["solver"] != "lsqr":
        assert_same_up_to_sign(ours.transform(S), theirs.transform(X), 10 * tol)
        assert_same_up_to_sign(ours.transform(X), theirs.transform(X), 10 * tol)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("shape", [(120, 15, 4), (60, 80, 3)], ids=str)
def test_sparse_takes_priors_and_components(settings, shape):
    X, y = sample(*shape)
    priors = np.arange(1, 1 + shape[2]) / sum(range(1 + shape[2]))
    settings = settings | {"priors": priors, "n_components": 2, "store_covariance": True}
    theirs = sk.LinearDiscriminantAnalysis(**settings).fit(X, y)
    ours = LinearDiscriminantAnalysis(**settings).fit(sparse.csc_array(X), y)
    assert hasattr(ours, "covariance_")
    assert_same(ours, theirs, names=[*ATTRIBUTES, "explained_variance_ratio_"])
    if settings["solver"] != "lsqr":
        assert ours.transform(sparse.csr_array(X)).shape == (len(X), 2)
        assert_same_up_to_sign(ours.transform(sparse.csr_array(X)), theirs.transform(X))


def test_no_shrinkage_with_more_features_than_samples_is_the_pseudo_inverse(monkeypatch):
    X, y = sample(40, 90, 3)
    S = sparse.csr_array(X)
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    covariance = np.cov((X - means[y]).T, bias=True)
    expected = means @ np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
    formed = LinearDiscriminantAnalysis(solver="lsqr").fit(S, y)
    assert_allclose(formed.coef_, expected, atol=1e-8 * np.abs(expected).max())
    monkeypatch.setattr(_sparse, "EXACT_SIDE", 50)
    by_samples = LinearDiscriminantAnalysis(solver="lsqr").fit(S, y)
    assert not hasattr(by_samples, "covariance_")
    assert_allclose(by_samples.coef_, expected, atol=1e-8 * np.abs(expected).max())
    with pytest.raises(np.linalg.LinAlgError, match="shrinkage"):
        LinearDiscriminantAnalysis(solver="eigen").fit(S, y)


@pytest.mark.parametrize("shrinkage", [0.02, 0.1, 0.5, 1.0, "auto"])
@pytest.mark.parametrize("shape", [(400, 60, 5), (60, 300, 3), (300, 310, 2)], ids=str)
@pytest.mark.parametrize("priors", [False, True])
def test_the_iterative_road_reaches_the_exact_result(monkeypatch, shape, shrinkage, priors):
    X, y = sample(*shape)
    n_classes = shape[2]
    given = np.arange(1, 1 + n_classes) / sum(range(1 + n_classes)) if priors else None
    theirs = sk.LinearDiscriminantAnalysis("eigen", shrinkage, priors=given).fit(X, y)
    monkeypatch.setattr(_sparse, "EXACT_FEATURES", 0)
    S = sparse.csr_array(X)
    by_lsqr = LinearDiscriminantAnalysis("lsqr", shrinkage, priors=given).fit(S, y)
    assert_same(by_lsqr, theirs)
    by_eigen = LinearDiscriminantAnalysis("eigen", shrinkage, priors=given).fit(S, y)
    assert_same(by_eigen, theirs)
    V, A = by_eigen.scalings_, theirs.covariance_
    assert V.shape == (shape[1], n_classes - 1)
    assert_allclose(V.T @ A @ V, np.eye(n_classes - 1), atol=1e-6)
    if shrinkage == "auto":  # Fisher's own scatter between the classes
        centered = np.sqrt(theirs.priors_)[:, None] * (
            theirs.means_ - theirs.priors_ @ theirs.means_
        )
        values, vectors = linalg.eigh(centered.T @ centered, A)
        values, vectors = values[::-1][: n_classes - 1], vectors[:, ::-1][:, : n_classes - 1]
        assert_same_up_to_sign(V, vectors, 1e-5)
        assert_allclose(by_eigen.explained_variance_ratio_, values / values.sum(), rtol=1e-6)
    elif shrinkage < 1:  # at 1 every direction is as good as any other
        assert_same_up_to_sign(by_eigen.transform(S), theirs.transform(X), 1e-4)
        shares = theirs.explained_variance_ratio_
        assert_allclose(by_eigen.explained_variance_ratio_, shares / shares.sum(), rtol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_log_probabilities_keep_their_digits(n_classes):
    X, y = sample(60, 8, n_classes)
    model = LinearDiscriminantAnalysis("lsqr", 0.1).fit(sparse.csr_array(X), y)
    theirs = sk.LinearDiscriminantAnalysis("lsqr", 0.1).fit(X, y)
    near = model.predict_log_proba(sparse.csr_array(X))
    assert_allclose(near, theirs.predict_log_proba(X), rtol=1e-7, atol=1e-10)
    assert near.dtype == np.float64
    far = model.predict_log_proba(sparse.csr_array(1e4 * X))
    scores = model.decision_function(sparse.csr_array(1e4 * X))
    scores = scores if n_classes > 2 else np.column_stack([0 * scores, scores])
    expected = scores - special.logsumexp(scores, axis=1, keepdims=True)
    assert far.min() < -1000
    assert_allclose(far, expected, rtol=1e-12, atol=1e-9)


def test_threads_do_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(_sparse, "EXACT_FEATURES", 0)
    X, y = sample(200, 300, 4)
    S = sparse.csr_array(X)
    for settings in SETTINGS:
        one, four = (LinearDiscriminantAnalysis(**settings, n_jobs=n).fit(S, y) for n in (1, 4))
        assert_array_equal(one.coef_, four.coef_)
        assert_array_equal(one.decision_function(S), four.decision_function(S))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_errors_are_scikit_learns(container):
    X, y = sample(30, 6, 3)
    cases = [
        ({"n_components": 3}, ValueError, "n_components cannot be larger"),
        ({"solver": "svd", "shrinkage": 0.1}, NotImplementedError, "shrinkage not supported"),
        ({"covariance_estimator": OAS()}, ValueError, "covariance estimator"),
        ({"priors": [-0.5, 1, 0.5]}, ValueError, "priors must be non-negative"),
        ({"shrinkage": 2.0, "solver": "lsqr"}, ValueError, "shrinkage"),
        ({"n_components": 0}, ValueError, "n_components"),
    ]
    for settings, error, message in cases:
        for model in (LinearDiscriminantAnalysis, sk.LinearDiscriminantAnalysis):
            if model is sk.LinearDiscriminantAnalysis and container is not np.asarray:
                continue
            with pytest.raises(error, match=message):
                model(**settings).fit(container(X), y)
    with pytest.raises(ValueError, match="number of samples must be more"):
        LinearDiscriminantAnalysis().fit(container(X), np.arange(30))
    with pytest.raises(NotImplementedError, match="transform not implemented for 'lsqr'"):
        LinearDiscriminantAnalysis(solver="lsqr").fit(container(X), y).transform(container(X))
    with pytest.warns(UserWarning, match="priors do not sum to 1"):
        model = LinearDiscriminantAnalysis(priors=[1, 1, 2]).fit(container(X), y)
    assert_allclose(model.priors_, [0.25, 0.25, 0.5])
    X[2, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        LinearDiscriminantAnalysis().fit(container(X), y)


def test_sparse_errors_name_the_remedy(monkeypatch):
    X, y = sample(60, 30, 3)
    S = sparse.csr_array(X)
    with pytest.raises(ValueError, match="dense"):
        LinearDiscriminantAnalysis("lsqr", covariance_estimator=OAS()).fit(S, y)
    with pytest.raises(ValueError, match="3 classes"):
        LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(S, y)
    monkeypatch.setattr(_sparse, "EXACT_SIDE", 20)
    for solver in ("svd", "lsqr", "eigen"):
        with pytest.raises(ValueError, match=r'60 samples and 30 features.*shrinkage="auto"'):
            LinearDiscriminantAnalysis(solver).fit(S, y)
    with pytest.raises(ValueError, match="store_covariance"):
        LinearDiscriminantAnalysis("lsqr", 0.5, store_covariance=True).fit(S, y)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_one_class_is_as_in_scikit_learn(settings):
    X, _ = sample(20, 6, 2)
    X, y = np.delete(X, [1, 5], axis=1), np.zeros(20)
    ours = LinearDiscriminantAnalysis(**settings).fit(sparse.csr_array(X), y)
    theirs = sk.LinearDiscriminantAnalysis(**settings).fit(X, y)
    assert_same(ours, theirs)
    for container in (np.asarray, sparse.csr_array):
        assert ours.predict(container(X)).tolist() == [0] * 20
        assert_array_equal(ours.predict_proba(container(X)), np.ones((20, 1)))
        assert_array_equal(ours.predict_log_proba(container(X)), np.zeros((20, 1)))


def test_nothing_varies():
    X, y = np.ones((20, 4)), np.arange(20) % 3
    with pytest.raises(ValueError, match="No feature of X varies"):
        LinearDiscriminantAnalysis().fit(sparse.csr_array(X), y)
    model = LinearDiscriminantAnalysis("lsqr").fit(sparse.csr_array(X), y)
    assert_array_equal(model.coef_, 0)
    assert_array_equal(model.predict(sparse.csr_array(X)), 0)


def test_a_class_of_one_sample():
    X, y = sample(30, 8, 3)
    y[y == 2] = 1
    y[4] = 2
    for settings in SETTINGS[1:]:
        with pytest.warns(UserWarning, match="Only one sample"):
            theirs = sk.LinearDiscriminantAnalysis(**settings).fit(X, y)
        with pytest.warns(UserWarning, match="Only one sample"):
            ours = LinearDiscriminantAnalysis(**settings).fit(sparse.csr_array(X), y)
        assert_same(ours, theirs)


def test_entries_in_pieces_count_once():
    X, y = sample(60, 10, 3)
    S = sparse.coo_array(X)
    halves = sparse.csr_array((60, 10))
    order = np.concatenate([np.arange(S.nnz), np.arange(S.nnz)])
    rows, columns = S.coords
    order = order[np.argsort(rows[order], kind="stable")]
    indptr = 2 * sparse.csr_array(X).indptr
    halves = sparse.csr_array((S.data[order] / 2, columns[order], indptr), shape=(60, 10))
    assert halves.nnz == 2 * S.nnz
    for settings in SETTINGS:
        whole = LinearDiscriminantAnalysis(**settings).fit(sparse.csr_array(X), y)
        pieces = LinearDiscriminantAnalysis(**settings).fit(halves, y)
        assert_allclose(pieces.coef_, whole.coef_, rtol=1e-10, atol=1e-12)
    assert halves.nnz == 2 * S.nnz  # the caller's matrix is as it was


@pytest.mark.parametrize(
    ("settings", "most"),
    [
        ({"solver": "lsqr", "shrinkage": 0.1}, 8 << 20),
        ({"solver": "eigen", "shrinkage": 0.1}, 16 << 20),
        ({"solver": "lsqr", "shrinkage": "auto"}, 16 << 20),
        ({"solver": "svd"}, 40 << 20),  # the rows by the rows, five times
    ],
    ids=str,
)
def test_memory_goes_by_the_shorter_side_and_not_by_the_columns(settings, most):
    """A matrix of all pairs of these columns would take 3.2 GB."""
    rng = np.random.default_rng(0)
    places = rng.integers(0, 20_000, 100_000), np.arange(0, 100_001, 100)
    X = sparse.csr_array((rng.random(100_000), *places), shape=(1000, 20_000))
    y = np.arange(1000) % 3
    model = LinearDiscriminantAnalysis(**settings, n_jobs=1)
    tracemalloc.start()
    try:
        model.fit(X, y)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < most


def test_labels_pickling_and_cloning():
    X, y = sample(60, 10, 3)
    labels = np.array(["x", "a", "m"])[y]
    S = sparse.csr_array(X)
    model = LinearDiscriminantAnalysis("eigen", 0.3, n_jobs=2).fit(S, labels)
    assert model.classes_.tolist() == ["a", "m", "x"]
    before = set(vars(model))
    restored = pickle.loads(pickle.dumps(model))
    assert_array_equal(restored.predict(S), model.predict(S))
    assert set(vars(model)) == before
    assert clone(model).get_params() == model.get_params()
    assert model.get_feature_names_out().tolist() == [
        "lineardiscriminantanalysis0",
        "lineardiscriminantanalysis1",
    ]
    assert_array_equal(
        model.transform(S), LinearDiscriminantAnalysis("eigen", 0.3).fit_transform(S, labels)
    )


def test_no_warning_comes_from_ordinary_text():
    X, y = sample(80, 200, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for settings in SETTINGS:
            LinearDiscriminantAnalysis(**settings).fit(sparse.csr_array(X), y)
