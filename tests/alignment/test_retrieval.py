"""Nearest neighbours by tiles, and CSLS from one sweep, against all similarities at once."""

import numpy as np
import pytest

from quire.alignment import VectorMap, WordVectors, _tiles
from quire.alignment import _retrieval as retrieval


def unit(Z):
    return (Z / np.linalg.norm(Z, axis=1, keepdims=True)).astype(np.float32)


def brute_csls(X, Y, k, K):
    cosines = X @ Y.T
    own = -np.sort(-cosines, axis=1)[:, :K].mean(axis=1)
    hubs = -np.sort(-cosines, axis=0)[:K].mean(axis=0)
    scores = 2 * cosines - own[:, None] - hubs
    return np.argsort(-scores, axis=1, kind="stable")[:, :k], -np.sort(-scores, axis=1)[:, :k]


def plain(seed=0, n=50, m=73, d=8):
    rng = np.random.default_rng(seed)
    return unit(rng.normal(size=(n, d))), unit(rng.normal(size=(m, d)))


def with_hubs():
    """Some rows of Y are near everything, others near nothing."""
    rng = np.random.default_rng(3)
    centre = np.ones(8)
    X = unit(centre + rng.normal(size=(60, 8)))
    Y = np.vstack(
        [centre + 0.1 * rng.normal(size=(9, 8)), rng.normal(size=(50, 8)), -centre + X[:20]]
    )
    return X, unit(Y[rng.permutation(len(Y))])


def with_ties():
    """Vectors of few directions, in numbers that binary fractions hold: equal scores are equal."""
    rng = np.random.default_rng(4)
    corners = np.eye(4, dtype=np.float32)
    return corners[rng.integers(0, 4, 45)], corners[rng.integers(0, 4, 70)]


SPACES = {"plain": plain, "hubs": with_hubs, "ties": with_ties}


@pytest.fixture(params=[(7, 11), (512, 1024)], autouse=True)
def tiles(request, monkeypatch):
    monkeypatch.setattr(_tiles, "_ROWS", request.param[0])
    monkeypatch.setattr(_tiles, "_COLUMNS", request.param[1])


@pytest.mark.parametrize("n_threads", [1, 3])
def test_nearest_and_given_hubs(n_threads):
    X, Y = plain()
    ids, values = retrieval.nearest(X, Y, 4, n_threads)
    np.testing.assert_array_equal(ids, np.argsort(-(X @ Y.T), axis=1)[:, :4])
    np.testing.assert_allclose(values, -np.sort(-(X @ Y.T), axis=1)[:, :4], atol=1e-6)
    hubs = retrieval.hubness(X, Y, 10, n_threads)
    ids, values = retrieval.csls(X, Y, 4, hubs, 10, n_threads)
    expected_ids, expected = brute_csls(X, Y, 4, 10)
    np.testing.assert_array_equal(ids, expected_ids)
    np.testing.assert_allclose(values, expected, atol=1e-5)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("candidates", [1, 4, 32, 1000])
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("neighborhood", [1, 4, 100])
def test_one_sweep_is_exact(space, candidates, k, neighborhood, monkeypatch):
    monkeypatch.setattr(retrieval, "_CANDIDATES", candidates)
    monkeypatch.setattr(retrieval, "_ROWS_AGAIN", 16)
    X, Y = SPACES[space]()
    found = retrieval.csls_of_all(X, Y, k, neighborhood, 2)
    expected_ids, expected = brute_csls(X, Y, k, neighborhood)
    np.testing.assert_array_equal(found.ids, expected_ids)
    np.testing.assert_allclose(found.values, expected, atol=1e-5)
    hubs = retrieval.hubness(X, Y, neighborhood, 1)
    np.testing.assert_array_equal(found.hub_scores, hubs)
    twice = retrieval.csls(X, Y, k, hubs, neighborhood, 1)
    np.testing.assert_allclose(found.values, twice[1], atol=1e-6)


@pytest.mark.parametrize("space", SPACES)
def test_threads_change_no_bit(space, monkeypatch):
    monkeypatch.setattr(retrieval, "_CANDIDATES", 3)
    X, Y = SPACES[space]()
    one, three = (retrieval.csls_of_all(X, Y, 2, 5, n) for n in (1, 3))
    for a, b in zip(one, three, strict=True):
        np.testing.assert_array_equal(a, b)
    pairs = [retrieval.mutually_best(X, Y, 5, n) for n in (1, 3)]
    np.testing.assert_array_equal(*pairs)


@pytest.mark.parametrize("space", ["plain", "hubs"])
@pytest.mark.parametrize("candidates", [1, 32])
def test_mutual_neighbours(space, candidates, monkeypatch):
    monkeypatch.setattr(retrieval, "_CANDIDATES", candidates)
    X, Y = SPACES[space]()
    there, back = brute_csls(X, Y, 1, 5)[0][:, 0], brute_csls(Y, X, 1, 5)[0][:, 0]
    expected = [(i, j) for i, j in enumerate(there) if back[j] == i]
    assert len(expected) > 5
    np.testing.assert_array_equal(retrieval.mutually_best(X, Y, 5, 2), expected)


def test_few_rows_are_looked_at_again(monkeypatch):
    """Where every word has a clear partner, the candidates prove nearly all answers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 50))
    X, Y = unit(X), unit(X + 0.5 * rng.normal(size=X.shape))
    again = []
    search = retrieval.best_of_rows

    def counted(X, Y, *rest):
        again.append(len(X) * len(Y))
        return search(X, Y, *rest)

    monkeypatch.setattr(retrieval, "best_of_rows", counted)
    found = retrieval.csls_of_all(X, Y, 1, 10, 1)
    np.testing.assert_array_equal(found.ids[:, 0], np.arange(400))
    assert sum(again) < 0.01 * 400 * 400


def test_an_error_in_a_thread_ends_the_sweep():
    X, Y = plain()

    def look(tile, rows, columns):
        if rows.start:
            raise KeyboardInterrupt
        seen.append(rows)

    seen = []
    if len(range(0, len(X), _tiles._ROWS)) > 1:
        with pytest.raises(KeyboardInterrupt):
            _tiles.sweep(X, Y, look, 2)
        assert len(seen) <= -(-len(Y) // _tiles._COLUMNS)


@pytest.mark.parametrize("n_asked", [3, 300])
def test_translations_of_few_and_of_all_words(n_asked):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(300, 10))
    B = A + 0.4 * rng.normal(size=A.shape)
    source = WordVectors([f"s{i}" for i in range(300)], A)
    target = WordVectors([f"t{i}" for i in range(300)], B)
    model = VectorMap().fit(source, target, [(f"s{i}", f"t{i}") for i in range(40)])
    words = [f"s{i}" for i in rng.permutation(300)[:n_asked]]
    first = model.translate(words, 4)
    again = model.translate(words, 4)  # with the hubs known
    assert [[w for w, _ in row] for row in first] == [[w for w, _ in row] for row in again]
    scores = [[[s for _, s in row] for row in rows] for rows in (first, again)]
    np.testing.assert_allclose(*scores, atol=1e-5)
    X, Y = unit(unit(A).astype(float) @ model.R_), unit(B)
    ids = brute_csls(X, Y, 4, 10)[0][[int(w[1:]) for w in words]]
    assert [[w for w, _ in row] for row in first] == [[f"t{j}" for j in row] for row in ids]
