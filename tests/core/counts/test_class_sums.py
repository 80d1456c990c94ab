"""Sums by class and term scores against their dense twins."""

import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference.counts import class_sums as reference

from quire import _core

NONE = np.empty(0)
SUMS = ["csr_class_sums", "csr_class_presence"]
THRESHOLD = {"csr_class_sums": None, "csr_class_presence": 1.0}  # two ways to call one kernel
SCORES = ["csr_chi2", "csr_mutual_info"]
VALUES = [np.float32, np.float64, np.int64]
INDICES = [np.int32, np.int64]


def arrays(X, index=np.int32):
    X = sparse.csr_array(X)
    return X.data, X.indices.astype(index), X.indptr.astype(index), X.shape[1]


def make(n_rows, n_cols, n_classes, density=0.1, seed=0, values=np.float64):
    rng = np.random.default_rng(seed)
    dense = rng.integers(1, 9, (n_rows, n_cols)) * (rng.random((n_rows, n_cols)) < density)
    return dense.astype(values), rng.integers(0, n_classes, n_rows, dtype=np.int32)


@st.composite
def problems(draw):
    n_rows, n_cols = draw(st.integers(1, 12)), draw(st.integers(1, 9))
    n_classes = draw(st.integers(1, 5))
    cells = st.lists(st.integers(0, 4), min_size=n_cols, max_size=n_cols)
    dense = draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
    labels = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_rows, max_size=n_rows))
    values = draw(st.sampled_from(VALUES))
    return np.array(dense, dtype=values), np.array(labels, dtype=np.int32), n_classes


@pytest.mark.parametrize("kernel", SUMS)
@given(problem=problems(), index=st.sampled_from(INDICES), n_threads=st.sampled_from([1, 4]))
def test_class_sums(kernel, problem, index, n_threads):
    X, labels, n_classes = problem
    ours = call(kernel, arrays(X, index), labels, n_classes, n_threads)
    twin = getattr(reference, kernel)(X, labels, n_classes)
    assert ours.shape == twin.shape
    np.testing.assert_array_equal(ours, twin)


@pytest.mark.parametrize("kernel", SUMS)
@given(problem=problems(), seed=st.integers(0, 1000))
def test_class_sums_with_weights(kernel, problem, seed):
    X, labels, n_classes = problem
    weights = np.random.default_rng(seed).random(len(labels))
    ours = call(kernel, arrays(X), labels, n_classes, 1, weights)
    twin = getattr(reference, kernel)(X, labels, n_classes, weights)
    np.testing.assert_allclose(ours, twin, rtol=1e-13)


@pytest.mark.parametrize("kernel", SCORES)
@given(problem=problems(), index=st.sampled_from(INDICES), n_threads=st.sampled_from([1, 4]))
def test_scores(kernel, problem, index, n_threads):
    X, labels, n_classes = problem
    ours = getattr(_core.counts, kernel)(arrays(X, index), labels, n_classes, n_threads)
    twin = getattr(reference, kernel)(X, labels, n_classes)
    np.testing.assert_allclose(ours, twin, rtol=1e-12, atol=1e-14)


def call(kernel, csr, labels, n_classes, n_threads, weights=NONE):
    if kernel in SCORES:
        return getattr(_core.counts, kernel)(csr, labels, n_classes, n_threads)
    threshold = THRESHOLD[kernel]
    sums, totals = _core.counts.csr_class_sums(
        csr, labels, n_classes, weights, threshold, n_threads
    )
    if weights is NONE and (threshold is not None or csr[0].dtype == np.int64):
        counts, count_totals = _core.counts.csr_class_counts(
            csr, labels, n_classes, threshold, n_threads
        )
        assert counts.dtype == np.uint32
        np.testing.assert_array_equal(counts, sums)
        np.testing.assert_array_equal(count_totals, totals)
    return with_checked_totals(sums, totals)


def with_checked_totals(sums, totals):
    """The sums, if the totals are those of their rows."""
    np.testing.assert_allclose(totals, sums.sum(axis=1), rtol=1e-12)
    return sums


