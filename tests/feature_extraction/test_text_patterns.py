"""Token patterns that run in compiled code: the tokens of `re`, and which patterns these are."""

import re
from random import Random

import numpy as np
import pytest
from fuzz.patterns import random_pattern
from tests.helpers import text_kernels as kernels
from tests.helpers.text_peers import CORPUS, assert_same_fit, docstrings
from tests.helpers.text_strategies import AWKWARD

from quire.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from quire.feature_extraction.text._automaton import compiled
from quire.feature_extraction.text._characters import asked, complement, named, union

NATIVE = [
    r"\w+|[^\w\s]",
    r"(?u)\b\w+\b",
    r"[a-zA-Z]+",
    r"\S+",
    r"[A-Za-z']+",
    r"\w+(?:'\w+)?",
    r"#\w+|@\w+|\w+",
    r"(?i)[a-z]{2,}",
    r"(?a)\w+",
    r"\b[^\W\d_]{3,15}\b",
    r"\d+(?:[.,]\d+)*|\w+",
    r"#(\w+)",
    r"(\w)\w+",
    r"\w+?\b",
    r"https?://\S+|\w+",
    "[\U0001f300-\U0001faff]|\\w+",
]
PYTHON = [
    (None, "token_pattern is no str"),
    (r"\w{0,}", "token_pattern has empty tokens"),
    (r"\w+(?=s)", r"token_pattern has '(?=' in it"),
    (r"^\w+", r"token_pattern has '^\\w' in it"),
    (r"(\w)\1", r"token_pattern has '\\1' in it"),
    (r"\w++", r"token_pattern has '++' in it"),
    (r"(?:a*)+b", r"token_pattern has '+b' in it"),
    (r"(\w+)-(\w+)", "token_pattern has groups inside others, or several"),
    (r"(?:x(\w)|y)", "token_pattern has groups inside others, or several"),
    (r"\w*(a+)\w*", "token_pattern has a group whose place varies"),
    (r"#(\w*)", "token_pattern has a group that can be empty"),
    (r"(?x)\w +", "token_pattern has the flag x"),
    (r"\w{9,8}", "token_pattern is no regular expression"),
    (r"(?:\w{50}x){50}", "token_pattern is too large"),
    (r"(?:a|b)*a(?:a|b){12}", "token_pattern is too large"),
    (r"\w{1,9999999}", "token_pattern repeats too often"),
]


@pytest.mark.parametrize("pattern", NATIVE)
@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"])
def test_equal_to_scikit_learn(name, pattern):
    parameters = {"token_pattern": pattern, "ngram_range": (1, 2)}
    fitted = assert_same_fit(name, parameters, [*CORPUS, *docstrings()])
    assert fitted.engine_ == "native"


