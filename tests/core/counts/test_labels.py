"""Labels to numbers against a dict."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.counts import labels as reference

from quire import _core


def factorize(items):
    codes, first = _core.counts.factorize(items.view(np.uint8), items.itemsize)
    assert codes.dtype == np.int32
    return codes.tolist(), first.tolist()


@given(st.lists(st.text(max_size=5).filter(lambda t: "\0" not in t), min_size=1))
def test_strings(labels):
    items = np.array(labels)
    if items.itemsize:
        assert factorize(items) == reference.factorize(labels)


@given(st.lists(st.integers(-3, 300), min_size=1), st.sampled_from(["i2", "i4", "i8"]))
def test_whole_numbers(labels, dtype):
    assert factorize(np.array(labels, dtype=dtype)) == reference.factorize(labels)


def test_many_distinct_items():
    items = np.random.default_rng(0).integers(0, 20_000, 100_000)
    assert factorize(items) == reference.factorize(items.tolist())


def test_odd_sizes_and_nothing():
    items = np.array([b"abcdefghijk", b"abcdefghijl", b"abcdefghijk"], dtype="S11")
    assert factorize(items) == ([0, 1, 0], [0, 1])
    assert factorize(np.array([True, False, True])) == ([0, 1, 0], [0, 1])
    assert factorize(np.empty(0, dtype=np.int64)) == ([], [])
    with pytest.raises(ValueError, match="whole items"):
        _core.counts.factorize(np.zeros(3, np.uint8), 2)
    with pytest.raises(ValueError, match="whole items"):
        _core.counts.factorize(np.zeros(3, np.uint8), 0)
