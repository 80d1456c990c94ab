"""Every native entry point is given spoiled arguments: it answers or raises, and never crashes.

The build with sanitizers runs this file, too: there a number read beside its array ends the run.
"""

import ast
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.native_calls import (
    MAKERS,
    PARTS_OF_CSR,
    PROCESS_WIDE,
    corruptions,
    entry_points,
    fresh,
    valid_call,
)

import quire
from quire import _core

# What a spoiled argument may raise; anything else (SystemError, a crash) is a fault.
REFUSALS = (TypeError, ValueError, IndexError, MemoryError, OverflowError, RuntimeError)
WITH_CSR = [
    (name, argument)
    for name in entry_points()
    for argument, value in valid_call(name, np.random.default_rng(0)).kwargs.items()
    if isinstance(value, tuple) and isinstance(value[0], np.ndarray)
]


def refused(call):
    """Return what a call raises, or None if it answers."""
    try:
        fresh(call).run()
    except REFUSALS as error:
        return error
    return None


def test_every_entry_point_has_a_maker():
    assert set(MAKERS) == set(entry_points())


def in_stubs():
    """The functions, constructors and methods that the stubs of the compiled core list."""
    for path in (Path(quire.__file__).parent / "_core").glob("[!_]*.pyi"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                yield f"{path.stem}.{node.name}"
            for part in node.body if isinstance(node, ast.ClassDef) else []:
                if not isinstance(part, ast.FunctionDef):
                    continue
                decorators = {ast.unparse(decorator) for decorator in part.decorator_list}
                if "property" not in decorators:
                    own = "" if part.name == "__init__" else f".{part.name}"
                    yield f"{path.stem}.{node.name}{own}"


def test_every_entry_point_of_the_stubs_is_listed():
    assert set(in_stubs()) == set(entry_points()) | PROCESS_WIDE


@pytest.mark.parametrize("name", entry_points())
def test_valid_calls_succeed(name):
    for seed in range(5):
        valid_call(name, np.random.default_rng(seed)).run()


@pytest.mark.parametrize("name", entry_points())
@pytest.mark.parametrize("seed", range(3))
def test_spoiled_calls_answer_or_raise(name, seed):
    for what, call in corruptions(valid_call(name, np.random.default_rng(seed))):
        error = refused(call)
        assert error is None or str(error), what


def spoiled_matrix(name, argument, part, change):
    """Make a call whose matrix has entries, and spoil a part of it."""
    for seed in range(100):
        call = valid_call(name, np.random.default_rng(seed))
        matrix = call.kwargs.get(argument)
        if isinstance(matrix, tuple) and len(matrix[0]) > 3 and call.kwargs.get("head") is None:
            break
        if isinstance(matrix, tuple) and len(matrix[0]) > 3 and call.kwargs["head"].shape[1] == 0:
            break
    parts = list(call.kwargs[argument])
    place = PARTS_OF_CSR.index(part)
    parts[place] = change(parts[place].copy())
    return call._replace(kwargs={**call.kwargs, argument: tuple(parts)})


def with_number(place, number):
    def change(array):
        array[place] = number
        return array

    return change


@pytest.mark.parametrize(("name", "argument"), WITH_CSR)
@pytest.mark.parametrize("number", [-1, 10_000, np.iinfo(np.int32).min, np.iinfo(np.int32).max])
@pytest.mark.parametrize("place", [0, -1])
def test_a_column_outside_is_refused(name, argument, number, place):
    call = spoiled_matrix(name, argument, "indices", with_number(place, number))
    if argument == "Xt" and np.shape(call.kwargs.get("curvature"))[1:] == (1,):
        pytest.skip("the transpose is not read")
    assert isinstance(refused(call), ValueError)


@pytest.mark.parametrize(("name", "argument"), WITH_CSR)
@pytest.mark.parametrize("number", [-1, 10_000, np.iinfo(np.int32).min, np.iinfo(np.int32).max])
@pytest.mark.parametrize("place", [0, 1, -1])
def test_row_pointers_outside_are_refused(name, argument, number, place):
    call = spoiled_matrix(name, argument, "indptr", with_number(place, number))
    assert isinstance(refused(call), ValueError)


@pytest.mark.parametrize(("name", "argument"), WITH_CSR)
def test_row_pointers_that_fall_are_refused(name, argument):
    call = spoiled_matrix(name, argument, "indptr", lambda indptr: indptr[::-1].copy())
    assert isinstance(refused(call), ValueError)


# Arrays that are changed


def written_arguments(name):
    """The arguments that a call changes, found by calling it."""
    for seed in range(20):
        call = fresh(valid_call(name, np.random.default_rng(seed)))
        before = fresh(call).kwargs
        call.run()
        for argument, value in call.kwargs.items():
            parts = value if isinstance(value, tuple) else (value,)
            kept = before[argument] if isinstance(value, tuple) else (before[argument],)
            for place, (part, was) in enumerate(zip(parts, kept, strict=True)):
                if isinstance(part, np.ndarray) and not np.array_equal(part, was, equal_nan=True):
                    yield argument, place if isinstance(value, tuple) else None


WRITTEN = sorted(
    {
        (name, argument, -1 if place is None else place)
        for name in entry_points()
        if name != "topics.LdaGibbs.add_word_topics"  # has no other array
        for argument, place in written_arguments(name)
    }
)


def test_the_arrays_that_are_changed():
    assert [(name.split(".")[1], argument) for name, argument, _ in WRITTEN] == [
        ("csr_kmeans_assign", "labels"),
        ("csr_kmeans_assign", "slack"),
        *((f"{kind}_kmeans_update", name) for kind in ("csr",) for name in UPDATED),
        ("dense_kmeans_assign", "labels"),
        ("dense_kmeans_assign", "slack"),
        *(("dense_kmeans_update", name) for name in UPDATED),
        ("dense_responsibilities", "likely"),
        ("log_responsibilities", "logs"),
        ("csc_quadratic_descent", "residual"),
        ("csc_quadratic_descent", "w"),
        ("kernel_rows_into", "table"),
        ("smo", "beta"),
        ("smo", "slack"),
        ("smo_slack", "slack"),
        ("tile_top_k", "best"),
        ("tile_top_k", "ids"),
        ("tile_top_k_columns", "best"),
        ("tile_top_k_columns", "ids"),
        ("csr_tfidf", "X"),
        ("lda_variational_documents", "gamma"),
    ]


UPDATED = ("factor", "norms", "operand", "sums")


def in_one_room(one, other):
    """Copies of two arrays that begin at the same address."""
    room = np.zeros(max(one.nbytes, other.nbytes), np.uint8)
    copies = [room[: part.nbytes].view(part.dtype).reshape(part.shape) for part in (one, other)]
    copies[0][...] = one
    return copies


def arrays_of(kwargs):
    """The arrays of a call by argument and place, -1 for one that is no part of a matrix."""
    for argument, value in kwargs.items():
        for place, part in enumerate(value) if isinstance(value, tuple) else [(-1, value)]:
            if isinstance(part, np.ndarray) and part.size:
                yield argument, place, part


def replaced(kwargs, argument, place, array):
    value = kwargs[argument]
    new = array if place < 0 else (*value[:place], array, *value[place + 1 :])
    return {**kwargs, argument: new}


@pytest.mark.parametrize(("name", "argument", "place"), WRITTEN)
def test_arrays_that_are_changed_share_no_memory_with_others(name, argument, place):
    """Above all not with places: a kernel that changes what it has checked reads anywhere."""
    n_tried = 0
    for seed in range(6):
        call = fresh(valid_call(name, np.random.default_rng(seed)))
        value = call.kwargs[argument]
        written = value if place < 0 else value[place]
        for other, at, part in arrays_of(call.kwargs):
            holds_values = other == "X" and ("dense" in name or ("kmeans" in name and at == 0))
            if (other, at) == (argument, place) or holds_values:
                continue
            one, clash = in_one_room(part, written)
            kwargs = replaced(replaced(call.kwargs, other, at, one), argument, place, clash)
            with pytest.raises(ValueError, match="shares memory"):
                call.function(**kwargs)
            n_tried += 1
    assert n_tried


# Sizes that fit each other and nothing else


def test_sizes_whose_product_wraps_are_refused():
    n_cols, n_topics = 2**47, 2**17
    X = np.ones(1), np.array([n_cols - 1]), np.array([0, 1]), n_cols
    nothing = np.empty((0, n_topics))
    with pytest.raises(ValueError, match="n_cols"):
        _core.topics.lda_variational_documents(
            X, nothing, np.ones(n_topics), np.ones((1, n_topics)), 3, 1e-3, False
        )
    with pytest.raises(ValueError, match="n_cols"):
        _core.topics.lda_variational_bound(
            X, np.ones((1, n_topics)), nothing, np.ones(n_topics), nothing
        )


def test_tables_without_columns():
    nothing = np.empty((3, 0))
    for name in ("bernoulli_log_prob", "bernoulli_weights"):
        with pytest.raises(ValueError, match="alpha"):
            getattr(_core.counts, name)(nothing, np.ones(3), np.empty(0))
    X = np.lib.stride_tricks.as_strided(np.ones(1), (3, 0), (8, 8))
    with pytest.raises(ValueError, match=r"column|rows"):
        _core.cluster.dense_responsibilities(
            X, np.empty((2, 0)), np.empty(0), np.zeros(2), True, -9.0, np.zeros(3, np.int32)
        )
    Z, H = _core.linear.block_project(np.empty((2**40, 0)), 0, np.empty((2**40, 0)))
    assert Z.shape == (2**40, 0)
    assert H.shape == (0, 0)


@pytest.mark.parametrize("threshold", [-1.0, -np.inf, np.nan, -1e308])
def test_thresholds_below_zero_are_refused(threshold):
    options = _core.text.AnalyzerOptions("word", True, None, 2, 1, 1)
    with pytest.raises(ValueError, match="threshold"):
        _core.text.TextCounter(options, [], False, threshold)