@pytest.mark.parametrize("kernel", SUMS + SCORES)
@pytest.mark.parametrize("n_classes", [1, 2, 20])
@pytest.mark.parametrize("values", VALUES)
def test_same_bits_at_any_number_of_threads(kernel, n_classes, values):
    X, labels = make(1500, 700, n_classes, values=values)
    if values is not np.int64:
        X = X * values(0.1)  # sums that depend on the order of their terms
    csr = arrays(X)
    one = call(kernel, csr, labels, n_classes, 1)
    for n_threads in (2, 3, 8):
        np.testing.assert_array_equal(call(kernel, csr, labels, n_classes, n_threads), one)
        if kernel == "csr_class_sums":
            totals = _core.counts.csr_class_sums(csr, labels, n_classes, NONE, None, 1)[1]
            again = _core.counts.csr_class_sums(csr, labels, n_classes, NONE, None, n_threads)[1]
            np.testing.assert_array_equal(again, totals)
    twin = getattr(reference, kernel)(X, labels, n_classes)
    np.testing.assert_allclose(one, twin, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kernel", SUMS + SCORES)
@pytest.mark.parametrize("n_threads", [1, 4])
def test_columns_in_any_order(kernel, n_threads):
    X, labels = make(900, 700, 2, density=0.2)
    data, indices, indptr, n_cols = arrays(X)
    shuffled_data, shuffled = data.copy(), indices.copy()
    rng = np.random.default_rng(0)
    for begin, end in pairwise(indptr):
        order = begin + rng.permutation(end - begin)
        shuffled_data[begin:end], shuffled[begin:end] = data[order], indices[order]
    ours = call(kernel, (shuffled_data, shuffled, indptr, n_cols), labels, 2, n_threads)
    twin = call(kernel, (data, indices, indptr, n_cols), labels, 2, 1)
    np.testing.assert_array_equal(ours, twin)


def test_stored_zeros_are_not_present():
    csr = (np.array([0.0, 2.0]), np.array([0, 1], np.int32), np.array([0, 2, 2], np.int32), 2)
    labels = np.array([0, 1], np.int32)
    np.testing.assert_array_equal(
        _core.counts.csr_class_sums(csr, labels, 2, NONE, 0.0)[0], [[0.0, 1.0], [0.0, 0.0]]
    )
    np.testing.assert_allclose(_core.counts.csr_mutual_info(csr, labels, 2), [0, np.log(2)])


@pytest.mark.parametrize("kernel", SUMS + SCORES)
def test_empty_matrices(kernel):
    labels = np.zeros(3, np.int32)
    no_columns = call(kernel, arrays(np.zeros((3, 0))), labels, 2, 4)
    assert no_columns.size == 0
    empty_rows = call(kernel, arrays(np.zeros((3, 4))), labels, 2, 4)
    twin = getattr(reference, kernel)(np.zeros((3, 4)), labels, 2)
    np.testing.assert_array_equal(empty_rows, twin)
    no_rows = call(kernel, arrays(np.zeros((0, 4))), labels[:0], 2, 4)
    if kernel in SUMS:
        np.testing.assert_array_equal(no_rows, np.zeros((2, 4)))


def test_many_classes_and_columns_take_memory_for_the_columns_only():
    resource = pytest.importorskip("resource")
    n_classes, n_cols, n_rows = 1000, 1_000_000, 3000  # a table of all pairs would take 8 GB
    rng = np.random.default_rng(0)
    indices = rng.integers(0, n_cols, (n_rows, 20)).astype(np.int32)
    indices[:, 0] = rng.integers(0, 50, n_rows)
    X = sparse.csr_array(
        (np.ones(indices.size), indices.ravel(), np.arange(n_rows + 1, dtype=np.int32) * 20),
        shape=(n_rows, n_cols),
    )
    X.sum_duplicates()
    labels = rng.integers(0, n_classes, n_rows, dtype=np.int32)
    csr, some = arrays(X), X[:, :50].toarray()

    unit = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    ours = {kernel: call(kernel, csr, labels, n_classes, 2) for kernel in SCORES}
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    assert after - before < 300e6
    for kernel in SCORES:
        twin = getattr(reference, kernel)(some, labels, n_classes)
        np.testing.assert_allclose(ours[kernel][:50], twin, rtol=1e-10, atol=1e-12)


MATRIX = {
    "data": np.array([1.0, 2.0]),
    "indices": np.array([0, 1], np.int32),
    "indptr": np.array([0, 1, 2], np.int32),
    "n_cols": 2,
}
GOOD = {
    "X": tuple(MATRIX.values()),
    "labels": np.array([0, 1], np.int32),
    "n_classes": 2,
}


@pytest.mark.parametrize("kernel", SUMS + SCORES)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": np.array([0, 2], np.int32)}, "row 1 has a column outside"),
        ({"indices": np.array([-1, 1], np.int32)}, "row 0 has a column outside"),
        ({"indices": np.array([0], np.int32)}, "data and indices differ in length: 2 and 1"),
        ({"indptr": np.array([0, 1, 3], np.int32)}, "indptr must start at 0 and end at most"),
        ({"indptr": np.array([1, 1, 2], np.int32)}, "indptr must start at 0 and end at most"),
        ({"indptr": np.array([0, 9, 2], np.int32)}, "indptr falls at row 1"),
        ({"indptr": np.array([], np.int32)}, "indptr is empty"),
        ({"n_cols": 1}, "row 1 has a column outside"),
        ({"labels": np.array([0, 2], np.int32)}, "label 2 is outside"),
        ({"labels": np.array([-1, 0], np.int32)}, "label -1 is outside"),
        ({"labels": np.array([0], np.int32)}, "labels has 1 entries for 2 rows"),
    ],
)
def test_arrays_that_are_no_matrix_are_refused(kernel, change, message):
    kernels = [(getattr(_core.counts, kernel), {})] if kernel in SCORES else []
    if kernel in SUMS:
        threshold = THRESHOLD[kernel]
        kernels.append((_core.counts.csr_class_sums, {"weights": NONE, "threshold": threshold}))
        kernels.append((_core.counts.csr_class_counts, {"threshold": 0.0}))
    X = tuple({name: change.get(name, part) for name, part in MATRIX.items()}.values())
    others = {name: change.get(name, GOOD[name]) for name in ("labels", "n_classes")}
    for call_kernel, extra in kernels:
        with pytest.raises(ValueError, match=message):
            call_kernel(X, **others, **extra)


