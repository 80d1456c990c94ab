"""A fitted vocabulary that is asked about a few documents makes no table of all of its terms."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.feature_extraction.text import CountVectorizer
from quire.feature_extraction.text._vocabulary import Vocabulary

WORDS = [
    "film",
    "good",
    "not",
    "naïve",
    "İstanbul",
    "ﬁne",
    "🎈",
    "e\u0301",
    "a",
    "the",
    "don't",
    "x1",
]
documents = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), max_size=4)
SETTINGS = {
    "words": {},
    "pairs": {"ngram_range": (1, 2)},
    "pairs alone": {"ngram_range": (2, 3)},
    "stop words": {"ngram_range": (1, 2), "stop_words": ["the", "not"]},
    "letters": {"token_pattern": r"(?u)\S+", "lowercase": False},
    "characters": {"analyzer": "char", "ngram_range": (1, 3)},
    "inside words": {"analyzer": "char_wb", "ngram_range": (2, 4), "strip_accents": "unicode"},
}
LEARNED = [" ".join(WORDS), " ".join(reversed(WORDS)), "good good film", "the film not the good"]


@pytest.fixture
def short_table(monkeypatch):
    """As if four terms were many; what was asked is kept."""
    module = "quire.feature_extraction.text._vocabulary"
    monkeypatch.setattr(f"{module}._MANY_TERMS", 4)
    asked = []
    whole = Vocabulary.lookup
    monkeypatch.setattr(Vocabulary, "lookup", lambda *args: asked.append(1) or whole(*args))
    return asked


@pytest.mark.parametrize("name", SETTINGS)
def test_a_short_table_counts_as_the_whole_one(name):
    fitted = CountVectorizer(**SETTINGS[name]).fit(LEARNED)

    @given(documents)
    @settings(max_examples=60, deadline=None)
    def check(texts):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("quire.feature_extraction.text._vocabulary._MANY_TERMS", 4)
            short = copy.deepcopy(fitted).transform(texts)
        whole = copy.deepcopy(fitted).transform(texts)
        for one in ("indptr", "indices", "data"):
            assert getattr(short, one).tolist() == getattr(whole, one).tolist()
            assert getattr(short, one).dtype == getattr(whole, one).dtype
        assert short.shape == whole.shape

    check()


def test_the_whole_table_is_made_when_more_is_asked(short_table):
    fitted = pickle.loads(pickle.dumps(CountVectorizer().fit(LEARNED)))
    first = fitted.transform(["good film"])
    assert short_table == []
    assert (fitted.transform(["good film"]) != first).nnz == 0
    assert short_table == [1]


def test_many_documents_or_words_need_the_whole_table(short_table, monkeypatch):
    CountVectorizer().fit(LEARNED).transform(["good film"] * 5)
    assert short_table == [1]
    monkeypatch.setattr("quire.feature_extraction.text._vocabulary._FEW_WORDS", 2)
    CountVectorizer().fit(LEARNED).transform(["good film not"])
    assert short_table == [1, 1]


def test_a_vocabulary_that_was_edited_is_followed(short_table):
    fitted = CountVectorizer().fit(LEARNED)
    fitted.vocabulary_["new"] = len(fitted.vocabulary_)
    assert fitted.transform(["new film"]).nnz == 2


@pytest.mark.parametrize(
    ("attribute", "change"),
    [
        ("word_offsets", lambda a: a[::-1].copy()),
        ("word_offsets", lambda a: a + 1),
        ("word_offsets", lambda a: np.zeros_like(a)),
        ("grams", lambda a: np.where(a >= 0, a + 100, a)),
        ("grams", lambda a: a - 5),
        ("grams", lambda a: a[:-1].copy()),
        ("words", lambda a: a[:3].copy()),
    ],
)
def test_arrays_that_are_not_sound_are_refused_by_the_kernel(attribute, change, short_table):
    fitted = CountVectorizer(ngram_range=(1, 2)).fit(LEARNED)
    terms = fitted._vocabulary._terms
    object.__setattr__(terms, attribute, change(getattr(terms, attribute)))
    fitted._vocabulary._lookup = None
    with pytest.raises(ValueError, match=r"word|gram"):
        fitted.transform(["good film"])
    assert short_table == [1]


@pytest.mark.parametrize("name", SETTINGS)
def test_some_names_are_those_of_all(name):
    fitted = CountVectorizer(**SETTINGS[name]).fit(LEARNED)
    names = fitted.get_feature_names_out()
    again = pickle.loads(pickle.dumps(fitted))._vocabulary
    chosen = np.array([len(names) - 1, 0, 2, 2])
    assert again._mapping is None
    assert again.names_at(chosen).tolist() == names[chosen].tolist()
    assert again.names.tolist() == names.tolist()
    assert list(again.mapping) == names.tolist()
