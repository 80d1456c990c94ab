"""Documents: strings of lists and Arrow columns, read where they lie."""

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers import text_kernels as kernels
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.helpers.text_strategies import encodable_documents
from tests.reference.text import texts as reference
from tests.reference.text.texts import AnalyzerOptions

from quire import _core

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

ARROW_TYPES = [pa.string(), pa.large_string(), pa.string_view()]
# Characters come out again, but for white space.
WHOLE = AnalyzerOptions("char_wb", False, None, 1, 10**6, 10**6)
BYTES = WHOLE, AnalyzerOptions(), AnalyzerOptions("char", max_n=2)


class CArray:
    """Only the interface of a single array."""

    def __init__(self, array):
        self.array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self.array.__arrow_c_array__(requested_schema)


def assert_read(column, texts):
    views = _core.text.Documents.from_arrow(column)
    assert views.bad_row == -1
    assert len(views) == len(texts)
    for options in BYTES:
        assert kernels.text_counter(views, options) == reference.text_counter(texts, options)


@settings(max_examples=60)
@given(
    texts=st.lists(encodable_documents, max_size=6),
    type_=st.sampled_from(ARROW_TYPES),
    start=st.integers(0, 3),
    stop=st.integers(0, 6),
)
def test_arrow_arrays(texts, type_, start, stop):
    array = pa.array(texts, type_)
    assert_read(array, texts)
    assert_read(CArray(array), texts)
    assert_read(array[start:stop], texts[start:stop])
    chunks = pa.chunked_array([array[:start], array[start:], array[start:stop]], type_)
    assert_read(chunks, texts[:start] + texts[start:] + texts[start:stop])
    assert_read(pl.Series(texts, dtype=pl.String), texts)


@pytest.mark.parametrize("type_", ARROW_TYPES)
@pytest.mark.parametrize("wrap", [CArray, lambda array: pa.chunked_array([array])])
def test_nulls_have_their_row(type_, wrap):
    array = pa.array(["a", "b", None, "d", None], type_)
    assert _core.text.Documents.from_arrow(wrap(array)).bad_row == 2
    assert _core.text.Documents.from_arrow(wrap(array[1:])).bad_row == 1
    assert _core.text.Documents.from_arrow(wrap(array[3:4])).bad_row == -1
    assert _core.text.Documents.from_arrow(wrap(array[3:])).bad_row == 1


def test_a_null_in_a_later_chunk_has_its_row_in_the_column():
    chunks = pa.chunked_array([["a", "b"], [], ["c", None]], pa.string())
    assert _core.text.Documents.from_arrow(chunks).bad_row == 3


@pytest.mark.parametrize("type_", ARROW_TYPES)
def test_columns_without_bytes(type_):
    assert_read(pa.array([], type_), [])
    assert_read(pa.array(["", "", ""], type_), ["", "", ""])
    assert_read(pa.chunked_array([], type_), [])


def test_string_views_of_12_and_13_bytes():
    texts = ["x" * n for n in range(30)] + ["\u00e9" * 6, "\u00e9" * 7]
    assert_read(pa.array(texts, pa.string_view()), texts)


@pytest.mark.parametrize(
    "array",
    [
        pa.array([1, 2]),
        pa.array([b"x"]),
        pa.array(["x"]).dictionary_encode(),
        pa.array([["x"]]),
        pa.nulls(2),
        pa.table({"x": ["a"]}),
    ],
)
def test_other_columns_are_refused(array):
    with pytest.raises(TypeError, match="not an Arrow column of strings"):
        _core.text.Documents.from_arrow(array)


def test_what_is_not_arrow_is_refused():
    with pytest.raises(AttributeError, match="__arrow_c_array__"):
        _core.text.Documents.from_arrow(["a"])


MALFORMED = {
    b"\xff": 0,
    b"abc\x80": 3,
    b"\xc3": 0,
    b"ok\xc3(": 2,
    b"\xc0\x80": 0,  # overlong
    b"\xe0\x80\x80": 0,
    b"\xf0\x80\x80\x80": 0,
    b"\xed\xa0\x80": 0,  # a surrogate
    b"\xf4\x90\x80\x80": 0,  # past U+10FFFF
    b"\xf8\x88\x80\x80\x80": 0,
    b"\xe2\x82": 0,
    b"x" * 70 + b"\xf0\x9f\x98": 70,
}


@pytest.mark.parametrize(("bad", "place"), MALFORMED.items())
@pytest.mark.parametrize("n_threads", [1, 4])
def test_malformed_utf8(bad, place, n_threads):
    offsets = np.cumsum([0, 2, len(bad), 2]).astype(np.int32)
    buffers = pa.py_buffer(offsets), pa.py_buffer(b"ok" + bad + b"ok")
    views = _core.text.Documents.from_arrow(pa.StringArray.from_buffers(3, *buffers))
    options = kernels.options_of(AnalyzerOptions())
    message = rf"^document 1 is not valid UTF-8 \(byte {place}\)$"
    for level in SIMD_LEVELS:
        with simd(level):
            with pytest.raises(ValueError, match=message):
                _core.text.TextCounter(options, [], True).add_documents(views, n_threads)
            with pytest.raises(ValueError, match=message):
                _core.text.hash_documents(views, options, [], 8, True, n_threads)
            none = kernels.native_terms(["ok"], AnalyzerOptions())
            lookup = _core.text.TextLookup(options, [], *none, np.zeros(1, np.int32))
            with pytest.raises(ValueError, match=message):
                lookup.count(views, n_threads)


