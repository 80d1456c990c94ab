"""The index of tokens against its twin: any text, any number of threads, wide gaps, bad calls."""

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.helpers.text_kernels import automaton_of, token_automaton
from tests.helpers.text_strategies import AWKWARD
from tests.reference.text.token_index import Index, index_tokens

from quire import _core

WORDS = r"\w+"
OTHERS = [r"\w+(?:'\w+)?", r"\w+|[^\w\s]", r"\S+"]
TEXTS = st.lists(st.one_of(st.text(max_size=40), st.sampled_from(AWKWARD)), max_size=6)


def kernel(texts, pattern=WORDS, n_threads=1):
    automaton = None if pattern == WORDS else token_automaton(automaton_of(pattern))
    options = _core.text.AnalyzerOptions("word", False, None, 1, 1, 1, automaton)
    documents = _core.text.Documents.from_list(list(texts))
    return _core.text.index_tokens(documents, options, n_threads)


def as_index(arrays) -> Index:
    words, offsets, forms, gaps, wide_tokens, wide_gaps, bounds = arrays
    text = words.tobytes()
    places = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    names = [text[begin:end].decode("utf-8", "surrogatepass") for begin, end in places]
    assert np.all((gaps == 255) == np.isin(np.arange(len(gaps)), wide_tokens))
    whole = gaps.astype(int)
    whole[wide_tokens] = wide_gaps
    return Index(names, forms.tolist(), whole.tolist(), bounds.tolist())


@given(TEXTS, st.sampled_from([WORDS, *OTHERS]), st.sampled_from([1, 4]))
@example(["", "a", ""], WORDS, 1)
@example(["ein \u0130stanbul, zwei", "\U0001f600 a\u0301 b"], WORDS, 4)
def test_it_is_the_twin(texts, pattern, n_threads):
    assert as_index(kernel(texts, pattern, n_threads)) == index_tokens(texts, pattern)


@pytest.mark.parametrize("gap", [254, 255, 256, 70_000])
def test_gaps_of_any_width(gap):
    texts = ["a" + " " * gap + "b c", " " * gap + "a"]
    assert as_index(kernel(texts)) == index_tokens(texts)


def many_texts():
    rng = np.random.default_rng(0)
    words = [f"w{n}" if n % 7 else f"Ä{n}-lang-und-länger" for n in range(3_000)]
    return [
        " ".join(words[n] for n in rng.integers(3_000, size=size))
        for size in rng.integers(400, size=900)
    ]


@pytest.mark.parametrize("level", SIMD_LEVELS)
def test_threads_and_instruction_sets_change_nothing(level):
    texts = many_texts()
    first = kernel(texts)
    with simd(level):
        for n_threads in (1, 2, 5):
            for one, other in zip(first, kernel(texts, n_threads=n_threads), strict=True):
                np.testing.assert_array_equal(one, other)
    assert as_index(first).forms == sorted(
        {word for text in texts for word in re.findall(WORDS, text)}
    )


def test_columns_of_arrow_are_lists_of_strings():
    texts = ["Eins zwei", "", "drei — vier " * 30]
    options = _core.text.AnalyzerOptions("word", False, None, 1, 1, 1)
    column = _core.text.Documents.from_arrow(pl.Series(texts))
    for one, other in zip(kernel(texts), _core.text.index_tokens(column, options, 2), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "arguments",
    [
        ("word", True, None, 1, 1, 1),
        ("word", False, "ascii", 1, 1, 1),
        ("char", False, None, 1, 1, 1),
        ("word", False, None, 1, 1, 1, None, ["not"]),
    ],
)
def test_what_changes_words_is_refused(arguments):
    documents = _core.text.Documents.from_list(["a b"])
    with pytest.raises(ValueError, match="as they are written"):
        _core.text.index_tokens(documents, _core.text.AnalyzerOptions(*arguments), 1)
