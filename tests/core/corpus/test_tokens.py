"""Patterns among tokens and counts of them, against the twins."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.corpus import tokens as twins

from quire import _core

N_TYPES, N_SETS = 5, 4


@st.composite
def corpora(draw):
    documents = draw(st.lists(st.lists(st.integers(-1, N_TYPES - 1), max_size=12), max_size=6))
    return documents


@st.composite
def patterns(draw):
    sets = [draw(st.sets(st.integers(0, N_SETS - 1))) for _ in range(N_TYPES)]
    first = st.integers(0, N_SETS - 1)
    words = st.lists(st.integers(-1, N_SETS - 1), max_size=3)
    rows = draw(st.lists(st.tuples(first, words), max_size=6))
    return sets, [[one, *others] for one, others in rows]


def flat(rows, dtype):
    values = np.array([value for row in rows for value in row], dtype=dtype)
    bounds = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return values, bounds


def matches(documents, sets, rows, *, longest, n_threads):
    tokens, bounds = flat(documents, np.int32)
    members, type_bounds = flat([sorted(one) for one in sets], np.int32)
    wanted, pattern_bounds = flat(rows, np.int32)
    found = _core.corpus.token_matches(
        tokens, bounds, type_bounds, members, pattern_bounds, wanted, longest, n_threads
    )
    return list(zip(*(one.tolist() for one in found), strict=True))


@given(corpora(), patterns(), st.booleans(), st.sampled_from([1, 4]))
def test_matches_are_those_of_the_twin(documents, drawn, longest, n_threads):
    sets, rows = drawn
    if max(
        [max(one, default=-1) for one in sets] + [w for row in rows for w in row] + [-1]
    ) + 1 > sum(map(len, sets)) + sum(map(len, rows)):
        return  # sets with gaps between their numbers are refused
    expected = twins.token_matches(documents, sets, rows, longest=longest)
    assert matches(documents, sets, rows, longest=longest, n_threads=n_threads) == expected


@given(
    corpora(),
    st.lists(st.integers(-1, 3), min_size=N_TYPES, max_size=N_TYPES),
    st.sampled_from([1, 4]),
    st.integers(0, 1_000),
)
def test_counts_are_those_of_the_twin(documents, columns, n_threads, seed):
    tokens, bounds = flat(documents, np.int32)
    of_type = np.array(columns, dtype=np.int32)
    data, indices, indptr = _core.corpus.token_counts(tokens, bounds, of_type, 4, n_threads)
    rows = [
        dict(zip(indices[a:b].tolist(), data[a:b].tolist(), strict=True))
        for a, b in pairwise(indptr)
    ]
    expected = twins.token_counts(documents, columns)
    assert rows == expected
    assert [list(row) for row in rows] == [list(row) for row in expected]
    n_groups = min(3, len(documents))
    groups = np.random.default_rng(seed).integers(-1, n_groups, len(documents)).astype(np.int32)
    found = _core.corpus.token_group_counts(tokens, bounds, of_type, 4, groups, n_groups, n_threads)
    by_twin = twins.token_group_counts(documents, columns, 4, groups.tolist(), n_groups)
    for one, other in zip(found, by_twin, strict=True):
        np.testing.assert_array_equal(one, np.array(other).reshape(n_groups, 4))


def test_large_corpora_are_cut_into_parts():
    rng = np.random.default_rng(0)
    documents = [rng.integers(0, N_TYPES, n).tolist() for n in rng.integers(0, 900, 1_500)]
    tokens, bounds = flat(documents, np.int32)
    sets, rows = [{0}, {1}, {0, 1}, set(), {2}], [[0, 1], [1], [2, -1, 0]]
    one, many = (matches(documents, sets, rows, longest=True, n_threads=n) for n in (1, 5))
    assert one == many
    columns = np.arange(N_TYPES, dtype=np.int32)
    groups = rng.integers(0, 4, len(documents)).astype(np.int32)
    for name, arguments in (
        ("token_counts", (tokens, bounds, columns, N_TYPES)),
        ("token_group_counts", (tokens, bounds, columns, N_TYPES, groups, 4)),
    ):
        call = getattr(_core.corpus, name)
        for a, b in zip(call(*arguments, 1), call(*arguments, 5), strict=True):
            np.testing.assert_array_equal(a, b)


GOOD = {
    "tokens": np.array([0, 1, 0], np.int32),
    "bounds": np.array([0, 1, 3], np.int64),
    "type_bounds": np.array([0, 1, 2], np.int64),
    "type_sets": np.array([0, 1], np.int32),
    "pattern_bounds": np.array([0, 2], np.int64),
    "pattern_sets": np.array([1, 0], np.int32),
}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("bounds", [1, 1, 3], "begin with 0"),
        ("bounds", [0, 4, 3], "must not fall"),
        ("bounds", [0, 1, 2], "end with the number"),
        ("type_sets", [0, -1], "negative number"),
        ("type_sets", [0, 900], "without large gaps"),
        ("pattern_sets", [-1, 0], "begins with any"),
        ("pattern_sets", [0, -2], "negative number"),
        ("pattern_bounds", [0, 0, 2], "no words"),
        ("tokens", [0, 2, 0], "type that there is not"),
    ],
)
def test_unsound_patterns_are_refused(name, value, message):
    arguments = GOOD | {name: np.array(value, GOOD[name].dtype)}
    with pytest.raises(ValueError, match=message):
        _core.corpus.token_matches(**arguments, longest=False, n_threads=1)


@pytest.mark.parametrize(
    ("columns", "groups", "message"),
    [
        ([0, 0, 0], [0, 0], "more groups than"),
        ([0, 2], [0, 0], "column 2"),
        ([0, -2], [0, 0], "column -2"),
        ([0], [0, 0], "more columns than types"),
        ([0, 1], [0, 1], "group 1"),
        ([0, 1], [0], "1 entries for 2 documents"),
    ],
)
def test_unsound_counts_are_refused(columns, groups, message):
    with pytest.raises(ValueError, match=message):
        _core.corpus.token_group_counts(
            GOOD["tokens"],
            GOOD["bounds"],
            np.array(columns, np.int32),
            2,
            np.array(groups, np.int32),
            3 if len(columns) == 3 else 1,
            1,
        )