def test_a_character_cut_by_the_end_of_its_document_is_malformed():
    """The next document's bytes follow in memory and must not complete it."""
    offsets = pa.py_buffer(np.array([0, 2, 4], np.int32))
    column = pa.StringArray.from_buffers(2, offsets, pa.py_buffer("x\u00e9y".encode()))
    with pytest.raises(ValueError, match=r"document 0 is not valid UTF-8 \(byte 1\)"):
        kernels.text_counter(_core.text.Documents.from_arrow(column), AnalyzerOptions())


@pytest.mark.parametrize("text", ["ascii", "latin \u00e9", "two \u0142", "four \U0001f600", ""])
def test_lists_in_every_way_of_storing_characters(text):
    texts = [text, "x", text * 3]
    for options in BYTES:
        assert kernels.text_counter(texts, options) == reference.text_counter(texts, options)


def test_subclasses_of_str_are_read():
    class Text(str):
        pass

    texts = [Text("one two"), np.str_("two \u03a3"), "one"]
    assert kernels.text_counter(texts, AnalyzerOptions()) == reference.text_counter(
        texts, AnalyzerOptions()
    )


@pytest.mark.parametrize("bad", [None, b"bytes", 3, float("nan"), ["token"]])
def test_what_is_not_a_string_has_its_row(bad):
    views = _core.text.Documents.from_list(["a", "b", bad, "c", bad])
    assert views.bad_row == 2
    assert len(views) == 5


def test_only_lists_are_taken():
    for documents in ("text", ("a", "b"), None):
        with pytest.raises(TypeError):
            _core.text.Documents.from_list(documents)


def test_strings_live_as_long_as_the_views():
    texts = [f"number{i} \u03a3{i}" for i in range(1000)]
    expected = reference.text_counter(texts, AnalyzerOptions())
    from_list = _core.text.Documents.from_list([str(text) for text in texts])
    copies = [text.encode().decode() for text in texts]
    from_copies = _core.text.Documents.from_list(copies)
    from_arrow = _core.text.Documents.from_arrow(pa.array(copies))
    copies.clear()
    gc.collect()
    for views in (from_list, from_copies, from_arrow):
        assert kernels.text_counter(views, AnalyzerOptions()) == expected


def unaligned_buffer(numbers):
    """A buffer that begins at an odd address, as one cut from a file may."""
    return pa.py_buffer(b"\0" + numbers.tobytes()).slice(1)


@pytest.mark.parametrize("offset", [np.int32, np.int64])
def test_offsets_may_begin_anywhere(offset):
    array = {np.int32: pa.StringArray, np.int64: pa.LargeStringArray}[offset]
    texts = ["one", "", "two three"]
    offsets = unaligned_buffer(np.array([0, 3, 3, 12], offset))
    assert_read(array.from_buffers(3, offsets, pa.py_buffer(b"onetwo three")), texts)


@pytest.mark.parametrize("offsets", [[0, 3, 2, 4], [0, -2, 2, 4], [0, -3, -2, 4]])
@pytest.mark.parametrize("offset", [np.int32, np.int64])
def test_offsets_that_fall_are_refused(offsets, offset):
    array = {np.int32: pa.StringArray, np.int64: pa.LargeStringArray}[offset]
    buffers = pa.py_buffer(np.array(offsets, offset)), pa.py_buffer(b"abcd")
    with pytest.raises(ValueError, match="damaged"):
        _core.text.Documents.from_arrow(array.from_buffers(3, *buffers))


@pytest.mark.parametrize(
    "view",
    [(-1, 0, 0), (20, 1, 0), (20, -1, 0), (20, 0, -1), (20, 0, 13), (2**31 - 1, 0, 0)],
)
def test_views_outside_their_buffer_are_refused(view):
    length, buffer, offset = view
    views = np.array([length, 0, buffer, offset], np.int32)
    data = pa.py_buffer(b"a text of 32 bytes, not one more")
    array = pa.Array.from_buffers(
        pa.string_view(), 1, [None, pa.py_buffer(views), data], null_count=0
    )
    with pytest.raises(ValueError, match="damaged"):
        _core.text.Documents.from_arrow(array)


class HandsOutOnce:
    """A column that gives the same capsules to everybody: their content goes to the first."""

    def __init__(self, array):
        self.capsules = array.__arrow_c_array__()

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules


class StreamsOnce:
    def __init__(self, column):
        self.capsule = column.__arrow_c_stream__()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


@pytest.mark.parametrize(
    "make",
    [
        lambda: HandsOutOnce(pa.array(["one", "two"])),
        lambda: StreamsOnce(pa.chunked_array([["one"], ["two"]])),
    ],
)
def test_what_was_handed_out_before_is_refused(make):
    column = make()
    views = _core.text.Documents.from_arrow(column)
    with pytest.raises(ValueError, match="handed out before"):
        _core.text.Documents.from_arrow(column)
    expected = reference.text_counter(["one", "two"], AnalyzerOptions())
    assert kernels.text_counter(views, AnalyzerOptions()) == expected
