"""Every code point through the kernels, against Python itself."""

import re

import pytest
from tests.helpers import text_kernels as kernels
from tests.helpers.text_strategies import N_CODE_POINTS, WHITE_SPACE
from tests.reference.text import texts as reference
from tests.reference.text.texts import AnalyzerOptions

BLOCK = 4096
# With n so large, the character n-grams of a word are the word itself: the whole text comes out,
# but for white space.
WHOLE = {"kind": "char_wb", "shortest_word": 1, "min_n": 10**6, "max_n": 10**6}
MODES = [(lower, accents) for lower in (False, True) for accents in (None, "unicode", "ascii")]


def code_points():
    """All code points in blocks, white space left out."""
    for start in range(0, N_CODE_POINTS, BLOCK):
        yield [chr(cp) for cp in range(start, start + BLOCK) if not chr(cp).isspace()]


def assert_texts_come_out(texts, lowercase, accents):
    options = AnalyzerOptions(lowercase=lowercase, accents=accents, **WHOLE)
    terms, _ = kernels.text_counter(texts, options)
    expected, _ = reference.text_counter(texts, options)
    for ours, theirs in zip(terms.names, expected.names, strict=True):
        assert ours == theirs
    assert terms == expected


@pytest.mark.parametrize(("lowercase", "accents"), MODES)
def test_case_and_accents_of_every_character(lowercase, accents):
    texts = ["+".join(block) for block in code_points()]
    assert_texts_come_out(texts, lowercase, accents)


@pytest.mark.parametrize(
    "context", ["{}\u03a3", "a{}\u03a3", "a\u03a3{}", "a\u03a3{}a", "\u03a3{}\u03a3", "a\u03a3'{}"]
)
def test_a_capital_sigma_beside_every_character(context):
    texts = ["+".join(map(context.format, block)) for block in code_points()]
    assert_texts_come_out(texts, True, None)


@pytest.mark.parametrize("lowercase", [False, True])
def test_word_characters(lowercase):
    texts = [" ".join(block) for block in code_points()]
    options = AnalyzerOptions(lowercase=lowercase, shortest_word=1)
    terms, X = kernels.text_counter(texts, options)
    expected, expected_X = reference.text_counter(texts, options)
    assert terms.names == expected.names
    assert (terms, X) == (expected, expected_X)
    if not lowercase:
        everything = "".join(map(chr, range(N_CODE_POINTS)))
        assert terms.names == re.findall(r"\w", everything)


def test_every_character_between_letters_splits_a_word_or_does_not():
    texts = [" ".join(f"x{c}y" for c in block) for block in code_points()]
    options = AnalyzerOptions(lowercase=False, shortest_word=1)
    assert kernels.text_counter(texts, options) == reference.text_counter(texts, options)


@pytest.mark.parametrize("kind", ["char", "char_wb"])
def test_white_space(kind):
    texts = [f"a{x}b{x}{y}c" for x in WHITE_SPACE for y in WHITE_SPACE]
    texts += [chr(cp) * 2 + "b" for cp in range(0x3100)]
    options = AnalyzerOptions(kind, min_n=1, max_n=3)
    assert kernels.text_counter(texts, options) == reference.text_counter(texts, options)


def test_every_character_stays_apart_in_the_vocabulary_and_in_order():
    everything = "".join(map(chr, range(N_CODE_POINTS)))
    options = AnalyzerOptions("char", lowercase=False)
    terms, X = kernels.text_counter([everything], options)
    expected = sorted(set(re.sub(r"\s\s+", " ", everything)))
    assert terms.names == expected
    assert len(X.data) == len(expected)
