"""Where terms stand in a text: against the vectorizer's own analyzer, and on fixed examples."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.pipeline import make_pipeline

from quire._shared.locate import locate
from quire._shared.positions import mapped
from quire.feature_extraction.text import CountVectorizer, HashingVectorizer
from quire.inspection import explain
from quire.linear_model import Ridge

ALPHABET = "abcé E\u0301İΣσﬁ½ß😀\u200d\u0301\n\t <&'-_1Ⅷ가\u3000"
SETTINGS = [
    {},
    {"ngram_range": (1, 3), "stop_words": ["ab", "a"], "token_pattern": r"\w+"},
    {"strip_accents": "unicode", "ngram_range": (2, 2), "token_pattern": r"(?u)\b\w+\b"},
    {"strip_accents": "ascii", "token_pattern": r"\S(\S*)"},
    {"lowercase": False, "token_pattern": r"[^\s]+", "strip_accents": lambda text: text * 1},
    {"analyzer": "char", "ngram_range": (1, 3), "strip_accents": "unicode"},
    {"analyzer": "char", "ngram_range": (2, 4), "lowercase": False},
    {"analyzer": "char_wb", "ngram_range": (1, 4)},
    {"analyzer": "char_wb", "ngram_range": (3, 5), "strip_accents": "ascii"},
]


@pytest.mark.parametrize("number", range(len(SETTINGS)))
@settings(max_examples=60, deadline=None)
@given(text=st.text(st.sampled_from(ALPHABET) | st.characters(codec="utf-8"), max_size=40))
def test_occurrences_are_those_of_the_analyzer(number, text):
    vectorizer = SklearnCountVectorizer(**SETTINGS[number])
    terms = list(vectorizer.build_analyzer()(text))
    distinct = list(dict.fromkeys(terms))
    located = locate(vectorizer, text, {term: i for i, term in enumerate(distinct)})
    assert located is not None
    found = Counter(distinct[column] for column in located.column)
    assert found == Counter(terms)
    assert Counter(located.terms) == found
    assert (located.start <= located.end).all()
    assert ((located.start >= 0) & (located.end <= len(text))).all()
    # Every occurrence gives all of itself to words, and words come in the order of the text.
    given_away = np.bincount(located.covering, located.share, minlength=len(located.column))
    np.testing.assert_allclose(given_away, 1.0, atol=1e-12)
    assert (np.diff(located.word_start) >= 0).all()
    assert locate(vectorizer, text, {}).column.size == 0


@pytest.mark.parametrize("number", [0, 1, 2, 3])
@settings(max_examples=60, deadline=None)
@given(text=st.text(st.sampled_from(ALPHABET), max_size=30))
def test_what_is_marked_becomes_the_term(number, text):
    """Preprocessing a marked word by itself gives the term back, unless it cuts a character."""
    vectorizer = SklearnCountVectorizer(**{**SETTINGS[number], "ngram_range": (1, 1)})
    terms = list(dict.fromkeys(vectorizer.build_analyzer()(text)))
    located = locate(vectorizer, text, {term: i for i, term in enumerate(terms)})
    preprocess = vectorizer.build_preprocessor()
    for term, start, end in zip(located.terms, located.start, located.end, strict=True):
        marked = preprocess(text[start:end]).replace("ς", "σ")  # a sigma is final by its word
        assert term.replace("ς", "σ") in marked


def spans(vectorizer, text):
    terms = dict.fromkeys(vectorizer.build_analyzer()(text))
    located = locate(vectorizer, text, {term: i for i, term in enumerate(terms)})
    places = zip(located.terms, located.start.tolist(), located.end.tolist(), strict=True)
    return [(term, text[start:end]) for term, start, end in places]


def test_lower_case_and_accents_change_lengths():
    text = "İstanbul CAFE\u0301 ﬁne café"
    plain = CountVectorizer(strip_accents="unicode")
    assert spans(plain, text) == [
        ("istanbul", "İstanbul"),
        ("cafe", "CAFE\u0301"),
        ("fine", "ﬁne"),
        ("cafe", "café"),
    ]
    at = mapped(CountVectorizer(), "İx")
    assert at.text == "i\u0307x"
    assert at.start.tolist() == [0, 0, 1]
    assert at.end.tolist() == [1, 1, 2]


def test_emoji_and_their_joiners():
    family = "👨\u200d👩\u200d👧"
    vectorizer = CountVectorizer(token_pattern=r"\S+")
    assert spans(vectorizer, f"GOOD {family} film😀") == [
        ("good", "GOOD"),
        (family, family),
        ("film😀", "film😀"),
    ]


def test_ngrams_reach_over_stop_words():
    vectorizer = CountVectorizer(ngram_range=(2, 2), stop_words=["of", "the"])
    assert spans(vectorizer, "Lord of the Rings, again") == [
        ("lord rings", "Lord of the Rings"),
        ("rings again", "Rings, again"),
    ]


def test_runs_of_blanks_are_one_character():
    vectorizer = CountVectorizer(analyzer="char", ngram_range=(3, 3))
    assert spans(vectorizer, "a \n\n b") == [("a b", "a \n\n b")]


def test_edges_of_words():
    vectorizer = CountVectorizer(analyzer="char_wb", ngram_range=(3, 3))
    assert spans(vectorizer, "I am") == [(" i ", "I"), (" am", "am"), ("am ", "am")]


def fixed_model(vectorizer, texts, weights):
    """Return a regression with weights of our choice."""
    model = make_pipeline(vectorizer, Ridge()).fit(texts, np.arange(len(texts), dtype=float))
    names = model[0].get_feature_names_out()
    model[-1].coef_ = np.array([weights.get(name, 0.0) for name in names])
    model[-1].intercept_ = 0.5
    return model


def test_shares_of_overlapping_ngrams():
    model = fixed_model(
        CountVectorizer(ngram_range=(1, 2)),
        ["not good", "good film", "bad"],
        {"not good": -4.0, "good": 1.0, "good film": 2.0, "film": 0.25},
    )
    explanation = explain(model, "Not good film; the good ONE.")
    assert explanation.score == pytest.approx(0.5 - 4 + 2 * 1 + 2 + 0.25)
    shares = {(s.term, s.start): s.contribution for s in explanation.spans}
    assert shares == {
        ("not", 0): 0.0,
        ("not good", 0): -4.0,
        ("good", 4): 1.0,
        ("good film", 4): 2.0,
        ("film", 9): 0.25,
        ("good", 19): 1.0,
    }
    words = explanation.passages[0].words
    assert [(explanation.text[w.start : w.end], w.score, w.is_known) for w in words] == [
        ("Not", -2.0, True),
        ("good", -2.0 + 1.0 + 1.0, True),
        ("film", 1.25, True),
        ("the", 0.0, False),
        ("good", 1.0, True),
        ("ONE", 0.0, False),
    ]
    assert (explanation.n_words, explanation.n_unknown) == (6, 2)


def test_binary_counts_are_split_too():
    model = fixed_model(CountVectorizer(binary=True), ["good", "bad"], {"good": 3.0})
    explanation = explain(model, "good good good")
    assert [span.contribution for span in explanation.spans] == [1.0, 1.0, 1.0]


def test_hashed_columns_are_named_by_the_text():
    texts = ["good film", "bad plot", "dull cast"]
    wide = make_pipeline(HashingVectorizer(n_features=2**16), Ridge()).fit(texts, [1.0, 2.0, 3.0])
    explanation = explain(wide, "A good plot")
    assert {"good", "plot"} == {term.term for term in explanation.terms}
    assert {(s.term, s.start, s.end) for s in explanation.spans} == {
        ("good", 2, 6),
        ("plot", 7, 11),
    }
    narrow = make_pipeline(HashingVectorizer(n_features=1, norm=None), Ridge())
    narrow.fit(texts, [1.0, 2.0, 3.0])
    assert [term.term for term in explain(narrow, "good plot twist").terms] == [
        "good or plot or twist"
    ]


def test_a_text_of_blanks():
    model = fixed_model(
        CountVectorizer(analyzer="char", ngram_range=(1, 1)), ["a b", "c d"], {" ": 2.0}
    )
    explanation = explain(model, "  ")
    assert explanation.score == 2.5
    assert sum(word.score for word in explanation.passages[0].words) == 2.0


def test_words_do_not_overlap_where_one_character_is_two():
    vectorizer = CountVectorizer(strip_accents="unicode", token_pattern=r"\d+")
    model = fixed_model(vectorizer, ["1 2", "3"], {"1": 1.0, "2": 2.0})
    html = explain(model, "x½y").to_html()
    assert re.sub(r"<[^>]*>", "", html.split("</style>")[1]).count("½") == 1


def test_a_document_read_from_a_file(tmp_path):
    path = tmp_path / "one.txt"
    path.write_text("A Good film", encoding="utf-8")
    model = make_pipeline(CountVectorizer(input="filename"), Ridge())
    model.fit([str(path), str(path)], [1.0, 2.0])
    explanation = explain(model, str(path))
    assert explanation.text == "A Good film"
    assert [span.start for span in explanation.spans] == [2, 7]
    bytes_model = make_pipeline(CountVectorizer(), Ridge()).fit(["good film", "bad"], [1.0, 2.0])
    assert explain(bytes_model, "Good caf\u00e9".encode()).text == "Good caf\u00e9"