@pytest.mark.parametrize(("pattern", "reason"), PYTHON)
@pytest.mark.parametrize("vectorizer", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
def test_patterns_for_python(vectorizer, pattern, reason):
    assert vectorizer(token_pattern=pattern).engine_ == f"python: {reason}"


def test_patterns_for_python_give_what_scikit_learn_gives():
    for pattern in (r"\w+(?=s)", r"(?:a|b)*a(?:a|b){12}", r"(?:a*)+b", r"\w*(a+)\w*"):
        assert_same_fit("CountVectorizer", {"token_pattern": pattern}, docstrings())
    for pattern in (r"\w{9,8}", "(", r"(\w)(\w)"):
        assert_same_fit("CountVectorizer", {"token_pattern": pattern}, CORPUS)


def test_tokens_with_blanks():
    pattern = r"\w+ \w+"
    assert_same_fit("CountVectorizer", {"token_pattern": pattern}, CORPUS)
    assert CountVectorizer(token_pattern=pattern).engine_ == "native"
    given = CountVectorizer(token_pattern=pattern, vocabulary=["this is", "is the"])
    X = given.fit_transform(CORPUS[:3]).toarray()
    np.testing.assert_array_equal(X, [[1, 0], [0, 1], [0, 1]])
    # Here "a b" is a token, and the pair of "a" and "b" as well.
    pairs = CountVectorizer(token_pattern=r"\w \w|\w", ngram_range=(1, 2))
    assert pairs.engine_.startswith("python: token_pattern takes blanks into words")
    parameters = {"token_pattern": pairs.token_pattern, "ngram_range": (1, 2)}
    assert_same_fit("CountVectorizer", parameters, ["a b a", "a. b"])


def test_stop_words_that_have_no_utf8_form():
    parameters = {"token_pattern": r"\S+", "stop_words": ["\ud800", "is"]}
    assert CountVectorizer(**parameters).engine_ == "python: stop_words hold what has no UTF-8 form"
    assert_same_fit("CountVectorizer", parameters, ["this is \ud800 it"])
    assert CountVectorizer(stop_words=["\ud800"]).engine_ == "native"


def test_surrogates_cannot_be_hashed():
    with pytest.raises(UnicodeEncodeError, match="document 1"):
        HashingVectorizer(token_pattern=r"\S+").transform(["fine", "not \ud800 this"])


def texts_for(random):
    alphabets = ("ab_'#@- .A1", "a\u00e9\u0301\u4e00 '\nB", AWKWARD)
    lengths = (0, 1, 3, 10, 40)
    return ["".join(random.choices(random.choice(alphabets), k=k)) for k in lengths for _ in "12"]


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("seed", range(4))
def test_random_patterns(seed):
    random = Random(seed)
    n_native = 0
    for _ in range(80):
        pattern = random_pattern(random)
        if isinstance(compiled(pattern), str):
            continue
        n_native += 1
        automaton = kernels.automaton_of(pattern)
        for text in texts_for(random):
            assert automaton.tokens(text) == re.findall(pattern, text), (pattern, text)
    assert n_native > 25


@pytest.mark.parametrize(
    "pattern",
    [r"(?:a|ab)*c|b", r"(?:\w|_)+?x", r"(?:a+b?)+|.", r"(?:(?:ab)*c)*d", r"(?:\b\w|'){2,}"],
)
def test_repeated_alternatives(pattern):
    random = Random(0)
    automaton = kernels.automaton_of(pattern)
    for _ in range(300):
        text = "".join(random.choices("aabbcdx_' ", k=random.randrange(12)))
        assert automaton.tokens(text) == re.findall(pattern, text)


@pytest.mark.parametrize("name", ["word", "space", "digit"])
def test_named_sets_are_those_of_re(name):
    assert named(name) == asked(rf"\{name[0]}", 0)


def test_sets_of_characters():
    assert complement(()) == (0, 0x110000)
    assert complement((0, 0x110000)) == ()
    assert complement((0, 5, 7, 9)) == (5, 7, 9, 0x110000)
    assert complement((3, 0x110000)) == (0, 3)
    assert union([(3, 5, 9, 10), (4, 6), (6, 7)]) == (3, 7, 9, 10)


def test_a_hostile_text_takes_time_by_its_length():
    """A matcher that goes back would try as many ways as there are subsets of the letters."""
    vectorizer = CountVectorizer(token_pattern=r"(?:\w+\w+)+#|x")
    assert vectorizer.engine_ == "native"
    assert vectorizer.fit(["a" * 100_000 + " x"]).get_feature_names_out().tolist() == ["x"]


def test_saved_and_grown_with_a_pattern():
    parameters = {"token_pattern": r"\w+|[^\w\s]", "ngram_range": (1, 3)}
    whole = CountVectorizer(**parameters).fit(docstrings())
    grown = CountVectorizer(**parameters).partial_fit(docstrings()[:200])
    other = CountVectorizer(**parameters).fit(docstrings()[200:])
    assert grown.merge(other).vocabulary_ == whole.vocabulary_
