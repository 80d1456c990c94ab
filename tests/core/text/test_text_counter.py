"""TextCounter (a vocabulary that grows) against its twin."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.helpers import text_kernels as kernels
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.helpers.text_strategies import (
    AWKWARD,
    LENGTHS,
    STOP_WORDS,
    analyzer_options,
    corpora,
    documents,
)
from tests.reference.text import texts as reference
from tests.reference.text.texts import AnalyzerOptions

from quire import _core

KINDS = ["word", "char", "char_wb"]
WORD = AnalyzerOptions()
# A part of the work has 128 KB of text: with so many blanks before it, a document is a part.
BLANKS = " " * (1 << 17)


def assert_equal_to_twin(texts, options, stop_words=(), **settings):
    ours = kernels.text_counter(texts, options, stop_words, **settings)
    binary = settings.get("binary", False)
    twin = reference.text_counter(texts, options, stop_words, binary=binary)
    assert ours == twin


@settings(max_examples=300)
@given(
    texts=corpora,
    options=analyzer_options(),
    stop_words=st.lists(st.sampled_from(STOP_WORDS), max_size=4),
    binary=st.booleans(),
)
@example(["\u0130stanbul \u0130"], AnalyzerOptions(shortest_word=1), [], False)
@example(["A\u03a3 A\u03a3.A A\u03a3. \u03a3"], AnalyzerOptions(shortest_word=1), [], False)
@example(["\ud83d\ude00 \udfff\ud800"], AnalyzerOptions("char", max_n=2), [], False)
@example(["a\x00b \x00 a\x00"], AnalyzerOptions("char", max_n=3), [], False)
@example(["e\u0301 e\u0301e \u0301"], AnalyzerOptions("word", True, "unicode", 1), [], False)
@example(["\uac00\ub098 \uac01"], AnalyzerOptions("char", True, "unicode", max_n=3), [], False)
@example(["\ufdfa" * 50], AnalyzerOptions("word", True, "unicode", 1, 1, 3), [], False)
def test_text_counter(texts, options, stop_words, binary):
    for level in SIMD_LEVELS:
        with simd(level):
            assert_equal_to_twin(texts, options, stop_words, binary=binary)


@settings(max_examples=30)
@given(texts=st.lists(documents, min_size=4, max_size=8), options=analyzer_options())
def test_text_counter_with_a_worker_for_each_document(texts, options):
    texts = [BLANKS + text for text in texts]
    assert_equal_to_twin(texts, options, STOP_WORDS, n_threads=4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_dtypes(kind, dtype):
    texts = ["aa bb aa", "", "bb cc bb bb"]
    counter = _core.text.TextCounter(kernels.options_of(AnalyzerOptions(kind)), [], True)
    counter.add_documents(_core.text.Documents.from_list(texts), 1)
    terms = kernels.as_terms(counter.finish(1))
    data, indices, indptr = counter.to_csr(dtype, None, len(terms.names), False, 1)
    assert data.dtype == dtype
    assert indices.dtype == indptr.dtype == np.int32
    expected = reference.text_counter(texts, AnalyzerOptions(kind))
    assert (terms, kernels.as_csr((data, indices, indptr))) == expected


@pytest.mark.parametrize(
    "texts", [[], [""], ["", "", ""], ["?!"], ["a"], ["\x00"], [" "], ["\ud800"]]
)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_threads", [1, 4])
def test_documents_with_little_in_them(texts, kind, n_threads):
    for options in (AnalyzerOptions(kind), AnalyzerOptions(kind, min_n=2, max_n=3)):
        assert_equal_to_twin(texts, options, n_threads=n_threads)


@pytest.mark.parametrize("level", SIMD_LEVELS)
@pytest.mark.parametrize("letter", ["a", "Z", "\u00e9", "\u0130", "\u4e00", "\U0001d400"])
def test_words_of_every_length_at_every_place_of_a_block(level, letter):
    texts = [
        f"{'.' * place}{letter * length}{gap}{letter}q{letter * 70}"
        for length in range(1, 20)
        for place in (0, 1, 14, 15, 16, 17, 30, 31, 32, 33, 47, 48, 60, 61, 62, 63, 64, 65, 127)
        for gap in (" ", "." * 64)
    ]
    texts += [letter * length for length in range(1, 200)]
    texts += [f"{'x' * length} {letter * length} " for length in LENGTHS]
    with simd(level):
        assert_equal_to_twin(texts, AnalyzerOptions(shortest_word=2, max_n=2))


@pytest.mark.parametrize("kind", KINDS)
def test_words_that_differ_only_in_nul_or_after_many_bytes(kind):
    head = "h" * 15
    texts = [
        " ".join(["a", "a\x00", "a\x00\x00", "\x00a", "ab", head, head + "\x00", head + "i"]),
        " ".join([head + "\x00\x00", "y" * 40 + "1", "y" * 40 + "2", "y" * 41, head[:-1]]),
    ]
    assert_equal_to_twin(texts, AnalyzerOptions(kind, shortest_word=1))
    assert_equal_to_twin(texts, AnalyzerOptions(kind, shortest_word=1, min_n=2, max_n=20))


def random_texts(n_texts, n_words, seed):
    """Words over awkward characters, Zipf-like, enough of them that threads share the work."""
    rng = random.Random(seed)
    alphabet = "abcdefghij" * 20 + AWKWARD
    words = [
        "".join(rng.choices(alphabet, k=rng.choice([1, 2, 3, 5, 8, 17]))) for _ in range(n_words)
    ]
    weights = [1 / (rank + 1) for rank in range(n_words)]
    return [
        " ".join(rng.choices(words, weights, k=rng.choice([0, 1, 20, 200]))) for _ in range(n_texts)
    ]


@pytest.mark.parametrize(
    "options",
    [
        AnalyzerOptions(),
        AnalyzerOptions(shortest_word=1, max_n=3, accents="unicode"),
        AnalyzerOptions(min_n=2, max_n=2, lowercase=False),
        AnalyzerOptions("char", min_n=2, max_n=3),
        AnalyzerOptions("char_wb", min_n=1, max_n=4, accents="ascii"),
    ],
)
def test_any_number_of_threads(options):
    texts = random_texts(1600, 3000, seed=0)
    twin = reference.text_counter(texts, options, STOP_WORDS)
    assert len(twin[0].names) > 2048  # the vocabularies are joined in several ranges
    for n_threads in (1, 2, 4, 7):
        assert kernels.text_counter(texts, options, STOP_WORDS, n_threads=n_threads) == twin


def test_rows_are_in_the_order_of_the_documents_whoever_counts_them():
    texts = [f"w{i} shared{' ' * (i * 7919 % 200_000)} v{i % 7}" for i in range(150)]
    twin = reference.text_counter(texts, WORD)
    vocabulary = {name: column for column, name in enumerate(twin[0].names)}
    hashing = texts, WORD, [], 97, True
    for n_threads in (2, 4, 8):
        assert kernels.text_counter(texts, WORD, n_threads=n_threads) == twin
        looked_up = kernels.text_lookup(texts, WORD, [], vocabulary, n_threads=n_threads)
        assert looked_up == twin[1]
        hashed = kernels.hash_documents(*hashing, n_threads=n_threads)
        assert hashed == reference.hash_documents(*hashing)


def test_more_distinct_words_than_the_first_tables_hold():
    texts = [" ".join(f"w{i * 7919 % 100_003}x{'long' * (i % 5)}" for i in range(40_000))]
    assert_equal_to_twin(texts, WORD)
    assert_equal_to_twin(texts, AnalyzerOptions(max_n=2), n_threads=4)


def test_documents_added_a_few_at_a_time():
    texts = random_texts(200, 300, seed=1)
    for kind in KINDS:
        options = AnalyzerOptions(kind, max_n=2)
        counter = _core.text.TextCounter(kernels.options_of(options), [], True)
        for start in range(0, len(texts), 30):
            batch = _core.text.Documents.from_list(texts[start : start + 30])
            counter.add_documents(batch, 1 + start // 30 % 3)
        terms = kernels.as_terms(counter.finish(2))
        X = kernels.as_csr(counter.to_csr("int64", None, len(terms.names), False, 2))
        assert (terms, X) == reference.text_counter(texts, options)


def test_finish_ends_the_counting_and_to_csr_takes_the_rows():
    counter = _core.text.TextCounter(kernels.options_of(WORD), [], True)
    documents = _core.text.Documents.from_list(["one two", "two"])
    counter.add_documents(documents, 1)
    arrays = counter.finish(1)
    for refused in (
        lambda: counter.finish(1),
        lambda: counter.add_documents(documents, 1),
        lambda: counter.add_terms(*arrays),
    ):
        with pytest.raises(RuntimeError, match="finished"):
            refused()
    assert counter.to_csr("int64", None, 2, False, 1)[0].tolist() == [1, 1, 1]
    with pytest.raises(RuntimeError, match="made into a matrix before"):
        counter.to_csr("int64", None, 2, False, 1)


@pytest.mark.parametrize("n_threads", [1, 4])
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_chosen_columns(n_threads, binary, dtype):
    texts = random_texts(700, 400, seed=2)
    options = AnalyzerOptions(max_n=2)
    for least, most in ((2, 200), (1, 30), (10**6, 10**6)):
        counter = _core.text.TextCounter(kernels.options_of(options), [], True)
        counter.add_documents(_core.text.Documents.from_list(texts), n_threads)
        terms = kernels.as_terms(counter.finish(n_threads))
        kept = [i for i, df in enumerate(terms.document_frequency) if least <= df <= most]
        columns = np.full(len(terms.names), -1, np.int32)
        columns[kept] = np.arange(len(kept))
        # to_csr takes the rows: a matrix can be made once
        ours = kernels.as_csr(counter.to_csr(dtype, columns, len(kept), binary, n_threads))
        vocabulary = {terms.names[i]: column for column, i in enumerate(kept)}
        assert ours == reference.text_lookup(texts, options, [], vocabulary, binary=binary)


@settings(max_examples=60)
@given(texts=corpora, more=corpora, options=analyzer_options())
def test_terms_of_an_earlier_count_are_taken_over(texts, more, options):
    parts = []
    for part in (texts, more, texts):
        counter = _core.text.TextCounter(kernels.options_of(options), [], False)
        counter.add_documents(_core.text.Documents.from_list(part), 1)
        parts.append(counter.finish(1))
    counter = _core.text.TextCounter(kernels.options_of(options), [], False)
    for part in parts:
        counter.add_terms(*part)
    # and documents can follow
    counter.add_documents(_core.text.Documents.from_list(more), 1)
    terms, _ = reference.text_counter(texts + more + texts + more, options)
    assert kernels.as_terms(counter.finish(1)) == terms


@pytest.mark.parametrize("kind", KINDS)
def test_frequencies_past_32_bits(kind):
    options = AnalyzerOptions(kind)
    one = _core.text.Documents.from_list(["word" if kind == "word" else "w"])
    counter = _core.text.TextCounter(kernels.options_of(options), [], False)
    counter.add_documents(one, 1)
    *arrays, documents, terms = counter.finish(1)
    counter = _core.text.TextCounter(kernels.options_of(options), [], False)
    counter.add_documents(one, 1)
    counter.add_terms(*arrays, documents * (2**31), terms * 2**33)
    (*_, df, tf) = counter.finish(1)
    assert (df == 2**31 + 1).any()
    assert (tf >= 2**33 + 1).any()


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_that_comes_a_hundred_thousand_times(kind):
    texts = ["ab " * 100_000, "ab"]
    assert_equal_to_twin(texts, AnalyzerOptions(kind, max_n=2), n_threads=4)


def test_long_ngrams():
    texts = ["a b c d " * 30, "a b c d"]
    for options in (
        AnalyzerOptions(shortest_word=1, max_n=100),
        AnalyzerOptions(shortest_word=1, min_n=90, max_n=100),
        AnalyzerOptions("char", max_n=100),
    ):
        assert_equal_to_twin(texts, options)


def test_stop_words_are_dropped_before_ngrams_are_made():
    texts = ["to be or not to be", "be be or"]
    for stop_words in (["to", "or"], ["be"], ["to", "be", "or", "not"], ["be or"], [""]):
        assert_equal_to_twin(texts, AnalyzerOptions(max_n=3), stop_words)
    terms, _ = kernels.text_counter(texts, AnalyzerOptions(max_n=2), ["to", "or"])
    assert terms.names == ["be", "be be", "be not", "not", "not be"]


@pytest.mark.parametrize("options", [WORD, replace(WORD, max_n=2), AnalyzerOptions("char")])
def test_malformed_utf8_is_refused_with_its_place(options):
    pa = pytest.importorskip("pyarrow")
    offsets = pa.py_buffer(np.array([0, 2, 6, 8], np.int32))
    column = pa.StringArray.from_buffers(3, offsets, pa.py_buffer(b"okab\xffcok"))
    counter = _core.text.TextCounter(kernels.options_of(options), [], True)
    with pytest.raises(ValueError, match=r"^document 1 is not valid UTF-8 \(byte 2\)$"):
        counter.add_documents(_core.text.Documents.from_arrow(column), 4)


@settings(max_examples=60)
@given(texts=corpora, options=analyzer_options(), data=st.data())
def test_terms_that_share_a_column(texts, options, data):
    twin_terms, twin = reference.text_counter(texts, options)
    n_terms = len(twin_terms.names)
    columns = data.draw(st.lists(st.integers(-1, 3), min_size=n_terms, max_size=n_terms))
    rows = [Counter() for _ in texts]
    for i, row in enumerate(rows):
        for k in range(twin.indptr[i], twin.indptr[i + 1]):
            if columns[twin.indices[k]] >= 0:
                row[columns[twin.indices[k]]] += twin.data[k]
    for binary, dtype, n_threads in [
        (False, "int64", 1),
        (True, "int32", 2),
        (False, "float64", 3),
    ]:
        counter = _core.text.TextCounter(kernels.options_of(options), [], True)
        counter.add_documents(_core.text.Documents.from_list(texts), n_threads)
        counter.finish(n_threads)
        arrays = counter.to_csr(dtype, np.array(columns, np.int32), 4, binary, n_threads)
        assert kernels.as_csr(arrays) == reference.rows_to_csr(rows, binary=binary)
