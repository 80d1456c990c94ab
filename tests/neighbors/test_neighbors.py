"""Nearest neighbours against scikit-learn, and what ours promise beyond it."""

import gc
import pickle

import numpy as np
import pytest
import sklearn.neighbors as theirs
from scipy import sparse
from sklearn.base import clone

from quire.neighbors import KNeighborsClassifier, NearestNeighbors

rng = np.random.default_rng(11)
DENSE = rng.normal(size=(240, 20))
COUNTS = rng.poisson(0.3, (240, 60)).astype(float)
COUNTS[7] = 0  # an empty document
LABELS = rng.choice(["ham", "späm", "🎉"], 240)
NUMBERS = rng.normal(size=(240, 2))


def pair(name, **options):
    import quire.neighbors as ours

    return getattr(ours, name)(**options), getattr(theirs, name)(**options)


def kinds(X):
    return [X, sparse.csr_matrix(X), sparse.csr_array(X), X.astype(np.float32)]


@pytest.mark.parametrize("metric", ["euclidean", "l2", "sqeuclidean", "cosine", "minkowski"])
@pytest.mark.parametrize("kind", range(4))
def test_search_equals_scikit_learns(metric, kind):
    if metric == "sqeuclidean" and kind in (1, 2):
        pytest.skip("scikit-learn has no such metric for sparse data")
    for data in (DENSE, COUNTS):
        X = kinds(data)[kind]
        one, other = (
            model.fit(X[:200]) for model in pair("NearestNeighbors", metric=metric, n_neighbors=9)
        )
        (D, indices), (D2, indices2) = (model.kneighbors(X[200:]) for model in (one, other))
        assert D.dtype == D2.dtype
        assert indices.dtype == indices2.dtype
        loose = 1e-3 if kind == 3 else 1e-6  # theirs loses digits to cancellation
        np.testing.assert_allclose(D, D2, atol=loose)
        if data is DENSE and kind != 3:  # no ties
            np.testing.assert_array_equal(indices, indices2)
        np.testing.assert_allclose(one.kneighbors()[0], other.kneighbors()[0], atol=loose)


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("manhattan", {}),
        ("chebyshev", {"algorithm": "brute"}),
        ("minkowski", {"p": 3, "algorithm": "kd_tree"}),
        ("euclidean", {"algorithm": "ball_tree"}),
        pytest.param(lambda a, b: abs(a - b).max(), {}, id="a function"),
    ],
    ids=str,
)
def test_other_metrics_and_trees_are_scikit_learns(metric, options):
    one, other = pair("NearestNeighbors", metric=metric, **options)
    for a, b in zip(
        one.fit(DENSE).kneighbors(DENSE[:20]), other.fit(DENSE).kneighbors(DENSE[:20]), strict=True
    ):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(
        one.radius_neighbors(DENSE[:5], 3), other.radius_neighbors(DENSE[:5], 3), strict=True
    ):
        assert [list(row) for row in a] == [list(row) for row in b]


@pytest.mark.parametrize("weights", ["uniform", "distance", None, lambda d: 1 / (1 + d)])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_predictions_equal_scikit_learns(weights, metric):
    for y in (LABELS, np.column_stack([LABELS, np.roll(LABELS, 3)])):
        one, other = pair("KNeighborsClassifier", weights=weights, metric=metric, n_neighbors=7)
        one.fit(DENSE[:200], y[:200])
        other.fit(DENSE[:200], y[:200])
        for X in (DENSE[200:], None):
            np.testing.assert_array_equal(one.predict(X), other.predict(X))
            np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-12)
    for y in (NUMBERS, NUMBERS[:, 0]):
        one, other = pair("KNeighborsRegressor", weights=weights, metric=metric)
        one.fit(sparse.csr_array(DENSE[:200]), y[:200])
        other.fit(DENSE[:200], y[:200])
        ours = one.predict(sparse.csr_array(DENSE[200:]))
        np.testing.assert_allclose(ours, other.predict(DENSE[200:]))


def test_equal_distances_keep_the_order_of_the_points():
    X = np.repeat(np.arange(5.0), 30)[:, None] * np.ones(20)
    for points in (X, sparse.csr_array(X)):
        model = NearestNeighbors(n_neighbors=40, algorithm="brute").fit(points)
        distances, indices = model.kneighbors(points[60:90])
        assert (distances[:, :30] == 0).all()
        assert (indices[:, :30] == np.arange(60, 90)).all()
        assert (indices[:, 30:] == np.arange(30, 40)).all()
        without = model.kneighbors(n_neighbors=3, return_distance=False)
        assert without[0].tolist() == [1, 2, 3]
        assert without[29].tolist() == [1, 2, 3]  # scikit-learn drops the first duplicate


@pytest.mark.parametrize("n_jobs", [2, 3, 8])
def test_threads_change_no_bit(n_jobs):
    for X in (DENSE, sparse.csr_array(COUNTS)):
        one, many = (
            NearestNeighbors(n_jobs=n, algorithm="brute", metric="cosine").fit(X).kneighbors(X)
            for n in (1, n_jobs)
        )
        assert [part.tobytes() for part in one] == [part.tobytes() for part in many]


