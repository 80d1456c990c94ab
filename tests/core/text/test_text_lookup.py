"""TextLookup (a vocabulary that is fixed) against its twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers import text_kernels as kernels
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.helpers.text_strategies import (
    STOP_WORDS,
    analyzer_options,
    corpora,
    documents,
    wild_documents,
)
from tests.reference.text import texts as reference
from tests.reference.text.texts import AnalyzerOptions

from quire import _core

BLANKS = " " * (1 << 17)


def vocabulary_for(draw, texts, options):
    """Some of the features of the documents, and some that never occur, in any order."""
    found = {f for text in texts for f in reference.features(text, options)}
    known = draw(st.lists(st.sampled_from(sorted(found)), unique=True)) if found else []
    odd = draw(
        st.lists(st.sampled_from(["never", "Upper", "\u03a3", "x" * 99, "z z", "never two"]))
    )
    terms = list(dict.fromkeys(known + odd))
    if options.kind == "word":  # the kernels take terms of at most max_n words
        terms = [term for term in terms if len(term.split(" ")) <= options.max_n]
    order = draw(st.permutations(range(len(terms))))
    return dict(zip(terms, order, strict=True))


@st.composite
def problems(draw, corpora=corpora):
    texts, options = draw(corpora), draw(analyzer_options())
    return texts, options, vocabulary_for(draw, texts, options)


@settings(max_examples=200)
@given(
    problem=problems(),
    stop_words=st.lists(st.sampled_from(STOP_WORDS), max_size=4),
    binary=st.booleans(),
)
def test_text_lookup(problem, stop_words, binary):
    texts, options, vocabulary = problem
    twin = reference.text_lookup(texts, options, stop_words, vocabulary, binary=binary)
    for level in SIMD_LEVELS:
        with simd(level):
            ours = kernels.text_lookup(texts, options, stop_words, vocabulary, binary=binary)
        assert ours == twin


@settings(max_examples=30)
@given(problem=problems(st.lists(documents, min_size=4, max_size=8)))
def test_text_lookup_with_a_worker_for_each_document(problem):
    texts, options, vocabulary = problem
    texts = [BLANKS + text for text in texts]
    ours = kernels.text_lookup(texts, options, STOP_WORDS, vocabulary, n_threads=4)
    assert ours == reference.text_lookup(texts, options, STOP_WORDS, vocabulary)


@settings(max_examples=50)
@given(text=wild_documents, options=analyzer_options())
def test_what_was_counted_is_found_again(text, options):
    """The tables of TextCounter, fed back to TextLookup, give the same matrix."""
    counter = _core.text.TextCounter(kernels.options_of(options), [], True)
    batch = _core.text.Documents.from_list([text, "one two", text])
    counter.add_documents(batch, 1)
    *arrays, _, tf = counter.finish(1)
    columns = np.arange(len(tf), dtype=np.int32)
    lookup = _core.text.TextLookup(kernels.options_of(options), [], *arrays, columns)
    counted = kernels.as_csr(counter.to_csr("int64", None, len(tf), False, 1))
    found = kernels.as_csr(lookup.count(batch, 1).to_csr("int64", len(tf), False, 1))
    assert found == counted


@pytest.mark.parametrize("kind", ["word", "char", "char_wb"])
def test_many_documents_and_repeats(kind):
    texts = [f"w{i % 50} v{i % 7} shared shared " * (i % 40) for i in range(1500)]
    options = AnalyzerOptions(kind, max_n=2)
    terms, _ = reference.text_counter(texts[:60], options)
    vocabulary = {name: column for column, name in enumerate(reversed(terms.names))}
    twin = reference.text_lookup(texts, options, [], vocabulary)
    for dtype in ("int32", "int64", "float32", "float64"):
        for n_threads in (1, 4):
            ours = kernels.text_lookup(
                texts, options, [], vocabulary, dtype=dtype, n_threads=n_threads
            )
            assert ours == twin


def test_an_ngram_without_its_beginning_in_the_vocabulary():
    options = AnalyzerOptions(min_n=1, max_n=3)
    texts = ["aa bb cc dd", "bb cc", "aa bb", "cc"]
    for vocabulary in (
        {"aa bb cc": 0},
        {"bb cc": 1, "cc": 0},
        {"aa bb cc": 0, "bb cc dd": 1, "aa": 2},
        {"zz aa": 0, "aa zz": 1, "zz": 2},
    ):
        ours = kernels.text_lookup(texts, options, [], vocabulary)
        assert ours == reference.text_lookup(texts, options, [], vocabulary)


def test_a_term_of_the_vocabulary_that_is_a_stop_word_is_dropped():
    texts, options = ["to be or not", "to"], AnalyzerOptions(max_n=2)
    vocabulary = {"to": 0, "be": 1, "to be": 2, "be not": 3}
    ours = kernels.text_lookup(texts, options, ["to", "or"], vocabulary)
    assert ours == reference.text_lookup(texts, options, ["to", "or"], vocabulary)
    assert ours.indices == [1, 3]
