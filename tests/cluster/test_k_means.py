"""KMeans and MiniBatchKMeans: scikit-learn's results, cosine, reading clusters, bad input."""

from itertools import pairwise

import numpy as np
import pytest
import sklearn.cluster
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize

from quire.cluster import KMeans, MiniBatchKMeans


def counts(n_rows=600, n_cols=200, seed=0, dtype=np.float64):
    """Rows of seven topics, some of them empty."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_cols, 0.05), 7)
    X = rng.poisson(12 * topics[rng.integers(0, 7, n_rows)])
    X[::50] = 0
    return sparse.csr_matrix(X, dtype=dtype)


@pytest.mark.parametrize(
    ("kind", "dtype"), [("sparse", np.float32), ("sparse", np.float64), ("dense", np.float64)]
)
@pytest.mark.parametrize("n_clusters", [1, 2, 9, 50])
def test_same_start_same_clusters(n_clusters, kind, dtype):
    X = counts(dtype=dtype)
    if kind == "dense":  # without ties, between which rounding would decide
        X = X.toarray() + np.random.default_rng(4).normal(size=X.shape)
    weights = np.random.default_rng(1).uniform(0.5, 2, X.shape[0])
    options = {"n_clusters": n_clusters, "random_state": 3}
    ours = KMeans(**options).fit(X, sample_weight=weights)
    theirs = sklearn.cluster.KMeans(**options).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.n_iter_ == theirs.n_iter_
    accuracy = 1e-5 if dtype is np.float32 else 1e-12
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=accuracy)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-4, atol=1e-5)
    assert ours.cluster_centers_.dtype == dtype
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-3, atol=5e-3)


def test_single_precision():
    X = make_blobs(400, 6, centers=8, random_state=0)[0].astype(np.float32)
    ours = KMeans(8, init=X[:8]).fit(X)
    theirs = sklearn.cluster.KMeans(8, init=X[:8]).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.cluster_centers_.dtype == np.float32
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-4)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_same_bits_at_any_number_of_threads(kind, metric):
    X = counts(3000)
    X = X if kind == "sparse" else X.toarray()
    one = KMeans(40, random_state=0, n_jobs=1, metric=metric).fit(X)
    for n_jobs in (2, 3, 8):
        other = KMeans(40, random_state=0, n_jobs=n_jobs, metric=metric).fit(X)
        np.testing.assert_array_equal(other.labels_, one.labels_)
        np.testing.assert_array_equal(other.cluster_centers_, one.cluster_centers_)
        assert other.inertia_ == one.inertia_


def test_elkan_is_the_same():
    X = counts()
    lloyd, elkan = (KMeans(9, algorithm=a, random_state=0).fit(X) for a in ("lloyd", "elkan"))
    np.testing.assert_array_equal(elkan.labels_, lloyd.labels_)


@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_trace_falls_to_the_inertia(metric, kind):
    X = counts()
    X = X if kind == "sparse" else X.toarray()
    model = KMeans(9, metric=metric, random_state=2, tol=0).fit(X)
    assert {len(values) for values in model.trace_.values()} == {model.n_iter_}
    assert np.all(np.diff(model.trace_["inertia"]) <= 1e-9)
    assert model.trace_["inertia"][-1] == pytest.approx(model.inertia_, rel=1e-9)
    assert model.trace_["moved"][0] == X.shape[0]
    assert model.trace_["moved"][-1] == model.trace_["shift"][-1] == 0


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_cosine_is_a_fixed_point_of_spherical_k_means(kind):
    X = counts()
    X = X if kind == "sparse" else X.toarray()
    model = KMeans(7, metric="cosine", random_state=0, tol=0).fit(X)
    unit = normalize(X)
    similarity = unit @ model.cluster_centers_.T
    np.testing.assert_allclose(np.linalg.norm(model.cluster_centers_, axis=1), 1)
    full = np.asarray(X.sum(axis=1)).ravel() > 0
    np.testing.assert_array_equal(similarity.argmax(axis=1)[full], model.labels_[full])
    for k, centre in enumerate(model.cluster_centers_):
        total = np.asarray(unit[model.labels_ == k].sum(axis=0)).ravel()
        np.testing.assert_allclose(total / np.linalg.norm(total), centre, atol=1e-12)
    distances = model.transform(X)
    np.testing.assert_allclose(distances, 1 - similarity, atol=1e-12)
    expected = 2 * distances.min(axis=1)[full].sum() + (~full).sum()
    assert model.inertia_ == pytest.approx(expected)
    assert model.score(X) == pytest.approx(-model.inertia_)
    np.testing.assert_array_equal(model.predict(X * 3), model.labels_)


def test_clusters_have_names_and_examples():
    X = np.array([[5.0, 1, 0], [4, 1, 0], [6, 1, 0], [0, 1, 3], [0, 1, 5]])
    model = KMeans(2, init=X[[0, 3]]).fit(X)
    terms = model.top_terms(2, feature_names=["ball", "the", "vote"])
    assert [t.term for t in terms[0]] == ["ball", "the"]
    assert terms[1][0].term == "vote"
    assert terms[1][0].weight == pytest.approx(4)
    assert model.top_terms(1)[1][0].term == 2
    central = model.central_documents(X, n=2)
    assert central[0].tolist() == [0, 1]
    assert central[1].tolist() == [3, 4]
    single = KMeans(1).fit(X)
    names = ["ball", "the", "vote"]
    assert [t.term for t in single.top_terms(1, feature_names=names)[0]] == ["ball"]
    with pytest.raises(ValueError, match="2"):
        model.top_terms(feature_names=["ball", "the"])


def test_trace_plot():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    model = KMeans(3, random_state=0).fit(counts())
    ax = model.plot_trace()
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.trace_["inertia"])
    pyplot.close(ax.figure)


def test_empty_clusters_are_filled_as_scikit_learn_fills_them():
    X, _ = make_blobs(200, 3, centers=5, random_state=0)
    start = np.vstack([X[:3], np.full((3, 3), 1e3)])  # three centres that no row is near to
    for data in (X, sparse.csr_matrix(X)):
        ours = KMeans(6, init=start).fit(data)
        theirs = sklearn.cluster.KMeans(6, init=start).fit(data)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        assert ours.n_iter_ == theirs.n_iter_
        assert len(np.unique(ours.labels_)) == 6


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_duplicates_only(kind, metric):
    X = kind(np.repeat([[1.0, 2.0, 0.0]], 20, axis=0))
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\)"):
        model = KMeans(3, metric=metric, random_state=0).fit(X)
    assert model.inertia_ == pytest.approx(0, abs=1e-12)
    assert np.isfinite(model.cluster_centers_).all()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_few_rows_constant_columns_and_zeros(kind):
    one = KMeans(1).fit(kind([[1.0, 2.0]]))
    assert one.inertia_ == 0
    assert one.labels_.tolist() == [0]
    X = np.column_stack([np.ones(30), np.arange(30.0)])
    assert len(np.unique(KMeans(3, random_state=0).fit(kind(X)).labels_)) == 3
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        empty = KMeans(2, metric="cosine", random_state=0).fit(kind(np.zeros((5, 3))))
    assert empty.inertia_ == 0


@pytest.mark.parametrize("cls", [KMeans, MiniBatchKMeans])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_bad_input(kind, cls):
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=5"):
        cls(5).fit(kind(np.eye(3)))
    with pytest.raises(ValueError, match="NaN"):
        cls(2).fit(kind([[1.0, np.nan], [2.0, 3.0]]))
    model = cls(2, random_state=0).fit(kind(np.eye(4)))
    with pytest.raises(ValueError, match="3 features"):
        model.predict(kind(np.eye(3)))
    with pytest.raises(ValueError, match="initial centers"):
        cls(2, init=np.eye(2)).fit(kind(np.eye(4)))


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="metric"):
        KMeans(2, metric="manhattan").fit(np.eye(3))
    with pytest.raises(ValueError, match="n_jobs"):
        KMeans(2, n_jobs=0).fit(np.eye(3))


@pytest.mark.parametrize("size", [1e-120, 1e-20, 1e20, 1e120])
def test_any_size_of_numbers(size):
    X, _ = make_blobs(200, 4, centers=5, random_state=1)
    labels = KMeans(5, random_state=0).fit(X).labels_
    for data in (X * size, sparse.csr_matrix(X * size)):
        np.testing.assert_array_equal(KMeans(5, random_state=0).fit(data).labels_, labels)


def test_data_that_lies_far_from_zero():
    X, _ = make_blobs(500, 4, centers=5, random_state=1)
    model = KMeans(5, random_state=0).fit(X + 1e6)
    np.testing.assert_array_equal(model.labels_, KMeans(5, random_state=0).fit(X).labels_)
    np.testing.assert_array_equal(model.predict(X + 1e6), model.labels_)


def test_x_is_given_back():
    X = np.random.default_rng(0).normal(size=(50, 3))
    before = X.copy()
    KMeans(3, random_state=0).fit(X)
    np.testing.assert_array_equal(X, before)
    KMeans(3, random_state=0, copy_x=False).fit(X)
    np.testing.assert_allclose(X, before, rtol=1e-12)
    sparse_X = counts()
    data = sparse_X.data.copy()
    KMeans(3, metric="cosine", random_state=0).fit(sparse_X)
    np.testing.assert_array_equal(sparse_X.data, data)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_steps_are_those_of_lloyd(kind, metric):
    X = counts(300, 40)[1:50]  # without rows of zeros, which have no direction
    X = X if kind == "sparse" else X.toarray()
    weights = np.random.default_rng(1).uniform(0.5, 2, X.shape[0])
    model = KMeans(4, metric=metric, random_state=3, n_init=3, tol=0, keep_steps=True)
    model.fit(X, sample_weight=weights)
    rows = normalize(X) if metric == "cosine" else X
    rows = rows.toarray() if kind == "sparse" else rows
    assert len(model.steps_) == model.n_iter_ + 1 > 2
    for step in model.steps_:
        squares = ((rows[:, None] - step.centers) ** 2).sum(axis=2)
        np.testing.assert_array_equal(step.labels, squares.argmin(axis=1))
        assert step.inertia == pytest.approx(weights @ squares.min(axis=1))
    for step, after in pairwise(model.steps_):
        for k in np.unique(step.labels):
            mine = step.labels == k
            mean = np.average(rows[mine], axis=0, weights=weights[mine])
            mean = mean / np.linalg.norm(mean) if metric == "cosine" else mean
            np.testing.assert_allclose(after.centers[k], mean, atol=1e-12)
        assert after.inertia <= step.inertia + 1e-12
    np.testing.assert_array_equal(model.steps_[-1].labels, model.labels_)
    np.testing.assert_array_equal(model.steps_[-1].centers, model.cluster_centers_)
    assert model.steps_[-1].inertia == model.inertia_


def test_steps_are_kept_only_on_request():
    X = counts(100, 20)
    model = KMeans(3, random_state=0, keep_steps=True).fit(X)
    watched = model.steps_
    np.testing.assert_array_equal(
        model.set_params(keep_steps=False).fit(X).labels_, watched[-1].labels
    )
    assert not hasattr(model, "steps_")