def test_zero_vectors_under_cosine():
    for X in (COUNTS, sparse.csr_array(COUNTS)):
        model = NearestNeighbors(n_neighbors=4, metric="cosine", algorithm="brute").fit(X)
        distances, indices = model.kneighbors(X[[7]])
        assert distances.tolist() == [[1.0] * 4]
        assert indices.tolist() == [[0, 1, 2, 3]]


def test_sparse_matrices_that_are_not_in_order():
    X = sparse.csr_array(COUNTS)
    data = np.concatenate([X.data[::-1], [1.0]])  # reversed rows, and an entry twice
    indices = np.concatenate([X.indices[::-1], [3]])
    indptr = np.append(0, np.cumsum(np.diff(X.indptr)[::-1]))
    indptr[-1] += 1
    messy = sparse.csr_array((data, indices, indptr), shape=X.shape)
    tidy = messy.copy()
    tidy.sum_duplicates()
    for metric in ("euclidean", "cosine"):
        model = NearestNeighbors(metric=metric)
        for a, b in zip(
            model.fit(messy).kneighbors(messy), model.fit(tidy).kneighbors(tidy), strict=True
        ):
            np.testing.assert_array_equal(a, b)


def test_mixed_kinds_of_matrices():
    one, other = (m.fit(sparse.csr_array(COUNTS)) for m in pair("NearestNeighbors"))
    np.testing.assert_allclose(one.kneighbors(COUNTS)[0], other.kneighbors(COUNTS)[0], atol=1e-7)


def test_integers_one_point_and_duplicates():
    one = NearestNeighbors(n_neighbors=1, algorithm="brute").fit([[3, 4]])
    assert one.kneighbors([[0, 0]])[0].tolist() == [[5.0]]
    with pytest.raises(ValueError, match="Expected n_neighbors < n_samples_fit"):
        one.kneighbors()
    same = KNeighborsClassifier(3, algorithm="brute").fit(np.ones((6, 2)), list("bbaaaa"))
    assert same.predict(np.ones((1, 2))).tolist() == ["b"]  # the first three


@pytest.mark.parametrize(
    ("k", "error"), [(0, ValueError), (-1, ValueError), (2.5, TypeError), (999, ValueError)]
)
def test_errors_are_scikit_learns(k, error):
    for X in (DENSE, sparse.csr_array(COUNTS)):
        one, other = (m.fit(X) for m in pair("NearestNeighbors", algorithm="brute"))
        messages = []
        for model in (one, other):
            with pytest.raises(error) as caught:
                model.kneighbors(X, n_neighbors=k)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]
    with pytest.raises(ValueError, match="NaN"):
        one.kneighbors(np.full((1, 60), np.nan))
    with pytest.raises(ValueError, match="features"):
        one.kneighbors(np.ones((1, 2)))


@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree", "brute"])
def test_pickles_make_their_trees_again(algorithm):
    model = KNeighborsClassifier(algorithm=algorithm).fit(DENSE, LABELS)
    state = model.__getstate__()
    assert state["_tree"] is None
    loaded = pickle.loads(pickle.dumps(model))
    for a, b in zip(loaded.kneighbors(DENSE), model.kneighbors(DENSE), strict=True):
        np.testing.assert_array_equal(a, b)
    assert clone(model).get_params() == model.get_params()


def test_a_path_searches_once(monkeypatch):
    searches = []
    whole = KNeighborsClassifier.kneighbors

    def counted(self, *arguments, **options):
        searches.append(type(self))
        return whole(self, *arguments, **options)

    monkeypatch.setattr(KNeighborsClassifier, "kneighbors", counted)
    X, model = DENSE[200:], KNeighborsClassifier(weights="distance", algorithm="brute")
    for k, one in zip((5, 1, 30), model.fit_path(DENSE, LABELS, (5, 1, 30)), strict=True):
        same = theirs.KNeighborsClassifier(k, weights="distance").fit(DENSE, LABELS)
        np.testing.assert_array_equal(one.predict(X), same.predict(X))
        np.testing.assert_allclose(one.predict_proba(X), same.predict_proba(X), atol=1e-6)
    assert len(searches) == 1


@pytest.mark.parametrize("is_sparse", [True, False])
def test_rows_of_length_one_are_made_once_and_follow_the_data(is_sparse, monkeypatch):
    from quire.neighbors import _search

    rng = np.random.default_rng(0)
    made = []
    original = _search.normalize
    monkeypatch.setattr(_search, "normalize", lambda X: made.append(X.shape[0]) or original(X))
    kind = sparse.csr_array if is_sparse else np.asarray
    X, Z, Q = kind(rng.random((40, 20))), kind(rng.random((30, 20))), kind(rng.random((3, 20)))
    model = NearestNeighbors(n_neighbors=4, metric="cosine").fit(X)
    before = dict(vars(model))
    first = model.kneighbors(Q)
    again = model.kneighbors(Q)
    assert made == [40, 3, 3]
    assert vars(model) == before
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    fresh = NearestNeighbors(n_neighbors=4, metric="cosine").fit(Z).kneighbors(Q)
    for one, other in zip(model.fit(Z).kneighbors(Q), fresh, strict=True):
        np.testing.assert_array_equal(one, other)
    single = Q.astype(np.float32)
    assert model.kneighbors(single)[0].dtype == np.float64
    assert len(_search._READY) >= 1
    known = len(_search._READY)
    del model
    gc.collect()
    assert len(_search._READY) < known
