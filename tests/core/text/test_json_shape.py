"""The shape of JSON against its twin, on texts of its characters and on files as they are."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.text.json_shape import json_shape

from quire import _core

CHARACTERS = st.sampled_from(b'"\\:{}[], ab\n')


@given(st.lists(CHARACTERS, max_size=200).map(bytes))
def test_equals_its_twin_on_any_text(text):
    assert _core.text.json_shape(text) == json_shape(text)


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.text(max_size=9), VALUES, max_size=5), max_size=6))
def test_keys_of_sound_json_are_counted(rows):
    def seen(value):
        if isinstance(value, dict):
            yield from map(json.dumps, value)
            value = list(value.values())
        for part in value if isinstance(value, list) else ():
            yield from seen(part)

    text = json.dumps(rows).encode()
    depth, n_open, n_keys = _core.text.json_shape(text)
    assert n_keys == len(set(seen(rows)))
    assert (depth, n_open, n_keys) == json_shape(text)


def test_more_keys_than_are_kept_in_order():
    rows = [{str((i * j) % 997): 0 for j in range(300)} for i in range(1, 9)]
    text = json.dumps(rows).encode()
    assert _core.text.json_shape(text)[2] == len({key for row in rows for key in row})


def test_quotes_behind_backslashes_take_no_time_by_the_square():
    """A million of them: minutes, if each looked for the next quote that is one."""
    assert _core.text.json_shape(b'\\"' * 10**6) == (0, 0, 0)
    assert _core.text.json_shape(b'"' + b"\\" * 10**6 + b'":') == (0, 0, 1)


@pytest.mark.parametrize("text", ["{}", bytearray(b"{}"), None])
def test_only_bytes(text):
    with pytest.raises(TypeError):
        _core.text.json_shape(text)
