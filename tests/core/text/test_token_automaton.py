"""TokenAutomaton against its twin: any automaton at all, and those of expressions against `re`."""

import random
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.helpers import text_kernels as kernels
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.helpers.text_strategies import AWKWARD, LENGTHS, STOP_WORDS, corpora
from tests.reference.text import texts as reference
from tests.reference.text import tokens as twins
from tests.reference.text.texts import AnalyzerOptions
from tests.reference.text.tokens import TokenAutomaton

from quire import _core

SIMPLE = [r"\w+|[^\w\s]", r"\S+", r"[a-zA-Z]+", r"[A-Za-z']+", r"\d+|[^\W\d]+|[^\w\s]|\s"]
OTHERS = [
    r"\w+(?:'\w+)?",
    r"\w+(?:'\w+)?|[^\w\s]",
    r"#\w+|@\w+|\w+",
    r"\b\w{2,3}\b",
    r"[a-z]{3,}",
    r"\b[^\W\d_]{2,}\b",
    r"[a-z]+@[a-z]+",
    r"(?:ab|a)(?:c|bcd)",
    r"(\w)\w+",
]


@st.composite
def automata(draw):
    """Any tables within their bounds; letters, marks, spaces and the rest have some class."""
    n_classes, n_states = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    starts = sorted({0, *draw(st.lists(st.sampled_from([32, 33, 65, 97, 123, 300, 0x3A3, 70000])))})
    cells = n_states * (n_classes + 1)

    def numbers(below, n):
        return draw(st.lists(st.integers(0, below - 1), min_size=n, max_size=n))

    return TokenAutomaton(
        starts,
        numbers(n_classes, len(starts)),
        n_classes,
        numbers(n_states, cells),
        numbers(2, cells),
        numbers(n_states, n_classes + 1),
        *draw(st.sampled_from([(0, 0, 0)] * 4 + [(1, 0, 1), (1, 2, 0), (0, 0, 2)])),
    )


def assert_equal_to_twin(texts, options, stop_words=()):
    expected = reference.text_counter(texts, options, stop_words)
    assert kernels.text_counter(texts, options, stop_words) == expected
    vocabulary = {name: i for i, name in enumerate(reversed(expected[0].names[::2]))}
    arguments = texts, options, stop_words, vocabulary
    assert kernels.text_lookup(*arguments) == reference.text_lookup(*arguments)
    arguments = texts, options, stop_words, 1 << 20, True
    assert kernels.hash_documents(*arguments) == reference.hash_documents(*arguments)


@settings(max_examples=300)
@given(texts=corpora, automaton=automata())
def test_token_automaton(texts, automaton):
    for level in SIMD_LEVELS:
        with simd(level):
            assert_equal_to_twin(texts, AnalyzerOptions(lowercase=False, automaton=automaton))


@settings(max_examples=100)
@given(
    texts=corpora,
    pattern=st.sampled_from(SIMPLE + OTHERS),
    low=st.integers(1, 3),
    more=st.integers(0, 2),
    stop_words=st.lists(st.sampled_from(STOP_WORDS[:5]), max_size=3),
    accents=st.sampled_from([None, "unicode", "ascii"]),
)
@example(["a\x01 b \x01 a b", "a b a\x01"], r"\S+", 1, 2, [], None)
@example(["a b a\x00 b", "a\x00b a\x00"], r"\w+|[^\w\s]", 2, 1, [], None)
@example(["\ud800 a", "\ud800"], r"\S+", 2, 0, ["a"], None)
def test_ngrams_of_tokens(texts, pattern, low, more, stop_words, accents):
    if pattern.endswith(r"|\s"):
        more, low = 0, 1  # blanks are tokens: n-grams of them could be other tokens
    automaton = kernels.automaton_of(pattern)
    options = AnalyzerOptions("word", True, accents, 1, low, low + more, automaton)
    assert_equal_to_twin(texts, options, stop_words)


@pytest.mark.parametrize("pattern", SIMPLE + OTHERS)
def test_tokens_are_those_of_re(pattern):
    rng = random.Random(0)
    automaton = kernels.automaton_of(pattern)
    options = AnalyzerOptions(lowercase=False, automaton=automaton)
    for alphabet in ("ab1 '#@.", "aB\u00e9\u4e00_ \u0301'", AWKWARD):
        for length in (*LENGTHS, 1000):
            text = "".join(rng.choices(alphabet, k=length))
            assert automaton.tokens(text) == re.findall(pattern, text)
            for level in SIMD_LEVELS:
                with simd(level):
                    ours = kernels.text_counter([text], options)
                    assert ours == reference.text_counter([text], options)


@pytest.mark.parametrize("pattern", SIMPLE + OTHERS)
@pytest.mark.parametrize("letter", ["a", "\u00e9", "\u4e00", "."])
def test_long_runs_and_many_tokens(pattern, letter):
    automaton = kernels.automaton_of(pattern)
    options = AnalyzerOptions(automaton=automaton)
    texts = [letter * 5000, f"{letter} " * 700, f" {letter * 63}" * 40]
    assert kernels.text_counter(texts, options) == reference.text_counter(texts, options)


def test_tokens_of_several_threads():
    rng = random.Random(1)
    texts = ["".join(rng.choices("ab \x02c.", k=3000)) for _ in range(300)]
    options = AnalyzerOptions(max_n=3, automaton=kernels.automaton_of(r"\S+"))
    one = kernels.text_counter(texts, options)
    assert one == kernels.text_counter(texts, options, n_threads=4)
    assert one[0].names == sorted(one[0].names)


@pytest.mark.parametrize("name", twins.PATTERNS)
def test_character_set(name):
    bounds = _core.text.character_set(name)
    assert bounds.dtype == np.int32
    assert bounds.tolist() == twins.character_set(name)


def test_unknown_character_set():
    with pytest.raises(ValueError, match="no set of characters"):
        _core.text.character_set("letters")


SOUND = TokenAutomaton([0, 97], [0, 1], 2, [0] * 6 + [0, 1, 0], [0] * 6 + [1, 0, 1], [2, 2, 2])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_classes": 0}, "1 to 250 classes"),
        ({"n_classes": 251}, "1 to 250 classes"),
        ({"next": []}, "next must have a row"),
        ({"next": [0] * 8}, "next must have a row"),
        ({"next": [0] * 8 + [3]}, "next names a state"),
        ({"accepts": [0] * 8}, "accepts must be as large"),
        ({"first": [1, 1]}, "first must have a state"),
        ({"first": [1, 1, 3]}, "first names a state"),
        ({"starts": [], "classes": []}, "starts must begin with 0"),
        ({"starts": [1, 97]}, "starts must begin with 0"),
        ({"starts": [0]}, "starts must begin with 0"),
        ({"starts": [0, 0]}, "starts must rise"),
        ({"starts": [0, 0x110000]}, "starts must rise"),
        ({"classes": [0, 2]}, "of a class that there is not"),
    ],
)
def test_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        kernels.token_automaton(TokenAutomaton(**{**vars(SOUND), **changes}))
