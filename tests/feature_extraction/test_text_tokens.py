"""Kinds of tokens by name: the rules of Unicode for words, worked by hand, and the others."""

import itertools
import pickle
import re
import unicodedata
from random import Random

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.pipeline import make_pipeline
from tests.helpers.text_peers import CORPUS, assert_same_matrix, docstrings
from tests.helpers.text_strategies import AWKWARD

import quire
from quire._shared.locate import locate
from quire.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from quire.feature_extraction.text._characters import named
from quire.feature_extraction.text._tokens import KINDS
from quire.naive_bayes import MultinomialNB

CLASSES = [
    "letter", "hebrew", "katakana", "numeric", "connector", "extend", "alone", "mid_letter",
    "mid_number", "mid_both",
]  # fmt: skip
# Each case is one of the rules of UAX #29 (WB4 to WB999) or two of them together.
WORDS = {
    "": [],
    "two words": ["two", "words"],
    "e\u0301te\u0301 \u0301": ["e\u0301te\u0301"],  # WB4; a mark by itself is no word
    "soft\u00adhy\u200dphen": ["soft\u00adhy\u200dphen"],
    "can't can''t 'tis": ["can't", "can", "t", "tis"],  # WB6, WB7
    "can\u2019t e.g. a:b a.b.c": ["can\u2019t", "e.g", "a:b", "a.b.c"],
    "a,b a;b": ["a", "b", "a", "b"],
    "a.\u0308b": ["a.\u0308b"],
    "\u05e6\u05d4\"\u05dc \u05e9\u05d1' \"\u05d0\"": [  # WB7a to WB7c
        "\u05e6\u05d4\"\u05dc", "\u05e9\u05d1'", "\u05d0",
    ],
    'a"b': ["a", "b"],
    "42 a1 1a 3.14 1,000,000.5 1,,2 3.": [  # WB8 to WB12
        "42", "a1", "1a", "3.14", "1,000,000.5", "1", "2", "3",
    ],
    "a.1 1:2 1.a": ["a", "1", "1", "2", "1", "a"],
    "\u30ab\u30bf\u30ab\u30ca \u30abx": ["\u30ab\u30bf\u30ab\u30ca", "\u30ab", "x"],  # WB13
    "foo_bar _x_ __ 1_\u30ab": ["foo_bar", "_x_", "1_\u30ab"],  # WB13a, WB13b
    "\u65e5\u672c\u8a9e\u3067\u3059": ["\u65e5", "\u672c", "\u8a9e", "\u3067", "\u3059"],  # WB999
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u092e\u0947\u0902": [  # vowel signs and a virama
        "\u0939\u093f\u0928\u094d\u0926\u0940", "\u092e\u0947\u0902",
    ],
    "\u0ba4\u0bae\u0bbf\u0bb4\u0bcd": ["\u0ba4\u0bae\u0bbf\u0bb4\u0bcd"],
    "\u0e01\u0e34\u0e19": ["\u0e01\u0e34", "\u0e19"],
    "\ud55c\uad6d\uc5b4 \u0627\u0644\u0639": ["\ud55c\uad6d\uc5b4", "\u0627\u0644\u0639"],
    "\u00bd \u2603 - \U0001f600": [],
}  # fmt: skip
OTHERS = {
    "emoji": {
        "ok \U0001f600\U0001f600!": ["\U0001f600", "\U0001f600"],
        "\U0001f44d\U0001f3fd": ["\U0001f44d\U0001f3fd"],
        "\u2764\ufe0f": ["\u2764\ufe0f"],
        "\U0001f468\u200d\U0001f469\u200d\U0001f467": [
            "\U0001f468\u200d\U0001f469\u200d\U0001f467"
        ],
        "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7": [
            "\U0001f1e9\U0001f1ea",
            "\U0001f1eb\U0001f1f7",
        ],
        "1\ufe0f\u20e3 1": ["1\ufe0f\u20e3"],
    },
    "hashtags": {"#one, a#b ##two #\u0939\u093f #": ["#one", "#two", "#\u0939\u093f"]},
    "mentions": {"@me a@b.de (@you_2)": ["@me", "@you_2"]},
    "urls": {
        "see https://a.org/b?c=d. (HTTP://x.y/z) www.a.b, <http://q>": [
            "https://a.org/b?c=d", "HTTP://x.y/z", "www.a.b", "http://q",
        ],
        "http:// www. ftp://a": [],
    },
    "punctuation": {"a, b_c... 5%!": [",", "_", ".", ".", ".", "%", "!"]},
}  # fmt: skip
CASES = [("words", *case) for case in WORDS.items()] + [
    (kind, *case) for kind, cases in OTHERS.items() for case in cases.items()
]


