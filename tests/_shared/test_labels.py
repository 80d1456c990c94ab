"""Labels of every kind as classes and codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire._shared.labels import class_codes, codes_among

LABELS = [
    ["b", "a", "b", "ä", "", "a"],
    [3, -1, 3, 0],
    [True, False, True],
    [2.0, 1.0, 2.0],
    np.array(["b", "a", "b"], dtype=object),
    np.array([b"b", b"a", b"b"]),
    np.array([1, 2, 1], dtype=">i4"),
    np.array([1, 300, 1, 256], dtype=np.uint16),
    np.arange(20)[::-2],
    ["", ""],
    [7],
]


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_as_numpy_unique(labels):
    classes, codes = class_codes(labels)
    unique, places = np.unique(np.asarray(labels), return_inverse=True)
    np.testing.assert_array_equal(classes, unique)
    assert classes.dtype == unique.dtype
    np.testing.assert_array_equal(codes, places)
    assert codes.dtype == np.int32


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_any_whole_numbers(labels):
    classes, codes = class_codes(np.array(labels))
    assert classes.tolist() == sorted(set(labels))
    assert classes[codes].tolist() == labels


def test_what_is_no_class_is_refused():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        class_codes([0.5, 1.5])
    with pytest.raises(ValueError, match="1d array"):
        class_codes([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="Input y contains NaN"):
        class_codes([1.0, np.nan])


def test_codes_among_known_classes():
    classes = np.array(["a", "b", "c"])
    np.testing.assert_array_equal(codes_among(["c", "a"], classes), [2, 0])
    with pytest.raises(ValueError, match=r"\['x'\] in y do not exist in the initial classes"):
        codes_among(["a", "x"], classes)
