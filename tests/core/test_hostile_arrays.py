"""Every native entry point is given spoiled arguments: it answers or raises, and never crashes.

The build with sanitizers runs this file, too: there a number read beside its array ends the run.
"""

import numpy as np
import pytest
from tests.helpers.native_calls import (
    MAKERS,
    PARTS_OF_CSR,
    corruptions,
    entry_points,
    fresh,
    valid_call,
)

# What a spoiled argument may raise; anything else (SystemError, a crash) is a fault.
REFUSALS = (TypeError, ValueError, IndexError, MemoryError, OverflowError, RuntimeError)
# Families whose kernels do not check all of their arguments yet.
NOT_YET = {"trees"}
CHECKED = [name for name in entry_points() if name.split(".")[0] not in NOT_YET]
WITH_CSR = [
    (name, argument)
    for name in CHECKED
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


@pytest.mark.parametrize("name", entry_points())
def test_valid_calls_succeed(name):
    for seed in range(5):
        valid_call(name, np.random.default_rng(seed)).run()


@pytest.mark.parametrize("name", CHECKED)
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
