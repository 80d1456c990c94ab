"""top_evidence: the strongest terms of fitted models."""

import numpy as np
import pytest
from sklearn import linear_model as sk_linear
from sklearn import naive_bayes as sk_bayes
from sklearn.pipeline import make_pipeline

from quire.feature_extraction.select import SelectTerms
from quire.feature_extraction.text import CountVectorizer, HashingVectorizer
from quire.inspection import top_evidence
from quire.linear_model import LogisticRegression, OrdinalRegression, Ridge
from quire.naive_bayes import MultinomialNB

WORDS = "good fine warm dull awful long film plot cast scene story the and it".split()


def corpus(n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    texts = []
    for code in y:
        p = np.ones(len(WORDS))
        p[2 * code : 2 * code + 2] += 4
        texts.append(" ".join(rng.choice(WORDS, size=8, p=p / p.sum())))
    return texts, y


def test_top_evidence():
    texts, y = corpus()
    for classifier in (MultinomialNB(), sk_bayes.MultinomialNB(), sk_linear.LogisticRegression()):
        model = make_pipeline(CountVectorizer(), SelectTerms(k=9), classifier).fit(texts, y)
        found = top_evidence(model, 2)
        assert {term.term for term in found[0]} == {"good", "fine"}
        assert {term.term for term in found[2]} == {"awful", "long"}
    hashed = make_pipeline(HashingVectorizer(n_features=16), LogisticRegression()).fit(texts, y)
    assert all(isinstance(term.term, int) for term in top_evidence(hashed)[0])
    regression = make_pipeline(CountVectorizer(), Ridge()).fit(texts, y.astype(float))
    ends = top_evidence(regression, 2)
    assert {term.term for term in ends["higher"]} <= {"awful", "long"}
    assert all(term.weight < 0 for term in ends["lower"])
    with pytest.raises(ValueError, match="n_terms"):
        top_evidence(regression, -1)


def test_ordered_classes_have_two_ends():
    texts, y = corpus()
    model = make_pipeline(CountVectorizer(), OrdinalRegression()).fit(texts, y)
    ends = top_evidence(model, 2)
    assert {term.term for term in ends["higher"]} == {"awful", "long"}
    assert {term.term for term in ends["lower"]} == {"good", "fine"}
    assert ends["higher"][0].weight == model[-1].coef_.max()


def test_several_numbers_have_no_two_ends():
    texts, y = corpus()
    model = make_pipeline(CountVectorizer(), Ridge()).fit(texts, np.column_stack([y, y]))
    with pytest.raises(TypeError, match="predicts 2 numbers"):
        top_evidence(model)