def tokens_of(kinds, text):
    vectorizer = CountVectorizer(tokens=kinds, lowercase=False)
    assert vectorizer.engine_ == "native"
    analyze = vectorizer.build_analyzer()
    tokens = analyze(text)
    if tokens:
        X = vectorizer.fit_transform([text]).toarray()[0]
        names = vectorizer.get_feature_names_out().tolist()
        assert dict(zip(names, X.tolist(), strict=True)) == {t: tokens.count(t) for t in tokens}
    else:
        assert CountVectorizer(tokens=kinds, vocabulary=["x"]).transform([text]).nnz == 0
    return tokens


@pytest.mark.parametrize(("kinds", "text", "tokens"), CASES)
def test_tokens(kinds, text, tokens):
    assert tokens_of(kinds, text) == tokens


def test_kinds_together():
    text = "@me: #go https://x.org \u2603\ufe0f can't!"
    found = tokens_of("words+emoji+urls+hashtags+mentions+punctuation", text)
    assert found == ["@me", ":", "#go", "https://x.org", "\u2603\ufe0f", "can't", "!"]
    assert tokens_of("punctuation + words", "@me can't") == ["@", "me", "can't"]


@pytest.mark.parametrize("kinds", [*KINDS, "words+punctuation", "+".join(KINDS)])
def test_equal_to_the_pattern_in_python(kinds):
    ours = CountVectorizer(tokens=kinds)
    find = re.compile(ours.word_pattern()).findall
    theirs = SklearnCountVectorizer(tokenizer=find, token_pattern=None)
    random = Random(0)
    alphabets = AWKWARD, "ab1_ '.,:#@\u05d0\u30ab\u0301\u200d", "#\u20e3\ufe0f\U0001f468\u200d1a "
    drawn = ["".join(random.choices(alphabet, k=50)) for alphabet in alphabets for _ in range(100)]
    texts = [*CORPUS, *docstrings(), *drawn, "Go to http://a.b! #now @you \U0001f600"]
    assert_same_matrix(ours.fit_transform(texts), theirs.fit_transform(texts))
    assert ours.vocabulary_ == theirs.vocabulary_


def test_classes_of_characters_are_apart_and_of_their_categories():
    members = {}
    for name in CLASSES:
        pairs = zip(named(name)[::2], named(name)[1::2], strict=True)
        members[name] = {code for begin, end in pairs for code in range(begin, end)}
    for one, other in itertools.combinations(CLASSES, 2):
        assert not members[one] & members[other], (one, other)
    words = {code for code in range(0x110000) if re.match(r"\w", chr(code))}
    parts = set().union(*(members[name] for name in CLASSES[:7]))
    assert {unicodedata.category(chr(code)) for code in words - parts} == {"No"}
    marks = {code for code in range(0x110000) if unicodedata.category(chr(code))[0] == "M"}
    assert marks <= members["extend"]


@pytest.mark.parametrize("tokens", ["", "word", "words,emoji", "words+"])
@pytest.mark.parametrize("vectorizer", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
def test_unknown_kinds(vectorizer, tokens):
    with pytest.raises(ValueError, match="tokens must be some of emoji, hashtags"):
        vectorizer(tokens=tokens).fit_transform(["a b"])


def test_tokens_or_a_tokenizer():
    both = CountVectorizer(tokens="words", tokenizer=str.split, token_pattern=None)
    with pytest.raises(ValueError, match="either tokens or a tokenizer"):
        both.fit(["a b"])


def test_tokens_are_for_words_alone():
    texts = ["abc", "bcd"]
    assert_same_matrix(
        CountVectorizer(analyzer="char", tokens="words").fit_transform(texts),
        CountVectorizer(analyzer="char").fit_transform(texts),
    )


def test_saved_and_pickled(tmp_path):
    texts = ["can't #go", "won't #stay", "can't you", "#stay here"]
    model = make_pipeline(CountVectorizer(tokens="words+hashtags"), MultinomialNB())
    model.fit(texts, [0, 1, 0, 1])
    quire.save(model, tmp_path / "model.quire")
    for same in (quire.load(tmp_path / "model.quire"), pickle.loads(pickle.dumps(model))):
        assert same[0].tokens == "words+hashtags"
        np.testing.assert_array_equal(same.predict_proba(texts), model.predict_proba(texts))


def test_located():
    vectorizer = CountVectorizer(tokens="words+hashtags").fit(["can't #go", "#stay"])
    found = locate(vectorizer, "I can't #STAY", vectorizer.vocabulary_)
    assert found.terms == ["can't", "#stay"]
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == [(2, 7), (8, 13)]


def test_growing_and_merging():
    texts = docstrings()
    whole = CountVectorizer(tokens="words", ngram_range=(1, 2)).fit(texts)
    parts = [CountVectorizer(tokens="words", ngram_range=(1, 2)) for _ in range(2)]
    parts[0].partial_fit(texts[:100])
    parts[1].fit(texts[100:])
    assert parts[0].merge(parts[1]).vocabulary_ == whole.vocabulary_
    with pytest.raises(ValueError, match="tokens is None here and 'words' there"):
        CountVectorizer().fit(["aa bb"]).merge(parts[1])