def test_weights_of_the_wrong_length_are_refused():
    with pytest.raises(ValueError, match="weights has 3 entries for 2 rows"):
        _core.counts.csr_class_sums(**GOOD, weights=np.ones(3), threshold=None)


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("threshold", [None, 0.0, 3.0])
@pytest.mark.parametrize(
    ("n_rows", "n_cols", "n_classes"), [(700, 1300, 3), (40, 7, 50), (0, 4, 2)]
)
def test_dense_class_sums(values, threshold, n_rows, n_cols, n_classes):
    X, labels = make(n_rows, n_cols, n_classes, density=0.6, values=values)
    weights = np.random.default_rng(1).random(n_rows)
    twin = reference.dense_class_sums(X, labels, n_classes, None, threshold)
    one = with_checked_totals(
        *_core.counts.dense_class_sums(X, labels, n_classes, NONE, threshold, 1)
    )
    np.testing.assert_array_equal(one, twin)
    weighted = reference.dense_class_sums(X, labels, n_classes, weights, threshold)
    for n_threads in (1, 2, 3, 8):
        ours, totals = _core.counts.dense_class_sums(
            X, labels, n_classes, weights, threshold, n_threads
        )
        np.testing.assert_allclose(totals, ours.sum(axis=1), rtol=1e-12)
        np.testing.assert_allclose(ours, weighted, rtol=1e-12)
        if n_threads == 1:
            bits = ours
        np.testing.assert_array_equal(ours, bits)


def test_dense_class_sums_refuses_what_does_not_fit():
    X, labels = np.ones((3, 2)), np.array([0, 1, 0], np.int32)
    with pytest.raises(ValueError, match="X must have n_rows"):
        _core.counts.dense_class_sums(X, labels[:2], 2, NONE, None)
    with pytest.raises(ValueError, match="label 1 is outside"):
        _core.counts.dense_class_sums(X, labels, 1, NONE, None)
    with pytest.raises(ValueError, match="weights has 1 entries for 3 rows"):
        _core.counts.dense_class_sums(X, labels, 2, np.ones(1), None)


def test_counts_that_do_not_fit_in_32_bits():
    labels = np.array([0, 0, 1], np.int32)

    def counts(X, threshold=None):
        found = _core.counts.csr_class_counts(arrays(X), labels, 2, threshold)
        twin = reference.csr_class_counts(X, labels, 2, threshold)
        assert (found is None) == (twin is None)
        if found is not None:
            np.testing.assert_array_equal(found[0], twin)
        return found

    most = 2**32 - 1
    found, totals = counts(np.array([[most - 1, 0], [1, 0], [0, most]]))
    np.testing.assert_array_equal(found, [[most, 0], [0, most]])
    np.testing.assert_array_equal(totals, [most, most])
    assert counts(np.array([[most, 0], [1, 0], [0, 1]])) is None
    assert counts(np.array([[2**32, 0], [1, 0], [0, 1]])) is None
    assert counts(np.array([[-1, 0], [1, 0], [0, 1]])) is None
    np.testing.assert_array_equal(
        counts(np.array([[2**40, 0], [-5, 0], [0, 1]]), 0.0)[0], [[1, 0], [0, 1]]
    )
    with pytest.raises(ValueError, match="whole numbers"):
        counts(np.array([[0.5, 0], [1, 0], [0, 1]]))


@pytest.mark.parametrize("n_threads", [1, 3])
def test_duplicates(n_threads):
    X, _ = make(900, 400, 2)
    data, indices, indptr, n_cols = arrays(X)
    assert not _core.counts.csr_has_duplicates((data, indices, indptr, n_cols), n_threads)
    assert not reference.csr_has_duplicates(indices, indptr)
    shuffled = indices.copy()
    row = slice(indptr[700], indptr[701])
    shuffled[row] = indices[row][::-1]
    assert not _core.counts.csr_has_duplicates((data, shuffled, indptr, n_cols), n_threads)
    assert not reference.csr_has_duplicates(shuffled, indptr)
    shuffled[row.start] = shuffled[row.start + 1]
    assert _core.counts.csr_has_duplicates((data, shuffled, indptr, n_cols), n_threads)
    assert reference.csr_has_duplicates(shuffled, indptr)
