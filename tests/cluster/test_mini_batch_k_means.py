"""MiniBatchKMeans: scikit-learn's results, cosine, streams, bad input."""

import numpy as np
import pytest
import sklearn.cluster
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

import quire
from quire.cluster import KMeans, MiniBatchKMeans
from quire.cluster._batches import RowSampler


def counts(n_rows=1000, n_cols=200, seed=0, dtype=np.float64):
    """Rows of seven topics, some of them empty."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_cols, 0.05), 7)
    X = rng.poisson(12 * topics[rng.integers(0, 7, n_rows)])
    X[::50] = 0
    return sparse.csr_matrix(X, dtype=dtype)


def of_kind(X, kind):
    """Dense rows come without ties, between which rounding would decide."""
    if kind == "sparse":
        return X
    noise = np.random.default_rng(4).normal(scale=0.01, size=X.shape)
    return (X.toarray() + noise).astype(X.dtype)


@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"init": "random"},
        {"n_init": 4},
        {"tol": 1e-3},
        {"reassignment_ratio": 0.5},
        {"compute_labels": False, "max_no_improvement": None, "max_iter": 3},
    ],
    ids=str,
)
def test_batches_are_scikit_learns(kind, options):
    X = of_kind(counts(), kind)
    options = {"n_clusters": 7, "random_state": 0, "batch_size": 256, **options}
    ours = MiniBatchKMeans(**options).fit(X)
    theirs = sklearn.cluster.MiniBatchKMeans(**options).fit(X)
    assert ours.n_steps_ == theirs.n_steps_
    assert ours.n_iter_ == theirs.n_iter_
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours._counts, theirs._counts)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.inertia_ == pytest.approx(theirs.inertia_)
    assert len(ours.trace_["inertia"]) == ours.n_steps_
    assert set(ours.top_terms(3)) == set(range(7))


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_weights_and_given_centres_are_scikit_learns(kind):
    X = of_kind(counts(), kind)
    weights = np.random.default_rng(1).uniform(0, 3, X.shape[0])
    start = np.random.default_rng(2).uniform(size=(7, X.shape[1]))
    options = {"n_clusters": 7, "init": start, "n_init": 1, "random_state": 0}
    ours = MiniBatchKMeans(**options).fit(X, sample_weight=weights)
    theirs = sklearn.cluster.MiniBatchKMeans(**options).fit(X, sample_weight=weights)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-9)
    assert ours.inertia_ == pytest.approx(theirs.inertia_)


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_streams_are_scikit_learns(kind):
    X = of_kind(counts(), kind)
    weights = np.random.default_rng(1).uniform(0.5, 2, X.shape[0])
    ours = MiniBatchKMeans(5, random_state=0)
    theirs = sklearn.cluster.MiniBatchKMeans(5, random_state=0)
    for first in range(0, 1000, 100):
        batch = slice(first, first + 100)
        ours.partial_fit(X[batch], sample_weight=weights[batch])
        theirs.partial_fit(X[batch], sample_weight=weights[batch])
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_)
    assert len(ours.trace_["inertia"]) == ours.n_steps_ == 10
    assert clone(ours).get_params()["n_jobs"] is None


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_a_fit_goes_on_as_a_stream(kind):
    X = of_kind(counts(), kind)
    ours = MiniBatchKMeans(5, random_state=0).fit(X[:800]).partial_fit(X[800:])
    theirs = sklearn.cluster.MiniBatchKMeans(5, random_state=0).fit(X[:800])
    theirs.partial_fit(X[800:])
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-9)
    assert ours.n_steps_ == theirs.n_steps_


@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_bits_at_any_number_of_threads(kind, metric, dtype):
    X = of_kind(counts(dtype=dtype), kind)
    one, *others = (
        MiniBatchKMeans(9, metric=metric, random_state=0, n_jobs=n).fit(X) for n in (1, 2, 5)
    )
    assert one.cluster_centers_.dtype == dtype
    for other in others:
        np.testing.assert_array_equal(other.cluster_centers_, one.cluster_centers_)
        np.testing.assert_array_equal(other.labels_, one.labels_)


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_cosine_finds_directions(kind):
    X = of_kind(counts(), kind)
    lengths = np.random.default_rng(3).uniform(0.1, 50, X.shape[0])
    scaled = sparse.diags(lengths) @ X if kind == "sparse" else lengths[:, np.newaxis] * X
    plain, long = (
        MiniBatchKMeans(7, metric="cosine", random_state=0).fit(data) for data in (X, scaled)
    )
    np.testing.assert_allclose(np.linalg.norm(plain.cluster_centers_, axis=1), 1)
    np.testing.assert_allclose(long.cluster_centers_, plain.cluster_centers_, atol=1e-9)
    full = np.asarray(abs(X).sum(axis=1)).ravel() > 0
    similarity = normalize(X) @ plain.cluster_centers_.T
    np.testing.assert_array_equal(similarity.argmax(axis=1)[full], plain.labels_[full])
    whole = KMeans(7, metric="cosine", random_state=0).fit(X)
    assert plain.inertia_ < 1.1 * whole.inertia_
    full = np.asarray(counts().sum(axis=1)).ravel() > 0  # not only noise
    assert adjusted_rand_score(plain.labels_[full], whole.labels_[full]) > 0.6


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_a_cosine_centre_is_the_direction_of_all_rows_it_got(kind):
    X = of_kind(counts(), kind)
    start = normalize(X[[1, 2, 3]]) if kind == "dense" else normalize(X[[1, 2, 3]]).toarray()
    model = MiniBatchKMeans(3, metric="cosine", init=start, n_init=1, reassignment_ratio=0)
    sums, unit, centres = np.zeros_like(start), normalize(X), start
    for first in range(0, 1000, 125):
        batch = slice(first, first + 125)
        model.partial_fit(X[batch])
        labels = np.asarray(unit[batch] @ centres.T).argmax(axis=1)
        sums += np.vstack(
            [np.asarray(unit[batch][labels == k].sum(axis=0)).ravel() for k in range(3)]
        )
        centres = normalize(sums)
        np.testing.assert_allclose(model.cluster_centers_, centres, atol=1e-12)
    assert model.predict(5 * X[batch]).tolist() == model.labels_.tolist()


def test_saved_streams_go_on(tmp_path):
    X = counts()
    model = MiniBatchKMeans(4, metric="cosine", random_state=0).fit(X)
    quire.save(model, tmp_path / "clusters.quire")
    loaded = quire.load(tmp_path / "clusters.quire")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(
        loaded.partial_fit(X[:300]).cluster_centers_, model.partial_fit(X[:300]).cluster_centers_
    )


def test_rows_are_drawn_as_numpy_draws_them():
    weights = np.random.default_rng(0).uniform(size=50)
    one, other = np.random.RandomState(3), np.random.RandomState(3)
    sampler = RowSampler(weights, one)
    for size in (1, 7, 200):
        expected = other.choice(50, size, p=weights / weights.sum())
        np.testing.assert_array_equal(sampler.draw(size), expected)
    with pytest.raises(ValueError, match="sample_weight must have a sum above 0"):
        RowSampler(np.zeros(5), one)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_few_rows_duplicates_and_zeros(kind, metric):
    one = MiniBatchKMeans(1, metric=metric, random_state=0).fit(kind([[1.0, 2.0]]))
    assert one.inertia_ == pytest.approx(0, abs=1e-12)
    same = MiniBatchKMeans(3, metric=metric, random_state=0).fit(kind(np.ones((20, 2))))
    assert np.isfinite(same.cluster_centers_).all()
    assert same.inertia_ == pytest.approx(0, abs=1e-12)
    zeros = MiniBatchKMeans(2, metric=metric, random_state=0).fit(kind(np.zeros((6, 2))))
    assert zeros.inertia_ == 0


@pytest.mark.parametrize("size", [1e-120, 1e120])
def test_any_size_of_numbers(size):
    X, _ = make_blobs(300, 4, centers=5, random_state=1)
    labels = MiniBatchKMeans(5, random_state=0).fit(X).labels_
    for data in (X * size, sparse.csr_matrix(X * size)):
        np.testing.assert_array_equal(MiniBatchKMeans(5, random_state=0).fit(data).labels_, labels)


def test_bad_parameters():
    with pytest.raises(ValueError, match="metric"):
        MiniBatchKMeans(2, metric="manhattan").fit(np.eye(3))
    with pytest.raises(ValueError, match="n_jobs"):
        MiniBatchKMeans(2, n_jobs=0).partial_fit(np.eye(3))
    with pytest.raises(ValueError, match="n_samples=1 should be >= n_clusters=2"):
        MiniBatchKMeans(2).partial_fit(np.eye(1))
