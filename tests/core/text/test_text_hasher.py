"""hash_documents against its twin, and MurmurHash3 against published values."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32
from tests.helpers import text_kernels as kernels
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.helpers.text_strategies import STOP_WORDS, analyzer_options, corpora, documents
from tests.reference.text import texts as reference
from tests.reference.text.texts import AnalyzerOptions

N_FEATURES = [1, 2, 3, 7, 16, 1000, 2**20, 2**20 + 7, 2**31 - 1]
BLANKS = " " * (1 << 17)


@pytest.mark.parametrize(
    ("data", "hash_"),
    # The verification values of the reference implementation, as collected in Wikipedia's article.
    [
        (b"", 0),
        (b"test", 0xBA6BD213),
        (b"Hello, world!", 0xC0363E43),
        (b"The quick brown fox jumps over the lazy dog", 0x2E4FF723),
    ],
)
def test_murmur3_of_the_twin(data, hash_):
    assert reference.murmur3_32(data) % 2**32 == hash_
    assert reference.murmur3_32(data) == murmurhash3_32(data)


@settings(max_examples=200)
@given(
    texts=corpora,
    options=analyzer_options(),
    stop_words=st.lists(st.sampled_from(STOP_WORDS), max_size=3),
    n_features=st.sampled_from(N_FEATURES),
    alternate_sign=st.booleans(),
)
def test_hash_documents(texts, options, stop_words, n_features, alternate_sign):
    arguments = texts, options, stop_words, n_features, alternate_sign
    twin = reference.hash_documents(*arguments)
    for level in SIMD_LEVELS:
        with simd(level):
            assert kernels.hash_documents(*arguments) == twin


@settings(max_examples=25)
@given(texts=st.lists(documents, min_size=4, max_size=8), options=analyzer_options())
def test_hash_documents_with_a_worker_for_each_document(texts, options):
    arguments = [BLANKS + text for text in texts], options, STOP_WORDS, 64, True
    assert kernels.hash_documents(*arguments, n_threads=4) == reference.hash_documents(*arguments)


@pytest.mark.parametrize("length", range(1, 40))
def test_features_of_every_length(length):
    texts = ["x" * length, "\u00e9" * length, "ab" * length]
    for kind in ("word", "char", "char_wb"):
        options = AnalyzerOptions(kind, shortest_word=1, max_n=3)
        arguments = texts, options, [], 2**20, True
        assert kernels.hash_documents(*arguments) == reference.hash_documents(*arguments)


def test_signs_that_cancel_leave_a_stored_zero():
    texts = [" ".join(f"w{i}" for i in range(40))]
    arguments = texts, AnalyzerOptions(), [], 3, True
    ours = kernels.hash_documents(*arguments)
    assert ours == reference.hash_documents(*arguments)
    assert ours.indices == [0, 1, 2]


@pytest.mark.parametrize("kind", ["char", "char_wb"])
@pytest.mark.parametrize("text", ["\ud800", "ab\udfffcd", "\udbff\udc00", "x" * 100 + " \udc00"])
def test_lone_surrogates_cannot_be_hashed(kind, text):
    arguments = ["fine", text], AnalyzerOptions(kind), [], 16, True
    assert kernels.hash_documents(*arguments) == 1  # the document
    assert reference.hash_documents(*arguments) == 1


def test_a_surrogate_in_no_feature_does_no_harm():
    arguments = ["\ud800", "ab"], AnalyzerOptions("char", min_n=2, max_n=2), [], 16, True
    ours = kernels.hash_documents(*arguments)
    assert ours == reference.hash_documents(*arguments)
    assert ours.indptr == [0, 0, 1]


@pytest.mark.parametrize("text", ["\ud7ff", "\ue000", "\uffff", "\U00010000"])
def test_neighbours_of_the_surrogates_can(text):
    arguments = [text], AnalyzerOptions("char"), [], 16, True
    assert kernels.hash_documents(*arguments) == reference.hash_documents(*arguments)


def test_lone_surrogates_do_not_matter_to_words_nor_where_accents_are_stripped_to_ascii():
    for options in (AnalyzerOptions(), AnalyzerOptions("char", accents="ascii")):
        arguments = ["ab\ud800cd"], options, [], 16, True
        assert kernels.hash_documents(*arguments) == reference.hash_documents(*arguments)
