"""Marks of words behind a negation against their twin."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers import text_kernels as kernels
from tests.helpers.text_strategies import AWKWARD, corpora
from tests.reference.text import texts as reference
from tests.reference.text.negation import ENDS
from tests.reference.text.texts import AnalyzerOptions

NEGATIONS = ("not", "no", "never ever so", "nowhere to be seen", "")
PIECES = [
    *"abn t'\u2019\"#_-\n", *ENDS, "not", "no", "don't", "DON\u2019T", "n't", "isn'to", "can 't",
    "nowhere", "good", "3.5", "\u00e9t\u00e9", "\u4e00", "\U0001f600", "x" * 20, "won't",
]  # fmt: skip
PATTERNS = [None, r"\w+|[^\w\s]", r"[\w'\u2019]+", r"\S+", r"\w+(?:['\u2019]\w+)?", r"#(\w+)"]


def options_with(pattern, **others):
    automaton = None if pattern is None else kernels.automaton_of(pattern)
    return AnalyzerOptions(automaton=automaton, negations=NEGATIONS, **others)


def assert_equal_to_twin(texts, options, stop_words=()):
    expected = reference.text_counter(texts, options, stop_words)
    assert kernels.text_counter(texts, options, stop_words) == expected
    vocabulary = {name: i for i, name in enumerate(reversed(expected[0].names[::2]))}
    arguments = texts, options, stop_words, vocabulary
    assert kernels.text_lookup(*arguments) == reference.text_lookup(*arguments)
    arguments = texts, options, stop_words, 1 << 20, True
    assert kernels.hash_documents(*arguments) == reference.hash_documents(*arguments)


@settings(max_examples=200)
@given(
    texts=st.one_of(
        corpora, st.lists(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), max_size=4),
        st.lists(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join), max_size=4),
    ),
    pattern=st.sampled_from(PATTERNS[:-1]),
    max_n=st.integers(1, 3),
    shortest_word=st.integers(1, 2),
    lowercase=st.booleans(),
)  # fmt: skip
def test_negation(texts, pattern, max_n, shortest_word, lowercase):
    options = options_with(pattern, max_n=max_n, shortest_word=shortest_word, lowercase=lowercase)
    assert_equal_to_twin(texts, options, ["good", "not_good"])


@pytest.mark.parametrize("pattern", PATTERNS)
def test_long_texts(pattern):
    rng = random.Random(0)
    texts = ["".join(rng.choices([*PIECES, " ", " "], k=k)) for k in (300, 3000)]
    texts.append("".join(rng.choices([*AWKWARD, "not ", "n't"], k=2000)))
    assert_equal_to_twin(texts, options_with(pattern))
    assert_equal_to_twin(texts, AnalyzerOptions(negations=()))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("not good at all. fine", ["fine", "not", "not_all", "not_at", "not_good"]),
        ("it isn't bad, is it", ["is", "isn", "it", "not_bad"]),
        ("NO way (really)", ["no", "not_way", "really"]),
        ("not; so", ["not", "so"]),
    ],
)
def test_marks(text, terms):
    assert kernels.text_counter([text], options_with(None))[0].names == terms
