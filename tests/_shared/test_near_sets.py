"""Near rows are found without looking at all pairs, and measured exactly."""

import numpy as np
from scipy import sparse

from quire._shared.near_sets import connected_groups, near_candidates, overlaps, signatures


def rows_with_versions(n=400, size=120, seed=0):
    """Sets, and one version of each with some columns changed; how many differs from row to row."""
    rng = np.random.default_rng(seed)
    sets = []
    for number in range(n):
        columns = rng.choice(10**7, size, replace=False)
        changed = columns.copy()
        changed[: number % 40] = rng.choice(10**7, number % 40)
        sets += [np.unique(columns), np.unique(changed)]
    indptr = np.cumsum([0, *map(len, sets)])
    data = np.ones(indptr[-1], dtype=np.float32)
    return sparse.csr_array((data, np.concatenate(sets), indptr), shape=(2 * n, 10**7))


def test_pairs_that_reach_the_threshold_are_found():
    X = rows_with_versions()
    first = np.arange(0, X.shape[0], 2)
    wanted = first[overlaps(X, first, first + 1) >= 0.8]
    rows, others = near_candidates(signatures(X), 0.8)
    found = set(zip(rows.tolist(), others.tolist(), strict=True))
    missed = [row for row in wanted.tolist() if (row, row + 1) not in found]
    assert len(wanted) > 100
    assert len(missed) <= 0.01 * len(wanted)
    assert len(found) < X.shape[0]


def test_overlap_is_intersection_over_union():
    X = sparse.random_array((30, 50), density=0.3, format="csr", rng=np.random.default_rng(0))
    rows, others = (part.ravel() for part in np.indices((30, 30)))
    sets = [set(X.indices[X.indptr[i] : X.indptr[i + 1]].tolist()) for i in range(30)]
    expected = [
        len(sets[a] & sets[b]) / len(sets[a] | sets[b]) for a in range(30) for b in range(30)
    ]
    np.testing.assert_allclose(overlaps(X, rows, others), expected)


def test_a_thousand_copies_make_few_pairs_and_one_group():
    X = sparse.csr_array(np.tile(np.arange(1.0, 11.0), (1000, 1)))
    rows, others = near_candidates(signatures(X), 0.8)
    assert len(rows) < 2000
    assert len(np.unique(connected_groups(rows, others, 1000))) == 1


def test_empty_rows_are_near_to_nothing():
    X = sparse.csr_array((50, 10), dtype=np.float64)
    rows, others = near_candidates(signatures(X), 0.8)
    assert len(rows) == len(others) == 0
    assert near_candidates(signatures(X[:0]), 0.8)[0].tolist() == []
