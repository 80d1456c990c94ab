"""Damaged sparse matrices are refused before scipy converts them, which would read beside them."""

import ast
from pathlib import Path

import numpy as np
import pytest
from fuzz.seeds import COUNTS, LABELS, exported, fitted
from scipy import sparse
from sklearn.base import clone

import quire
from quire._shared.validation import check_array, check_sparse_arrays, check_X_y, indexable
from quire.feature_extraction.text import HashingVectorizer
from quire.linear_model import LinearRegression, LogisticRegressionCV
from quire.model_selection import learning_curve
from quire.naive_bayes import MixedNB, MultinomialNB

FORMATS = ["csr", "csc", "bsr", "coo", "dia", "lil", "dok"]
METHODS = [
    "predict", "predict_proba", "decision_function", "transform", "kneighbors",
    "radius_neighbors", "score_samples", "apply", "evidence", "inverse_transform",
]  # fmt: skip
DENSE = np.random.default_rng(3).poisson(1.0, (6, 4)).astype(np.float64)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("format_", FORMATS)
def test_sound_matrices_pass(kind, format_):
    matrix = kind(DENSE).asformat(format_)
    check_sparse_arrays(matrix)
    np.testing.assert_array_equal(check_array(matrix, accept_sparse="csr").toarray(), DENSE)


def test_empty_matrices_pass():
    for shape in [(0, 3), (3, 0), (0, 0)]:
        for format_ in FORMATS:
            check_sparse_arrays(sparse.csr_array(shape).asformat(format_))


def damaged(format_, part, place, number, dense=DENSE):
    matrix = sparse.csr_array(dense).asformat(format_, copy=True)
    array = matrix.coords[part] if format_ == "coo" else getattr(matrix, part)
    array[place] = number
    return matrix


DAMAGE = [
    *((format_, "indices", place, number) for format_ in ("csr", "csc", "bsr")
      for place in (0, -1) for number in (-1, 6, 10**6, -(2**31))),
    *((format_, "indptr", place, number) for format_ in ("csr", "csc", "bsr")
      for place in (0, 1, -1) for number in (-1, 10**6, -(2**31))),
    *(("coo", part, place, number) for part in (0, 1) for place in (0, -1)
      for number in (-1, 6, 10**6)),
]  # fmt: skip


@pytest.mark.parametrize(("format_", "part", "place", "number"), DAMAGE)
def test_damaged_matrices_are_refused(format_, part, place, number):
    matrix = damaged(format_, part, place, number)
    with pytest.raises(ValueError, match=r"outside|indptr"):
        check_sparse_arrays(matrix)
    with pytest.raises(ValueError, match=r"outside|indptr"):
        check_array(matrix, accept_sparse="csr")
    with pytest.raises(ValueError, match=r"outside|indptr"):
        check_X_y(matrix, np.arange(6), accept_sparse=["csr"])
    with pytest.raises(ValueError, match=r"outside|indptr|column|pointers"):
        MultinomialNB().fit(DENSE, np.arange(6) % 2).predict(matrix)
    with pytest.raises(ValueError, match=r"outside|indptr"):
        LinearRegression().fit(matrix, np.arange(6.0))


@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
@pytest.mark.parametrize("format_", ["csr", "csc", "bsr"])
def test_parts_of_another_length_are_refused(format_, part):
    matrix = sparse.csr_array(DENSE).asformat(format_, copy=True)
    setattr(matrix, part, getattr(matrix, part)[:-1].copy())
    with pytest.raises(ValueError, match="indptr"):
        check_sparse_arrays(matrix)


@pytest.mark.parametrize("format_", ["csr", "csc"])
def test_room_beyond_the_entries_is_left_out(format_):
    """To take columns, scipy would copy what is there to where nothing is expected."""
    sound = sparse.csr_array(DENSE).asformat(format_)
    matrix = sound.copy()
    matrix.indices = np.concatenate([matrix.indices, np.zeros(99, matrix.indices.dtype)])
    matrix.data = np.concatenate([matrix.data, np.ones(99)])
    for checked in (
        check_array(matrix, accept_sparse=[format_]),
        indexable(matrix)[0],
        check_X_y(matrix, np.arange(6), accept_sparse=[format_])[0],
    ):
        assert len(checked.indices) == len(sound.indices)
        np.testing.assert_array_equal(checked.toarray(), DENSE)
    assert len(matrix.indices) == len(sound.indices) + 99  # the caller's is as it was


