"""Stems in the place of words: against a tokenizer that stems, and in all that vectorizers do."""

import pickle
import sys
from collections import Counter

import numpy as np
import pytest
import snowballstemmer
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.feature_extraction.text import HashingVectorizer as SklearnHashingVectorizer
from sklearn.pipeline import make_pipeline
from tests.helpers.text_peers import assert_same_matrix, docstrings

import quire
from quire._shared.locate import locate
from quire.feature_extraction.text import (
    CountedDocuments,
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
    count_by_class,
)
from quire.naive_bayes import MultinomialNB

TEXTS = ["The cats were running", "a cat runs, the dogs run", "", "Running dogs", "the cat"]


def first_three(word):
    return word[:3]


class Stemming(SklearnCountVectorizer):
    """scikit-learn's, with a method between stop words and n-grams."""

    def _word_ngrams(self, tokens, stop_words=None):
        stem = snowballstemmer.stemmer("english").stemWord
        tokens = [stem(token) for token in tokens if token not in (stop_words or ())]
        return super()._word_ngrams(tokens)


PARAMETERS = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3), "stop_words": ["the"]},
    {"min_df": 2, "max_features": 3},
    {"binary": True, "max_df": 0.6},
    {"dtype": np.int8, "max_features": 2},
    {"vocabulary": ["cat", "run", "zebra"]},
]


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("python", [False, True])
def test_equal_to_stems_of_tokens(parameters, python):
    theirs = Stemming(**parameters)
    own = {"tokenizer": theirs.build_tokenizer(), "token_pattern": None} if python else {}
    ours = CountVectorizer(**parameters, **own, stemmer="english")
    assert (ours.engine_ == "native") == (not python)
    assert_same_matrix(ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS))
    assert ours.vocabulary_ == theirs.vocabulary_
    others = [*TEXTS, "runner runs", "catting zebras"]
    assert_same_matrix(ours.transform(others), theirs.transform(others))
    assert_same_matrix(ours.fit(TEXTS).transform(others), theirs.transform(others))
    assert_same_matrix(ours.transform(others[:1]), theirs.transform(others[:1]))


def test_many_documents():
    theirs = Stemming(ngram_range=(1, 2)).fit(docstrings())
    for n_jobs in (1, 4):
        ours = CountVectorizer(ngram_range=(1, 2), stemmer="english", n_jobs=n_jobs)
        assert_same_matrix(ours.fit_transform(docstrings()), theirs.transform(docstrings()))
        assert ours.vocabulary_ == theirs.vocabulary_


def test_each_distinct_word_is_stemmed_once():
    met = Counter()

    def stem(word):
        met[word] += 1
        return word[:2]

    CountVectorizer(stemmer=stem, ngram_range=(1, 3)).fit(["one two two", "two three one"] * 50)
    assert met == {"one": 1, "two": 1, "three": 1}


def test_tfidf():
    ours = TfidfVectorizer(stemmer="english", sublinear_tf=True)
    X = ours.fit_transform(TEXTS)
    counted = Stemming().fit_transform(TEXTS)
    df = np.bincount(counted.indices)
    np.testing.assert_allclose(ours.idf_, np.log((1 + 5) / (1 + df)) + 1)
    assert_same_matrix(ours.transform(TEXTS), X, n_roundings=4)
    assert X.nnz == counted.nnz


def test_hashing():
    ours = HashingVectorizer(n_features=64, stemmer=first_three, norm=None, ngram_range=(1, 2))
    assert ours.engine_ == "python: stems are hashed one by one"
    words = [[word[:3] for word in SklearnCountVectorizer().build_analyzer()(t)] for t in TEXTS]
    theirs = SklearnHashingVectorizer(n_features=64, norm=None, ngram_range=(1, 2))
    X, expected = ours.transform(TEXTS), theirs.transform([" ".join(text) for text in words])
    np.testing.assert_array_equal(X.toarray(), expected.toarray())


def test_counted_documents():
    vectorizer = CountVectorizer(stemmer="english", ngram_range=(1, 2))
    counted = CountedDocuments(TEXTS, vectorizer)
    fresh = TfidfVectorizer(stemmer="english", ngram_range=(1, 2), min_df=2)
    assert_same_matrix(
        fresh.fit_transform(counted[[0, 1, 3]]), fresh.fit_transform([TEXTS[i] for i in (0, 1, 3)])
    )
    assert_same_matrix(fresh.transform(counted), fresh.transform(TEXTS))
    assert not counted._serves(CountVectorizer(ngram_range=(1, 2)))


def test_growing_and_merging():
    whole = CountVectorizer(stemmer="english", min_df=2).fit(TEXTS)
    grown = CountVectorizer(stemmer="english", min_df=2)
    for text in TEXTS:
        grown.partial_fit([text])
    merged = CountVectorizer(stemmer="english", min_df=1).fit(TEXTS[:2])
    merged.set_params(min_df=2).merge(CountVectorizer(stemmer="english").fit(TEXTS[2:]))
    assert whole.vocabulary_ == grown.vocabulary_ == merged.vocabulary_


def test_counts_by_class():
    y = [0, 1, 0, 1, 0]
    for threshold in (None, 0.0):
        vectorizer = CountVectorizer(stemmer="english", ngram_range=(1, 2), min_df=2)
        counts = count_by_class(vectorizer, TEXTS, y, threshold=threshold)
        X = vectorizer.transform(TEXTS).toarray()
        X = X > 0 if threshold is not None else X
        np.testing.assert_array_equal(counts.feature_count, [X[0::2].sum(0), X[1::2].sum(0)])


def test_saved_pickled_and_located(tmp_path):
    model = make_pipeline(CountVectorizer(stemmer="english"), MultinomialNB())
    model.fit(TEXTS, [0, 1, 0, 1, 0])
    quire.save(model, tmp_path / "model.quire")
    for same in (quire.load(tmp_path / "model.quire"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(same.predict_proba(TEXTS), model.predict_proba(TEXTS))
    found = locate(model[0], "Two cats RUNNING", model[0].vocabulary_)
    assert found.terms == ["cat", "run"]
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == [(4, 8), (9, 16)]


def test_characters_are_not_stemmed():
    assert_same_matrix(
        CountVectorizer(analyzer="char", stemmer="english").fit_transform(TEXTS),
        CountVectorizer(analyzer="char").fit_transform(TEXTS),
    )


def test_no_words_at_all():
    given = CountVectorizer(stemmer="english", vocabulary=["cat"])
    assert given.fit_transform(["", "."]).toarray().tolist() == [[0], [0]]
    with pytest.raises(ValueError, match="empty vocabulary"):
        CountVectorizer(stemmer="english").fit(["", "."])


@pytest.mark.parametrize("vectorizer", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
def test_unknown_languages(vectorizer):
    with pytest.raises(ValueError, match=r"there is no stemmer 'klingon'. There are arabic,"):
        vectorizer(stemmer="klingon").fit_transform(TEXTS)


@pytest.mark.parametrize("stem", ["", "a b", None, 3])
def test_stems_that_are_none(stem):
    with pytest.raises(ValueError, match=r"the stemmer made .* of 'cats'"):
        CountVectorizer(stemmer=lambda word: stem if word == "cats" else word).fit(TEXTS)


def test_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(ValueError, match=r"pip install quire\[stem\]"):
        CountVectorizer(stemmer="english").fit(TEXTS)
