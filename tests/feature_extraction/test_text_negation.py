"""Marks behind negations in vectorizers: the kernels, Python and what is saved agree."""

import pickle
from random import Random

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.pipeline import make_pipeline
from tests.helpers.text_peers import assert_same_matrix, docstrings

import quire
from quire._shared.locate import locate
from quire.feature_extraction.text import (
    CountedDocuments,
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
)
from quire.naive_bayes import MultinomialNB

TEXTS = [
    "This is not a good film. It is bad!",
    "I don't like it, but I can't stop",
    "NO, never again (nobody cares)",
    "A good film",
    "",
]
SETTINGS = [
    {},
    {"stop_words": ["is", "a", "it"]},
    {"stop_words": "english", "ngram_range": (1, 2)},
    {"lowercase": False},
    {"tokens": "words+punctuation"},
    {"token_pattern": r"[\w']+", "ngram_range": (2, 3)},
    {"stemmer": "english", "stop_words": ["a"]},
    {"stemmer": str.upper, "ngram_range": (1, 2), "tokens": "words"},
    {"token_pattern": r"\w+(?=\W|$)"},
    {"negation": ["good", "stop"]},
    {"vocabulary": ["not_good", "bad", "not_like"]},
]


@pytest.mark.parametrize("parameters", SETTINGS)
def test_kernels_and_python_agree(parameters):
    ours = CountVectorizer(**{"negation": "english", **parameters})
    random = Random(0)
    words = "not no don't good bad , . is it a can't cares CARE Nobody".split()
    drawn = [" ".join(random.choices(words, k=12)) for _ in range(100)]
    texts = [*TEXTS, *docstrings()[:50], *drawn]
    analyze = ours.build_analyzer()
    theirs = SklearnCountVectorizer(analyzer=analyze, vocabulary=parameters.get("vocabulary"))
    assert_same_matrix(ours.fit_transform(texts), theirs.fit_transform(texts))
    assert ours.vocabulary_ == theirs.vocabulary_
    assert_same_matrix(ours.transform(TEXTS), theirs.transform(TEXTS))
    assert ours.engine_ == "native" or "(?=" in parameters["token_pattern"]
    hashed = HashingVectorizer(
        **{"negation": "english", **{k: v for k, v in parameters.items() if k != "vocabulary"}}
    )
    assert hashed.transform(TEXTS).nnz >= 4


def test_marks():
    analyze = CountVectorizer(negation="english").build_analyzer()
    assert analyze(TEXTS[0]) == ["this", "is", "not", "not_good", "not_film", "it", "is", "bad"]
    assert analyze(TEXTS[1]) == ["don", "not_like", "not_it", "but", "can", "not_stop"]
    assert analyze(TEXTS[2]) == ["no", "never", "not_again", "nobody", "not_cares"]
    vectorizer = CountVectorizer(negation="english", stop_words=["it", "not"], stemmer="english")
    assert vectorizer.build_analyzer()("not it liked") == ["not_like"]


def test_weights_counted_documents_and_merging():
    vectorizer = TfidfVectorizer(negation="english")
    counted = CountedDocuments(TEXTS, CountVectorizer(negation="english"))
    assert_same_matrix(vectorizer.fit_transform(counted), vectorizer.fit_transform(TEXTS))
    assert not counted._serves(CountVectorizer())
    merged = CountVectorizer(negation="english").fit(TEXTS[:2])
    merged.merge(CountVectorizer(negation="english").fit(TEXTS[2:]))
    assert merged.vocabulary_ == vectorizer.vocabulary_


@pytest.mark.parametrize("negation", ["english", ["not", "t"]])
def test_saved_and_pickled(tmp_path, negation):
    model = make_pipeline(CountVectorizer(negation=negation), MultinomialNB())
    model.fit(TEXTS, [0, 0, 0, 1, 1])
    quire.save(model, tmp_path / "model.quire")
    for same in (quire.load(tmp_path / "model.quire"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(same.predict_proba(TEXTS), model.predict_proba(TEXTS))


def test_located():
    vectorizer = CountVectorizer(negation="english", stop_words=["is"]).fit(TEXTS)
    found = locate(vectorizer, "Is not is GOOD", vectorizer.vocabulary_)
    assert found.terms == ["not", "not_good"]
    assert found.start.tolist() == [3, 10]


@pytest.mark.parametrize("vectorizer", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
def test_refused(vectorizer):
    with pytest.raises(ValueError, match="no negating words of 'german'"):
        vectorizer(negation="german").fit_transform(TEXTS)
    both = vectorizer(negation="english", tokenizer=str.split, token_pattern=None)
    with pytest.raises(ValueError, match="either negation or a tokenizer"):
        both.fit_transform(TEXTS)
    two = vectorizer(negation="english", token_pattern=r"(\w)(\w)")
    with pytest.raises(ValueError, match="More than 1 capturing group"):
        two.fit_transform(TEXTS)