def test_a_model_of_counts_takes_rows_with_room_behind():
    sound = sparse.csr_array(COUNTS[:2].astype(float))
    rows = sound.copy()
    rows.indices = np.concatenate([rows.indices, np.zeros(99, rows.indices.dtype)])
    rows.data = np.concatenate([rows.data, np.ones(99)])
    model = MixedNB().fit(rows, ["a", "b"])
    expected = MixedNB().fit(sound, ["a", "b"])
    np.testing.assert_array_equal(model.predict_proba(rows), expected.predict_proba(sound))


@pytest.mark.parametrize("format_", ["csr", "csc", "bsr", "coo", "dia"])
def test_masked_arrays_are_refused(format_):
    """Scipy makes room for what a mask leaves of row pointers, and copies all."""
    parts = {"coo": ["data"], "dia": ["data", "offsets"]}
    for part in parts.get(format_, ["data", "indices", "indptr"]):
        matrix = sparse.csr_array(DENSE).asformat(format_, copy=True)
        array = getattr(matrix, part)
        setattr(matrix, part, np.ma.array(array, mask=array > 1))
        with pytest.raises(ValueError, match="masked array inside"):
            check_array(matrix, accept_sparse="csr")
    if format_ == "coo":
        rows, columns = matrix.coords
        matrix.coords = np.ma.array(rows, mask=rows > 1), columns
        with pytest.raises(ValueError, match="masked array inside"):
            check_array(matrix, accept_sparse="csr")


def test_numbers_that_are_no_places_are_refused():
    matrix = sparse.csc_array(DENSE)
    matrix.indices = matrix.indices.astype(float)
    with pytest.raises(ValueError, match="whole numbers"):
        check_array(matrix, accept_sparse="csr")


MODELS = [
    (model, data) for cls in exported() for reads, model, data in fitted(cls) if reads == "matrix"
]


@pytest.mark.parametrize(
    ("format_", "part", "place", "number"),
    [
        ("csr", "indices", -1, 10**9),
        ("csr", "indptr", len(COUNTS) // 2, 1),  # falls: rows that are taken have other lengths
        ("csc", "indices", -1, 10**9),
        ("coo", 0, -1, 10**9),
    ],
)
@pytest.mark.parametrize(("model", "data"), MODELS, ids=lambda value: type(value).__name__)
def test_no_estimator_reads_a_damaged_matrix(model, data, format_, part, place, number):
    """Who needs to read it refuses it; who reads it anyway does not live to tell."""
    matrix = damaged(format_, part, place, number, COUNTS)
    refusals = []
    for method in ("fit", *METHODS):
        if hasattr(model, method):
            given = (matrix, *data[1:]) if method == "fit" else (matrix,)
            try:
                getattr(clone(model) if method == "fit" else model, method)(*given)
            except (ValueError, TypeError, IndexError) as error:
                refusals.append(str(error))
    assert refusals or isinstance(model, HashingVectorizer)


def test_all_of_quire_checks_through_here():
    """What scikit-learn offers under these names converts before anybody has looked."""
    names = {"validate_data", "check_array", "check_X_y", "indexable"}
    met = set()
    for path in Path(quire.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
                met |= {f"{path.name}: {alias.name}" for alias in node.names} & {
                    f"{path.name}: {name}" for name in names
                }
    assert met == set()


def test_rows_are_looked_at_before_folds_are_taken_from_them():
    matrix = damaged("csr", "indptr", len(COUNTS) // 2, 1, COUNTS)
    with pytest.raises(ValueError, match="indptr must not fall"):
        LogisticRegressionCV(
            Cs=[1.0], l1_ratios=(0.0,), scoring="accuracy", use_legacy_attributes=False
        ).fit(matrix, LABELS)
    with pytest.raises(ValueError, match="indptr must not fall"):
        learning_curve(MultinomialNB(), matrix, LABELS, cv=2)
