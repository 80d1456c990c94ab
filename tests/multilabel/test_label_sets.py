"""Labels of several kinds, read as sets; texts that look like sets; folds of sets."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from quire._shared.label_folds import label_folds
from quire._shared.label_sets import are_sets, parts_that_recur
from quire.multilabel import LabelSets, label_sets

SETS = [("a", "b"), (), ("b",), ("a", "c")]
MATRIX = np.array([[1, 1, 0], [0, 0, 0], [0, 1, 0], [1, 0, 1]])


@pytest.mark.parametrize(
    "y",
    [
        [["b", "a"], [], ["b"], ["c", "a", "a"]],
        [("a", "b"), (), ("b",), ("a", "c")],
        [{"a", "b"}, set(), {"b"}, frozenset({"a", "c"})],
        ["a|b", "", "b", "c | a"],
        np.array(["a|b", "", "b", "c|a"]),
        pl.Series("y", ["a|b", "", "b", "c|a"]),
        pl.Series("y", [["a", "b"], [], ["b"], ["a", "c"]]),
        pl.DataFrame(MATRIX, schema=["a", "b", "c"]),
        np.array([["a", "b"], [], ["b"], ["a", "c"]], dtype=object),
    ],
    ids=lambda y: type(y).__name__,
)
def test_names_are_read_from_every_form(y):
    sets = label_sets(y)
    assert list(sets) == SETS
    assert sets.classes.tolist() == ["a", "b", "c"]
    assert sets.indicator.dtype == np.int8
    np.testing.assert_array_equal(np.asarray(sets), MATRIX)


@pytest.mark.parametrize(
    "y",
    [
        MATRIX,
        MATRIX.astype(bool),
        MATRIX.astype(float),
        MATRIX.tolist(),
        sparse.csr_array(MATRIX),
        sparse.coo_matrix(MATRIX),
        sparse.csc_array(MATRIX),
    ],
    ids=lambda y: type(y).__name__,
)
def test_columns_of_a_matrix_are_labels(y):
    sets = label_sets(y)
    assert sets.classes.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(sets.indicator.toarray(), MATRIX)
    assert are_sets(y)
    assert are_sets(pl.DataFrame(MATRIX))


def test_stored_zeros_and_repeated_entries_of_a_matrix():
    entries = ([1, 0, 1], ([0, 0, 1], [0, 1, 1]))
    assert list(label_sets(sparse.coo_array(entries, shape=(2, 2)))) == [(0,), (1,)]


def test_numbers_are_labels_and_sorted_as_numbers():
    sets = label_sets([[10, 9], [9], [], [100]])
    assert sets.classes.tolist() == [9, 10, 100]
    assert sets[0] == (9, 10)


def test_rows_of_sets_keep_all_classes():
    sets = label_sets(SETS)
    some = sets[np.array([2, 0])]
    assert isinstance(some, LabelSets)
    assert list(some) == [("b",), ("a", "b")]
    assert some.classes.tolist() == ["a", "b", "c"]
    assert sets[-1] == ("a", "c")
    assert sets.joined() == ["a|b", "", "b", "a|c"]
    with pytest.raises(IndexError):
        sets[4]


def test_labels_that_a_model_does_not_know_are_counted():
    indicator, unseen = label_sets(SETS).among(np.array(["b", "z", "a"], dtype=object))
    np.testing.assert_array_equal(indicator.toarray(), [[1, 0, 1], [0, 0, 0], [1, 0, 0], [0, 0, 1]])
    assert unseen == {"c": 1}
    numbers, _ = label_sets([["1"], ["2"]]).among(np.array([1, 2]))
    np.testing.assert_array_equal(numbers.toarray(), [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("y", "error", "words"),
    [
        ([["a"], None, ["b"]], ValueError, "1 of 3 documents are missing, the first at row 1"),
        (["a|b", float("nan")], ValueError, "first at row 1"),
        ([["a", None], ["b"]], ValueError, "label of document 0 is missing"),
        ([["a"], ["b", float("nan")]], ValueError, "label of document 1 is missing"),
        ([["a"], [1]], TypeError, "different types"),
        ([["a"], "b"], TypeError, "list of labels for each document"),
        ([3, 4], TypeError, "list of labels for each document"),
        (np.array([[1, 2], [0, 1]]), ValueError, "with 2 in it: expected 0 and 1"),
        (sparse.csr_array([[0.5, 1.0]]), ValueError, "with 0.5 in it"),
        (np.array([["a", "b"]]), ValueError, "expected 0 and 1"),
    ],
)
def test_what_is_no_set_of_labels_is_said(y, error, words):
    with pytest.raises(error, match=words):
        label_sets(y)


@pytest.mark.parametrize("separator", ["", None, 3])
def test_a_separator_is_text(separator):
    with pytest.raises(ValueError, match="label_separator"):
        label_sets(["a"], separator=separator)


def test_a_damaged_matrix_is_refused():
    Y = sparse.csr_array(MATRIX)
    Y.indices[0] = 99
    with pytest.raises(ValueError, match="outside"):
        label_sets(Y)


def test_one_label_each_has_the_form_of_none():
    for y in (["a", "b"], np.array([1, 2]), pl.Series(["a|b"]), np.array([[1], [0]]), [None, "a"]):
        assert not are_sets(y)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["a|b", "a", "b|c", "c"], ["a", "b", "c"]),
        (["a|b", "b|a"], ["a", "b"]),
        (["sport|tennis", "sport|golf", "arts|film", "arts|music"], []),
        (["a", "b"], []),
        (["a|", "|b"], []),
        ([1, 2], []),
        (["a|b"] * 9, []),
    ],
)
def test_texts_are_sets_if_their_parts_are_in_other_values(values, labels):
    assert parts_that_recur(values) == labels


def test_folds_share_every_label_and_every_document():
    rng = np.random.default_rng(0)
    Y = sparse.csr_array((rng.random((600, 12)) < np.geomspace(0.02, 0.5, 12)).astype(np.int8))
    folds = label_folds(Y, 5, random_state=0)
    counts = np.array([Y[folds == k].toarray().sum(axis=0) for k in range(5)])
    assert (counts.max(axis=0) - counts.min(axis=0)).max() <= 4
    rare = counts.sum(axis=0).argmin()
    assert counts[:, rare].max() - counts[:, rare].min() <= 1
    assert np.ptp(np.bincount(folds)) <= 30
    np.testing.assert_array_equal(folds, label_folds(Y, 5, random_state=0))


def test_folds_keep_groups_together_and_have_the_shares_asked_for():
    rng = np.random.default_rng(1)
    Y = sparse.csr_array((rng.random((300, 4)) < 0.3).astype(np.int8))
    groups = rng.integers(0, 60, 300)
    folds = label_folds(Y, 3, random_state=0, groups=groups)
    assert all(len(set(folds[groups == group])) == 1 for group in np.unique(groups))
    assert abs((label_folds(Y, [0.8, 0.2], random_state=0) == 1).mean() - 0.2) < 0.03


def test_documents_without_labels_are_spread_too():
    folds = label_folds(sparse.csr_array((10, 3), dtype=np.int8), 5)
    assert np.bincount(folds).tolist() == [2, 2, 2, 2, 2]
